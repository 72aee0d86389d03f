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

// The elements that exist, of an expression without a start: the result's index result + n * result_step is the
// operand's index operand + n * operand_step, for each n below count.
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

// Dimensions [from_begin, from_end) of one array and [to_begin, to_end) of another with the same number of elements.
struct AlignedDimensions {
  std::size_t from_begin, from_end, to_begin, to_end;
};

// Returns the smallest groups of adjacent dimensions that a reshape joins or splits, in order. No size may be 0.
inline std::vector<AlignedDimensions> aligned_dimensions(std::span<const std::int64_t> from,
                                                         std::span<const std::int64_t> to) {
  std::vector<AlignedDimensions> groups;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    const std::size_t first_from = i, first_to = j;
    std::int64_t elements_from = i < from.size() ? from[i++] : 1, elements_to = j < to.size() ? to[j++] : 1;
    while (elements_from != elements_to) {
      (elements_from < elements_to ? elements_from : elements_to) *= elements_from < elements_to ? from[i++] : to[j++];
    }
    groups.push_back({first_from, i, first_to, j});
  }
  return groups;
}

// An operand of an instruction, as far as indices depend on it.
struct IndexedOperand {
  std::uint16_t op = 0;                         // BP_OP_*
  std::size_t number = 0, count = 1;            // of the operand; of all operands
  std::span<const std::int64_t> sizes, result;  // of the operand's and the result's dimensions
  std::span<const std::int64_t> attribute;      // see indexing_attribute()
  std::int64_t before = 0;                      // concatenate: sum of the sizes of the operands before this one
};

// Returns the attribute (BP_ATTR_*) that decides how the op indexes its operands.
inline std::uint16_t indexing_attribute(std::uint16_t op) {
  return op == BP_OP_SLICE ? BP_ATTR_SLICE : op == BP_OP_PAD ? BP_ATTR_PADDING : BP_ATTR_DIMENSIONS;
}

namespace index_maps_detail {

using Expressions = std::vector<IndexExpression>;

inline void set_dimension(const IndexedOperand &o, IndexExpression &e, std::size_t dimension) {
  e.kind = IndexExpression::Kind::Affine;
  e.dimension = static_cast<std::int64_t>(dimension);
  e.extent = o.result[dimension];
}

inline void reduce(const IndexedOperand &o, Expressions &map) {
  std::size_t kept = 0;
  for (std::size_t d = 0; d < map.size(); ++d) {
    if (std::ranges::find(o.attribute, static_cast<std::int64_t>(d)) != o.attribute.end()) {
      map[d].kind = IndexExpression::Kind::All;
    } else {
      set_dimension(o, map[d], kept++);
    }
  }
}

// Dimensions of size 1 have index 0. A group of dimensions with one other on each side is that dimension renamed.
inline void reshape(const IndexedOperand &o, Expressions &map) {
  const auto is_positive = [](std::int64_t size) { return size > 0; };
  if (!std::ranges::all_of(o.sizes, is_positive) || !std::ranges::all_of(o.result, is_positive)) {
    return;  // no element, or sizes that are known only at run time
  }
  for (const AlignedDimensions &group : aligned_dimensions(o.sizes, o.result)) {
    const auto from = o.sizes.subspan(group.from_begin, group.from_end - group.from_begin);
    const auto to = o.result.subspan(group.to_begin, group.to_end - group.to_begin);
    const auto is_large = [](std::int64_t size) { return size != 1; };
    const bool is_renamed = std::ranges::count_if(from, is_large) <= 1 && std::ranges::count_if(to, is_large) <= 1;
    const auto at = static_cast<std::size_t>(std::ranges::find_if(to, is_large) - to.begin());
    for (std::size_t d = group.from_begin; d < group.from_end; ++d) {
      if (o.sizes[d] == 1) {
        map[d].kind = IndexExpression::Kind::Affine;
      } else if (is_renamed) {
        set_dimension(o, map[d], group.to_begin + at);
      }
    }
  }
}

// Ops whose result has the operand's dimensions, in the same order.
inline void same_dimensions(const IndexedOperand &o, Expressions &map) {
  for (std::size_t d = 0; d < map.size(); ++d) {
    IndexExpression &e = map[d];
    set_dimension(o, e, d);
    const auto in_attribute = std::ranges::find(o.attribute, static_cast<std::int64_t>(d)) != o.attribute.end();
    switch (o.op) {
      case BP_OP_SLICE:
        e.offset = o.attribute[3 * d];
        e.stride = o.attribute[3 * d + 2];
        break;
      case BP_OP_REVERSE:
        e.stride = in_attribute ? -1 : 1;
        e.offset = in_attribute ? e.size - 1 : 0;
        break;
      case BP_OP_PAD:
        e.offset = -o.attribute[3 * d];
        e.divisor = o.attribute[3 * d + 2] + 1;
        break;
      case BP_OP_CONCATENATE: e.offset = in_attribute ? -o.before : 0; break;
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
}

}  // namespace index_maps_detail

// Returns how the operand is indexed; Unknown expressions for ops not listed here. Linear in the rank.
inline IndexMap index_map(const IndexedOperand &o) {
  using namespace index_maps_detail;
  IndexMap map;
  for (const std::int64_t size : o.sizes) {
    map.dimensions.push_back({.kind = IndexExpression::Kind::Unknown, .size = size});
  }
  const bp_op_facts_t *facts = bp_op_facts(o.op);
  const bool is_elementwise = o.op == BP_OP_MAP || (facts != nullptr && (facts->traits & BP_TRAIT_ELEMENTWISE) != 0);
  const bool has_same_rank = o.sizes.size() == o.result.size();
  switch (o.op) {
    case BP_OP_BROADCAST:
      for (std::size_t d = 0; d < o.sizes.size(); ++d) {
        set_dimension(o, map.dimensions[d], static_cast<std::size_t>(o.attribute[d]));
      }
      break;
    case BP_OP_TRANSPOSE:
      for (std::size_t d = 0; d < o.result.size(); ++d) {
        set_dimension(o, map.dimensions[static_cast<std::size_t>(o.attribute[d])], d);
      }
      break;
    case BP_OP_RESHAPE: reshape(o, map.dimensions); break;
    case BP_OP_REDUCE:
      if (o.number < o.count / 2) {
        reduce(o, map.dimensions);
      }
      break;
    case BP_OP_BITCAST_CONVERT:
      // A wider element consists of all narrower ones of the minor-most dimension.
      for (std::size_t d = 0; d < o.sizes.size(); ++d) {
        if (d < o.result.size()) {
          set_dimension(o, map.dimensions[d], d);
        } else {
          map.dimensions[d].kind = IndexExpression::Kind::All;
        }
      }
      break;
    case BP_OP_DYNAMIC_SLICE:
    case BP_OP_DYNAMIC_UPDATE_SLICE: {
      const std::size_t arrays = o.op == BP_OP_DYNAMIC_SLICE ? 1 : 2;
      if (o.number < arrays && o.count == arrays + o.sizes.size()) {  // otherwise all starts are in one vector
        same_dimensions(o, map.dimensions);
      }
      break;
    }
    case BP_OP_SLICE:
    case BP_OP_REVERSE:
    case BP_OP_PAD:
    case BP_OP_CONCATENATE: same_dimensions(o, map.dimensions); break;
    default:
      if (is_elementwise && has_same_rank) {
        same_dimensions(o, map.dimensions);
      }
  }
  return map;
}

// Return the map of one operand, or those of all. operand(number) returns an IndexedOperand, whose `before` is set
// here. Linear in the number of operands.
template <class Operand>
IndexMap index_map(std::size_t number, Operand &&operand) {
  IndexedOperand o = operand(number);
  for (std::size_t n = 0; o.op == BP_OP_CONCATENATE && n < number; ++n) {
    o.before += operand(n).sizes[static_cast<std::size_t>(o.attribute[0])];
  }
  return index_map(o);
}
template <class Operand>
std::vector<IndexMap> index_maps(std::size_t count, Operand &&operand) {
  std::vector<IndexMap> maps;
  std::int64_t before = 0;
  for (std::size_t number = 0; number < count; ++number) {
    IndexedOperand o = operand(number);
    o.before = before;
    maps.push_back(index_map(o));
    before += o.op == BP_OP_CONCATENATE ? o.sizes[static_cast<std::size_t>(o.attribute[0])] : 0;
  }
  return maps;
}

}  // namespace bp::plugin
