#include "core/buffers/plan.h"

namespace bp::buffers {

std::string_view to_string(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::Input: return "input";
    case AllocationKind::Output: return "output";
    case AllocationKind::Temporary: return "temporary";
    case AllocationKind::Constant: return "constant";
  }
  return "?";
}

std::optional<Slice> Plan::slice(ir::InstructionId instruction, std::size_t position) const {
  if (ir::index(instruction) >= slices_.size()) {
    return std::nullopt;
  }
  const auto &positions = slices_[ir::index(instruction)];
  return position < positions.size() ? positions[position] : std::nullopt;
}

void Plan::set_slice(ir::InstructionId instruction, std::size_t position, Slice slice) {
  if (ir::index(instruction) >= slices_.size()) {
    slices_.resize(ir::index(instruction) + std::size_t{1});
  }
  auto &positions = slices_[ir::index(instruction)];
  if (position >= positions.size()) {
    positions.resize(position + 1);
  }
  positions[position] = slice;
}

std::int64_t Plan::bytes(AllocationKind kind) const {
  std::int64_t sum = 0;
  for (const Allocation &allocation : allocations) {
    if (allocation.kind == kind && allocation.alias < 0) {
      sum += allocation.size;
    }
  }
  return sum;
}

std::int64_t Plan::total_bytes() const {
  return bytes(AllocationKind::Input) + bytes(AllocationKind::Output) + bytes(AllocationKind::Temporary) +
         bytes(AllocationKind::Constant);
}

}  // namespace bp::buffers
