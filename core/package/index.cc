#include "core/package/index.h"

namespace bp::package {
namespace {

Value value_of(ir::Instruction instruction) {
  return {std::string(instruction.name()), instruction.shape()};
}

}  // namespace

Interface interface_of(const ir::Module &module) {
  Interface interface;
  for (ir::InstructionId id : module.entry().parameter_ids()) {
    interface.parameters.push_back(value_of(module.instruction(id)));
  }
  const ir::Instruction root = module.entry().root();
  if (root.opcode() == ir::Opcode::Tuple) {
    for (ir::InstructionId id : root.operands()) {
      interface.results.push_back(value_of(module.instruction(id)));
    }
  } else {
    interface.results.push_back(value_of(root));
  }
  return interface;
}

}  // namespace bp::package
