#include "plugins/gpu/registers.h"

#include <algorithm>

namespace bp::gpu {

RegisterNeed RegisterModel::of(emit::InstructionView instruction) const {
  RegisterNeed all = of_one(instruction);
  for (std::size_t k = 0; k < instruction.calls().size(); ++k) {
    const emit::ComputationView called = instruction.called(k);
    for (std::uint32_t n = 0; n < called.instruction_count(); ++n) {
      const RegisterNeed one = of(instruction.module().instruction(called.first_instruction() + n));
      all = {std::min(all.max_threads, one.max_threads), all.fills_multiprocessor || one.fills_multiprocessor,
             all.lowers_occupancy || one.lowers_occupancy};
    }
  }
  return all;
}

}  // namespace bp::gpu
