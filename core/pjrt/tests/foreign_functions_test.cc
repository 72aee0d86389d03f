// Functions that programs call by XLA's foreign function interface, registered and called as JAX does it.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "core/pjrt/tests/framework.h"
#include "core/pjrt/xla_ffi_c_api.h"

namespace bp::pjrt::testing {
namespace {

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
};

const ForeignFunctions &extension() {
  for (PJRT_Extension_Base *found = GetPjrtApi()->extension_start; found != nullptr; found = found->next) {
    if (found->type == PJRT_Extension_Type_FFI) {
      return *reinterpret_cast<ForeignFunctions *>(found);
    }
  }
  throw std::runtime_error("there is no FFI extension");
}

std::string register_function(const char *name, XLA_FFI_Handler *handler) {
  const std::string platform = "backplane";
  RegisterArgs args{sizeof args,     name, std::strlen(name), reinterpret_cast<void *>(handler), platform.data(),
                    platform.size(), 0};
  return message_of(extension().register_handler(&args));
}

// Sets the version that the handler was built with, if the call asks for that.
bool is_question(XLA_FFI_CallFrame *frame, int major = 0, int minor = 3) {
  if (frame->extension_start == nullptr) {
    return false;
  }
  REQUIRE(frame->extension_start->type == XLA_FFI_Extension_Metadata);
  XLA_FFI_Metadata &metadata = *reinterpret_cast<XLA_FFI_Metadata_Extension *>(frame->extension_start)->metadata;
  metadata.api_version.major_version = major;
  metadata.api_version.minor_version = minor;
  return true;
}

XLA_FFI_Buffer &argument(XLA_FFI_CallFrame *frame, int i = 0) {
  return *static_cast<XLA_FFI_Buffer *>(frame->args.args[i]);
}
XLA_FFI_Buffer &result(XLA_FFI_CallFrame *frame, int i = 0) {
  return *static_cast<XLA_FFI_Buffer *>(frame->rets.rets[i]);
}
float *floats(const XLA_FFI_Buffer &buffer) {
  return static_cast<float *>(buffer.data);
}
std::size_t count(const XLA_FFI_Buffer &buffer) {
  std::size_t product = 1;
  for (std::int64_t i = 0; i < buffer.rank; ++i) {
    product *= static_cast<std::size_t>(buffer.dims[i]);
  }
  return product;
}

XLA_FFI_Error *fail(XLA_FFI_CallFrame *frame, const char *message) {
  XLA_FFI_Error_Create_Args args{sizeof args, nullptr, message, XLA_FFI_Error_Code_INVALID_ARGUMENT};
  return frame->api->XLA_FFI_Error_Create(&args);
}

// A program that calls @name on f32[2,3]; `more`: further attributes of the call, after a comma.
std::string program(std::string_view name, std::string_view more, std::string_view result_type = "tensor<2x3xf32>") {
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
Outcome run(const Framework &framework, const std::string &code) {
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

// Multiplies by the attribute `scale` and adds the attributes `offsets`; the attributes are in ascending order.
XLA_FFI_Error *scale(XLA_FFI_CallFrame *frame) {
  if (is_question(frame)) {
    return nullptr;
  }
  const auto name = [&](int i) { return std::string(frame->attrs.names[i]->ptr, frame->attrs.names[i]->len); };
  if (frame->attrs.size != 4 || name(0) != "label" || name(1) != "more" || name(2) != "offsets" || name(3) != "scale") {
    return fail(frame, "other attributes");
  }
  const auto &label = *static_cast<XLA_FFI_ByteSpan *>(frame->attrs.attrs[0]);
  if (std::string_view(label.ptr, label.len) != "a\"b") {
    return fail(frame, "the label is bad");
  }
  const auto &more = *static_cast<XLA_FFI_Attrs *>(frame->attrs.attrs[1]);
  const auto &is_on = *static_cast<XLA_FFI_Scalar *>(more.attrs[0]);
  const auto &offsets = *static_cast<XLA_FFI_Array *>(frame->attrs.attrs[2]);
  const auto &factor = *static_cast<XLA_FFI_Scalar *>(frame->attrs.attrs[3]);
  const bool types_are_right = frame->attrs.types[0] == XLA_FFI_AttrType_STRING &&
                               frame->attrs.types[1] == XLA_FFI_AttrType_DICTIONARY &&
                               frame->attrs.types[2] == XLA_FFI_AttrType_ARRAY && offsets.size == 2 &&
                               offsets.dtype == 5 && frame->attrs.types[3] == XLA_FFI_AttrType_SCALAR &&
                               factor.dtype == 11 && is_on.dtype == 1 && *static_cast<bool *>(is_on.value);
  if (!types_are_right || argument(frame).dtype != 11 || argument(frame).rank != 2 || argument(frame).dims[1] != 3) {
    return fail(frame, "other types");
  }
  const auto *offset = static_cast<std::int64_t *>(offsets.data);
  for (std::size_t i = 0; i < count(argument(frame)); ++i) {
    floats(result(frame))[i] =
        *static_cast<float *>(factor.value) * floats(argument(frame))[i] + static_cast<float>(offset[0] + offset[1]);
  }
  return nullptr;
}

XLA_FFI_Error *copy(XLA_FFI_CallFrame *frame) {
  if (!is_question(frame)) {
    std::copy_n(floats(argument(frame)), count(argument(frame)), floats(result(frame)));
  }
  return nullptr;
}

XLA_FFI_Error *add_in_place(XLA_FFI_CallFrame *frame) {
  if (is_question(frame)) {
    return nullptr;
  }
  if (argument(frame).data != result(frame).data) {
    return fail(frame, "the result has memory of its own");
  }
  std::for_each_n(floats(result(frame)), count(result(frame)), [](float &x) { x += 1; });
  return nullptr;
}

// Is done after it returned, on another thread.
XLA_FFI_Error *later(XLA_FFI_CallFrame *frame) {
  if (is_question(frame)) {
    return nullptr;
  }
  XLA_FFI_Future_Create_Args create{sizeof create, nullptr, nullptr};
  frame->api->XLA_FFI_Future_Create(&create);
  frame->future = create.future;
  std::thread([to = floats(result(frame)), from = floats(argument(frame)), api = frame->api, future = create.future] {
    std::transform(from, from + 6, to, [](float x) { return 3 * x; });
    XLA_FFI_Future_SetAvailable_Args args{sizeof args, nullptr, future};
    api->XLA_FFI_Future_SetAvailable(&args);
  }).detach();
  return nullptr;
}

// Uses memory of the call, and what the host has not.
XLA_FFI_Error *uses(XLA_FFI_CallFrame *frame) {
  if (is_question(frame)) {
    return nullptr;
  }
  XLA_FFI_DeviceMemory_Allocate_Args allocate{sizeof allocate, nullptr, frame->ctx, 100, 8, nullptr};
  XLA_FFI_Error *error = frame->api->XLA_FFI_DeviceMemory_Allocate(&allocate);
  if (error != nullptr) {
    return error;
  }
  std::memset(allocate.data, 1, 100);
  XLA_FFI_DeviceMemory_Free_Args release{sizeof release, nullptr, frame->ctx, 100, allocate.data};
  if (error = frame->api->XLA_FFI_DeviceMemory_Free(&release); error != nullptr) {
    return error;
  }
  frame->api->XLA_FFI_DeviceMemory_Allocate(&allocate);  // released with the call
  XLA_FFI_Stream_Get_Args stream{sizeof stream, nullptr, frame->ctx, nullptr};
  return frame->api->XLA_FFI_Stream_Get(&stream);
}

XLA_FFI_Error *newer(XLA_FFI_CallFrame *frame) {
  is_question(frame, 1, 0);
  return nullptr;
}

}  // namespace

TEST_CASE("a foreign function gets arrays and attributes") {
  const Framework framework;
  REQUIRE(register_function("scale", scale) == "");
  const auto with_label = [&](const char *label) {
    return run(framework, program("scale", fmt::format(R"(, backend_config = {{scale = 2.5 : f32, label = "{}",
                                                            more = {{on = true}}, offsets = array<i64: 3, 4>}})",
                                                       label)));
  };
  CHECK(with_label("a\\22b").values == std::vector<float>{9.5, 12, 14.5, 17, 19.5, 22});
  CHECK(with_label("c").error.find("the label is bad") != std::string::npos);
}

TEST_CASE("a foreign function gets arrays in the layouts that the call demands") {
  const Framework framework;
  REQUIRE(register_function("copy", copy) == "");
  const std::string column_major = "[dense<[0, 1]> : tensor<2xindex>]", row_major = "[dense<[1, 0]> : tensor<2xindex>]";
  const auto with_layouts = [&](const std::string &operand, const std::string &result) {
    return run(framework, program("copy", fmt::format(", operand_layouts = {}, result_layouts = {}", operand, result)))
        .values;
  };
  CHECK(with_layouts(row_major, row_major) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(with_layouts(column_major, column_major) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(with_layouts(column_major, row_major) == std::vector<float>{1, 4, 2, 5, 3, 6});
  CHECK(with_layouts(row_major, column_major) == std::vector<float>{1, 3, 5, 2, 4, 6});
}

TEST_CASE("a foreign function may work in place, and be done later") {
  const Framework framework;
  REQUIRE(register_function("add_in_place", add_in_place) == "");
  REQUIRE(register_function("later", later) == "");
  const std::string aliased =
      ", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, "
      "operand_tuple_indices = []>]";
  CHECK(run(framework, program("add_in_place", aliased)).values == std::vector<float>{2, 3, 4, 5, 6, 7});
  CHECK(run(framework, program("add_in_place", "")).error.find("memory of its own") != std::string::npos);
  CHECK(run(framework, program("later", "")).values == std::vector<float>{3, 6, 9, 12, 15, 18});
}

TEST_CASE("what a foreign function cannot have is an error") {
  const Framework framework;
  REQUIRE(register_function("uses", uses) == "");
  CHECK(run(framework, program("uses", "")).error.find("they have no stream and no state") != std::string::npos);
  CHECK(run(framework, program("unknown", ""))
            .error.find("no foreign function 'unknown' is registered for the platform "
                        "backplane") != std::string::npos);
  CHECK(run(framework, program("uses", ", backend_config = {a = i32}")).error.find("expected a number") !=
        std::string::npos);
}

TEST_CASE("a foreign function is registered once, and for this version") {
  CHECK(register_function("newer", newer) ==
        "the foreign function 'newer' was built for version 1.0 of XLA's FFI, expected 0.0 to 0.3");
  CHECK(register_function("nothing", nullptr) == "the foreign function 'nothing' is null");
  CHECK(register_function("twice", copy) == "");
  CHECK(register_function("twice", copy) == "");
  CHECK(register_function("twice", scale) == "platform backplane has another foreign function 'twice' already");
}

}  // namespace bp::pjrt::testing
