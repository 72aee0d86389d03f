// The tables that the core offers to a device about one run.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "backplane/ext/compiler.h"
#include "core/base/cancellation.h"
#include "core/base/result.h"
#include "core/host/plugin.h"
#include "core/interpreter/options.h"
#include "core/runtime/host_calls.h"

namespace bp::runtime {

// The core's data of a run; its ctx.
struct RunContext {
  const host::Device &device;
  const HostCallSites &host_calls;              // of the program
  std::shared_ptr<const HostCall> within = {};  // the call of the application that started the run, or nullptr
  RunTerms terms = {};
  const interpreter::Options *host = nullptr;  // how the application's instructions are run; nullptr: nobody runs them

  std::mutex mutex = {};
  std::optional<Error> failure = {};  // of the first of the application's instructions that failed

  // Prepares for the next run, which this thread starts.
  void begin() {
    failure.reset();
    within = current_host_call();
  }
};

// bp_run.get_extension() of a run whose ctx is a RunContext.
const void *run_extension(const bp_run_t *run, const char *id) noexcept;

}  // namespace bp::runtime
