#include "plugins/gpu/launch_problem.h"

#include "plugins/llvm/kernel/kernel.h"

namespace bp::gpu {

std::string launch_problem(emit::InstructionView instruction, const Target &target) {
  const std::uint16_t op = instruction.op();
  const std::string problem = emit::kernel_problem(instruction, target.threads);
  const bool has_kernel =
      op != BP_OP_PARAMETER && op != BP_OP_CONSTANT && !emit::is_forwarding(op) && !emit::is_control_flow(op);
  // One for each operand and result, one for scratch memory, or two in the merges of a sort, and a guard.
  const std::size_t parameters = instruction.operand_count() + instruction.result_count() + (op == BP_OP_SORT ? 3 : 2);
  if (!problem.empty() || !has_kernel || parameters <= target.max_parameters) {
    return problem;
  }
  return "needs a kernel of " + std::to_string(parameters) + " parameters, expected at most " +
         std::to_string(target.max_parameters) + " for " + target.name;
}

}  // namespace bp::gpu
