#include "core/runtime/run_extensions.h"

#include <string_view>

#include "backplane/ext/draft/cancel.h"
#include "backplane/ext/draft/host_call.h"
#include "backplane/ext/draft/priority.h"
#include "core/interpreter/host_calls.h"

namespace bp::runtime {
namespace {

RunContext &context_of(const bp_run_t *run) {
  return *static_cast<RunContext *>(run->ctx);
}

// Returns the status with which a run ends whose application failed.
bp_status status_of(const Error &error) {
  switch (error.code()) {
    case ErrorCode::Cancelled:
    case ErrorCode::DeadlineExceeded: return BP_CANCELLED;
    default: return BP_INTERNAL;
  }
}

// Runs an instruction.
Status run_on_host(RunContext &context, const bp_run_t *run, std::uint32_t instruction) {
  static const interpreter::Options nobody;
  return interpreter::call_application([&] {  // which may observe it, by on_probe and on_result
    return context.host_calls.run(instruction, context.device, run->allocations, context.within,
                                  context.host == nullptr ? nobody : *context.host);
  });
}

bp_status call(const bp_run_t *run, std::uint32_t instruction) noexcept {
  RunContext &context = context_of(run);
  const Status status = run_on_host(context, run, instruction);
  if (status.ok()) {
    return BP_OK;
  }
  const std::lock_guard lock(context.mutex);
  if (!context.failure) {
    context.failure = status.error();
  }
  return status_of(status.error());
}

constexpr bp_run_cancel_t cancel_table = {[](const bp_run_t *run) noexcept -> std::uint32_t {
  return context_of(run).terms.cancellation->is_over() ? 1 : 0;
}};
constexpr bp_run_priority_t priority_table = {
    [](const bp_run_t *run) noexcept { return context_of(run).terms.priority; }};
constexpr bp_run_host_call_t host_call_table = {call};

}  // namespace

const void *run_extension(const bp_run_t *run, const char *id) noexcept {
  const std::string_view wanted = id == nullptr ? "" : id;
  const RunContext &context = context_of(run);
  if (wanted == BP_EXT_CANCEL && context.terms.cancellation != nullptr) {
    return &cancel_table;
  }
  if (wanted == BP_EXT_PRIORITY && context.terms.priority != 0) {
    return &priority_table;
  }
  if (wanted == BP_EXT_RUN_HOST_CALL && !context.host_calls.empty()) {
    return &host_call_table;
  }
  return nullptr;
}

}  // namespace bp::runtime
