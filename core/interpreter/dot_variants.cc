// scaled-dot and ragged-dot.
#include <algorithm>

#include "core/interpreter/dot.h"
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;

// Returns the elements as f64, multiplied by the scales of their blocks. The size of a block in each dimension is the
// size of the values divided by the size of the scale.
Result<Literal> scaled(const Evaluator &evaluator, const Literal &values, const Literal &scale) {
  const Shape &shape = values.shape();
  if (!ir::is_floating(shape.element_type()) || !ir::is_floating(scale.shape().element_type())) {
    return unsupported("scaled-dot of {} with scales of {}", ir::to_string(shape), ir::to_string(scale.shape()));
  }
  BP_ASSIGN(Literal result, converted(evaluator, values, ElementType::F64));
  BP_ASSIGN(const Literal factors, converted(evaluator, scale, ElementType::F64));
  const std::span<double> out = result.mutable_elements<double>();
  const Dimensions strides = dense_strides(scale.shape().sizes());
  const bool one_scale = scale.shape().is_scalar();
  std::size_t i = 0;
  for_each_index(shape.sizes(), [&](std::span<const std::int64_t> index) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size() && !one_scale; ++d) {
      offset += index[d] / (shape.size(d) / scale.shape().size(d)) * strides[d];
    }
    out[i++] *= factors.elements<double>()[static_cast<std::size_t>(offset)];
  });
  return result;
}

// Returns the part of a value with indices [begin, end) along a dimension.
Result<Literal> part(const Evaluator &evaluator, const Literal &value, std::int64_t dimension, std::int64_t begin,
                     std::int64_t end) {
  auto d = static_cast<std::size_t>(dimension);
  Shape shape = value.shape();
  shape.set_size(d, end - begin);
  Walk walk = dense_walk(value.shape().sizes());
  walk.offset = begin * walk.strides[d];
  return gathered(evaluator, shape, value, walk);
}

// Writes `value` to the part of `result` that begins at `begin` along a dimension.
void put(const Evaluator &evaluator, Literal &result, std::size_t dimension, std::int64_t begin, const Literal &value) {
  Walk walk = dense_walk(result.shape().sizes());
  walk.offset = begin * walk.strides[dimension];
  std::span<const std::int64_t> sizes = value.shape().sizes();
  strided_copy(evaluator, sizes, result.mutable_bytes().data(), walk, value.bytes().data(), dense_walk(sizes),
               static_cast<std::size_t>(ir::byte_width(value.shape().element_type())));
}

// Beginnings and ends of the groups along the ragged dimension: the same for all indices of the `prefix` dimensions
// (then outer is 1), or one for each of these indices.
struct Groups {
  struct Range {
    std::int64_t begin, end;
  };
  Dimensions prefix;  // of the lhs
  std::int64_t count = 0, outer = 1;
  std::vector<Range> ranges;  // [outer][count]

  Range at(std::int64_t place, std::int64_t group) const {
    return ranges[static_cast<std::size_t>((outer == 1 ? 0 : place) * count + group)];
  }
  // Returns the smallest range that contains the ranges of a group for all prefixes.
  Range hull(std::int64_t group) const {
    Range hull = outer == 0 ? Range{0, 0} : at(0, group);
    for (std::int64_t place = 1; place < outer; ++place) {
      hull = {std::min(hull.begin, at(place, group).begin), std::max(hull.end, at(place, group).end)};
    }
    return hull;
  }
};

// `size` is that of the ragged dimension. Group sizes that are negative or exceed it are clamped.
Result<Groups> groups_of(const Literal &sizes, const Shape &lhs, Dimensions prefix, std::int64_t size) {
  const Shape &shape = sizes.shape();
  bool fits = shape.rank() == 1 || shape.rank() == prefix.size() + 1;
  Groups groups{std::move(prefix), shape.size(shape.rank() - 1), 1, {}};
  for (std::size_t d = 0; fits && d + 1 < shape.rank(); ++d) {
    fits = shape.size(d) == lhs.size(static_cast<std::size_t>(groups.prefix[d]));
    groups.outer *= shape.size(d);
  }
  if (!fits) {
    return invalid_input("group sizes of shape {}, expected one dimension, or those before the ragged dimension of {}",
                         ir::to_string(shape), ir::to_string(lhs));
  }
  ir::visit_element_type(shape.element_type(), [&]<class T>() {
    if constexpr (std::is_integral_v<WideType<T>>) {
      std::int64_t begin = 0;
      for (T element : sizes.elements<T>()) {
        begin = std::ssize(groups.ranges) % groups.count == 0 ? 0 : begin;
        std::int64_t end = begin + std::clamp<std::int64_t>(widen<std::int64_t>(element), 0, size - begin);
        groups.ranges.push_back({begin, end});
        begin = end;
      }
    }
  });
  return groups;
}

// Returns the part of an operand that is in a group; elements of other groups in between are zero.
Result<Literal> in_group(const Evaluator &evaluator, const Literal &value, const Groups &groups, std::int64_t group,
                         std::int64_t ragged, const Dimensions &prefix) {
  auto [begin, end] = groups.hull(group);
  BP_ASSIGN(Literal result, part(evaluator, value, ragged, begin, end));
  if (groups.outer == 1) {
    return result;
  }
  auto width = static_cast<std::size_t>(ir::byte_width(value.shape().element_type()));
  std::byte *element = result.mutable_bytes().data();
  for_each_index(result.shape().sizes(), [&](std::span<const std::int64_t> index) {
    std::int64_t place = 0;
    for (std::int64_t d : prefix) {
      place = place * value.shape().size(static_cast<std::size_t>(d)) + index[static_cast<std::size_t>(d)];
    }
    Groups::Range range = groups.at(place, group);
    std::int64_t at = index[static_cast<std::size_t>(ragged)] + begin;
    if (at < range.begin || at >= range.end) {
      std::fill_n(element, width, std::byte{0});
    }
    element += width;
  });
  return result;
}

// Contracting ragged dimension: each group has a result of its own.
Result<Literal> contract_groups(Evaluator &evaluator, const Instruction &instruction, Operands operands,
                                const Groups &groups, std::size_t contracting) {
  DotNumbers numbers(instruction);
  Dimensions rhs_prefix = numbers.rhs_batch;
  rhs_prefix.insert(rhs_prefix.end(), numbers.rhs_contracting.begin(),
                    numbers.rhs_contracting.begin() + static_cast<std::ptrdiff_t>(contracting));
  std::int64_t lhs_ragged = numbers.lhs_contracting[contracting], rhs_ragged = numbers.rhs_contracting[contracting];
  BP_ASSIGN(Literal result, evaluator.allocate(instruction.shape()));
  Dimensions sizes(instruction.shape().sizes().begin() + 1, instruction.shape().sizes().end());
  Shape shape = Shape::array(instruction.shape().element_type(), sizes);
  sizes.insert(sizes.begin(), 1);
  for (std::int64_t g = 0; g < groups.count; ++g) {
    BP_ASSIGN(Literal lhs, in_group(evaluator, operands[0], groups, g, lhs_ragged, groups.prefix));
    BP_ASSIGN(Literal rhs, in_group(evaluator, operands[1], groups, g, rhs_ragged, rhs_prefix));
    BP_ASSIGN(Literal product, dot(evaluator, shape, numbers, std::move(lhs), std::move(rhs)));
    put(evaluator, result, 0, g, product.with_shape(Shape::array(shape.element_type(), sizes)));
  }
  return result;
}

// Free ragged dimension: the rows of each group are multiplied by a rhs of their own; rows in no group are zero. The
// group dimension of the rhs has size 1 in a group's part and becomes an additional contracting dimension; the lhs gets
// a last dimension of size 1 for it.
Result<Literal> dot_groups(Evaluator &evaluator, const Instruction &instruction, Operands operands,
                           const Groups &groups, std::int64_t ragged) {
  const Literal &lhs = operands[0], &rhs = operands[1];
  const Shape &shape = instruction.shape();
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  DotNumbers numbers(instruction);
  std::int64_t group_dimension = instruction.numbers(AttributeKey::RhsGroupDims)[0];
  numbers.lhs_contracting.push_back(static_cast<std::int64_t>(lhs.shape().rank()));
  numbers.rhs_contracting.push_back(group_dimension);
  // The prefix dimensions are the first ones of the result, followed by the ragged one.
  std::size_t place = groups.prefix.size();
  std::int64_t outer = ir::product(shape.sizes().first(place));
  std::int64_t row_bytes = ir::product(shape.sizes().subspan(place + 1)) * ir::byte_width(shape.element_type());
  for (std::int64_t g = 0; g < groups.count; ++g) {
    auto [begin, end] = groups.hull(g);
    BP_ASSIGN(Literal lhs_part, part(evaluator, lhs, ragged, begin, end));
    BP_ASSIGN(Literal rhs_part, part(evaluator, rhs, group_dimension, g, g + 1));
    Dimensions lhs_sizes(lhs_part.shape().sizes().begin(), lhs_part.shape().sizes().end());
    lhs_sizes.push_back(1);
    Shape part_shape = shape;
    part_shape.set_size(place, end - begin);
    BP_ASSIGN(Literal product,
              dot(evaluator, part_shape, numbers,
                  lhs_part.with_shape(Shape::array(lhs.shape().element_type(), lhs_sizes)), std::move(rhs_part)));
    for (std::int64_t o = 0; o < outer; ++o) {
      Groups::Range range = groups.at(o, g);
      const std::byte *rows = product.bytes().data() + (o * (end - begin) + range.begin - begin) * row_bytes;
      std::byte *to = result.mutable_bytes().data() + (o * shape.size(place) + range.begin) * row_bytes;
      std::copy_n(rows, (range.end - range.begin) * row_bytes, to);
    }
  }
  return result;
}

}  // namespace

Result<Literal> evaluate_scaled_dot(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  BP_ASSIGN(Literal lhs, scaled(evaluator, operands[0], operands[2]));
  BP_ASSIGN(Literal rhs, scaled(evaluator, operands[1], operands[3]));
  return dot(evaluator, instruction.shape(), DotNumbers(instruction), std::move(lhs), std::move(rhs));
}

// The ragged dimension of the lhs is divided into groups of consecutive indices. If it is a batch dimension, the groups
// have no effect.
Result<Literal> evaluate_ragged_dot(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  DotNumbers numbers(instruction);
  std::int64_t ragged = instruction.numbers(AttributeKey::LhsRaggedDims)[0];
  if (std::ranges::find(numbers.lhs_batch, ragged) != numbers.lhs_batch.end()) {
    return dot(evaluator, instruction.shape(), numbers, operands[0], operands[1]);
  }
  const Shape &lhs = operands[0].shape();
  auto contracting = std::ranges::find(numbers.lhs_contracting, ragged);
  Dimensions prefix = numbers.lhs_batch;
  if (contracting != numbers.lhs_contracting.end()) {
    prefix.insert(prefix.end(), numbers.lhs_contracting.begin(), contracting);
  } else {
    for (std::int64_t d = 0; d < ragged; ++d) {
      if (std::ranges::find(numbers.lhs_batch, d) == numbers.lhs_batch.end() &&
          std::ranges::find(numbers.lhs_contracting, d) == numbers.lhs_contracting.end()) {
        prefix.push_back(d);
      }
    }
  }
  BP_ASSIGN(Groups groups, groups_of(operands[2], lhs, std::move(prefix), lhs.size(static_cast<std::size_t>(ragged))));
  if (contracting == numbers.lhs_contracting.end()) {
    return dot_groups(evaluator, instruction, operands, groups, ragged);
  }
  return contract_groups(evaluator, instruction, operands, groups,
                         static_cast<std::size_t>(contracting - numbers.lhs_contracting.begin()));
}

}  // namespace bp::interpreter
