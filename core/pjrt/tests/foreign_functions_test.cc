// Functions that programs call by XLA's foreign function interface, registered and called as JAX does it.
#include <algorithm>
#include <thread>

#include "core/pjrt/tests/foreign.h"

namespace bp::pjrt::testing {
namespace {

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
  CHECK(run(framework, program("uses", "")).error.find("they have no stream") != std::string::npos);
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

namespace {

// Counts its runs in a state, from the attribute `first` on.
XLA_FFI_TypeId counter_type{};
int counters = 0;

XLA_FFI_Error *make_counter(XLA_FFI_CallFrame *frame) {
  CHECK(frame->stage == XLA_FFI_ExecutionStage_INSTANTIATE);
  CHECK(frame->args.size == 0);
  const auto first = *static_cast<std::int64_t *>(static_cast<XLA_FFI_Scalar *>(frame->attrs.attrs[0])->value);
  if (first < 0) {
    return fail(frame, "it does not count from there");
  }
  ++counters;
  XLA_FFI_State_Args args{sizeof args, nullptr, frame->ctx, frame->stage, &counter_type, new std::int64_t(first)};
  return frame->api->XLA_FFI_State_Set(&args);
}

XLA_FFI_Error *count_run(XLA_FFI_CallFrame *frame) {
  if (is_question(frame)) {
    return nullptr;
  }
  XLA_FFI_State_Args args{sizeof args, nullptr, frame->ctx, frame->stage, &counter_type, nullptr};
  if (XLA_FFI_Error *error = frame->api->XLA_FFI_State_Get(&args); error != nullptr) {
    return error;
  }
  std::fill_n(floats(result(frame)), count(result(frame)),
              static_cast<float>((*static_cast<std::int64_t *>(args.state))++));
  return nullptr;
}

}  // namespace

TEST_CASE("a foreign function has a state as long as the program lives") {
  const Framework framework;
  const XLA_FFI_Api &functions = *extension().functions;
  XLA_FFI_TypeInfo info{sizeof info, nullptr, [](void *state) {
                          delete static_cast<std::int64_t *>(state);
                          --counters;
                        }};
  XLA_FFI_Type_Register_Args type{sizeof type, nullptr, {"counter", 7}, &counter_type, &info};
  CHECK(functions.XLA_FFI_Type_Register(&type) == nullptr);
  XLA_FFI_Handler_Register_Args args{};
  args.struct_size = sizeof args;
  args.name = {"counts", 6};
  args.platform = {"backplane", 9};
  args.bundle = {make_counter, nullptr, nullptr, count_run};
  CHECK(functions.XLA_FFI_Handler_Register(&args) == nullptr);
  const auto call_from = [](int first) {
    return program("counts", fmt::format(", backend_config = {{first = {} : i64}}", first));
  };
  PJRT_LoadedExecutable *executable = framework.compile(call_from(7));
  CHECK(counters == 1);
  PJRT_Buffer *a = framework.put({1, 2, 3, 4, 5, 6}, {2, 3});
  for (const float expected : {7, 8, 9}) {
    PJRT_Buffer *output = framework.execute(executable, {a})[0];
    CHECK(framework.get(output)[0] == expected);
    framework.destroy(output);
  }
  framework.destroy(a);
  framework.destroy(executable);
  CHECK(counters == 0);
  CHECK(framework.compile_error(call_from(-1)).find("it does not count from there") != std::string::npos);
}

}  // namespace bp::pjrt::testing
