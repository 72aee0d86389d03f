// The library as a framework sees it: the sequences of calls that JAX makes, and calls that are wrong.
#include <filesystem>
#include <thread>

#include "core/pjrt/tests/framework.h"
#include "tools/testing/source_tree.h"
#include "tools/testing/temporary_folder.h"

namespace bp::pjrt::testing {
namespace {

// (a + b) * a, as text.
constexpr const char *add_multiply = R"(
module @add_multiply {
  func.func public @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.add %a, %b : tensor<2x3xf32>
    %1 = stablehlo.multiply %0, %a : tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
})";

// The table as an array of functions.
std::vector<void *> functions() {
  const auto *begin = reinterpret_cast<void *const *>(&GetPjrtApi()->PJRT_Error_Destroy);
  const std::size_t count = (sizeof(PJRT_Api) - offsetof(PJRT_Api, PJRT_Error_Destroy)) / sizeof(void *);
  return {begin, begin + count};
}

// The plugin of core/compile/tests.
std::string tiny_plugin() {
  const auto build = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return (build / "core/compile/tests/plugins/libbackplane_tiny.so").string();
}

}  // namespace

TEST_CASE("the table is that of version 0.112, and full") {
  const PJRT_Api &api = *GetPjrtApi();
  CHECK(api.struct_size == 1144);
  CHECK(api.pjrt_api_version.major_version == 0);
  CHECK(api.pjrt_api_version.minor_version == 112);
  const std::vector<void *> all = functions();
  CHECK(all.size() == 138);
  CHECK(std::count(all.begin(), all.end(), nullptr) == 0);
}

TEST_CASE("what is not implemented is an error that names the function") {
  const PJRT_Api &api = *GetPjrtApi();
  const auto nothing = [](auto &) {};
  CHECK(failure(api.PJRT_Client_DmaMap, nothing) == "PJRT_Client_DmaMap is not implemented by Backplane");
  CHECK(failure(api.PJRT_Compile, nothing) == "PJRT_Compile is not implemented by Backplane");
  PJRT_Client_DmaMap_Args args = arguments<PJRT_Client_DmaMap_Args>();
  PJRT_Error *error = api.PJRT_Client_DmaMap(&args);
  PJRT_Error_GetCode_Args code{sizeof code, nullptr, error, PJRT_Error_Code_OK};
  CHECK(api.PJRT_Error_GetCode(&code) == nullptr);
  CHECK(code.code == PJRT_Error_Code_UNIMPLEMENTED);
  CHECK(error->vtable->get_code(error) == PJRT_Error_Code_UNIMPLEMENTED);
  PJRT_Error_ForEachPayload_Args payload{sizeof payload, nullptr, error, nullptr, nullptr};
  CHECK(api.PJRT_Error_ForEachPayload(&payload) == nullptr);
  error->vtable->destroy(error);
}

TEST_CASE("a client has devices and memories") {
  const Framework framework("interpreter", "3");
  const PJRT_Api &api = framework.api();
  const auto of_client = [&](auto &args) { args.client = framework.client(); };
  const auto name = call(api.PJRT_Client_PlatformName, of_client);
  CHECK(std::string(name.platform_name, name.platform_name_size) == "backplane");
  const auto devices = call(api.PJRT_Client_Devices, of_client);
  REQUIRE(devices.num_devices == 3);
  CHECK(call(api.PJRT_Client_AddressableDevices, of_client).num_addressable_devices == 3);
  CHECK(call(api.PJRT_Client_AddressableMemories, of_client).num_addressable_memories == 9);  // of three kinds
  for (std::size_t i = 0; i < devices.num_devices; ++i) {
    PJRT_Device *device = devices.devices[i];
    PJRT_DeviceDescription *description =
        call(api.PJRT_Device_GetDescription, [&](auto &args) { args.device = device; }).device_description;
    const auto id = call(api.PJRT_DeviceDescription_Id, [&](auto &args) { args.device_description = description; }).id;
    CHECK(id == static_cast<int>(i));
    CHECK(call(api.PJRT_Client_LookupDevice, [&](auto &args) {
            args.client = framework.client();
            args.id = id;
          }).device == device);
    const auto attributes = call(api.PJRT_Device_GetAttributes, [&](auto &args) { args.device = device; });
    REQUIRE(attributes.attributes_deleter != nullptr);
    attributes.attributes_deleter(attributes.device_attributes);
    PJRT_Memory *memory = call(api.PJRT_Device_DefaultMemory, [&](auto &args) { args.device = device; }).memory;
    const auto kind = call(api.PJRT_Memory_Kind, [&](auto &args) { args.memory = memory; });
    CHECK(std::string(kind.kind, kind.kind_size) == "device");
    const auto by = call(api.PJRT_Memory_AddressableByDevices, [&](auto &args) { args.memory = memory; });
    REQUIRE(by.num_devices == 1);
    CHECK(by.devices[0] == device);
    int destroyed = 0;
    const auto destroy = [](void *count) { ++*static_cast<int *>(count); };
    memory->vtable->set_user_data(memory, &destroyed, &destroyed, destroy);
    CHECK(memory->vtable->get_user_data(memory, &destroyed) == &destroyed);
    memory->vtable->set_user_data(memory, &destroyed, nullptr, nullptr);
    CHECK(destroyed == 1);
  }
  CHECK(failure(api.PJRT_Client_LookupDevice, [&](auto &args) {
          args.client = framework.client();
          args.id = 3;
        }) == "there is no device 3, expected 0 to 2");
}

TEST_CASE("buffers are in a kind of memory, and count") {
  const Framework framework;
  const PJRT_Api &api = framework.api();
  PJRT_Device *device = call(api.PJRT_Client_Devices, [&](auto &args) { args.client = framework.client(); }).devices[0];
  const auto of_device = [&](auto &args) { args.device = device; };
  const auto memories = call(api.PJRT_Device_AddressableMemories, of_device);
  REQUIRE(memories.num_memories == 3);
  const auto kind_of = [&](PJRT_Buffer *buffer) {
    PJRT_Memory *memory = call(api.PJRT_Buffer_Memory, [&](auto &args) { args.buffer = buffer; }).memory;
    const auto kind = call(api.PJRT_Memory_Kind, [&](auto &args) { args.memory = memory; });
    return std::string(kind.kind, kind.kind_size);
  };
  PJRT_Buffer *a = framework.put({1, 2, 3, 4}, {4});
  CHECK(kind_of(a) == "device");
  PJRT_Buffer *pinned = call(api.PJRT_Buffer_CopyToMemory, [&](auto &args) {
                          args.buffer = a;
                          args.dst_memory = memories.memories[1];
                        }).dst_buffer;
  CHECK(kind_of(pinned) == "pinned_host");
  CHECK(framework.get(pinned) == std::vector<float>{1, 2, 3, 4});

  // The results of a program, as JAX annotates them.
  PJRT_LoadedExecutable *loaded = framework.compile(R"(
    func.func @main(%a: tensor<4xf32> {mhlo.memory_kind = "pinned_host"})
        -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
      %0 = stablehlo.add %a, %a : tensor<4xf32>
      %1 = stablehlo.custom_call @annotate_device_placement(%0) {
        has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "unpinned_host"}
      } : (tensor<4xf32>) -> tensor<4xf32>
      return %0, %1, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    })");
  const std::vector<PJRT_Buffer *> outputs = framework.execute(loaded, {pinned});
  REQUIRE(outputs.size() == 3);
  CHECK(kind_of(outputs[0]) == "device");
  CHECK(kind_of(outputs[1]) == "unpinned_host");
  CHECK(kind_of(outputs[2]) == "pinned_host");
  CHECK(framework.get(outputs[1]) == std::vector<float>{2, 4, 6, 8});
  PJRT_Executable *plain =
      call(api.PJRT_LoadedExecutable_GetExecutable, [&](auto &args) { args.loaded_executable = loaded; }).executable;
  const auto of_plain = [&](auto &args) { args.executable = plain; };
  const auto kinds = call(api.PJRT_Executable_ParameterMemoryKinds, of_plain);
  REQUIRE(kinds.num_parameters == 1);
  CHECK(std::string(kinds.memory_kinds[0], kinds.memory_kind_sizes[0]) == "pinned_host");
  CHECK(call(api.PJRT_Executable_GetCompiledMemoryStats, of_plain).alias_size_in_bytes == 0);
  call(api.PJRT_Executable_Destroy, of_plain);
  framework.destroy(loaded);

  CHECK(call(api.PJRT_Device_MemoryStats, of_device).bytes_in_use == 5 * 16);
  CHECK(call(api.PJRT_Device_MemoryStats, of_device).num_allocs == 5);
  call(api.PJRT_Buffer_Delete, [&](auto &args) { args.buffer = a; });
  CHECK(call(api.PJRT_Device_MemoryStats, of_device).bytes_in_use == 4 * 16);
  for (PJRT_Buffer *buffer : {a, pinned, outputs[0], outputs[1], outputs[2]}) {
    framework.destroy(buffer);
  }
  const auto stats = call(api.PJRT_Device_MemoryStats, of_device);
  CHECK(stats.bytes_in_use == 0);
  CHECK(stats.peak_bytes_in_use == 5 * 16);
  CHECK(stats.peak_bytes_in_use_is_set);
  CHECK(!stats.bytes_limit_is_set);
  call(api.PJRT_Device_ClearMemoryStats, of_device);
  CHECK(call(api.PJRT_Device_MemoryStats, of_device).peak_bytes_in_use == 0);
}

TEST_CASE("arrays are in the memory of a device that has its own") {
  const Framework framework(tiny_plugin().c_str(), "1", {option("ops", "add,multiply"), option("capacity", "1000")});
  const PJRT_Api &api = framework.api();
  PJRT_Device *device = call(api.PJRT_Client_Devices, [&](auto &args) { args.client = framework.client(); }).devices[0];
  const auto memories = call(api.PJRT_Device_AddressableMemories, [&](auto &args) { args.device = device; });
  const auto is_on_cpu = [&](PJRT_Buffer *buffer) {
    return call(api.PJRT_Buffer_IsOnCpu, [&](auto &args) { args.buffer = buffer; }).is_on_cpu;
  };
  const auto address = [&](PJRT_Buffer *buffer) {
    return call(api.PJRT_Buffer_UnsafePointer, [&](auto &args) { args.buffer = buffer; }).buffer_pointer;
  };
  const auto copy_to = [&](PJRT_Buffer *buffer, std::size_t kind) {
    return call(api.PJRT_Buffer_CopyToMemory,
                [&](auto &args) {
                  args.buffer = buffer;
                  args.dst_memory = memories.memories[kind];
                })
        .dst_buffer;
  };
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  PJRT_Buffer *a = framework.put(values, {2, 3});
  PJRT_Buffer *on_host = copy_to(a, 1), *back = copy_to(on_host, 0);
  CHECK(!is_on_cpu(a));
  CHECK(is_on_cpu(on_host));
  CHECK(!is_on_cpu(back));
  CHECK(address(a) != address(back));
  for (PJRT_Buffer *buffer : {a, on_host, back}) {
    CHECK(framework.get(buffer) == values);
  }
  PJRT_LoadedExecutable *executable = framework.compile(R"(
    func.func @main(%a: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<2x3xf32>)
        -> (tensor<2x3xf32>, tensor<2x3xf32>) {
      %0 = stablehlo.add %a, %b : tensor<2x3xf32>
      %1 = stablehlo.multiply %b, %b : tensor<2x3xf32>
      return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
    })");
  const auto of_executable = [&](auto &args) { args.loaded_executable = executable; };
  PJRT_Executable *facts = call(framework.api().PJRT_LoadedExecutable_GetExecutable, of_executable).executable;
  const auto of_facts = [&](auto &args) { args.executable = facts; };
  const auto stats = call(framework.api().PJRT_Executable_GetCompiledMemoryStats, of_facts);
  CHECK(stats.argument_size_in_bytes == 2 * 24);
  CHECK(stats.output_size_in_bytes == 2 * 24);
  CHECK(stats.alias_size_in_bytes == 24);
  call(framework.api().PJRT_Executable_Destroy, of_facts);
  const std::uintptr_t place = address(back);
  const std::vector<PJRT_Buffer *> outputs = framework.execute(executable, {back, on_host});
  CHECK(address(outputs[0]) == place);  // the donated buffer's
  CHECK(framework.get(outputs[0]) == std::vector<float>{2, 4, 6, 8, 10, 12});
  CHECK(framework.get(outputs[1]) == std::vector<float>{1, 4, 9, 16, 25, 36});
  // An array for which there is no room is on the host.
  PJRT_Buffer *large = framework.put(std::vector<float>(300, 7), {300});
  CHECK(framework.get(large) == std::vector<float>(300, 7));
  for (PJRT_Buffer *buffer : {a, on_host, back, outputs[0], outputs[1], large}) {
    framework.destroy(buffer);
  }
  framework.destroy(executable);
}

TEST_CASE("a program is compiled and run as JAX does it") {
  const Framework framework;
  const PJRT_Api &api = framework.api();
  PJRT_LoadedExecutable *loaded = framework.compile(add_multiply);
  const auto of_loaded = [&](auto &args) { args.executable = loaded; };
  CHECK(call(api.PJRT_LoadedExecutable_AddressableDevices, of_loaded).num_addressable_devices == 1);
  CHECK(call(api.PJRT_LoadedExecutable_AddressableDeviceLogicalIds, of_loaded).num_addressable_device_logical_ids == 1);
  const auto assignment = call(api.PJRT_LoadedExecutable_GetDeviceAssignment, of_loaded);
  CHECK(std::string(assignment.serialized_bytes, assignment.serialized_bytes_size) ==
        std::string("\x08\x01\x10\x01\x1a\x03\x0a\x01\x00", 9));
  assignment.serialized_device_assignment_deleter(assignment.serialized_device_assignment);
  PJRT_Executable *plain =
      call(api.PJRT_LoadedExecutable_GetExecutable, [&](auto &args) { args.loaded_executable = loaded; }).executable;
  const auto of_plain = [&](auto &args) { args.executable = plain; };
  const auto name = call(api.PJRT_Executable_Name, of_plain);
  CHECK(std::string(name.executable_name, name.executable_name_size) == "add_multiply");
  CHECK(call(api.PJRT_Executable_NumReplicas, of_plain).num_replicas == 1);
  const auto costs = call(api.PJRT_Executable_GetCostAnalysis, of_plain);
  REQUIRE(costs.num_properties == 3);
  CHECK(std::string(costs.properties[0].name, costs.properties[0].name_size) == "flops");
  CHECK(costs.properties[0].float_value == 12);
  const auto types = call(api.PJRT_Executable_OutputElementTypes, of_plain);
  REQUIRE(types.num_output_types == 1);
  CHECK(types.output_types[0] == PJRT_Buffer_Type_F32);
  const auto sizes = call(api.PJRT_Executable_OutputDimensions, of_plain);
  REQUIRE(sizes.dim_sizes[0] == 2);
  CHECK(sizes.dims[1] == 3);
  PJRT_Program program = arguments<PJRT_Program>();
  call(api.PJRT_Executable_OptimizedProgram, [&](auto &args) {
    args.executable = plain;
    args.program = &program;
  });
  CHECK(std::string(program.format, program.format_size) == "hlo_with_config");
  std::string code(program.code_size, '\0');
  program.code = code.data();
  call(api.PJRT_Executable_OptimizedProgram, [&](auto &args) {
    args.executable = plain;
    args.program = &program;
  });
  PJRT_Buffer *a = framework.put({1, 2, 3, 4, 5, 6}, {2, 3});
  PJRT_Buffer *b = framework.put({10, 20, 30, 40, 50, 60}, {2, 3});
  PJRT_LoadedExecutable *again = framework.compile(code, "hlo_with_config");  // what was made is a program as well
  for (PJRT_LoadedExecutable *executable : {loaded, again}) {
    const std::vector<PJRT_Buffer *> outputs = framework.execute(executable, {a, b});
    REQUIRE(outputs.size() == 1);
    CHECK(framework.get(outputs[0]) == std::vector<float>{11, 44, 99, 176, 275, 396});
    const auto of_output = [&](auto &args) { args.buffer = outputs[0]; };
    CHECK(call(api.PJRT_Buffer_ElementType, of_output).type == PJRT_Buffer_Type_F32);
    CHECK(!call(api.PJRT_Buffer_IsDeleted, of_output).is_deleted);
    CHECK(wait_for(call(api.PJRT_Buffer_ReadyEvent, of_output).event) == "");
    framework.destroy(outputs[0]);
  }
  call(api.PJRT_Executable_Destroy, of_plain);
  for (PJRT_Buffer *buffer : {a, b}) {
    framework.destroy(buffer);
  }
  framework.destroy(loaded);
  framework.destroy(again);
}

TEST_CASE("programs are read as bytecode") {
  const Framework framework;
  const std::string stored = bp::testing::read_file(
      bp::testing::find_in_source_tree("core/import/stablehlo/tests/bytecode/old.1.17.0.mlirbc"));
  PJRT_LoadedExecutable *executable = framework.compile(stored);
  framework.destroy(executable);
}

TEST_CASE("arrays have any strides on their way in and out") {
  const Framework framework;
  const PJRT_Api &api = framework.api();
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  PJRT_Buffer *turned = framework.put(values, {3, 2}, {4, 12});
  CHECK(framework.get(turned) == std::vector<float>{1, 4, 2, 5, 3, 6});
  PJRT_Buffer *repeated = framework.put({7}, {2, 2}, {0, 0});
  CHECK(framework.get(repeated) == std::vector<float>{7, 7, 7, 7});
  PJRT_Buffer *empty = framework.put({}, {0, 4});
  CHECK(framework.get(empty).empty());
  const std::int64_t order[] = {0, 1};  // columns
  PJRT_Buffer_MemoryLayout layout = arguments<PJRT_Buffer_MemoryLayout>();
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled = {sizeof layout.tiled, nullptr, order, 2, nullptr, nullptr, 0};
  std::vector<float> columns(6);
  PJRT_Event *event = call(api.PJRT_Buffer_ToHostBuffer, [&](auto &args) {
                        args.src = turned;
                        args.host_layout = &layout;
                        args.dst = columns.data();
                        args.dst_size = columns.size() * sizeof(float);
                      }).event;
  CHECK(wait_for(event) == "");
  CHECK(columns == values);
  CHECK(failure(api.PJRT_Buffer_ToHostBuffer, [&](auto &args) {
          args.src = turned;
          args.dst = columns.data();
          args.dst_size = 23;
        }) == "a destination of 23 bytes, expected 24");
  for (PJRT_Buffer *buffer : {turned, repeated, empty}) {
    framework.destroy(buffer);
  }
}

TEST_CASE("buffers have the layouts that the caller or the program says") {
  const Framework framework;
  const PJRT_Api &api = framework.api();
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const std::int64_t sizes[] = {2, 3}, order[] = {0, 1}, no_order[] = {0, 0};
  PJRT_Buffer_MemoryLayout layout = arguments<PJRT_Buffer_MemoryLayout>();
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled = {sizeof layout.tiled, nullptr, order, 2, nullptr, nullptr, 0};
  const auto fill = [&](auto &args) {
    args.client = framework.client();
    args.data = values.data();
    args.type = PJRT_Buffer_Type_F32;
    args.dims = sizes;
    args.num_dims = 2;
    args.device_layout = &layout;
  };
  const auto put = call(api.PJRT_Client_BufferFromHostBuffer, fill);
  CHECK(wait_for(put.done_with_host_buffer) == "");
  PJRT_LoadedExecutable *executable = framework.compile(R"(
func.func public @main(%a: tensor<2x3xf32> {mhlo.layout_mode = "default"})
    -> (tensor<2x3xf32> {mhlo.layout_mode = "auto"}, tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}) {
  return %a, %a : tensor<2x3xf32>, tensor<2x3xf32>
})");
  const std::vector<PJRT_Buffer *> results = framework.execute(executable, {put.buffer});
  const auto first_dimension = [&](PJRT_Buffer *buffer) {
    return call(api.PJRT_Buffer_GetMemoryLayout, [&](auto &args) { args.buffer = buffer; })
        .layout.tiled.minor_to_major[0];
  };
  CHECK(first_dimension(put.buffer) == 0);
  CHECK(first_dimension(results[0]) == 1);
  CHECK(first_dimension(results[1]) == 0);
  for (PJRT_Buffer *buffer : {put.buffer, results[1]}) {
    CHECK(framework.get(buffer) == values);
    std::vector<float> raw(5);
    CHECK(wait_for(call(api.PJRT_Buffer_CopyRawToHost, [&](auto &args) {
                     args.buffer = buffer;
                     args.dst = raw.data();
                     args.offset = 4;
                     args.transfer_size = 20;
                   }).event) == "");
    CHECK(raw == std::vector<float>{4, 2, 5, 3, 6});
    CHECK(!call(api.PJRT_Buffer_IsOnCpu, [&](auto &args) { args.buffer = buffer; }).is_on_cpu);
    CHECK(failure(api.PJRT_Buffer_UnsafePointer, [&](auto &args) { args.buffer = buffer; }) ==
          "the address of an array whose layout is f32[2,3]{0,1}, expected the default one: copy it to that first");
  }
  layout.tiled.minor_to_major = no_order;
  CHECK(failure(api.PJRT_Client_BufferFromHostBuffer, fill) == "a layout that names dimension 0 of 2");
  for (const std::string mode : {"columns", "{0,0,1}", "{0,1}", "{0,1,2}, f32[2]"}) {
    const std::string type = "tensor<2x3x4xf32> {mhlo.layout_mode = \"" + mode + "\"}";
    const std::string message = framework.compile_error("func.func public @main(%a: " + type + ") { return }");
    INFO(message);
    CHECK(message.find("mhlo.layout_mode is \"" + mode +
                       "\" for f32[2,3,4], expected \"default\", \"auto\" or the dimensions in an order from the "
                       "fastest one to the slowest, such as \"{2,1,0}\"") != std::string::npos);
  }
  for (PJRT_Buffer *buffer : {put.buffer, results[0], results[1]}) {
    framework.destroy(buffer);
  }
  framework.destroy(executable);
}

TEST_CASE("a donated buffer is deleted by the run") {
  const Framework framework;
  PJRT_LoadedExecutable *executable = framework.compile(R"(
func.func public @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
})");
  PJRT_Buffer *a = framework.put({1, 2}, {2}), *b = framework.put({3, 4}, {2});
  std::string error;
  framework.execute(executable, {a, a}, &error);
  CHECK(error == "arguments 0 and 1 of 'module' are the same buffer, expected two, because one is donated");
  const std::vector<PJRT_Buffer *> outputs = framework.execute(executable, {a, b});
  CHECK(framework.get(outputs[0]) == std::vector<float>{4, 6});
  const auto is_deleted = [&](PJRT_Buffer *buffer) {
    return call(framework.api().PJRT_Buffer_IsDeleted, [&](auto &args) { args.buffer = buffer; }).is_deleted;
  };
  CHECK(is_deleted(a));
  CHECK(!is_deleted(b));
  framework.execute(executable, {a, b}, &error);
  CHECK(error == "the buffer was deleted or donated");
  for (PJRT_Buffer *buffer : {a, b, outputs[0]}) {
    framework.destroy(buffer);
  }
  framework.destroy(executable);
}

TEST_CASE("tokens are arrays without elements for a framework") {
  const Framework framework;
  PJRT_LoadedExecutable *executable = framework.compile(R"(
func.func public @main(%a: !stablehlo.token, %b: tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>) {
  %0 = stablehlo.after_all %a : !stablehlo.token
  return %0, %b : !stablehlo.token, tensor<2xf32>
})");
  PJRT_Buffer *token = framework.put({}, {0}), *b = framework.put({3, 4}, {2});
  const std::vector<PJRT_Buffer *> outputs = framework.execute(executable, {token, b});
  REQUIRE(outputs.size() == 2);
  const auto sizes = call(framework.api().PJRT_Buffer_Dimensions, [&](auto &args) { args.buffer = outputs[0]; });
  REQUIRE(sizes.num_dims == 1);
  CHECK(sizes.dims[0] == 0);
  CHECK(framework.get(outputs[0]).empty());
  CHECK(framework.get(outputs[1]) == std::vector<float>{3, 4});
  const std::vector<PJRT_Buffer *> again = framework.execute(executable, {outputs[0], b});
  for (PJRT_Buffer *buffer : {token, b, outputs[0], outputs[1], again[0], again[1]}) {
    framework.destroy(buffer);
  }
  framework.destroy(executable);
}

TEST_CASE("callers with smaller and larger structures") {
  const Framework framework;
  const PJRT_Api &api = framework.api();
  struct Larger {
    PJRT_Client_Devices_Args args;
    char more[64];
  } larger{};
  larger.args.struct_size = sizeof larger;
  larger.args.client = framework.client();
  CHECK(message_of(api.PJRT_Client_Devices(&larger.args)) == "");
  CHECK(larger.args.num_devices == 1);
  PJRT_Client_Devices_Args smaller{};
  smaller.struct_size = offsetof(PJRT_Client_Devices_Args, num_devices);
  smaller.client = framework.client();
  smaller.num_devices = 77;
  CHECK(message_of(api.PJRT_Client_Devices(&smaller)) == "");
  CHECK(smaller.devices != nullptr);
  CHECK(smaller.num_devices == 77);  // not the caller's
}

namespace {

std::string serialized(const Framework &framework, PJRT_LoadedExecutable *loaded) {
  PJRT_Executable *plain = call(framework.api().PJRT_LoadedExecutable_GetExecutable, [&](auto &args) {
                             args.loaded_executable = loaded;
                           }).executable;
  const auto of_plain = [&](auto &args) { args.executable = plain; };
  const auto result = call(framework.api().PJRT_Executable_Serialize, of_plain);
  std::string bytes(result.serialized_bytes, result.serialized_bytes_size);
  result.serialized_executable_deleter(result.serialized_executable);
  call(framework.api().PJRT_Executable_Destroy, of_plain);
  return bytes;
}

template <class Call>
auto deserialize(const Call &call, const Framework &framework, const std::string &bytes) {
  return call(framework.api().PJRT_Executable_DeserializeAndLoad, [&](auto &args) {
    args.client = framework.client();
    args.serialized_executable = bytes.data();
    args.serialized_executable_size = bytes.size();
  });
}

std::string fingerprint_of(const Framework &framework, PJRT_LoadedExecutable *loaded) {
  const auto result =
      call(framework.api().PJRT_LoadedExecutable_Fingerprint, [&](auto &args) { args.executable = loaded; });
  return std::string(result.executable_fingerprint, result.executable_fingerprint_size);
}

}  // namespace

TEST_CASE("a program is stored, and loaded by another client") {
  // Its artifact is inside: a plugin whose compiler is not called makes the same program of it.
  const std::string plugin = tiny_plugin();
  const PJRT_NamedValue ops = option("ops", "add,multiply");
  std::string bytes, fingerprint;
  {
    const Framework framework(plugin.c_str(), "1", {ops});
    PJRT_LoadedExecutable *loaded = framework.compile(add_multiply);
    bytes = serialized(framework, loaded);
    fingerprint = fingerprint_of(framework, loaded);
    framework.destroy(loaded);
  }
  const Framework framework(plugin.c_str(), "1", {ops, option("fault", "never"), option("fault-in", "compile")});
  CHECK(framework.compile_error(add_multiply).find("it never compiles") != std::string::npos);
  const auto load = [&](const std::string &stored) {
    return deserialize([](auto function, const auto &fill) { return call(function, fill); }, framework, stored)
        .loaded_executable;
  };
  const auto load_error = [&](const std::string &stored) {
    return deserialize([](auto function, const auto &fill) { return failure(function, fill); }, framework, stored);
  };
  PJRT_LoadedExecutable *loaded = load(bytes);
  PJRT_Buffer *a = framework.put({1, 2, 3, 4, 5, 6}, {2, 3});
  const std::vector<PJRT_Buffer *> outputs = framework.execute(loaded, {a, a});
  CHECK(framework.get(outputs[0]) == std::vector<float>{2, 8, 18, 32, 50, 72});
  CHECK(fingerprint_of(framework, loaded) == fingerprint);
  CHECK(serialized(framework, loaded) == bytes);
  framework.destroy(outputs[0]);
  framework.destroy(a);
  framework.destroy(loaded);

  CHECK(load_error("") == "the serialized program: not a package of Backplane, which begins with BPACKAGE");
  CHECK(load_error("BPEXEC1\n").find("of an earlier Backplane (it begins with BPEXEC1)") != std::string::npos);
  const std::string damaged = "the serialized program: a damaged package: ";
  for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{60}}) {
    CHECK(load_error(bytes.substr(0, size)).starts_with(damaged));
  }
  std::string changed = bytes;
  changed[changed.size() / 2] ^= 1;
  CHECK(load_error(changed).starts_with(damaged));
  const Framework other;
  CHECK(deserialize([](auto function, const auto &fill) { return failure(function, fill); }, other, bytes)
            .find("expected Backplane ") != std::string::npos);
}

TEST_CASE("a stored program that does not fit is compiled anew") {
  const std::string plugin = tiny_plugin();
  const PJRT_NamedValue ops = option("ops", "add,multiply");
  std::string bytes;
  {
    const Framework framework(plugin.c_str(), "1", {ops});
    PJRT_LoadedExecutable *loaded = framework.compile(add_multiply);
    bytes = serialized(framework, loaded);
    framework.destroy(loaded);
  }
  // The first call of load() fails, as it does for an artifact that was made for another machine.
  const bp::testing::TemporaryFolder folder;
  const std::string mark = folder / "mark";
  const Framework framework(
      plugin.c_str(), "1",
      {ops, option("fault", "never"), option("fault-in", "load"), option("fault-once", mark.c_str())});
  PJRT_LoadedExecutable *loaded =
      deserialize([](auto function, const auto &fill) { return call(function, fill); }, framework, bytes)
          .loaded_executable;
  CHECK(std::filesystem::exists(mark));
  PJRT_Buffer *a = framework.put({1, 2, 3, 4, 5, 6}, {2, 3});
  const std::vector<PJRT_Buffer *> outputs = framework.execute(loaded, {a, a});
  CHECK(framework.get(outputs[0]) == std::vector<float>{2, 8, 18, 32, 50, 72});
  framework.destroy(outputs[0]);
  framework.destroy(a);
  framework.destroy(loaded);
}

TEST_CASE("a buffer may be destroyed after its client") {
  PJRT_Buffer *buffer = nullptr;
  {
    const Framework framework;
    buffer = framework.put({1}, {1});
  }
  call(GetPjrtApi()->PJRT_Buffer_Destroy, [&](auto &args) { args.buffer = buffer; });
}

TEST_CASE("devices, memories and the topology live as long as their client") {
  Framework framework;
  const PJRT_Api &api = framework.api();
  PJRT_Buffer *buffer = framework.put({1}, {1});
  PJRT_Device *device = call(api.PJRT_Buffer_Device, [&](auto &args) { args.buffer = buffer; }).device;
  PJRT_Memory *memory = call(api.PJRT_Buffer_Memory, [&](auto &args) { args.buffer = buffer; }).memory;
  PJRT_DeviceDescription *description =
      call(api.PJRT_Device_GetDescription, [&](auto &args) { args.device = device; }).device_description;
  PJRT_TopologyDescription *topology =
      call(api.PJRT_Client_TopologyDescription, [&](auto &args) { args.client = framework.client(); }).topology;
  const Framework other;
  CHECK(failure(api.PJRT_Client_CreateUninitializedBuffer, [&](auto &args) {
          args.client = other.client();
          args.shape_element_type = PJRT_Buffer_Type_F32;
          args.memory = memory;
        }) == "BackplaneMemory(id=0, device=0, kind=device) is not one of this client");
  framework.destroy_client();
  const auto gone = [](const char *type) {
    return std::string(type) + " is no live object: it was destroyed, or never was one";
  };
  CHECK(failure(api.PJRT_Device_DefaultMemory, [&](auto &args) { args.device = device; }) == gone("PJRT_Device"));
  CHECK(failure(api.PJRT_Device_IsAddressable, [](auto &) {}) == gone("PJRT_Device"));
  CHECK(failure(api.PJRT_Memory_Kind, [&](auto &args) { args.memory = memory; }) == gone("PJRT_Memory"));
  CHECK(failure(api.PJRT_DeviceDescription_Id, [&](auto &args) { args.device_description = description; }) ==
        gone("PJRT_DeviceDescription"));
  CHECK(failure(api.PJRT_TopologyDescription_PlatformName, [&](auto &args) { args.topology = topology; }) ==
        gone("PJRT_TopologyDescription"));
  CHECK(failure(api.PJRT_Buffer_CopyToDevice, [&](auto &args) {
          args.buffer = buffer;
          args.dst_device = device;
        }) == gone("PJRT_Device"));
  framework.destroy(buffer);
}

TEST_CASE("objects that were destroyed are errors") {
  const Framework framework;
  const PJRT_Api &api = framework.api();
  PJRT_Buffer *buffer = framework.put({1}, {1});
  framework.destroy(buffer);
  const auto of_buffer = [&](auto &args) { args.buffer = buffer; };
  const std::string gone = "PJRT_Buffer is no live object: it was destroyed, or never was one";
  CHECK(failure(api.PJRT_Buffer_Destroy, of_buffer) == gone);
  CHECK(failure(api.PJRT_Buffer_ElementType, of_buffer) == gone);
  PJRT_Event *event = call(api.PJRT_Event_Create, [](auto &) {}).event;
  const auto of_event = [&](auto &args) { args.event = event; };
  call(api.PJRT_Event_Destroy, of_event);
  CHECK(failure(api.PJRT_Event_Await, of_event) == "PJRT_Event is no live object: it was destroyed, or never was one");
  CHECK(failure(api.PJRT_Client_Devices, [](auto &args) { args.client = reinterpret_cast<PJRT_Client *>(64); }) ==
        "PJRT_Client is no live object: it was destroyed, or never was one");
}

TEST_CASE("events call back, with the error that was set") {
  const PJRT_Api &api = *GetPjrtApi();
  PJRT_Event *event = call(api.PJRT_Event_Create, [](auto &) {}).event;
  const auto of_event = [&](auto &args) { args.event = event; };
  std::string received = "nothing";
  const auto callback = [](PJRT_Error *error, void *text) {
    *static_cast<std::string *>(text) = error == nullptr ? "no error" : message_of(error);
  };
  call(api.PJRT_Event_OnReady, [&](auto &args) {
    args.event = event;
    args.callback = callback;
    args.user_arg = &received;
  });
  CHECK(!call(api.PJRT_Event_IsReady, of_event).is_ready);
  CHECK(received == "nothing");
  std::thread other([&] {
    const std::string message = "lost";
    PJRT_Event_Set_Args args = arguments<PJRT_Event_Set_Args>();
    args.event = event;
    args.error_code = PJRT_Error_Code_INTERNAL;
    args.error_message = message.data();
    args.error_message_size = message.size();
    api.PJRT_Event_Set(&args);
  });
  CHECK(failure(api.PJRT_Event_Await, of_event) == "lost");
  other.join();
  CHECK(received == "lost");
  CHECK(failure(api.PJRT_Event_Error, of_event) == "lost");
  call(api.PJRT_Event_Destroy, of_event);
}

TEST_CASE("programs and options that are wrong") {
  const Framework framework;
  CHECK(framework.compile_error("func.func @main(").starts_with("1:17: expected a type, found the end of the text"));
  CHECK(framework.compile_error("", "onnx") == "a program in the format 'onnx', expected mlir, hlo or hlo_with_config");
  CHECK(framework.compile_error("module attributes {mhlo.num_partitions = 2 : i32} { func.func @main() { return } }") ==
        "the program 'module' is for 2 devices, expected one: programs over several devices are not supported yet");
  PJRT_LoadedExecutable *executable = framework.compile(add_multiply);
  std::string error;
  framework.execute(executable, {}, &error);
  CHECK(error == "0 arguments for 'add_multiply', expected 2");
  framework.destroy(executable);
  const auto create = [](const char *name, const char *value) {
    const PJRT_NamedValue one = option(name, value);
    return failure(GetPjrtApi()->PJRT_Client_Create, [&](auto &args) {
      args.create_options = &one;
      args.num_options = 1;
    });
  };
  CHECK(create("threads", "many") == "the option threads is many, expected 0 to 1024");
  CHECK(create("threads", "-1") == "the option threads is -1, expected 0 to 1024");
  CHECK(create("num_devices", "0") == "the option num_devices is 0, expected 1 to 1024");
  CHECK(create("backend", "no-such-backend").find("no-such-backend") != std::string::npos);
}

}  // namespace bp::pjrt::testing
