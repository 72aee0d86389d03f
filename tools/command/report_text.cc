#include "tools/command/report_text.h"

#include <fmt/core.h>

#include <algorithm>

namespace bp::command {

void print_on_host(const compile::Report &report) {
  if (report.on_host.empty()) {
    if (report.programs != 0) {
      fmt::print("on the host:      nothing\n");
    }
    return;
  }
  fmt::print("on the host:      {} instructions run on the interpreter\n", report.on_host.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(report.on_host.size(), 10); ++i) {
    const compile::OnHost &item = report.on_host[i];
    fmt::print("  {} ({}){}\n", item.name, ir::to_string(item.opcode), item.reason.empty() ? "" : ": " + item.reason);
  }
}

}  // namespace bp::command
