// The plugin's side of a call: reporting failures, writing bytes, and letting no exception leave the plugin
// (BP-LAW-04).
#pragma once

#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "backplane/base/status.h"

namespace bp::plugin {

// Reports why a call fails and returns `status`, so that a function can end with return fail(diag, BP_INVALID, i, "no
// such space");
inline bp_status fail(const bp_diag_t *diag, bp_status status, std::uint32_t instruction, const std::string &message) {
  diag->report(diag, status, instruction, message.c_str());
  return status;
}
inline bp_status fail(const bp_diag_t *diag, bp_status status, const std::string &message) {
  return fail(diag, status, BP_NONE, message);
}

inline bp_status write(const bp_ostream_t *stream, std::string_view bytes) {
  return stream->write(stream, bytes.data(), bytes.size());
}

// Runs the body of an ABI function and returns its status. An exception of the body becomes a report and a status.
template <class Body>
bp_status guarded(const bp_diag_t *diag, Body &&body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    diag->report(diag, BP_NO_MEMORY, BP_NONE, "out of host memory");
    return BP_NO_MEMORY;
  } catch (const std::exception &error) {
    diag->report(diag, BP_INTERNAL, BP_NONE, error.what());
    return BP_INTERNAL;
  } catch (...) {
    diag->report(diag, BP_INTERNAL, BP_NONE, "an exception of unknown type");
    return BP_INTERNAL;
  }
}

// Keeps the first report of a call that the plugin makes itself and that has no caller to report to: on the thread of a
// queue, which passes the outcome to bp_host.signal. Neither copied nor moved, because `abi` points to it.
struct FirstReport {
  bp_diag_t abi{this, keep};
  std::uint32_t instruction = BP_NONE;
  std::string message;  // empty if nothing was reported

  FirstReport() = default;
  FirstReport(const FirstReport &) = delete;
  FirstReport &operator=(const FirstReport &) = delete;

 private:
  static void keep(const bp_diag_t *diag, bp_status, std::uint32_t instruction, const char *message) {
    auto &self = *static_cast<FirstReport *>(diag->ctx);
    if (self.message.empty()) {
      self.instruction = instruction;
      self.message = message;
    }
  }
};

}  // namespace bp::plugin
