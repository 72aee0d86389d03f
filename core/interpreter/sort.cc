// sort and topk. Both sort indices, not elements, by a stable merge sort that stays in bounds whatever the comparator
// returns.
#include "core/interpreter/sort.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/interpreter/loops.h"
#include "core/interpreter/scalar_function.h"
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;
using Positions = std::vector<std::int64_t>;

// goes_before(a, b) returns a Result<bool>. Merges runs of doubling length; of equal elements the left one comes first.
template <class GoesBefore>
Status stable_sort(Positions &positions, GoesBefore &&goes_before) {
  Positions merged(positions.size());
  std::size_t count = positions.size();
  for (std::size_t length = 1; length < count; length *= 2) {
    for (std::size_t begin = 0; begin < count; begin += 2 * length) {
      std::size_t left = begin, middle = std::min(begin + length, count), right = middle;
      std::size_t end = std::min(begin + 2 * length, count);
      for (std::size_t out = begin; out < end; ++out) {
        bool take_right = left == middle;
        if (!take_right && right < end) {
          BP_ASSIGN(take_right, goes_before(positions[right], positions[left]));
        }
        merged[out] = take_right ? positions[right++] : positions[left++];
      }
    }
    positions.swap(merged);
  }
  return {};
}

// Offsets of the first elements of all lines along one dimension, and the stride along it.
struct Lines {
  std::int64_t length, stride;
  std::vector<std::int64_t> first;

  Lines(std::span<const std::int64_t> sizes, std::size_t dimension) : length(sizes[dimension]) {
    Dimensions strides = dense_strides(sizes), others(sizes.begin(), sizes.end());
    stride = strides[dimension];
    others[dimension] = length == 0 ? 0 : 1;
    for_each_index(std::span(others.data(), others.size()), [&](std::span<const std::int64_t> index) {
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < index.size(); ++d) {
        offset += index[d] * strides[d];
      }
      first.push_back(offset);
    });
  }
};

Positions counting_up(std::int64_t count) {
  Positions positions(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i] = static_cast<std::int64_t>(i);
  }
  return positions;
}

// Sorts lines of arrays together by a comparator, which has two parameters for each array, or for the first ones. It is
// a stable sort, whether that is required or not. Results that are shorter than the arrays along the dimension get the
// first elements.
Result<std::vector<Literal>> sort_lines(Evaluator &evaluator, const ir::Computation &compared, Operands arrays,
                                        std::size_t dimension, std::span<const Shape> shapes) {
  BP_ASSIGN(ScalarFunction * comparator, evaluator.scalar_function(compared));
  std::vector<Literal> results;
  for (const Shape &shape : shapes) {
    BP_ASSIGN(Literal result, evaluator.allocate(shape));
    results.push_back(std::move(result));
  }
  std::vector<const std::byte *> arguments(compared.parameter_count());
  const Lines lines(arrays[0].shape().sizes(), dimension), to_lines(results[0].shape().sizes(), dimension);
  for (std::size_t n = 0; n < to_lines.first.size(); ++n) {
    const std::int64_t first = lines.first[n];
    Positions positions = counting_up(lines.length);
    BP_TRY(stable_sort(positions, [&](std::int64_t a, std::int64_t b) -> Result<bool> {
      for (std::size_t i = 0; i < arguments.size() / 2; ++i) {
        const std::byte *line = arrays[i].bytes().data() + first * ir::byte_width(arrays[i].shape().element_type());
        std::int64_t step = lines.stride * ir::byte_width(arrays[i].shape().element_type());
        arguments[2 * i] = line + a * step;
        arguments[2 * i + 1] = line + b * step;
      }
      bool answer = false;
      auto *answer_bytes = reinterpret_cast<std::byte *>(&answer);
      BP_TRY((*comparator)(arguments, std::span(&answer_bytes, 1), 1));
      return answer;
    }));
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      std::int64_t width = ir::byte_width(arrays[i].shape().element_type());
      const std::byte *from = arrays[i].bytes().data();
      std::byte *to = results[i].mutable_bytes().data();
      for (std::int64_t place = 0; place < to_lines.length; ++place) {
        std::int64_t source = first + positions[static_cast<std::size_t>(place)] * lines.stride;
        std::memcpy(to + (to_lines.first[n] + place * to_lines.stride) * width, from + source * width,
                    static_cast<std::size_t>(width));
      }
    }
  }
  return results;
}

// Returns an array that holds the positions along a dimension.
Result<Literal> positions_along(Evaluator &evaluator, const Shape &shape, std::size_t dimension) {
  BP_ASSIGN(Literal positions, evaluator.allocate(Shape::array(ir::ElementType::S32, shape.sizes())));
  const std::span<std::int32_t> elements = positions.mutable_elements<std::int32_t>();
  const Lines lines(shape.sizes(), dimension);
  for (const std::int64_t first : lines.first) {
    for (std::int64_t place = 0; place < lines.length; ++place) {
      elements[static_cast<std::size_t>(first + place * lines.stride)] = static_cast<std::int32_t>(place);
    }
  }
  return positions;
}

}  // namespace

Result<Literal> evaluate_sort(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &shape = instruction.shape();
  const std::span<const Shape> shapes = shape.is_tuple() ? shape.elements() : std::span(&shape, 1);
  BP_ASSIGN(std::vector<Literal> sorted, sort_lines(evaluator, instruction.called(0), operands,
                                                    static_cast<std::size_t>(instruction.dimensions()[0]), shapes));
  return shape.is_tuple() ? Literal::tuple(std::move(sorted)) : std::move(sorted[0]);
}

Result<Literal> evaluate_top_k_call(Evaluator &evaluator, const Instruction &call, Operands operands,
                                    std::size_t dimension) {
  const std::size_t count = operands.size() == 1 ? 1 : operands.size() / 2;
  std::vector<Literal> arrays(std::make_move_iterator(operands.begin()),
                              std::make_move_iterator(operands.begin() + static_cast<std::ptrdiff_t>(count)));
  if (operands.size() == 1) {
    BP_ASSIGN(Literal positions, positions_along(evaluator, arrays[0].shape(), dimension));
    arrays.push_back(std::move(positions));
  }
  BP_ASSIGN(std::vector<Literal> sorted,
            sort_lines(evaluator, call.called(0), arrays, dimension, call.shape().elements()));
  return Literal::tuple(std::move(sorted));
}

// Floats are in total order: a NaN is larger than infinity, or smaller than -infinity, depending on its sign.
Result<Literal> evaluate_topk(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Literal &operand = operands[0];
  const Shape &shape = operand.shape();
  if (ir::is_complex(shape.element_type())) {
    return unsupported("topk of {}, which has no order", ir::to_string(shape.element_type()));
  }
  BP_ASSIGN(Literal values, evaluator.allocate(instruction.shape().elements()[0]));
  BP_ASSIGN(Literal indices, evaluator.allocate(instruction.shape().elements()[1]));
  std::int64_t k = values.shape().sizes().back();
  bool largest = instruction.number(AttributeKey::Largest, 1) != 0;
  std::span<std::int32_t> indices_out = indices.mutable_elements<std::int32_t>();
  Lines lines(shape.sizes(), shape.rank() - 1);
  std::size_t out = 0;
  ir::visit_element_type(shape.element_type(), [&]<class T>() {
    if constexpr (!is_complex_number<T>) {
      std::span<const T> elements = operand.elements<T>();
      std::span<T> values_out = values.mutable_elements<T>();
      for (std::int64_t first : lines.first) {
        auto key = [&](std::int64_t position) {
          return total_order_key(elements[static_cast<std::size_t>(first + position)]);
        };
        Positions positions = counting_up(lines.length);
        std::partial_sort(positions.begin(), positions.begin() + k, positions.end(),
                          [&](std::int64_t a, std::int64_t b) {
                            auto x = key(a), y = key(b);
                            return x == y ? a < b : largest ? x > y : x < y;
                          });
        for (std::int64_t i = 0; i < k; ++i, ++out) {
          std::int64_t position = positions[static_cast<std::size_t>(i)];
          values_out[out] = elements[static_cast<std::size_t>(first + position)];
          indices_out[out] = static_cast<std::int32_t>(position);
        }
      }
    }
  });
  return Literal::tuple({std::move(values), std::move(indices)});
}

}  // namespace bp::interpreter
