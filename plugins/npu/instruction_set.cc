#include "plugins/npu/instruction_set.h"

#include <algorithm>
#include <array>

#include "plugins/npu/vector_unit.h"

namespace bp::npu {
namespace {

constexpr std::uint64_t lanes = lane_count, dram_rate = 64, scratchpad_rate = 256;

// Cycles of a Load or Store. Elements move in runs along the dimension in which they are adjacent in memory.
std::uint64_t transfer_cycles(const Program &program, const Instruction &instruction) {
  const Tensor &tensor = program.tensors[instruction.tensor];
  std::uint64_t elements = 1, run = 1;
  for (std::uint32_t d = 0; d < tensor.rank; ++d) {
    const Axis &axis = program.axes[instruction.axes + d];
    elements *= axis.count;
    if (tensor.dimensions[d].inner == tensor.width && axis.step == 1) {
      run = std::max<std::uint64_t>(run, std::min(axis.count, tensor.dimensions[d].tile));
    }
  }
  const std::uint64_t rate = tensor.space == 0 ? dram_rate : scratchpad_rate;
  return 32 + std::max(quotient_up(elements * tensor.width, rate), quotient_up(elements, run));
}

std::uint64_t tile_products(const Instruction &instruction) {
  const std::uint32_t columns = tile_columns(instruction.type);
  return quotient_up(instruction.rows, tile_rows) * quotient_up(instruction.columns, columns) *
         quotient_up(instruction.depth, columns);
}

}  // namespace

const char *to_string(Opcode opcode) {
  constexpr std::array names = {"Load", "Store", "Ramp", "Vector", "Reduce", "Multiply", "Index", "Branch", "Jump"};
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

std::uint64_t cycles(const Program &program, const Instruction &instruction) {
  const std::uint64_t columns = instruction.columns;
  switch (instruction.opcode) {
    case Opcode::Load:
    case Opcode::Store: return transfer_cycles(program, instruction);
    case Opcode::Ramp: return 4 + quotient_up(columns, lanes);
    case Opcode::Vector: return 4 + quotient_up(columns * find_function(instruction.function)->cycles, lanes);
    case Opcode::Reduce: return 4 + quotient_up(instruction.rows * columns, lanes);
    case Opcode::Multiply: return 16 + 8 * tile_products(instruction);
    default: return 4;
  }
}

}  // namespace bp::npu
