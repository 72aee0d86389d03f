// Rewrites reduce-window as a loop over the positions of the window: each iteration combines the elements under a
// position, for all placements of the window, with the result so far. Large windows need a few operations on whole
// arrays per dimension: they combine 1, 2, 4 ... neighbours, and then the results that make up a window.
#include <algorithm>
#include <optional>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/primitives/sliding_window.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using Id = ir::InstructionId;

// Maximum number of positions for which the loop is used.
constexpr std::int64_t max_positions = 64;

// Arrays and a mask of their elements, if there are not elements everywhere.
struct Masked {
  std::vector<Id> values;
  std::optional<Id> is_element;
};

class Doubling {
 public:
  Doubling(ArrayBuilder &b, ir::Instruction reduce, const SlidingWindow &window)
      : b_(b), reduce_(reduce), count_(reduce.operand_count() / 2), window_(window) {}

  std::vector<Id> run(std::span<const std::int64_t> output) {
    Masked all;
    for (std::size_t i = 0; i < count_; ++i) {
      const Id operand = reduce_.operands()[i];
      all.values.push_back(window_.padded(b_, operand, b_.zeros(ir::Shape::scalar(b_.type(operand)))));
    }
    if (!window_.covers_elements_only()) {
      all.is_element = window_.is_element(b_, b_.shape(reduce_.operands()[0]));
    }
    const std::vector<ir::WindowDimension> window(reduce_.window().begin(), reduce_.window().end());
    for (std::size_t d = window.size(); d-- > 0;) {
      all = along(all, d, window[d], output[d]);
    }
    Masked initial;
    for (std::size_t i = 0; i < count_; ++i) {
      initial.values.push_back(b_.broadcast_scalar(reduce_.operands()[count_ + i], all.values[i]));
    }
    return combined(initial, all).values;
  }

 private:
  Masked along(Masked part, std::size_t d, const ir::WindowDimension &w, std::int64_t output) {
    std::optional<Masked> result;
    std::int64_t done = 0;
    for (std::int64_t elements = 1;; elements *= 2) {
      if ((w.size & elements) != 0) {
        const std::int64_t begin = done * w.rhs_dilate;
        const Masked more = slice(part, d, begin, begin + (output - 1) * w.stride + 1, w.stride);
        result = result ? in_order(w, *result, more) : more;
        done += elements;
      }
      if (done == w.size) {
        return *result;
      }
      const std::int64_t size = b_.shape(part.values[0]).size(d), reach = elements * w.rhs_dilate;
      part = in_order(w, slice(part, d, 0, size - reach), slice(part, d, reach, size));
    }
  }

  Masked in_order(const ir::WindowDimension &w, const Masked &first, const Masked &second) {
    return w.reversal != 0 ? combined(second, first) : combined(first, second);
  }

  // Combines two sides; where one has no element, the result is the other.
  Masked combined(const Masked &left, const Masked &right) {
    std::vector<Id> arguments = left.values;
    arguments.insert(arguments.end(), right.values.begin(), right.values.end());
    const ir::Shape shape = b_.shape(left.values[0]);
    Masked result{b_.apply_to_arrays(reduce_.called(0), arguments, shape.sizes()), {}};
    for (std::size_t i = 0; i < count_; ++i) {
      Id &value = result.values[i];
      value = b_.cast(value, b_.type(left.values[i]));
      value = right.is_element ? b_.select({*right.is_element, value, left.values[i]}) : value;
      value = left.is_element ? b_.select({*left.is_element, value, right.values[i]}) : value;
    }
    if (left.is_element && right.is_element) {
      result.is_element = b_.bit_or({*left.is_element, *right.is_element});
    }
    return result;
  }

  Masked slice(const Masked &of, std::size_t d, std::int64_t begin, std::int64_t end, std::int64_t stride = 1) {
    Masked result;
    for (Id value : of.values) {
      result.values.push_back(b_.slice(value, d, begin, end, stride));
    }
    if (of.is_element) {
      result.is_element = b_.slice(*of.is_element, d, begin, end, stride);
    }
    return result;
  }

  ArrayBuilder &b_;
  ir::Instruction reduce_;
  const std::size_t count_;
  const SlidingWindow &window_;
};

bool keeps_types(ArrayBuilder &b, ir::Instruction reduce) {
  const std::size_t count = reduce.operand_count() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const ir::Shape &result = reduce.shape().is_tuple() ? reduce.shape().elements()[i] : reduce.shape();
    if (b.type(reduce.operands()[i]) != result.element_type() ||
        b.type(reduce.operands()[count + i]) != result.element_type()) {
      return false;
    }
  }
  return true;
}

Id expand_reduce_window(ArrayBuilder &b, ir::Instruction reduce) {
  const std::vector<Id> operands(reduce.operands().begin(), reduce.operands().end());
  const std::size_t count = operands.size() / 2;
  const ir::Shape input = b.shape(operands[0]);
  const ir::Shape result = reduce.shape().is_tuple() ? reduce.shape().elements()[0] : reduce.shape();
  const SlidingWindow window(reduce.window(), input.sizes(), result.sizes());
  std::vector<Id> values;
  if (window.positions() > max_positions && keeps_types(b, reduce)) {
    values = Doubling(b, reduce, window).run(result.sizes());
    return reduce.shape().is_tuple() ? b.tuple(values) : values[0];
  }
  for (std::size_t i = 0; i < count; ++i) {
    const ir::Shape shape = reduce.shape().is_tuple() ? reduce.shape().elements()[i] : result;
    values.push_back(b.broadcast(b.cast(operands[count + i], shape.element_type()), shape));
  }
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(window.padded(b, operands[i], b.zeros(ir::Shape::scalar(b.type(operands[i])))));
  }
  if (!window.covers_elements_only()) {
    values.push_back(window.is_element(b, input));
  }
  const ir::Computation function = reduce.called(0);
  values = b.loop(window.positions(), values, [&](ArrayBuilder &body, Id position, std::vector<Id> state) {
    std::vector<Id> arguments(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      arguments.push_back(window.under(body, state[count + i], position));
    }
    std::vector<Id> combined = body.apply_to_arrays(function, arguments, result.sizes());
    for (std::size_t i = 0; i < count; ++i) {
      const Id next = body.cast(combined[i], body.type(state[i]));
      state[i] =
          state.size() == 2 * count ? next : body.select({window.under(body, state.back(), position), next, state[i]});
    }
    return state;
  });
  return reduce.shape().is_tuple() ? b.tuple(std::span(values.data(), count)) : values[0];
}

}  // namespace

Result<bool> reduce_window_expansion(ir::Module &module, const PassContext &context) {
  return expand_outside_functions(module, context, [&](ir::Instruction i) -> Result<Id> {
    const bool fits =
        i.opcode() == ir::Opcode::ReduceWindow && applies_to_arrays(i.called(0)) &&
        std::ranges::all_of(i.operands(), [&](Id id) { return is_plain(module.instruction(id).shape()); });
    if (!fits || i.operand(0).shape().element_count() == 0 ||
        !can_be_padded(i.window(), i.operand(0).shape().sizes())) {
      return i.id();
    }
    const ir::Shape &first = i.shape().is_tuple() ? i.shape().elements()[0] : i.shape();
    if (first.element_count() == 0) {
      return i.id();
    }
    ArrayBuilder b(module, i);
    return expand_reduce_window(b, i);
  });
}

}  // namespace bp::passes
