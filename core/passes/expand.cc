#include "core/passes/expand.h"

namespace bp::passes {

ir::InstructionId in_layout_of(ir::Module &module, ir::Instruction replaced, ir::InstructionId value) {
  const ir::Shape wanted = replaced.shape();
  if (module.instruction(value).shape() == wanted) {
    return value;
  }
  ArrayBuilder b(module, replaced);
  if (wanted.is_array()) {
    return b.with_layout(value, wanted.layout());
  }
  if (!wanted.is_tuple() || !std::ranges::all_of(wanted.elements(), &ir::Shape::is_array)) {
    return value;
  }
  std::vector<ir::InstructionId> elements;
  for (std::size_t i = 0; i < wanted.elements().size(); ++i) {
    const ir::Instruction tuple = module.instruction(value);
    const ir::InstructionId element = tuple.opcode() == ir::Opcode::Tuple
                                          ? tuple.operands()[i]
                                          : b.get_tuple_element(value, static_cast<std::int64_t>(i));
    elements.push_back(b.with_layout(element, wanted.elements()[i].layout()));
  }
  return b.tuple(elements);
}

}  // namespace bp::passes
