#include "tools/command/clusters_text.h"

#include <fmt/core.h>

#include "tools/command/terminal.h"

namespace bp::command {
namespace {

std::string format_nanoseconds(double nanoseconds) {
  return format_seconds(nanoseconds * 1e-9);
}

}  // namespace

std::string clusters_text(const ir::Module &module, std::string_view device, const compile::Report &report) {
  std::string text;
  const auto print = [&]<class... Args>(fmt::format_string<Args...> format, Args &&...args) {
    text += fmt::format(format, std::forward<Args>(args)...);
  };
  if (report.clusters.empty()) {
    print("{}: {}\n", module.name(),
          report.on_host.empty() ? fmt::format("{} runs all of it, as one program", device)
                                 : fmt::format("{} runs nothing of it", device));
  } else {
    print("{}: {} on {}, estimated at {}; no division costs less than {}\n", module.name(),
          report.clusters.size() == 1 ? "1 cluster" : fmt::format("{} clusters", report.clusters.size()), device,
          format_nanoseconds(report.division_nanoseconds), format_nanoseconds(report.least_division_nanoseconds));
    print("{:<14} {:>12} {:>12} {:>12} {:>12}  {}\n", "cluster", "instructions", "on device", "on host", "copies",
          "reason");
  }
  for (const compile::ClusterReport &cluster : report.clusters) {
    print("{:<14} {:>12} {:>12} {:>12} {:>12}  {}\n", cluster.name, cluster.instructions,
          format_nanoseconds(cluster.nanoseconds), format_nanoseconds(cluster.host_nanoseconds),
          format_nanoseconds(cluster.copy_nanoseconds), cluster.reason);
  }
  if (!report.on_host.empty()) {
    print("on the host:\n");
  }
  for (const compile::OnHost &item : report.on_host) {
    print("  {} ({}){}\n", item.name, ir::to_string(item.opcode), item.reason.empty() ? "" : ": " + item.reason);
  }
  return text;
}

}  // namespace bp::command
