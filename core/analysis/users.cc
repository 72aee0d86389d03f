#include "core/analysis/users.h"

namespace bp::analysis {
namespace {

// Calls visit(operand, user) once for each pair, in program order of the users.
template <class Visit>
void for_each_use(const ir::Module &module, Visit &&visit) {
  std::vector<ir::InstructionId> last_user(module.instruction_id_limit(), ir::no_instruction);
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction user : computation.instructions()) {
      for (ir::InstructionId operand : user.operands()) {
        if (last_user[index(operand)] != user.id()) {
          last_user[index(operand)] = user.id();
          visit(operand, user.id());
        }
      }
    }
  }
}

}  // namespace

Users::Users(const ir::Module &module) : begin_(module.instruction_id_limit() + 1) {
  for_each_use(module, [&](ir::InstructionId operand, ir::InstructionId) { ++begin_[index(operand) + 1]; });
  for (std::size_t i = 1; i < begin_.size(); ++i) {
    begin_[i] += begin_[i - 1];
  }
  users_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for_each_use(module,
               [&](ir::InstructionId operand, ir::InstructionId user) { users_[next[index(operand)]++] = user; });
}

}  // namespace bp::analysis
