// Rewrites select-and-scatter as two loops over the positions of the window. The first finds the position that is
// selected in each placement of the window. The second, from the last position to the first, combines each source
// element into the selected element, so that elements of the result are combined in the order of the source.
#include <algorithm>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/primitives/sliding_window.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ComparisonDirection;
using ir::ElementType;
using ir::Opcode;
using Id = ir::InstructionId;

Id expand_select_and_scatter(ArrayBuilder &b, ir::Instruction i) {
  const Id operand = i.operands()[0], source = i.operands()[1], initial = i.operands()[2];
  const ir::Shape input = b.shape(operand), output = b.shape(source);
  const SlidingWindow window(i.window(), input.sizes(), output.sizes());
  const ir::Computation select = i.called(0), scatter = i.called(1);
  const Id none = b.broadcast(b.constant(ElementType::S32, -1), ir::Shape::array(ElementType::S32, output.sizes()));
  const Id zero = b.zeros(ir::Shape::scalar(input.element_type()));
  const Id nothing = b.broadcast(zero, ir::Shape::array(input.element_type(), output.sizes()));

  std::vector<Id> state =
      b.loop(window.positions(), {none, nothing, window.padded(b, operand, zero), window.is_element(b, input)},
             [&](ArrayBuilder &body, Id position, std::vector<Id> values) {
               const auto [chosen, best, elements, are_there] = std::tuple(values[0], values[1], values[2], values[3]);
               const Id candidate = window.under(body, elements, position);
               const Id keeps = body.apply_to_arrays(select, std::array{best, candidate}, output.sizes())[0];
               const Id is_first = body.compare(ComparisonDirection::Lt, chosen, body.splat(0, chosen));
               const Id is_better = body.bit_or({is_first, body.add(Opcode::Not, {keeps})});
               const Id take = body.bit_and({window.under(body, are_there, position), is_better});
               return std::vector{body.select({take, body.broadcast_scalar(position, chosen), chosen}),
                                  body.select({take, candidate, best}), elements, are_there};
             });

  const Id start = b.broadcast(initial, ir::Shape::array(input.element_type(), input.sizes()));
  const std::int64_t last = window.positions() - 1;
  state = b.loop(window.positions(), {window.padded(b, start, zero), source, state[0]},
                 [&](ArrayBuilder &body, Id iteration, std::vector<Id> values) {
                   const auto [result, from, chosen] = std::tuple(values[0], values[1], values[2]);
                   const Id position = body.difference({body.splat(static_cast<double>(last), iteration), iteration});
                   const Id is_chosen =
                       body.compare(ComparisonDirection::Eq, chosen, body.broadcast_scalar(position, chosen));
                   const Id before = window.under(body, result, position);
                   const Id after = body.apply_to_arrays(scatter, std::array{before, from}, output.sizes())[0];
                   return std::vector{window.replaced(body, result, after, is_chosen, position), from, chosen};
                 });
  return window.unpadded(b, state[0], initial);
}

}  // namespace

Result<bool> select_and_scatter_expansion(ir::Module &module, const PassContext &context) {
  return expand_outside_functions(module, context, [&](ir::Instruction i) -> Result<Id> {
    if (i.opcode() != Opcode::SelectAndScatter || !is_plain(i) || !applies_to_arrays(i.called(0)) ||
        !applies_to_arrays(i.called(1)) || i.operand(0).shape().element_count() == 0 ||
        i.operand(1).shape().element_count() == 0 || !can_be_padded(i.window(), i.operand(0).shape().sizes())) {
      return i.id();
    }
    ArrayBuilder b(module, i);
    return expand_select_and_scatter(b, i);
  });
}

}  // namespace bp::passes
