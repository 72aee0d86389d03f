// Rewrites reduce-window as a loop over the positions of the window: each combines what lies under it, wherever the window
// stands, with what was combined before.
#include <algorithm>

#include "core/passes/sliding_window.h"

namespace bp::passes {
namespace {

using Id = ir::InstructionId;

Id expand_reduce_window(Expansion &b, ir::Instruction reduce) {
  const std::vector<Id> operands(reduce.operands().begin(), reduce.operands().end());
  const std::size_t count = operands.size() / 2;
  const ir::Shape input = b.shape(operands[0]);
  const ir::Shape result = reduce.shape().is_tuple() ? reduce.shape().elements()[0] : reduce.shape();
  const SlidingWindow window(reduce.window(), input.sizes(), result.sizes());
  std::vector<Id> values;
  for (std::size_t i = 0; i < count; ++i) {
    const ir::Shape shape = reduce.shape().is_tuple() ? reduce.shape().elements()[i] : result;
    values.push_back(b.broadcast(b.cast(operands[count + i], shape.element_type()), shape));
  }
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(window.padded(b, operands[i], b.zeros(ir::Shape::scalar(b.type(operands[i])))));
  }
  if (!window.meets_elements_only()) {
    values.push_back(window.is_element(b, input));
  }
  const ir::Computation function = reduce.called(0);
  values = b.loop(window.positions(), values, [&](Expansion &body, Id position, std::vector<Id> state) {
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
    if (!fits || i.operand(0).shape().element_count() == 0) {
      return i.id();
    }
    const ir::Shape &first = i.shape().is_tuple() ? i.shape().elements()[0] : i.shape();
    if (first.element_count() == 0) {
      return i.id();
    }
    Expansion b(module, i);
    return expand_reduce_window(b, i);
  });
}

}  // namespace bp::passes
