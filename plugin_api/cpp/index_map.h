// Index maps: which element of an operand an instruction reads for an element of its result. The only place that says
// what broadcast, transpose, reshape, slice, reverse, pad, concatenate and reduce mean for indices: fusion, loops,
// tiles and copies ask it. It needs only the op, sizes and attributes, so it serves modules of the core and images.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "../c/op_facts.h"
#include "backplane/op_ids.h"

namespace bp::plugin {

// Index in one dimension of an operand, for the element of the result whose index in `dimension` is i:
//   (stride * i + offset + start_factor * start) / divisor
// The operand has no such element if this is no whole number in [0, size).
struct IndexExpression {
  enum class Kind : std::uint8_t {
    Affine,   // the formula above
    All,      // each index from 0 to size - 1: a reduced dimension
    Unknown,  // any other function of the result's indices, or one of the values of operands
  };
  static constexpr std::int64_t none = -1;

  Kind kind = Kind::Affine;
  std::int64_t dimension = none;  // of the result; none: i is 0
  std::int64_t extent = 1;        // size of that dimension
  std::int64_t size = 1;          // of the operand's dimension
  std::int64_t stride = 1, offset = 0, divisor = 1;
  // Number of the operand whose value at run time, clamped into [0, start_limit], is the start; none: 0.
  std::int64_t start_operand = none, start_limit = 0;
  std::int64_t start_factor = 1;  // 1 or -1

  bool operator==(const IndexExpression &) const = default;

  bool has_dimension() const { return dimension != none; }
  bool has_start() const { return start_operand != none && start_limit > 0; }
  // Whether the index is i, and i is each index of the operand once.
  bool is_same_index() const {
    return kind == Kind::Affine && has_dimension() && extent == size && offset == 0 && !has_start() &&
           (extent <= 1 || (stride == 1 && divisor == 1));
  }
  // Whether the index of some element of the result is negative, or beyond the last one of the operand.
  bool may_be_negative() const {
    return offset + std::min<std::int64_t>(0, stride * (extent - 1)) - (start_factor < 0 ? start_limit : 0) < 0;
  }
  bool may_be_beyond() const {
    return offset + std::max<std::int64_t>(0, stride * (extent - 1)) + (start_factor > 0 ? start_limit : 0) >
           (size - 1) * divisor;
  }
};

// The elements that exist if the start is 0: for the result's index result + n * result_step the operand's index is
// operand + n * operand_step, for each n below count.
struct IndexRun {
  std::int64_t result = 0, result_step = 1, operand = 0, operand_step = 1, count = 0;
};

// Requires an affine expression whose stride or divisor is 1 or -1.
inline IndexRun run_of(const IndexExpression &e) {
  const auto quotient_up = [](std::int64_t a, std::int64_t b) { return a < 0 ? -(-a / b) : (a + b - 1) / b; };
  if (e.divisor == 1 && e.stride != 1) {  // of a slice or a reverse, which find an element for each index
    return {0, 1, e.offset, e.stride, e.extent};
  }
  const std::int64_t first = std::max<std::int64_t>(0, quotient_up(e.offset, e.divisor));
  const std::int64_t end = std::min(e.size, quotient_up(e.extent + e.offset, e.divisor));
  return {first * e.divisor - e.offset, e.divisor, first, 1, std::max<std::int64_t>(0, end - first)};
}

// By dimension of an operand. A scalar operand has no dimension: it is read for all elements of the result.
//
// A result takes each element from the operand that has it; from the padding value of a pad or the array of a
// dynamic-update-slice only if operand 0 or the update has none.
struct IndexMap {
  using Kind = IndexExpression::Kind;

  std::vector<IndexExpression> dimensions;

  bool is_known() const {
    return std::ranges::none_of(dimensions, [](const IndexExpression &e) { return e.kind == Kind::Unknown; });
  }
  // Whether each dimension of the operand is a dimension of the result as it is; those of size 1 may also be new.
  bool only_renames() const {
    return std::ranges::all_of(dimensions, [](const IndexExpression &e) {
      return e.is_same_index() || (e.kind == Kind::Affine && !e.has_dimension() && e.size == 1);
    });
  }
  // Whether several elements of a result of these sizes are taken from the same element. Requires a known map.
  bool repeats(std::span<const std::int64_t> result) const {
    for (std::size_t d = 0; d < result.size(); ++d) {
      if (result[d] > 1 && std::ranges::find(dimensions, static_cast<std::int64_t>(d), &IndexExpression::dimension) ==
                               dimensions.end()) {
        return true;
      }
    }
    return false;
  }
  // Converts a list by dimension of the result to one by dimension of the operand, and back. Dimensions that have no
  // counterpart get `otherwise`.
  template <class T>
  std::vector<T> to_operand(const std::vector<T> &of_result, T otherwise) const {
    std::vector<T> of_operand;
    for (const IndexExpression &e : dimensions) {
      of_operand.push_back(e.has_dimension() ? of_result[static_cast<std::size_t>(e.dimension)] : otherwise);
    }
    return of_operand;
  }
  template <class T>
  std::vector<T> to_result(const std::vector<T> &of_operand, std::size_t rank, T otherwise) const {
    std::vector<T> of_result(rank, otherwise);
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      if (dimensions[d].has_dimension()) {
        of_result[static_cast<std::size_t>(dimensions[d].dimension)] = of_operand[d];
      }
    }
    return of_result;
  }
};

// An operand of an instruction, as far as indices depend on it.
struct IndexedOperand {
  std::uint16_t op = 0;                         // BP_OP_*
  std::size_t number = 0, count = 1;            // of the operand; of all operands
  std::span<const std::int64_t> sizes, result;  // of the operand's and the result's dimensions
  std::span<const std::int64_t> attribute;      // see indexing_attribute()
  std::int64_t before = 0;                      // concatenate: sum of the sizes of the operands before this one
  bool has_scalar_starts = true;                // dynamic-slice, dynamic-update-slice; otherwise all are in one vector
};

// Returns the number of the first operand that is a start index; 0 if the op has none.
inline std::size_t first_start(std::uint16_t op) {
  return op == BP_OP_DYNAMIC_SLICE ? 1 : op == BP_OP_DYNAMIC_UPDATE_SLICE ? 2 : 0;
}

// Returns the attribute (BP_ATTR_*) that decides how the op indexes its operands.
inline std::uint16_t indexing_attribute(std::uint16_t op) {
  return op == BP_OP_SLICE ? BP_ATTR_SLICE : op == BP_OP_PAD ? BP_ATTR_PADDING : BP_ATTR_DIMENSIONS;
}

// Whether the op takes each operand's dimensions as those of the result, perhaps moved along them.
inline bool keeps_dimensions(const IndexedOperand &o) {
  const bp_op_facts_t *facts = bp_op_facts(o.op);
  switch (o.op) {
    case BP_OP_SLICE:
    case BP_OP_REVERSE:
    case BP_OP_PAD:
    case BP_OP_CONCATENATE:
    case BP_OP_MAP: return true;
    case BP_OP_DYNAMIC_SLICE:
    case BP_OP_DYNAMIC_UPDATE_SLICE:
      return o.number < first_start(o.op) && o.has_scalar_starts && o.count == first_start(o.op) + o.sizes.size();
    default:
      return facts != nullptr && (facts->traits & BP_TRAIT_ELEMENTWISE) != 0 && o.sizes.size() == o.result.size();
  }
}

// Returns the dimension of the result that a reshape makes of the operand's dimension d by renaming it: it has the same
// size and as many elements to its left. Returns none if there is none.
inline std::int64_t renamed_dimension(const IndexedOperand &o, std::size_t d) {
  const auto multiply = [](std::uint64_t x, std::int64_t y) { return x * static_cast<std::uint64_t>(y); };
  const auto before = o.sizes.first(d);
  const std::uint64_t left = std::accumulate(before.begin(), before.end(), std::uint64_t{1}, multiply);
  std::uint64_t passed = 1;
  for (std::size_t r = 0; r < o.result.size(); ++r) {
    if (passed == left && o.result[r] == o.sizes[d]) {
      return static_cast<std::int64_t>(r);
    }
    passed = multiply(passed, o.result[r]);
  }
  return IndexExpression::none;
}

// Sets kind and dimension: Unknown for ops that are not listed here.
inline void set_dimension(const IndexedOperand &o, std::size_t d, IndexExpression &e) {
  const auto number = static_cast<std::int64_t>(d);
  const auto listed = std::ranges::find(o.attribute, number);
  e.kind = IndexExpression::Kind::Unknown;
  switch (o.op) {
    case BP_OP_BROADCAST: e.dimension = o.attribute[d]; break;
    case BP_OP_TRANSPOSE: e.dimension = listed - o.attribute.begin(); break;
    case BP_OP_RESHAPE:
      e.dimension = e.size == 1 ? IndexExpression::none : renamed_dimension(o, d);
      e.kind = e.size == 1 ? IndexExpression::Kind::Affine : e.kind;
      break;
    case BP_OP_REDUCE:
      e.kind = IndexExpression::Kind::All;
      if (listed == o.attribute.end()) {
        e.dimension = number - std::ranges::count_if(o.attribute, [&](std::int64_t other) { return other < number; });
      }
      break;
    case BP_OP_BITCAST_CONVERT:  // a wider element consists of all narrower ones of the minor-most dimension
      e.kind = IndexExpression::Kind::All;
      e.dimension = d < o.result.size() ? number : IndexExpression::none;
      break;
    default: e.dimension = keeps_dimensions(o) ? number : IndexExpression::none;
  }
  if (e.has_dimension()) {
    e.kind = IndexExpression::Kind::Affine;
    e.extent = o.result[static_cast<std::size_t>(e.dimension)];
  }
}

// Sets how the index moves along the dimension.
inline void set_movement(const IndexedOperand &o, std::size_t d, IndexExpression &e) {
  const bool is_listed = std::ranges::find(o.attribute, static_cast<std::int64_t>(d)) != o.attribute.end();
  switch (o.op) {
    case BP_OP_SLICE:
      e.offset = o.attribute[3 * d];
      e.stride = o.attribute[3 * d + 2];
      break;
    case BP_OP_REVERSE:
      e.stride = is_listed ? -1 : 1;
      e.offset = is_listed ? e.size - 1 : 0;
      break;
    case BP_OP_PAD:
      e.offset = -o.attribute[3 * d];
      e.divisor = o.attribute[3 * d + 2] + 1;
      break;
    case BP_OP_CONCATENATE: e.offset = is_listed ? -o.before : 0; break;
    case BP_OP_DYNAMIC_SLICE:
      e.start_operand = static_cast<std::int64_t>(1 + d);
      e.start_limit = e.size - e.extent;
      break;
    case BP_OP_DYNAMIC_UPDATE_SLICE:
      if (o.number == 1) {
        e.start_operand = static_cast<std::int64_t>(2 + d);
        e.start_limit = e.extent - e.size;
        e.start_factor = -1;
      }
      break;
    default: break;
  }
}

// Returns the map of one operand. operand(number) returns an IndexedOperand, whose `before` is set here.
template <class Operand>
IndexMap index_map(std::size_t number, Operand &&operand) {
  IndexedOperand o = operand(number);
  for (std::size_t n = 0; o.op == BP_OP_CONCATENATE && n < number; ++n) {
    o.before += operand(n).sizes[static_cast<std::size_t>(o.attribute[0])];
  }
  IndexMap map;
  for (std::size_t d = 0; d < o.sizes.size(); ++d) {
    IndexExpression &e = map.dimensions.emplace_back();
    e.size = o.sizes[d];
    set_dimension(o, d, e);
    if (e.kind == IndexExpression::Kind::Affine) {
      set_movement(o, d, e);
    }
  }
  return map;
}

}  // namespace bp::plugin
