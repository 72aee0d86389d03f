// The objects of the C interface, and how its functions report errors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backplane/runtime.h"
#include "core/backplane.h"
#include "core/polymorphic.h"
#include "plugin_api/cpp/call.h"

struct backplane_backend {
  bp::Backend backend;
};

struct backplane_terms {
  std::shared_ptr<bp::Cancellation> cancellation;
  std::int32_t priority;
  bp::HostCalls host_calls;
};

struct backplane_program {
  bp::PolymorphicExecutable executables;
  std::vector<backplane_array_t> parameters;  // point into those of `executables`
};

struct backplane_executable {
  std::shared_ptr<const bp::Executable> executable;
  bp::Interface interface;
  // The arrays point into `leaves` and `names`.
  std::vector<bp::Shape> leaves;
  std::vector<std::string> names;
  std::vector<backplane_array_t> inputs, outputs;
};

namespace bp::c {

inline bp_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidInput:
    case ErrorCode::NotFound:
    case ErrorCode::Io: return BP_INVALID;
    case ErrorCode::Unsupported: return BP_UNSUPPORTED;
    case ErrorCode::OutOfMemory:
    case ErrorCode::DoesNotFit: return BP_NO_MEMORY;
    case ErrorCode::Cancelled:
    case ErrorCode::DeadlineExceeded: return BP_CANCELLED;
    case ErrorCode::DeviceLost: return BP_DEVICE_LOST;
    case ErrorCode::PluginFailure:
    case ErrorCode::Internal: break;
  }
  return BP_INTERNAL;
}

// Runs the body of a function of the C interface, which returns a Status.
template <class Body>
bp_status call(const bp_diag_t *errors, Body &&body) noexcept {
  constexpr bp_diag_t nowhere = {nullptr, [](const bp_diag_t *, bp_status, std::uint32_t, const char *) {}};
  const bp_diag_t *diag = errors == nullptr ? &nowhere : errors;
  return plugin::guarded(diag, [&]() -> bp_status {
    const Status status = body();
    return status.ok() ? BP_OK : plugin::fail(diag, status_of(status.error().code()), status.error().to_string());
  });
}

// backend.cc. Returns keys and values.
Result<std::vector<std::pair<std::string, std::string>>> read_options(const bp_option_t *options, std::uint32_t count);

// The options of functions that read a program and compile it.
struct CompileRequest {
  CompileOptions options;
  std::string format;  // as in ReadOptions
};

// runtime.cc
Result<CompileRequest> read_compile_options(const bp_option_t *given, std::uint32_t count);
// Sets the arrays of an executable from its interface.
void describe_arrays(backplane_executable &executable);

// Returns nullptr if there is none with this index.
inline const backplane_array_t *at(const std::vector<backplane_array_t> &arrays, std::uint32_t index) {
  return index < arrays.size() ? &arrays[index] : nullptr;
}

inline Status expect_given(const void *pointer, std::string_view what) {
  return pointer != nullptr ? Status() : invalid_input("{} is a null pointer, expected one that is not", what);
}

}  // namespace bp::c
