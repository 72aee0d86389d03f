// Foreign functions for tests, and programs that call them.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

#include "core/pjrt/tests/framework.h"
#include "core/pjrt/xla_ffi_c_api.h"

namespace bp::pjrt::testing {

// The extension by which functions are registered; see pjrt_c_api_ffi_extension.h of XLA.
struct RegisterArgs {
  std::size_t struct_size;
  const char *target_name;
  std::size_t target_name_size;
  void *handler;
  const char *platform_name;
  std::size_t platform_name_size;
  int traits;
};
struct ForeignFunctions {
  PJRT_Extension_Base base;
  void *register_type, *add_user_data;
  PJRT_Error *(*register_handler)(RegisterArgs *args);
  const XLA_FFI_Api *functions;
};

inline const ForeignFunctions &extension() {
  for (PJRT_Extension_Base *found = GetPjrtApi()->extension_start; found != nullptr; found = found->next) {
    if (found->type == PJRT_Extension_Type_FFI) {
      return *reinterpret_cast<ForeignFunctions *>(found);
    }
  }
  throw std::runtime_error("there is no FFI extension");
}

inline std::string register_function(const char *name, XLA_FFI_Handler *handler) {
  const std::string platform = "backplane";
  RegisterArgs args{sizeof args,     name, std::strlen(name), reinterpret_cast<void *>(handler), platform.data(),
                    platform.size(), 0};
  return message_of(extension().register_handler(&args));
}

// Sets the version that the handler was built with, if the call asks for that.
inline bool is_question(XLA_FFI_CallFrame *frame, int major = 0, int minor = 3) {
  if (frame->extension_start == nullptr) {
    return false;
  }
  REQUIRE(frame->extension_start->type == XLA_FFI_Extension_Metadata);
  XLA_FFI_Metadata &metadata = *reinterpret_cast<XLA_FFI_Metadata_Extension *>(frame->extension_start)->metadata;
  metadata.api_version.major_version = major;
  metadata.api_version.minor_version = minor;
  return true;
}

inline XLA_FFI_Buffer &argument(XLA_FFI_CallFrame *frame, int i = 0) {
  return *static_cast<XLA_FFI_Buffer *>(frame->args.args[i]);
}
inline XLA_FFI_Buffer &result(XLA_FFI_CallFrame *frame, int i = 0) {
  return *static_cast<XLA_FFI_Buffer *>(frame->rets.rets[i]);
}
inline float *floats(const XLA_FFI_Buffer &buffer) {
  return static_cast<float *>(buffer.data);
}
inline std::size_t count(const XLA_FFI_Buffer &buffer) {
  std::size_t product = 1;
  for (std::int64_t i = 0; i < buffer.rank; ++i) {
    product *= static_cast<std::size_t>(buffer.dims[i]);
  }
  return product;
}

inline XLA_FFI_Error *fail(XLA_FFI_CallFrame *frame, const char *message) {
  XLA_FFI_Error_Create_Args args{sizeof args, nullptr, message, XLA_FFI_Error_Code_INVALID_ARGUMENT};
  return frame->api->XLA_FFI_Error_Create(&args);
}

// A program that calls @name on f32[2,3]; `more`: further attributes of the call, after a comma.
inline std::string program(std::string_view name, std::string_view more,
                           std::string_view result_type = "tensor<2x3xf32>") {
  return fmt::format(R"(func.func @main(%a: tensor<2x3xf32>) -> {} {{
    %0 = stablehlo.custom_call @{}(%a) {{api_version = 4 : i32{}}} : (tensor<2x3xf32>) -> {}
    return %0 : {}
  }})",
                     result_type, name, more, result_type, result_type);
}

// Runs a program of one argument; returns its result, or the message of its failure.
struct Outcome {
  std::vector<float> values;
  std::string error;
};
inline Outcome run(const Framework &framework, const std::string &code) {
  PJRT_LoadedExecutable *executable = framework.compile(code);
  PJRT_Buffer *a = framework.put({1, 2, 3, 4, 5, 6}, {2, 3});
  Outcome outcome;
  const std::vector<PJRT_Buffer *> outputs = framework.execute(executable, {a}, &outcome.error);
  if (outcome.error.empty()) {
    outcome.values = framework.get(outputs[0]);
    framework.destroy(outputs[0]);
  }
  framework.destroy(a);
  framework.destroy(executable);
  return outcome;
}

}  // namespace bp::pjrt::testing
