// reduce-window and select-and-scatter: what slides over an array.
#include <cstring>

#include "core/interpreter/reducer.h"
#include "core/interpreter/scalar_function.h"
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

// The elements under a window, by the index of its output element.
class WindowElements {
 public:
  WindowElements(const Instruction &instruction, const Shape &operand)
      : sizes_(operand.sizes().begin(), operand.sizes().end()), strides_(dense_strides(operand.sizes())) {
    std::span<const ir::WindowDimension> window = instruction.window();
    window_.assign(window.begin(), window.end());
    window_.resize(operand.rank());  // none given: a window of one element
    for (const ir::WindowDimension &dimension : window_) {
      window_sizes_.push_back(dimension.size);
    }
  }

  // Calls body(offset of the element) in row-major order of the window; padding and gaps are left out.
  template <class Body>
  void for_each(std::span<const std::int64_t> output_index, Body &&body) const {
    visit(output_index, 0, 0, body);
  }

 private:
  template <class Body>
  void visit(std::span<const std::int64_t> output_index, std::size_t d, std::int64_t offset, Body &body) const {
    if (d == window_.size()) {
      body(offset);
      return;
    }
    const ir::WindowDimension &window = window_[d];
    for (std::int64_t i = 0; i < window.size; ++i) {
      std::int64_t in_window = window.reversal != 0 ? window.size - 1 - i : i;
      std::int64_t at = output_index[d] * window.stride + in_window * window.rhs_dilate - window.pad_low;
      if (at >= 0 && at % window.lhs_dilate == 0 && at / window.lhs_dilate < sizes_[d]) {
        visit(output_index, d + 1, offset + at / window.lhs_dilate * strides_[d], body);
      }
    }
  }

  Dimensions sizes_, strides_, window_sizes_;
  std::vector<ir::WindowDimension> window_;
};

// One operand, a reducer that is one op. The operand is widened once.
template <class Sum, class Combine>
Result<Literal> reduce_window_plain(Evaluator &evaluator, const Shape &shape, const Literal &operand,
                                    const Literal &initial, const WindowElements &elements, Combine combine) {
  ElementType type = shape.element_type();
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  auto widened = [&](const Literal &literal) {
    std::vector<Sum> values(static_cast<std::size_t>(literal.shape().element_count()));
    if (ConvertLoop widen = widening_loop(type, sum_of(type))) {
      widen(literal.bytes().data(), values.data(), values.size());
    } else {
      std::memcpy(values.data(), literal.bytes().data(), values.size() * sizeof(Sum));
    }
    return values;
  };
  std::vector<Sum> values = widened(operand), sums;
  Sum start = widened(initial)[0];
  sums.reserve(static_cast<std::size_t>(shape.element_count()));
  for_each_index(shape.sizes(), [&](std::span<const std::int64_t> index) {
    Sum sum = start;
    elements.for_each(index,
                      [&](std::int64_t offset) { sum = combine(sum, values[static_cast<std::size_t>(offset)]); });
    sums.push_back(sum);
  });
  store_sums<Sum>(sums, type, result.mutable_bytes().data());
  return result;
}

}  // namespace

Result<Literal> evaluate_reduce_window(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  std::size_t count = operands.size() / 2;
  bool tuple = instruction.shape().is_tuple();
  const Shape &first_shape = tuple ? instruction.shape().elements()[0] : instruction.shape();
  WindowElements elements(instruction, operands[0].shape());
  BP_ASSIGN(ScalarFunction * function, evaluator.scalar_function(instruction.called(0)));
  if (count == 1 && !tuple && function->plain_op() != Opcode::Invalid) {
    std::optional<Result<Literal>> result;
    visit_wide(sum_of(first_shape.element_type()), [&]<class Sum>() {
      visit_plain_reducer<Sum>(function->plain_op(), [&](auto combine) {
        result = reduce_window_plain<Sum>(evaluator, first_shape, operands[0], operands[1], elements, combine);
      });
    });
    if (result.has_value()) {
      return *std::move(result);
    }
  }
  std::vector<Literal> results;
  std::vector<std::byte *> outputs;
  for (std::size_t i = 0; i < count; ++i) {
    const Shape &shape = tuple ? instruction.shape().elements()[i] : instruction.shape();
    BP_ASSIGN(Literal result, gathered(evaluator, shape, operands[count + i], {0, Dimensions(shape.rank(), 0)}));
    results.push_back(std::move(result));
    outputs.push_back(results.back().mutable_bytes().data());
  }
  std::vector<const std::byte *> arguments(2 * count);
  Status status;
  for_each_index(first_shape.sizes(), [&](std::span<const std::int64_t> index) {
    elements.for_each(index, [&](std::int64_t offset) {
      for (std::size_t i = 0; i < count; ++i) {
        arguments[i] = outputs[i];
        arguments[count + i] =
            operands[i].bytes().data() + static_cast<std::size_t>(offset) * element_width(operands[i].shape());
      }
      if (status.ok()) {
        status = (*function)(arguments, outputs, 1);
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      outputs[i] += element_width(results[i].shape());
    }
  });
  BP_TRY(std::move(status));
  return tuple ? Literal::tuple(std::move(results)) : std::move(results[0]);
}

// Within each window, `select` keeps the chosen element or moves to the next; `scatter` combines the source element
// into the chosen place.
Result<Literal> evaluate_select_and_scatter(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Literal &operand = operands[0], &source = operands[1];
  const Shape &shape = instruction.shape();
  BP_ASSIGN(ScalarFunction * select, evaluator.scalar_function(instruction.called(0)));
  BP_ASSIGN(ScalarFunction * scatter, evaluator.scalar_function(instruction.called(1)));
  BP_ASSIGN(Literal result, gathered(evaluator, shape, operands[2], {0, Dimensions(shape.rank(), 0)}));
  std::byte *out = result.mutable_bytes().data();
  const std::byte *elements_begin = operand.bytes().data();
  auto width = static_cast<std::int64_t>(element_width(shape));
  WindowElements elements(instruction, operand.shape());
  const std::byte *next_source = source.bytes().data();
  Status status;
  for_each_index(source.shape().sizes(), [&](std::span<const std::int64_t> index) {
    std::int64_t chosen = -1;
    elements.for_each(index, [&](std::int64_t offset) {
      if (chosen < 0) {
        chosen = offset;
      } else if (status.ok()) {
        bool keeps = true;
        auto *keeps_bytes = reinterpret_cast<std::byte *>(&keeps);
        const std::byte *pair[] = {elements_begin + chosen * width, elements_begin + offset * width};
        status = (*select)(pair, std::span(&keeps_bytes, 1), 1);
        chosen = keeps ? chosen : offset;
      }
    });
    if (chosen >= 0 && status.ok()) {
      std::byte *place = out + chosen * width;
      const std::byte *pair[] = {place, next_source};
      status = (*scatter)(pair, std::span(&place, 1), 1);
    }
    next_source += width;
  });
  BP_TRY(std::move(status));
  return result;
}

}  // namespace bp::interpreter
