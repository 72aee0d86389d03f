#include "core/buffers/fit.h"

#include <algorithm>

#include "core/buffers/dataflow.h"

namespace bp::buffers {

std::int64_t bytes_in_space(const Plan &plan, std::int64_t memory_space) {
  std::int64_t sum = 0;
  for (const Allocation &allocation : plan.allocations) {
    sum += allocation.memory_space == memory_space && allocation.alias < 0 ? allocation.size : 0;
  }
  return sum;
}

std::vector<MemoryStatistics::LiveArray> largest_at_peak(const ir::Module &module, const Plan &plan,
                                                         const MemoryStatistics &statistics,
                                                         std::int64_t memory_space) {
  using LiveArray = MemoryStatistics::LiveArray;
  std::vector<LiveArray> arrays;
  for (const LiveArray &array : statistics.live_at_peak) {
    if (plan.allocations[array.slice.allocation].memory_space == memory_space) {
      arrays.push_back(array);
    }
  }
  auto add_whole = [&](ir::InstructionId instruction, std::uint32_t position, std::uint32_t allocation) {
    const Allocation &whole = plan.allocations[allocation];
    if (whole.memory_space == memory_space && whole.alias < 0) {
      arrays.push_back({instruction, position, {allocation, 0, whole.size}});
    }
  };
  std::vector<std::pair<ir::InstructionId, std::uint32_t>> inputs, outputs;  // by leaf number
  auto add_leaves = [](ir::Instruction instruction, auto &to) {
    for (std::uint32_t i = 0; i < instruction.shape().subshape_count(); ++i) {
      if (instruction.shape().subshape(i).is_array()) {
        to.emplace_back(instruction.id(), i);
      }
    }
  };
  for (ir::InstructionId parameter : module.entry().parameter_ids()) {
    add_leaves(module.instruction(parameter), inputs);
  }
  add_leaves(module.entry().root(), outputs);
  for (std::uint32_t i = 0; i < plan.allocations.size(); ++i) {
    const Allocation &allocation = plan.allocations[i];
    auto number = static_cast<std::size_t>(allocation.index);
    if (allocation.kind == AllocationKind::Input) {
      add_whole(inputs[number].first, inputs[number].second, i);
    } else if (allocation.kind == AllocationKind::Output) {
      add_whole(outputs[number].first, outputs[number].second, i);
    } else if (allocation.kind == AllocationKind::Constant) {
      add_whole(allocation.constant, allocation.constant_position, i);
    }
  }
  std::ranges::stable_sort(arrays, std::greater(), [](const LiveArray &array) { return array.slice.size; });
  return arrays;
}

Status check_fit(const ir::Module &module, const Plan &plan, std::int64_t memory_space, std::int64_t capacity) {
  std::int64_t bytes = bytes_in_space(plan, memory_space);
  if (bytes <= capacity) {
    return {};
  }
  BP_ASSIGN(MemoryStatistics statistics, measure(module, plan));
  std::string text = fmt::format("module {} needs {} bytes in memory space {}, {} more than its capacity of {}",
                                 module.name(), bytes, memory_space, bytes - capacity, capacity);
  if (statistics.peak != ir::no_instruction) {
    text += fmt::format("; the peak is at {}", module.instruction(statistics.peak).name());
  }
  text += "; the largest arrays there:";
  constexpr std::size_t shown = 10;
  auto arrays = largest_at_peak(module, plan, statistics, memory_space);
  for (std::size_t i = 0; i < std::min(shown, arrays.size()); ++i) {
    const auto &array = arrays[i];
    text += fmt::format("\n  {:>14} bytes  {:<9}  {}", array.slice.size,
                        to_string(plan.allocations[array.slice.allocation].kind),
                        describe(module.instruction(array.instruction), array.position));
  }
  return make_error(ErrorCode::DoesNotFit, "{}", text);
}

}  // namespace bp::buffers
