// Launch plan: the commands that the host executes to run a program on a GPU, in order, with jumps for control flow.
// Kernels are identified by number.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "plugins/gpu/tensor_map.h"

namespace bp::gpu {

// Bytes of an allocation of the program, and whether a command writes them.
struct MemoryRange {
  std::uint32_t allocation = 0;
  std::uint32_t is_written = 0;        // 0: the command only reads them
  std::uint64_t offset = 0, size = 0;  // size 0: the command needs the address, but no byte there
};

inline constexpr std::uint32_t max_threads_per_block = 1024;  // on the GPUs of all vendors

// The number of threads of a launch.
struct Grid {
  std::uint32_t blocks = 0, threads = 0;  // threads: of a block
  std::uint32_t shared_bytes = 0;         // of a block
  std::uint32_t reserved = 0;
};

enum class CommandKind : std::uint32_t { Launch, Move, Jump, JumpUnless, Switch, Repeat };

// | Launch     | `kernel` on `grid`, with the addresses of `count` ranges from `first` on, and `map_count` |
// |            | tensor maps from `first_map` on                                                          |
// | Move       | `size` bytes from range `first + 1` to range `first`                                     |
// | Jump       | goes on at command `target`                                                              |
// | JumpUnless | goes on at command `target` if the byte in range `first` is 0                            |
// | Switch     | goes on at one of `count` targets, of which the first is `target`: that of the s32 in    |
// |            | range `first`, the last one if there is no such target                                   |
// | Repeat     | goes on at command `target`, which comes before it, except for each `size`-th time        |
//
// Launches and moves up to the next jump, or the next target of a jump, may take effect in any order in which each
// comes after its dependences: `dependence_count` of LaunchPlan::dependences from `first_dependence` on
// (dependences.h).
struct Command {
  CommandKind kind = CommandKind::Jump;
  std::uint32_t origin = 0;  // id of the module's instruction that it is for
  std::uint32_t kernel = 0, first = 0, count = 0, target = 0;
  std::uint32_t first_dependence = 0, dependence_count = 0;
  std::uint32_t first_map = 0, map_count = 0;
  Grid grid;
  std::uint64_t size = 0;
};

struct LaunchPlan {
  std::vector<Command> commands;
  std::vector<MemoryRange> ranges;
  std::vector<TensorMap> maps;
  std::vector<std::uint32_t> targets;
  std::vector<std::uint32_t> dependences;       // indices of commands
  std::vector<std::uint64_t> allocation_sizes;  // bytes
  std::uint64_t scratch_bytes = 0;              // of each run
  std::uint32_t kernel_count = 0;
};

// Returns the bytes of the host's memory that the plan takes.
inline std::uint64_t host_bytes(const LaunchPlan &plan) {
  const auto of = [](const auto &list) { return list.size() * sizeof list[0]; };
  return of(plan.commands) + of(plan.ranges) + of(plan.maps) + of(plan.targets) + of(plan.dependences) +
         of(plan.allocation_sizes);
}

// Whether the command can change which command comes next.
inline bool jumps(CommandKind kind) {
  return kind != CommandKind::Launch && kind != CommandKind::Move;
}
inline std::span<const MemoryRange> ranges_of(const LaunchPlan &plan, const Command &command) {
  const std::uint32_t count = command.kind == CommandKind::Launch                                        ? command.count
                              : command.kind == CommandKind::Move                                        ? 2
                              : command.kind == CommandKind::Jump || command.kind == CommandKind::Repeat ? 0
                                                                                                         : 1;
  return count == 0 ? std::span<const MemoryRange>() : std::span(plan.ranges).subspan(command.first, count);
}
inline std::span<const TensorMap> maps_of(const LaunchPlan &plan, const Command &command) {
  return std::span(plan.maps).subspan(command.first_map, command.map_count);
}
inline std::span<const std::uint32_t> dependences_of(const LaunchPlan &plan, const Command &command) {
  return std::span(plan.dependences).subspan(command.first_dependence, command.dependence_count);
}
// The addresses of the command's ranges if the allocations are at `bases`, scratch memory last.
std::vector<std::uint64_t> addresses_of(const LaunchPlan &plan, const Command &command,
                                        std::span<const std::uint64_t> bases);

// Text to read: a line for each command, which ends with the name of the instruction that it is for. A range is
// `a3+256`, or `&a3+256` if it is written.
std::string to_text(const LaunchPlan &plan, const std::function<std::string(std::uint32_t)> &name_of_instruction);

}  // namespace bp::gpu
