#include "core/runtime/run_extensions.h"

#include <string_view>

#include "backplane/ext/draft/cancel.h"
#include "backplane/ext/draft/priority.h"
#include "core/base/cancellation.h"

namespace bp::runtime {
namespace {

const RunTerms &terms_of(const bp_run_t *run) {
  return *static_cast<const RunTerms *>(run->ctx);
}

constexpr bp_run_cancel_t cancel_table = {
    [](const bp_run_t *run) noexcept -> std::uint32_t { return terms_of(run).cancellation->is_over() ? 1 : 0; }};
constexpr bp_run_priority_t priority_table = {[](const bp_run_t *run) noexcept { return terms_of(run).priority; }};

}  // namespace

const void *run_extension(const bp_run_t *run, const char *id) noexcept {
  const std::string_view wanted = id == nullptr ? "" : id;
  if (wanted == BP_EXT_CANCEL && terms_of(run).cancellation != nullptr) {
    return &cancel_table;
  }
  if (wanted == BP_EXT_PRIORITY && terms_of(run).priority != 0) {
    return &priority_table;
  }
  return nullptr;
}

}  // namespace bp::runtime
