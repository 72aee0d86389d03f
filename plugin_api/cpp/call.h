// The plugin's side of a call: reporting failures, writing bytes, and letting no exception leave the plugin
// (BP-LAW-04).
#pragma once

#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "backplane/base/status.h"
#include "result.h"

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

// Runs the body of an ABI function, which returns a bp_status or a Status, and returns its status. The error of a
// Status and an exception are reported, an error with `prefix` in front of its message.
template <class Body>
bp_status guarded(const bp_diag_t *diag, std::string_view prefix, Body &&body) noexcept {
  try {
    if constexpr (std::is_convertible_v<decltype(body()), bp_status>) {
      return body();
    } else {
      const Status status = body();
      return status.ok() ? bp_status{BP_OK}
                         : fail(diag, status.error().status(), status.error().instruction(),
                                std::string(prefix) + status.error().message());
    }
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
template <class Body>
bp_status guarded(const bp_diag_t *diag, Body &&body) noexcept {
  return guarded(diag, "", std::forward<Body>(body));
}

// Runs a body that returns a Status or a Result, on a thread of the plugin, which has no caller to report to. An
// exception becomes the error.
template <class Body>
auto caught(Body &&body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return Error(BP_NO_MEMORY, "out of host memory");
  } catch (const std::exception &error) {
    return Error(BP_INTERNAL, error.what());
  } catch (...) {
    return Error(BP_INTERNAL, "an exception of unknown type");
  }
}

// Returns the error of a step that is not the first: memory was written before, and BP_NO_MEMORY says that none was
// (BP-STATUS-02).
inline Error after_writing(Error error) {
  return error.status() == BP_NO_MEMORY ? std::move(error).with_status(BP_INTERNAL) : std::move(error);
}

}  // namespace bp::plugin
