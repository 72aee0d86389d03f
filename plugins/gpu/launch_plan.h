// Launch plan: what the host does to run a program on a GPU. Commands in order, with jumps for control flow; kernels
// are named by their number. An artifact is a plan and the code of its kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/gpu/tensor_map.h"

namespace bp::gpu {

// Bytes of an allocation of the program, and what a command does with them.
struct Place {
  std::uint32_t allocation = 0;
  std::uint32_t is_written = 0;        // 1; or else they are only read
  std::uint64_t offset = 0, size = 0;  // 0 bytes: the command needs an address, but uses nothing there
};

inline constexpr std::uint32_t max_threads_per_block = 1024;

// The threads of a kernel.
struct Grid {
  std::uint32_t blocks = 0, threads = 0;  // threads: of a block
  std::uint32_t shared_bytes = 0;         // of a block
  std::uint32_t reserved = 0;
};

enum class CommandKind : std::uint32_t { Launch, Move, Jump, JumpUnless, Switch, Repeat };

// | Launch     | `kernel` on `grid`, with the addresses of `count` places from `first` on, and `map_count` |
// |            | tensor maps from `first_map` on                                                          |
// | Move       | `size` bytes from place `first + 1` to place `first`                                     |
// | Jump       | goes on at command `target`                                                              |
// | JumpUnless | the same if the byte at place `first` is 0                                               |
// | Switch     | goes on at one of `count` targets, of which the first is `target`: that of the s32 at    |
// |            | place `first`, the last one if there is no such target                                   |
// | Repeat     | goes on at command `target`, which comes before it, until it was come to `size` times    |
//
// Launches and moves up to the next jump, or the next command that is jumped to, may take effect in any order in which
// each comes after its dependences: those of LaunchPlan::dependences from `first_dependence` on (dependences.h).
struct Command {
  CommandKind kind = CommandKind::Jump;
  std::uint32_t origin = 0;  // instruction of the module
  std::uint32_t kernel = 0, first = 0, count = 0, target = 0;
  std::uint32_t first_dependence = 0, dependence_count = 0;
  std::uint32_t first_map = 0, map_count = 0;
  Grid grid;
  std::uint64_t size = 0;
};

struct LaunchPlan {
  std::vector<Command> commands;
  std::vector<Place> places;
  std::vector<TensorMap> maps;
  std::vector<std::uint32_t> targets;
  std::vector<std::uint32_t> dependences;       // commands
  std::vector<std::uint64_t> allocation_sizes;  // bytes
  std::uint64_t scratch_bytes = 0;              // of a run
  std::uint32_t kernel_count = 0;
};

// Whether what comes next is another command's, or somebody has to look what it is.
inline bool jumps(CommandKind kind) {
  return kind != CommandKind::Launch && kind != CommandKind::Move;
}
inline std::span<const Place> places_of(const LaunchPlan &plan, const Command &command) {
  const std::uint32_t count = command.kind == CommandKind::Launch                                        ? command.count
                              : command.kind == CommandKind::Move                                        ? 2
                              : command.kind == CommandKind::Jump || command.kind == CommandKind::Repeat ? 0
                                                                                                         : 1;
  return count == 0 ? std::span<const Place>() : std::span(plan.places).subspan(command.first, count);
}
inline std::span<const TensorMap> maps_of(const LaunchPlan &plan, const Command &command) {
  return std::span(plan.maps).subspan(command.first_map, command.map_count);
}
inline std::span<const std::uint32_t> dependences_of(const LaunchPlan &plan, const Command &command) {
  return std::span(plan.dependences).subspan(command.first_dependence, command.dependence_count);
}
// Where the command's places are if the allocations are at `bases`, scratch last.
std::vector<std::uint64_t> addresses_of(const LaunchPlan &plan, const Command &command,
                                        std::span<const std::uint64_t> bases);

// Code of `first_kernel`, and of those after it up to the next part's. Parts know nothing of each other.
struct CodePart {
  std::uint32_t first_kernel = 0;
  std::string code;  // PTX, or an object file of the host
};

struct Artifact {
  std::string target;  // "sm_90a", or "emulated sm_90a"
  LaunchPlan plan;
  std::vector<CodePart> parts;  // some, and the first has kernel 0, if there are kernels
};

// What distinguishes the artifacts of a backend.
struct ArtifactFormat {
  std::string_view magic;              // the first bytes, for the backend and the version of its format
  std::string_view backend;            // its name in messages
  std::uint32_t max_shared_bytes = 0;  // of a block, on any of its targets
};
std::string write_artifact(const Artifact &artifact, const ArtifactFormat &format);
// Returns nothing and sets the error if the bytes are not a whole artifact of this format whose commands stay inside of
// its tables.
std::optional<Artifact> read_artifact(std::span<const char> bytes, const ArtifactFormat &format, std::string &error);

// For people: a line for each command, which ends with the name of the instruction that it is for. `&a3+256` is written.
std::string to_text(const LaunchPlan &plan, const std::function<std::string(std::uint32_t)> &name_of_instruction);

}  // namespace bp::gpu
