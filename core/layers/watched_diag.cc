#include "core/layers/watched_diag.h"

#include <fmt/format.h>

#include "backplane/ext/draft/constants.h"
#include "backplane/ext/draft/progress.h"
#include "core/host/diagnostics.h"

namespace bp::layers {
namespace {

// Returns the call whose sink this is; nullptr for a sink that another layer made.
WatchedDiag *call_of(const bp_diag_t *diag) {
  const bool is_watched = diag != nullptr && diag->report == &WatchedDiag::report;
  return is_watched ? static_cast<WatchedDiag *>(diag->ctx) : nullptr;
}

// Whether a plugin may ask a service about the call now. Adds a violation if not.
bool may_ask(WatchedDiag &call, bool is_right_function, const char *rule, const char *what) {
  if (!call.is_over && is_right_function) {
    return true;
  }
  call.violations->add(rule, fmt::format("{}: {}{}", to_string(call.function), what,
                                         call.is_over ? " after the call" : ", which only other calls may"));
  return false;
}

bp_status watched_content(const bp_host_t *, const bp_diag_t *diag, std::uint32_t allocation, const void **data,
                          std::uint64_t *size) {
  constexpr const char *rule = "BP-CONSTANT-01";
  WatchedDiag *call = call_of(diag);
  if (call == nullptr) {
    return BP_UNSUPPORTED;
  }
  if (!may_ask(*call, call->function == Function::compiler_compile, rule, "asks for the content of a constant")) {
    return BP_INVALID;
  }
  const auto &service =
      *static_cast<const bp_host_constants_t *>(call->host->get_extension(call->host, BP_EXT_CONSTANTS));
  const bp_status status = service.content(call->host, call->below, allocation, data, size);
  if (status == BP_INVALID) {
    call->violations->add(rule, fmt::format("{}: asks for the content of allocation {}, which is no constant",
                                            to_string(call->function), allocation));
  }
  return status;
}

bp_status watched_progress(const bp_host_t *, const bp_diag_t *diag, std::uint64_t done, std::uint64_t total) {
  constexpr const char *rule = "BP-PROGRESS-01";
  WatchedDiag *call = call_of(diag);
  const bool may_take_long =
      call != nullptr && (call->function == Function::compiler_compile || call->function == Function::compiler_load);
  if (call == nullptr || !may_ask(*call, may_take_long, rule, "reports its progress")) {
    return BP_OK;
  }
  if (done > total) {
    call->violations->add(
        rule, fmt::format("{}: {} of {} parts are said to be done", to_string(call->function), done, total));
  }
  const auto &service =
      *static_cast<const bp_host_progress_t *>(call->host->get_extension(call->host, BP_EXT_PROGRESS));
  return service.report(call->host, call->below, done, total);
}

constexpr bp_host_constants_t watched_constants = {&watched_content};
constexpr bp_host_progress_t watched_reports = {&watched_progress};

}  // namespace

void WatchedDiag::report(const bp_diag_t *diag, bp_status status, std::uint32_t instr, const char *msg) {
  auto &self = *static_cast<WatchedDiag *>(diag->ctx);
  if (self.is_over) {
    self.violations->add("BP-DIAG-02", fmt::format("{}: reports after the call: {}", to_string(self.function),
                                                   host::printable(msg == nullptr ? "" : msg)));
    return;
  }
  if (msg == nullptr) {
    self.violations->add("BP-DIAG-01", fmt::format("{}: a report without a message", to_string(self.function)));
    msg = "";
  }
  self.below->report(self.below, status, instr, msg);
}

const void *watched_service(std::string_view id, const void *below) {
  if (below == nullptr) {
    return nullptr;
  }
  if (id == BP_EXT_CONSTANTS) {
    return &watched_constants;
  }
  return id == BP_EXT_PROGRESS ? &watched_reports : below;
}

}  // namespace bp::layers
