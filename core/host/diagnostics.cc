#include "core/host/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

#include "plugin_api/cpp/module_view.h"

namespace bp::host {
namespace {

// A plugin that reports in a loop must not exhaust memory.
constexpr std::size_t max_reports = 100000;
constexpr std::size_t max_notes = 10;
constexpr std::size_t max_message = 2000;

std::string describe(const Report &report, const bp_module_t *module) {
  const std::string message = report.message.empty() ? "no reason given" : report.message;
  if (report.instruction == BP_NONE) {
    return message;
  }
  if (module == nullptr || report.instruction >= module->instrs.count) {
    return fmt::format("instruction {}: {}", report.instruction, message);
  }
  return fmt::format("{}: {}", plugin::ModuleView(module).instruction(report.instruction).name(), message);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out(text.substr(0, max_message));
  std::ranges::replace_if(out, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text.size() > max_message ? out + "..." : out;
}

ErrorCode error_code(bp_status status, ErrorCode otherwise) {
  switch (status) {
    case BP_UNSUPPORTED: return ErrorCode::Unsupported;
    case BP_NO_MEMORY: return ErrorCode::OutOfMemory;
    case BP_DEVICE_LOST: return ErrorCode::DeviceLost;
    case BP_CANCELLED: return ErrorCode::Cancelled;
    default: return otherwise;
  }
}

std::string status_name(bp_status status) {
  switch (status) {
    case BP_OK: return "ok";
    case BP_UNSUPPORTED: return "unsupported";
    case BP_INVALID: return "invalid";
    case BP_NO_MEMORY: return "out of memory";
    case BP_DEVICE_LOST: return "device lost";
    case BP_INTERNAL: return "internal error";
    case BP_CANCELLED: return "cancelled";
    default: return fmt::format("internal error (unknown status {})", status);
  }
}

void Diagnostics::report(const bp_diag_t *diag, bp_status status, std::uint32_t instruction,
                         const char *message) noexcept {
  auto &self = *static_cast<Diagnostics *>(diag->ctx);
  try {
    const std::lock_guard lock(self.mutex_);
    if (self.reports_.size() < max_reports) {
      self.reports_.push_back({status, instruction, message == nullptr ? "" : printable(message)});
    }
  } catch (...) {
    // No memory for a report: only the status remains.
  }
  if (self.below_ != nullptr) {
    self.below_->report(self.below_, status, instruction, message);
  }
}

bp_status Diagnostics::progress(const bp_diag_t *diag, std::uint64_t done, std::uint64_t total) noexcept {
  const Diagnostics *listener = find(diag, [](const Diagnostics &self) { return self.heard_ != nullptr; });
  try {
    return listener == nullptr || listener->heard_(done, total) ? BP_OK : BP_CANCELLED;
  } catch (...) {
    return BP_OK;  // a listener that fails does not end the work
  }
}

bp_status Diagnostics::constant(const bp_diag_t *diag, std::uint32_t allocation, const void **data,
                                std::uint64_t *size) noexcept {
  Diagnostics *offering = find(diag, [](const Diagnostics &self) { return self.offered_ != nullptr; });
  try {
    return offering == nullptr ? bp_status{BP_UNSUPPORTED} : offering->constant(allocation, data, size);
  } catch (...) {
    return BP_NO_MEMORY;
  }
}

bp_status Diagnostics::constant(std::uint32_t allocation, const void **data, std::uint64_t *size) {
  const auto constant = std::ranges::lower_bound(offered_->constants(), allocation, {}, &ImageConstant::allocation);
  if (constant == offered_->constants().end() || constant->allocation != allocation) {
    return BP_INVALID;
  }
  const std::lock_guard lock(content_mutex_);
  auto found = contents_.find(allocation);
  if (found == contents_.end()) {
    found = contents_.emplace(allocation, content_of(*constant)).first;
  }
  *data = found->second.bytes().data();
  *size = found->second.size();
  return BP_OK;
}

Status Diagnostics::result(bp_status status, std::string_view who, std::string_view what,
                           const bp_module_t *module) const {
  if (status == BP_OK) {
    return {};
  }
  const std::vector<Report> reports = causes_first(status);
  const std::string reason = reports.empty() ? "no reason given" : describe(reports[0], module);
  Error error(error_code(status, ErrorCode::PluginFailure),
              fmt::format("plugin {}: {}: {}: {}", who, what, status_name(status), reason));
  for (std::size_t i = 1; i < std::min(reports.size(), max_notes); ++i) {
    error = std::move(error).note(describe(reports[i], module));
  }
  if (reports_.size() > max_notes) {
    error = std::move(error).note(fmt::format("and {} more reports", reports_.size() - max_notes));
  }
  return error;
}

Status Diagnostics::result(bp_status status, std::string_view who, std::string_view what, const Image &image,
                           const ir::Module &module) const {
  Status result = this->result(status, who, what, image.module());
  const std::vector<Report> reports = causes_first(status);
  if (result.ok() || reports.empty() || reports[0].instruction >= image.sources().size()) {
    return result;
  }
  return std::move(result).error().at(module.instruction(image.sources()[reports[0].instruction]).location());
}

std::vector<Report> Diagnostics::causes_first(bp_status status) const {
  std::vector<Report> reports = reports_;
  std::ranges::stable_partition(reports, [&](const Report &report) { return report.status == status; });
  return reports;
}

}  // namespace bp::host
