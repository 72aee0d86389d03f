#include "plugins/gpu/artifact.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/SHA256.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "plugins/gpu/dependences.h"

namespace bp::gpu {
namespace {

constexpr std::size_t checksum_bytes = 32;

std::array<std::uint8_t, checksum_bytes> checksum(std::string_view bytes) {
  return llvm::SHA256::hash({reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()});
}

class Writer {
 public:
  template <class T>
  void add(const T &value) {
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  template <class List>
  void add_list(const List &list) {
    add(std::uint64_t{list.size()});
    bytes_.append(reinterpret_cast<const char *>(list.data()), list.size() * sizeof *list.data());
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  bool read(T &value) {
    return copy(&value, sizeof value);
  }
  template <class List>
  bool read_list(List &list) {
    std::uint64_t count = 0;
    if (!read(count) || count > bytes_.size() / sizeof *list.data()) {
      return false;
    }
    list.resize(count);
    return copy(list.data(), count * sizeof *list.data());
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  bool copy(void *to, std::size_t size) {
    if (bytes_.size() < size) {
      return false;
    }
    if (size != 0) {
      std::memcpy(to, bytes_.data(), size);
    }
    bytes_.remove_prefix(size);
    return true;
  }
  std::string_view bytes_;
};

// Whether the command has `count` ranges, each with at least `bytes` bytes.
bool has_ranges(const LaunchPlan &plan, const Command &command, std::uint32_t count, std::uint64_t bytes) {
  if (command.first > plan.ranges.size() || count > plan.ranges.size() - command.first) {
    return false;
  }
  return std::ranges::all_of(ranges_of(plan, command), [&](const MemoryRange &range) {
    return range.allocation < plan.allocation_sizes.size() && range.offset <= plan.allocation_sizes[range.allocation] &&
           range.size <= plan.allocation_sizes[range.allocation] - range.offset && range.size >= bytes;
  });
}

std::string problem_of_maps(const LaunchPlan &plan, const Command &command) {
  if (command.first_map > plan.maps.size() || command.map_count > plan.maps.size() - command.first_map) {
    return "its tensor maps are outside of the list";
  }
  for (const TensorMap &map : maps_of(plan, command)) {
    if (map.argument >= command.count) {
      return "its tensor map is of an argument that it does not have";
    }
    if (std::string problem = problem_of(map, ranges_of(plan, command)[map.argument].size); !problem.empty()) {
      return problem;
    }
  }
  return "";
}

std::string problem_of_launch(const LaunchPlan &plan, const Command &command, std::uint32_t max_shared_bytes) {
  if (command.kernel >= plan.kernel_count) {
    return "there is no such kernel";
  }
  if (!has_ranges(plan, command, command.count, 0)) {
    return "an argument is outside of its allocation";
  }
  const Grid &grid = command.grid;
  if (grid.blocks == 0 || grid.threads == 0 || grid.threads > max_threads_per_block ||
      grid.shared_bytes > max_shared_bytes) {
    return "its grid is empty or too large";
  }
  return problem_of_maps(plan, command);
}

bool is_target(const LaunchPlan &plan, std::uint32_t target) {
  return target <= plan.commands.size();
}

std::string problem_of_switch(const LaunchPlan &plan, const Command &command) {
  if (command.count == 0 || command.target > plan.targets.size() ||
      command.count > plan.targets.size() - command.target || !has_ranges(plan, command, 1, 4)) {
    return "its targets or its selector are outside of their lists";
  }
  const auto targets = std::span(plan.targets).subspan(command.target, command.count);
  return std::ranges::all_of(targets, [&](std::uint32_t target) { return is_target(plan, target); })
             ? ""
             : "it jumps outside of the plan";
}

std::string problem_of(const LaunchPlan &plan, const Command &command, std::uint32_t max_shared_bytes) {
  switch (command.kind) {
    case CommandKind::Launch: return problem_of_launch(plan, command, max_shared_bytes);
    case CommandKind::Move:
      return has_ranges(plan, command, 2, command.size) ? "" : "it copies bytes outside of an allocation";
    case CommandKind::Jump: return is_target(plan, command.target) ? "" : "it jumps outside of the plan";
    case CommandKind::Repeat:
      return command.target < static_cast<std::uint64_t>(&command - plan.commands.data()) && command.size > 0
                 ? ""
                 : "it repeats from a command that does not come before it";
    case CommandKind::JumpUnless:
      return !is_target(plan, command.target)   ? "it jumps outside of the plan"
             : !has_ranges(plan, command, 1, 1) ? "its condition is outside of its allocation"
                                                : "";
    case CommandKind::Switch: return problem_of_switch(plan, command);
  }
  return "it has an unknown kind";
}

bool read_parts(Reader &reader, std::vector<CodePart> &parts) {
  std::uint64_t count = 0;
  bool is_read = reader.read(count);
  for (std::uint64_t i = 0; i < count && is_read; ++i) {
    CodePart &part = parts.emplace_back();
    is_read = reader.read(part.first_kernel) && reader.read_list(part.code);
  }
  return is_read;
}

std::string problem_of_parts(const Artifact &artifact) {
  const auto has_later = [](const CodePart &one, const CodePart &next) {
    return one.first_kernel >= next.first_kernel;
  };
  if (artifact.plan.kernel_count == 0) {
    return artifact.parts.empty() ? "" : "it has code without a kernel";
  }
  const bool is_whole = !artifact.parts.empty() && artifact.parts.front().first_kernel == 0 &&
                        artifact.parts.back().first_kernel < artifact.plan.kernel_count &&
                        std::ranges::adjacent_find(artifact.parts, has_later) == artifact.parts.end();
  return is_whole ? "" : "the parts of its code do not have each kernel once";
}

// The commands of the plan must have no other problem.
std::string problem_of_dependences(const LaunchPlan &plan) {
  std::vector<std::uint32_t> first(plan.commands.size());  // by command: the first command that it may wait for
  for (std::uint32_t c = 0; c < plan.commands.size(); ++c) {
    first[c] = c;
  }
  for (const Segment &segment : segments(plan)) {
    std::fill(first.begin() + segment.begin, first.begin() + segment.end, segment.begin);
  }
  for (std::uint32_t c = 0; c < plan.commands.size(); ++c) {
    const Command &command = plan.commands[c];
    if (command.first_dependence > plan.dependences.size() ||
        command.dependence_count > plan.dependences.size() - command.first_dependence ||
        !std::ranges::all_of(dependences_of(plan, command),
                             [&](std::uint32_t one) { return first[c] <= one && one < c; })) {
      return "command " + std::to_string(c) + ": it waits for a command that does not come before it";
    }
  }
  return "";
}

std::string problem_of(const LaunchPlan &plan, std::uint32_t max_shared_bytes) {
  if (plan.allocation_sizes.empty() || plan.allocation_sizes.back() != plan.scratch_bytes) {
    return "its last allocation is not the scratch memory of a run";
  }
  if (std::ranges::any_of(plan.targets, [&](std::uint32_t target) { return target > plan.commands.size(); })) {
    return "a target is outside of the plan";
  }
  for (std::size_t c = 0; c < plan.commands.size(); ++c) {
    if (const std::string problem = problem_of(plan, plan.commands[c], max_shared_bytes); !problem.empty()) {
      return "command " + std::to_string(c) + ": " + problem;
    }
  }
  return problem_of_dependences(plan);
}

}  // namespace

std::string write_artifact(const Artifact &artifact, const ArtifactFormat &format) {
  Writer writer;
  writer.add_list(artifact.target);
  writer.add_list(artifact.plan.commands);
  writer.add_list(artifact.plan.ranges);
  writer.add_list(artifact.plan.maps);
  writer.add_list(artifact.plan.targets);
  writer.add_list(artifact.plan.dependences);
  writer.add_list(artifact.plan.allocation_sizes);
  writer.add(artifact.plan.scratch_bytes);
  writer.add(artifact.plan.kernel_count);
  writer.add(std::uint64_t{artifact.parts.size()});
  for (const CodePart &part : artifact.parts) {
    writer.add(part.first_kernel);
    writer.add_list(part.code);
  }
  const std::string body = writer.take();
  const auto sum = checksum(body);
  return std::string(format.magic) + std::string(reinterpret_cast<const char *>(sum.data()), sum.size()) + body;
}

plugin::Result<Artifact> read_artifact(std::span<const char> bytes, const ArtifactFormat &format) {
  const auto refuse = [](const std::string &why) { return plugin::Error(BP_INVALID, why); };
  const std::string_view all(bytes.data(), bytes.size());
  const std::size_t header = format.magic.size() + checksum_bytes;
  if (all.size() < header || !all.starts_with(format.magic)) {
    return refuse("not an artifact of this version of the " + std::string(format.backend) + " backend");
  }
  const std::string_view body = all.substr(header);
  if (const auto sum = checksum(body); std::memcmp(sum.data(), all.data() + format.magic.size(), sum.size()) != 0) {
    return refuse("artifact is damaged: its checksum is wrong");
  }
  Artifact artifact;
  LaunchPlan &plan = artifact.plan;
  Reader reader(body);
  if (!reader.read_list(artifact.target) || !reader.read_list(plan.commands) || !reader.read_list(plan.ranges) ||
      !reader.read_list(plan.maps) || !reader.read_list(plan.targets) || !reader.read_list(plan.dependences) ||
      !reader.read_list(plan.allocation_sizes) || !reader.read(plan.scratch_bytes) || !reader.read(plan.kernel_count) ||
      !read_parts(reader, artifact.parts) || !reader.at_end()) {
    return refuse("artifact is damaged: the sizes in it do not add up to its size");
  }
  std::string problem = problem_of(plan, format.max_shared_bytes);
  problem = problem.empty() ? problem_of_parts(artifact) : problem;
  if (!problem.empty()) {
    return refuse("artifact is damaged: " + problem);
  }
  return artifact;
}

}  // namespace bp::gpu
