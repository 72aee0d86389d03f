#include "plugins/npu/cycles.h"

#include <algorithm>

#include "plugins/npu/vector_unit.h"

namespace bp::npu {
namespace {

constexpr std::uint64_t lanes = lane_count, dram_rate = 64, scratchpad_rate = 256;

// The number of elements of a Load or Store.
std::uint64_t element_count(const Program &program, const Instruction &instruction) {
  std::uint64_t elements = 1;
  for (std::uint32_t d = 0; d < program.tensors[instruction.tensor].rank; ++d) {
    elements *= program.axes[instruction.axes + d].count;
  }
  return elements;
}

// Cycles of a Load or Store. Elements move in runs along the dimension in which they are adjacent in memory.
std::uint64_t transfer_cycles(const Program &program, const Instruction &instruction) {
  const Tensor &tensor = program.tensors[instruction.tensor];
  const std::uint64_t elements = element_count(program, instruction);
  std::uint64_t run = 1;
  for (std::uint32_t d = 0; d < tensor.rank; ++d) {
    const Axis &axis = program.axes[instruction.axes + d];
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

std::uint64_t cycles(const Program &program, const Instruction &instruction) {
  const std::uint64_t columns = instruction.columns;
  switch (instruction.opcode) {
    case Opcode::Load:
    case Opcode::Store: return transfer_cycles(program, instruction);
    case Opcode::Ramp: return 4 + quotient_up(columns, lanes);
    case Opcode::Vector: return 4 + quotient_up(columns * find_function(instruction.function)->cycles, lanes);
    case Opcode::Reduce: return 4 + quotient_up(instruction.rows * columns, lanes);
    case Opcode::Multiply: return 16 + 8 * tile_products(instruction);
    case Opcode::Call: return 64;
    default: return 4;
  }
}

std::uint64_t bytes_moved(const Program &program, const Instruction &instruction) {
  const bool is_transfer = instruction.opcode == Opcode::Load || instruction.opcode == Opcode::Store;
  return is_transfer ? element_count(program, instruction) * program.tensors[instruction.tensor].width : 0;
}

}  // namespace bp::npu
