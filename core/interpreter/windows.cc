// Ops with windows that slide over an array: reduce-window and select-and-scatter.
#include <algorithm>
#include <cstring>

#include "core/interpreter/reducer.h"
#include "core/interpreter/scalar_function.h"
#include "core/interpreter/strided_copy.h"
#include "core/interpreter/window_runs.h"
#include "core/ir/window.h"

namespace bp::interpreter {
namespace {

ElementType type_of(const Literal &literal) {
  return literal.shape().element_type();
}

// The elements under each window, by the index of its output element.
class WindowElements {
 public:
  WindowElements(const Instruction &instruction, const Shape &operand, const Shape &result)
      : sizes_(operand.sizes().begin(), operand.sizes().end()), strides_(dense_strides(operand.sizes())) {
    std::span<const ir::WindowDimension> window = instruction.window();
    window_.assign(window.begin(), window.end());
    window_.resize(operand.rank());  // if there are no window dimensions, a window of one element
    for (std::size_t d = 0; d < window_.size(); ++d) {
      window_[d] = ir::clipped(window_[d], sizes_[d], result.size(d));
    }
  }

  // Calls body(offset of the element) in row-major order of the window; skips padding and gaps.
  template <class Body>
  void for_each(std::span<const std::int64_t> output_index, Body &&body) const {
    visit(output_index, 0, 0, body);
  }

  // Returns no runs if each window is best computed by itself.
  std::vector<WindowRuns> large_runs(const Shape &result) const {
    return runs_of_large_windows(window_, sizes_, result.sizes());
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

  Dimensions sizes_, strides_;
  std::vector<ir::WindowDimension> window_;
};

template <class Cells>
void combine_all_runs(std::span<const WindowRuns> runs, Cells &cells) {
  std::int64_t inner = 1, outer = 1;
  for (const WindowRuns &along : runs) {
    outer *= along.input;
  }
  for (std::size_t d = runs.size(); d-- > 0;) {
    outer /= runs[d].input;
    combine_runs(runs[d], outer, inner, cells);
    inner *= static_cast<std::int64_t>(runs[d].runs.size());
  }
}

// Calls body(number of the window, whether it has any elements) for all windows, in row-major order.
template <class Body>
void for_each_full_window(std::span<const WindowRuns> runs, Body &&body) {
  Dimensions sizes;
  for (const WindowRuns &along : runs) {
    sizes.push_back(static_cast<std::int64_t>(along.runs.size()));
  }
  std::size_t number = 0;
  for_each_index(std::span(sizes.data(), sizes.size()), [&](std::span<const std::int64_t> index) {
    bool is_full = true;
    for (std::size_t d = 0; d < runs.size(); ++d) {
      is_full = is_full && runs[d].runs[static_cast<std::size_t>(index[d])].count != 0;
    }
    body(number++, is_full);
  });
}

// Cells of combine_runs() as wide numbers.
template <class Sum, class Combine>
struct WideCells {
  std::vector<Sum> first, second;
  Combine combine;

  void begin(std::int64_t count) { second.assign(static_cast<std::size_t>(count), Sum()); }
  void join(std::int64_t i, std::int64_t j, std::int64_t n, bool) { add(first, i, j, n); }
  void append(std::int64_t i, std::int64_t j, std::int64_t n, bool) { add(second, i, j, n); }
  void take(std::int64_t i, std::int64_t j, std::int64_t n) { std::copy_n(first.begin() + j, n, second.begin() + i); }
  void end() { first.swap(second); }

 private:
  // In any order, because all these functions are commutative.
  void add(std::vector<Sum> &to, std::int64_t i, std::int64_t j, std::int64_t n) {
    for (const auto end = static_cast<std::size_t>(i + n); static_cast<std::size_t>(i) < end; ++i, ++j) {
      Sum &sum = to[static_cast<std::size_t>(i)];
      sum = combine(sum, first[static_cast<std::size_t>(j)]);
    }
  }
};

// Cells of combine_runs() for any function on several arrays.
class FunctionCells {
 public:
  FunctionCells(ScalarFunction &function, std::span<const Literal> operands) : function_(function) {
    for (const Literal &operand : operands) {
      widths_.push_back(element_width(operand.shape()));
      first_.emplace_back(operand.bytes().begin(), operand.bytes().end());
    }
    second_.resize(operands.size());
    arguments_.resize(2 * operands.size());
  }

  void begin(std::int64_t count) {
    for (std::size_t k = 0; k < second_.size(); ++k) {
      second_[k].assign(static_cast<std::size_t>(count) * widths_[k], std::byte{});
    }
  }
  void join(std::int64_t i, std::int64_t j, std::int64_t n, bool is_reversed) { call(first_, i, j, n, is_reversed); }
  void append(std::int64_t i, std::int64_t j, std::int64_t n, bool is_reversed) { call(second_, i, j, n, is_reversed); }
  void take(std::int64_t i, std::int64_t j, std::int64_t n) {
    for (std::size_t k = 0; k < first_.size(); ++k) {
      std::memcpy(place(second_, k, i), place(first_, k, j), static_cast<std::size_t>(n) * widths_[k]);
    }
  }
  void end() { first_.swap(second_); }

  // results[k] = f(results[k], element i of the first array), for all k.
  void combine_into(std::span<std::byte *const> results, std::size_t i) {
    for (std::size_t k = 0; k < first_.size(); ++k) {
      arguments_[k] = results[k];
      arguments_[first_.size() + k] = place(first_, k, static_cast<std::int64_t>(i));
    }
    run(results, 1);
  }
  Status status;  // of the first call that failed

 private:
  using Arrays = std::vector<std::vector<std::byte>>;

  std::byte *place(Arrays &arrays, std::size_t k, std::int64_t i) {
    return arrays[k].data() + static_cast<std::size_t>(i) * widths_[k];
  }
  void call(Arrays &to, std::int64_t i, std::int64_t j, std::int64_t n, bool is_reversed) {
    std::vector<std::byte *> results;
    for (std::size_t k = 0; k < first_.size(); ++k) {
      results.push_back(place(to, k, i));
      arguments_[(is_reversed ? first_.size() : 0) + k] = results.back();
      arguments_[(is_reversed ? 0 : first_.size()) + k] = place(first_, k, j);
    }
    run(results, static_cast<std::size_t>(n));
  }
  void run(std::span<std::byte *const> results, std::size_t n) {
    if (status.ok()) {
      status = function_(arguments_, results, n);
    }
  }

  ScalarFunction &function_;
  std::vector<std::size_t> widths_;
  Arrays first_, second_;
  std::vector<const std::byte *> arguments_;
};

// For one operand and a reducer that is one op. The operand is widened only once.
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
      std::ranges::copy(literal.bytes(), std::as_writable_bytes(std::span(values)).begin());
    }
    return values;
  };
  std::vector<Sum> values = widened(operand), sums;
  Sum start = widened(initial)[0];
  if (const std::vector<WindowRuns> runs = elements.large_runs(shape); !runs.empty()) {
    WideCells<Sum, Combine> cells{std::move(values), {}, combine};
    combine_all_runs(runs, cells);
    for_each_full_window(
        runs, [&](std::size_t i, bool is_full) { sums.push_back(is_full ? combine(start, cells.first[i]) : start); });
    store_sums<Sum>(sums, type, result.mutable_bytes().data());
    return result;
  }
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
  WindowElements elements(instruction, operands[0].shape(), first_shape);
  BP_ASSIGN(ScalarFunction * function, evaluator.scalar_function(instruction.called(0)));
  if (count == 1 && !tuple && function->plain_op() != Opcode::Invalid) {
    std::optional<Result<Literal>> result;
    visit_sum(first_shape.element_type(), [&]<class Sum>() {
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
  const auto next_window = [&] {
    for (std::size_t i = 0; i < count; ++i) {
      outputs[i] += element_width(results[i].shape());
    }
  };
  const auto value = [&] { return tuple ? Literal::tuple(std::move(results)) : std::move(results[0]); };
  const bool keeps_types = std::ranges::equal(results, operands.first(count), {}, type_of, type_of);
  if (const std::vector<WindowRuns> runs = elements.large_runs(first_shape); keeps_types && !runs.empty()) {
    FunctionCells cells(*function, operands.first(count));
    combine_all_runs(runs, cells);
    for_each_full_window(runs, [&](std::size_t i, bool is_full) {
      if (is_full) {
        cells.combine_into(outputs, i);
      }
      next_window();
    });
    BP_TRY(std::move(cells.status));
    return value();
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
    next_window();
  });
  BP_TRY(std::move(status));
  return value();
}

// Within each window, `select` keeps the chosen element or moves to the next one; `scatter` combines the source element
// into the chosen element.
Result<Literal> evaluate_select_and_scatter(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Literal &operand = operands[0], &source = operands[1];
  const Shape &shape = instruction.shape();
  BP_ASSIGN(ScalarFunction * select, evaluator.scalar_function(instruction.called(0)));
  BP_ASSIGN(ScalarFunction * scatter, evaluator.scalar_function(instruction.called(1)));
  BP_ASSIGN(Literal result, gathered(evaluator, shape, operands[2], {0, Dimensions(shape.rank(), 0)}));
  std::byte *out = result.mutable_bytes().data();
  const std::byte *elements_begin = operand.bytes().data();
  auto width = static_cast<std::int64_t>(element_width(shape));
  WindowElements elements(instruction, operand.shape(), source.shape());
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
