// WatchedDiag: the sink that a plugin gets for one call under the layer `validate`.
#pragma once

#include <atomic>
#include <string_view>

#include "backplane/base/status.h"
#include "backplane/host.h"
#include "core/layers/interposer.h"
#include "core/layers/violations.h"

namespace bp::layers {

// A sink that must not be used after its call (BP-DIAG-02). It has to live as long as the layer, so that a late use is
// detected and does not cause a crash. Threads: any may report.
struct WatchedDiag {
  bp_diag_t abi;
  const bp_diag_t *below;
  const bp_host_t *host;  // below the layer; nullptr for calls to which services do not answer
  Violations *violations;
  Function function;
  std::atomic<bool> is_over = false;

  static void report(const bp_diag_t *diag, bp_status status, std::uint32_t instr, const char *msg);
};

// Returns what a plugin gets in place of a service of the host: for services to which a plugin shows the sink of its
// call, a table that checks the rules of the service and asks the host about the call below; for others, `below`.
const void *watched_service(std::string_view id, const void *below);

}  // namespace bp::layers
