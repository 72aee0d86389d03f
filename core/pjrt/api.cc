// libbackplane_pjrt.so: the core as a plugin of PJRT, the interface by which JAX and other frameworks load devices. It
// exports GetPjrtApi alone.
#include <exception>
#include <new>

#include "core/pjrt/compilation.h"
#include "core/pjrt/error.h"
#include "core/pjrt/execution.h"
#include "core/pjrt/foreign_functions.h"
#include "core/pjrt/promised_buffer.h"

namespace bp::pjrt {
namespace {

// Calls a function such that no exception leaves the library.
template <class Args, Status (*function)(Args &)>
PJRT_Error *guarded(Args *args) {
  try {
    Status status = function(*args);
    return status.ok() ? nullptr : make_error(status.error());
  } catch (const std::bad_alloc &) {
    return make_error(PJRT_Error_Code_RESOURCE_EXHAUSTED, "out of memory");
  } catch (const std::exception &error) {
    return make_error(PJRT_Error_Code_INTERNAL, error.what());
  }
}

#define BP_PJRT_MISSING(name)         \
  Status name(PJRT_##name##_Args &) { \
    return unimplemented(#name);      \
  }
#include "core/pjrt/functions.def"

PJRT_Api make_api() {
  constexpr int major_version = 0, minor_version = 112;
  PJRT_Api api{};
  api.struct_size = sizeof(PJRT_Api);
  api.extension_start = foreign_function_extension();
  api.pjrt_api_version = {sizeof(PJRT_Api_Version), nullptr, major_version, minor_version};
  api.PJRT_Error_Destroy = Error_Destroy;
  api.PJRT_Error_Message = Error_Message;
#define BP_PJRT_FUNCTION(name) api.PJRT_##name = guarded<PJRT_##name##_Args, name>;
#define BP_PJRT_MISSING(name) api.PJRT_##name = guarded<PJRT_##name##_Args, name>;
#include "core/pjrt/functions.def"
  return api;
}

}  // namespace
}  // namespace bp::pjrt

extern "C" __attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi() {
  static const PJRT_Api api = bp::pjrt::make_api();
  return &api;
}
