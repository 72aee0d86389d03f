#include "plugins/gpu/launch_plan.h"

namespace bp::gpu {

std::vector<std::uint64_t> addresses_of(const LaunchPlan &plan, const Command &command,
                                        std::span<const std::uint64_t> bases) {
  std::vector<std::uint64_t> addresses;
  for (const MemoryRange &range : ranges_of(plan, command)) {
    addresses.push_back(bases[range.allocation] + range.offset);
  }
  return addresses;
}

std::string to_text(const LaunchPlan &plan, const std::function<std::string(std::uint32_t)> &name_of_instruction) {
  std::string out;
  const auto range = [&](std::size_t at) {
    const MemoryRange &one = plan.ranges[at];
    return (one.is_written != 0 ? "&a" : "a") + std::to_string(one.allocation) + "+" + std::to_string(one.offset);
  };
  for (std::size_t i = 0; i < plan.commands.size(); ++i) {
    const Command &command = plan.commands[i];
    out += std::to_string(i) + ": ";
    switch (command.kind) {
      case CommandKind::Launch:
        out += "launch kernel_" + std::to_string(command.kernel) + " <<<" + std::to_string(command.grid.blocks) + ", " +
               std::to_string(command.grid.threads) +
               (command.grid.shared_bytes == 0 ? "" : ", " + std::to_string(command.grid.shared_bytes)) + ">>>(";
        for (std::uint32_t k = 0; k < command.count; ++k) {
          out += (k == 0 ? "" : ", ") + range(command.first + k);
        }
        for (const TensorMap &map : maps_of(plan, command)) {
          out += ", " + (map.dimension_count == 0 ? "no map" : "map of " + range(command.first + map.argument));
        }
        out += ")";
        break;
      case CommandKind::Move:
        out += "move " + std::to_string(command.size) + " bytes from " + range(command.first + 1) + " to " +
               range(command.first);
        break;
      case CommandKind::Jump: out += "jump to " + std::to_string(command.target); break;
      case CommandKind::Repeat:
        out += "repeat from " + std::to_string(command.target) + ", " + std::to_string(command.size) + " times in all";
        break;
      case CommandKind::JumpUnless:
        out += "jump to " + std::to_string(command.target) + " unless " + range(command.first);
        break;
      case CommandKind::Switch:
        out += "switch on " + range(command.first) + " to";
        for (std::uint32_t k = 0; k < command.count; ++k) {
          out += " " + std::to_string(plan.targets[command.target + k]);
        }
        break;
    }
    for (std::uint32_t k = 0; k < command.dependence_count; ++k) {
      out += (k == 0 ? "  after " : ", ") + std::to_string(plan.dependences[command.first_dependence + k]);
    }
    out += "  for " + name_of_instruction(command.origin) + '\n';
  }
  return out;
}

}  // namespace bp::gpu
