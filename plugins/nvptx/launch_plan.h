// Launch plan: what the host does to run a program on a GPU. Commands in order, with jumps for control flow; kernels
// are named by their number. An artifact is a plan and the code of its kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bp::nvptx {

// A place in an allocation of the program.
struct Place {
  std::uint32_t allocation, reserved;
  std::uint64_t offset;  // bytes
};

inline constexpr std::uint32_t max_threads_per_block = 1024;
inline constexpr std::uint32_t max_shared_bytes = 48 * 1024;  // of a block, without asking the driver for more

// The threads of a kernel.
struct Grid {
  std::uint32_t blocks = 0, threads = 0;  // threads: of a block
  std::uint32_t shared_bytes = 0;         // of a block
  std::uint32_t reserved = 0;
};

enum class CommandKind : std::uint32_t { Launch, Move, Jump, JumpUnless, Switch };

// | Launch     | `kernel` on `grid`, with the addresses of `count` places from `first` on                 |
// | Move       | `size` bytes from place `first + 1` to place `first`                                     |
// | Jump       | goes on at command `target`                                                              |
// | JumpUnless | the same if the byte at place `first` is 0                                               |
// | Switch     | goes on at one of `count` targets, of which the first is `target`: that of the s32 at    |
// |            | place `first`, the last one if there is no such target                                   |
struct Command {
  CommandKind kind = CommandKind::Jump;
  std::uint32_t origin = 0;  // instruction of the module
  std::uint32_t kernel = 0, first = 0, count = 0, target = 0;
  Grid grid;
  std::uint64_t size = 0;
};

struct LaunchPlan {
  std::vector<Command> commands;
  std::vector<Place> places;
  std::vector<std::uint32_t> targets;
  std::vector<std::uint64_t> allocation_sizes;  // bytes
  std::uint64_t scratch_bytes = 0;              // of a run
  std::uint32_t kernel_count = 0;
};

struct Artifact {
  std::string target;  // "sm_90a", or "emulated" and the host's triple
  LaunchPlan plan;
  std::string code;  // PTX, or an object file of the host
};

std::string write_artifact(const Artifact &artifact);
// Nothing, and what is wrong in `error`, if the bytes are not a whole artifact of this version whose commands stay
// inside of its tables.
std::optional<Artifact> read_artifact(std::span<const char> bytes, std::string &error);

// For people: a line for each command, which ends with the name of the instruction that it is for.
std::string to_text(const LaunchPlan &plan, const std::function<std::string(std::uint32_t)> &name_of_instruction);

}  // namespace bp::nvptx
