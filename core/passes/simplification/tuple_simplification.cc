// Two rules:  get-tuple-element(tuple(a, b), 1)  ->  b
//             tuple(get-tuple-element(t, 0), ..., get-tuple-element(t, n - 1))  ->  t, if t has n elements
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Opcode;

// Returns the tuple that a tuple instruction rebuilds, or no_instruction.
ir::InstructionId rebuilt_tuple(const ir::Instruction &tuple) {
  ir::InstructionId source = ir::no_instruction;
  for (std::size_t i = 0; i < tuple.operand_count(); ++i) {
    ir::Instruction element = tuple.operand(i);
    if (element.opcode() != Opcode::GetTupleElement || element.tuple_index() != static_cast<std::int64_t>(i) ||
        (i != 0 && element.operands()[0] != source)) {
      return ir::no_instruction;
    }
    source = element.operands()[0];
  }
  bool is_same = source != ir::no_instruction && tuple.module().instruction(source).shape() == tuple.shape();
  return is_same ? source : ir::no_instruction;
}

}  // namespace

Result<bool> tuple_simplification(ir::Module &module, const PassContext &) {
  return rewrite_all(module, [](ir::Instruction instruction) -> Result<ir::InstructionId> {
    if (instruction.opcode() == Opcode::GetTupleElement && instruction.operand(0).opcode() == Opcode::Tuple) {
      return instruction.operand(0).operands()[static_cast<std::size_t>(instruction.tuple_index())];
    }
    if (instruction.opcode() == Opcode::Tuple) {
      ir::InstructionId source = rebuilt_tuple(instruction);
      return source == ir::no_instruction ? instruction.id() : source;
    }
    return instruction.id();
  });
}

}  // namespace bp::passes
