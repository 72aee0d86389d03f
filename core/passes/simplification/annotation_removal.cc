// Removes custom calls that say where values lie or how devices divide them, which are the identity on one device. A
// program that is not partitioned becomes a program for one device.
#include "core/ir/annotations.h"
#include "core/ir/builder.h"
#include "core/ir/device_count.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

ir::InstructionId without_annotation(ir::Module &module, const ir::Instruction &instruction) {
  const ir::Annotation annotation = ir::annotation_of(instruction);
  switch (annotation) {
    case ir::Annotation::Operand: return instruction.operands()[0];
    case ir::Annotation::Operands:
    case ir::Annotation::Nothing: {
      std::vector<ir::InstructionId> operands;
      if (annotation == ir::Annotation::Operands) {
        operands.assign(instruction.operands().begin(), instruction.operands().end());
      }
      ir::Builder builder(module, instruction.parent().id());
      builder.copy_origin_from(instruction);
      return builder.tuple(operands);
    }
    case ir::Annotation::None:
    case ir::Annotation::Division: break;
  }
  return instruction.id();
}

}  // namespace

Result<bool> annotation_removal(ir::Module &module, const PassContext &) {
  if (!ir::check_one_device(module).ok()) {
    return false;  // a partitioner needs them
  }
  const bool awaits_partitioner = ir::awaits_partitioner(module);
  BP_ASSIGN(const bool changed, rewrite_all(module, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
              return without_annotation(module, instruction);
            }));
  if (awaits_partitioner) {
    module.header().replica_count = module.header().num_partitions = 1;
  }
  return changed || awaits_partitioner;
}

}  // namespace bp::passes
