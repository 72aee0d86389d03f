// scaled-dot and ragged-dot.
#include <algorithm>

#include "core/interpreter/dot.h"
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;

// Elements as f64, each times the scale of its block. A block takes size / (size of the scale) along each dimension.
Result<Literal> scaled(const Evaluator &evaluator, const Literal &values, const Literal &scale) {
  Shape shape = values.shape();
  shape.set_element_type(ElementType::F64);
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  std::span<double> out = result.mutable_elements<double>();
  Dimensions strides = dense_strides(scale.shape().sizes());
  bool one_scale = scale.shape().is_scalar();
  Status status;
  ir::visit_element_type(values.shape().element_type(), [&]<class T>() {
    ir::visit_element_type(scale.shape().element_type(), [&]<class S>() {
      if constexpr (std::is_floating_point_v<WideType<T>> && std::is_floating_point_v<WideType<S>>) {
        std::size_t i = 0;
        for_each_index(shape.sizes(), [&](std::span<const std::int64_t> index) {
          std::int64_t offset = 0;
          for (std::size_t d = 0; d < index.size() && !one_scale; ++d) {
            offset += index[d] / (shape.size(d) / scale.shape().size(d)) * strides[d];
          }
          out[i] = widen<double>(values.elements<T>()[i]) *
                   widen<double>(scale.elements<S>()[static_cast<std::size_t>(offset)]);
          ++i;
        });
      } else {
        status = unsupported("scaled-dot of {} with scales of {}", ir::to_string(values.shape()),
                             ir::to_string(scale.shape()));
      }
    });
  });
  BP_TRY(std::move(status));
  return result;
}

// The part of a value with indices [begin, end) along a dimension.
Result<Literal> part(const Evaluator &evaluator, const Literal &value, std::int64_t dimension, std::int64_t begin,
                     std::int64_t end) {
  auto d = static_cast<std::size_t>(dimension);
  Shape shape = value.shape();
  shape.set_size(d, end - begin);
  Walk walk = dense_walk(value.shape().sizes());
  walk.offset = begin * walk.strides[d];
  return gathered(evaluator, shape, value, walk);
}

// Writes `value` into the part of `result` that begins at `begin` along a dimension.
void put(const Evaluator &evaluator, Literal &result, std::size_t dimension, std::int64_t begin, const Literal &value) {
  Walk walk = dense_walk(result.shape().sizes());
  walk.offset = begin * walk.strides[dimension];
  std::span<const std::int64_t> sizes = value.shape().sizes();
  strided_copy(evaluator, sizes, result.mutable_bytes().data(), walk, value.bytes().data(), dense_walk(sizes),
               static_cast<std::size_t>(ir::byte_width(value.shape().element_type())));
}

// Which groups there are: where each begins and ends along the ragged dimension of `size`.
Result<std::vector<std::pair<std::int64_t, std::int64_t>>> groups_of(const Literal &sizes, std::int64_t size) {
  if (sizes.shape().rank() != 1) {
    return unsupported("ragged-dot with group sizes of shape {}, expected one dimension", ir::to_string(sizes.shape()));
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> groups;
  std::int64_t begin = 0;
  ir::visit_element_type(sizes.shape().element_type(), [&]<class T>() {
    if constexpr (std::is_integral_v<WideType<T>>) {
      for (T element : sizes.elements<T>()) {
        std::int64_t count = std::clamp<std::int64_t>(widen<std::int64_t>(element), 0, size - begin);
        groups.emplace_back(begin, begin + count);
        begin += count;
      }
    }
  });
  return groups;
}

}  // namespace

Result<Literal> evaluate_scaled_dot(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  BP_ASSIGN(Literal lhs, scaled(evaluator, operands[0], operands[2]));
  BP_ASSIGN(Literal rhs, scaled(evaluator, operands[1], operands[3]));
  return dot(evaluator, instruction.shape(), DotNumbers(instruction), std::move(lhs), std::move(rhs));
}

// The ragged dimension of the lhs is cut into groups of consecutive indices. If it is contracting, each group makes a
// result of its own; if it is free, the rows of each group meet a rhs of their own, and rows in no group stay zero; if
// it is a batch dimension, the groups change nothing.
Result<Literal> evaluate_ragged_dot(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Literal &lhs = operands[0], &rhs = operands[1];
  DotNumbers numbers(instruction);
  std::int64_t ragged = instruction.numbers(AttributeKey::LhsRaggedDims)[0];
  if (std::ranges::find(numbers.lhs_batch, ragged) != numbers.lhs_batch.end()) {
    return dot(evaluator, instruction.shape(), numbers, lhs, rhs);
  }
  BP_ASSIGN(auto groups, groups_of(operands[2], lhs.shape().size(static_cast<std::size_t>(ragged))));
  BP_ASSIGN(Literal result, evaluator.allocate(instruction.shape()));
  auto contracting = std::ranges::find(numbers.lhs_contracting, ragged);
  if (contracting != numbers.lhs_contracting.end()) {
    std::int64_t rhs_ragged =
        numbers.rhs_contracting[static_cast<std::size_t>(contracting - numbers.lhs_contracting.begin())];
    Dimensions sizes(instruction.shape().sizes().begin() + 1, instruction.shape().sizes().end());
    Shape shape = Shape::array(instruction.shape().element_type(), sizes);
    sizes.insert(sizes.begin(), 1);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      BP_ASSIGN(Literal lhs_part, part(evaluator, lhs, ragged, groups[g].first, groups[g].second));
      BP_ASSIGN(Literal rhs_part, part(evaluator, rhs, rhs_ragged, groups[g].first, groups[g].second));
      BP_ASSIGN(Literal product, dot(evaluator, shape, numbers, std::move(lhs_part), std::move(rhs_part)));
      put(evaluator, result, 0, static_cast<std::int64_t>(g),
          product.with_shape(Shape::array(shape.element_type(), sizes)));
    }
    return result;
  }
  // The group dimension of the rhs, of size 1 in a group's part, counts as one more contracting dimension; to the lhs
  // it is given as a last dimension of size 1.
  std::int64_t group_dimension = instruction.numbers(AttributeKey::RhsGroupDims)[0];
  std::size_t place = numbers.lhs_batch.size();  // of the ragged dimension in the result
  for (std::int64_t d = 0; d < ragged; ++d) {
    place += std::ranges::find(numbers.lhs_batch, d) == numbers.lhs_batch.end() &&
                     std::ranges::find(numbers.lhs_contracting, d) == numbers.lhs_contracting.end()
                 ? 1
                 : 0;
  }
  numbers.lhs_contracting.push_back(static_cast<std::int64_t>(lhs.shape().rank()));
  numbers.rhs_contracting.push_back(group_dimension);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    auto [begin, end] = groups[g];
    BP_ASSIGN(Literal lhs_part, part(evaluator, lhs, ragged, begin, end));
    BP_ASSIGN(Literal rhs_part,
              part(evaluator, rhs, group_dimension, static_cast<std::int64_t>(g), static_cast<std::int64_t>(g) + 1));
    Dimensions lhs_sizes(lhs_part.shape().sizes().begin(), lhs_part.shape().sizes().end());
    lhs_sizes.push_back(1);
    Shape shape = instruction.shape();
    shape.set_size(place, end - begin);
    BP_ASSIGN(Literal product,
              dot(evaluator, shape, numbers, lhs_part.with_shape(Shape::array(lhs.shape().element_type(), lhs_sizes)),
                  std::move(rhs_part)));
    put(evaluator, result, place, begin, product);
  }
  return result;
}

}  // namespace bp::interpreter
