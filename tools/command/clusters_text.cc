#include "tools/command/clusters_text.h"

#include <fmt/core.h>

#include "core/text/printer.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

std::string format_nanoseconds(double nanoseconds) {
  return format_seconds(nanoseconds * 1e-9);
}

void print_table(const ir::Module &module, std::string_view device, const compile::Report &report) {
  if (report.clusters.empty()) {
    fmt::print("{}: {}\n", module.name(),
               report.on_host.empty() ? fmt::format("{} runs all of it, as one program", device)
                                      : fmt::format("{} runs nothing of it", device));
  } else {
    fmt::print("{}: {} on {}, estimated at {}; no division costs less than {}\n", module.name(),
               report.clusters.size() == 1 ? "1 cluster" : fmt::format("{} clusters", report.clusters.size()), device,
               format_nanoseconds(report.division_nanoseconds), format_nanoseconds(report.least_division_nanoseconds));
    fmt::print("{:<14} {:>12} {:>12} {:>12} {:>12}  {}\n", "cluster", "instructions", "on device", "on host", "copies",
               "reason");
  }
  for (const compile::ClusterReport &cluster : report.clusters) {
    fmt::print("{:<14} {:>12} {:>12} {:>12} {:>12}  {}\n", cluster.name, cluster.instructions,
               format_nanoseconds(cluster.nanoseconds), format_nanoseconds(cluster.host_nanoseconds),
               format_nanoseconds(cluster.copy_nanoseconds), cluster.reason);
  }
  if (!report.on_host.empty()) {
    fmt::print("on the host:\n");
  }
  for (const compile::OnHost &item : report.on_host) {
    fmt::print("  {} ({}){}\n", item.name, ir::to_string(item.opcode), item.reason.empty() ? "" : ": " + item.reason);
  }
}

}  // namespace

Status print_clusters(const ModelChoice &model, const BackendChoice &choice, const PassChoice &passes, bool explain) {
  BP_ASSIGN(std::vector<Module> modules, model.modules());
  BP_ASSIGN(const Backend backend, choice.load());
  compile::Options options;
  passes.apply_to(options);
  for (Module &module : modules) {
    BP_ASSIGN(const compile::Report report, compile::show_clusters(module, backend.device(), options));
    if (explain) {
      print_table(module, backend.device()->id(), report);
    } else {
      fmt::print("{}{}", &module == modules.data() ? "" : "\n// -----\n\n", text::print(module));
    }
  }
  return {};
}

}  // namespace bp::command
