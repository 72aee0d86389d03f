#include "plugins/npu/instruction_set.h"

#include <array>

namespace bp::npu {

const char *to_string(Opcode opcode) {
  constexpr std::array names = {"Load",     "Store", "Ramp",   "Vector", "Reduce",
                                "Multiply", "Index", "Branch", "Jump",   "Call"};
  static_assert(names.size() == opcode_count);
  return names[static_cast<std::size_t>(opcode)];
}

std::uint32_t width_of(std::uint32_t dtype) {
  switch (dtype) {
    case BP_DTYPE_PRED:
    case BP_DTYPE_S8: return 1;
    case BP_DTYPE_BF16: return 2;
    case BP_DTYPE_S32:
    case BP_DTYPE_F32: return 4;
    default: return 0;
  }
}

}  // namespace bp::npu
