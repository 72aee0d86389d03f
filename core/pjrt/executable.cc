#include "core/pjrt/executable.h"

#include <algorithm>

#include "core/import/hlo_proto/hlo_proto.h"
#include "core/import/protobuf/wire.h"
#include "core/pjrt/args.h"

namespace bp::pjrt {

template <>
Handles<PJRT_Executable> &handles<PJRT_Executable>() {
  static auto &all = *new Handles<PJRT_Executable>("PJRT_Executable");
  return all;
}

template <>
Handles<PJRT_LoadedExecutable> &handles<PJRT_LoadedExecutable>() {
  static auto &all = *new Handles<PJRT_LoadedExecutable>("PJRT_LoadedExecutable");
  return all;
}

namespace {

Result<std::shared_ptr<CompiledProgram>> find(const PJRT_Executable *executable) {
  BP_ASSIGN(const PJRT_Executable *found, handles<PJRT_Executable>().find(executable));
  return found->program;
}

Result<std::shared_ptr<CompiledProgram>> find(const PJRT_LoadedExecutable *executable) {
  BP_ASSIGN(const PJRT_LoadedExecutable *found, handles<PJRT_LoadedExecutable>().find(executable));
  return found->program;
}

// Returns a HloModuleProtoWithConfig, the format that frameworks accept.
Result<std::string> with_config(const Module &module) {
  using import::protobuf::Field, import::protobuf::Message, import::protobuf::Writer;
  // The fields of HloModuleProtoWithConfig, of its HloModuleProto and of its HloModuleConfigProto.
  constexpr Field module_field{1, "hlo_module"}, config_field{2, "config"};
  constexpr Field program_shape_field{4, "host_program_shape"};
  constexpr Field entry_layout_field{1, "entry_computation_layout"}, replicas_field{4, "replica_count"},
      partitions_field{5, "num_partitions"};
  BP_ASSIGN(const std::string bytes, import::hlo_proto::write_module(module));
  BP_ASSIGN(const Message message, Message::parse(bytes, {nullptr, "HloModuleProto"}));
  BP_ASSIGN(const std::string_view entry_layout, message.text(program_shape_field));
  Writer writer;
  writer.text(module_field, bytes);
  writer.message(config_field, [&](Writer &config) {
    config.text(entry_layout_field, entry_layout);
    config.integer(replicas_field, 1);
    config.integer(partitions_field, 1);
  });
  return writer.take();
}

// Returns the bytes of all artifacts.
std::int64_t code_bytes(const CompiledProgram &program) {
  std::int64_t bytes = 0;
  program.executable.visit_programs(
      [&](const Program &part) { bytes += static_cast<std::int64_t>(part.artifact().size()); });
  return bytes;
}

}  // namespace

Status Executable_Destroy(PJRT_Executable_Destroy_Args &args) {
  return args.executable == nullptr ? Status() : handles<PJRT_Executable>().destroy(args.executable);
}

Status Executable_Name(PJRT_Executable_Name_Args &args) {
  BP_ASSIGN(const auto program, find(args.executable));
  set(args, &PJRT_Executable_Name_Args::executable_name, program->name.c_str());
  set(args, &PJRT_Executable_Name_Args::executable_name_size, program->name.size());
  return {};
}

Status Executable_NumReplicas(PJRT_Executable_NumReplicas_Args &args) {
  args.num_replicas = 1;
  return {};
}

Status Executable_NumPartitions(PJRT_Executable_NumPartitions_Args &args) {
  args.num_partitions = 1;
  return {};
}

Status Executable_NumOutputs(PJRT_Executable_NumOutputs_Args &args) {
  BP_ASSIGN(const auto program, find(args.executable));
  args.num_outputs = program->results.size();
  return {};
}

Status Executable_SizeOfGeneratedCodeInBytes(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args &args) {
  BP_ASSIGN(const auto program, find(args.executable));
  args.size_in_bytes = code_bytes(*program);
  return {};
}

Status Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args &args) {
  using Args = PJRT_Executable_OutputMemoryKinds_Args;
  BP_ASSIGN(const auto program, find(args.executable));
  set(args, &Args::num_outputs, program->results.size());
  set(args, &Args::memory_kinds, program->result_memories.data());
  set(args, &Args::memory_kind_sizes, program->result_memory_sizes.data());
  return {};
}

Status Executable_ParameterMemoryKinds(PJRT_Executable_ParameterMemoryKinds_Args &args) {
  using Args = PJRT_Executable_ParameterMemoryKinds_Args;
  BP_ASSIGN(const auto program, find(args.executable));
  set(args, &Args::num_parameters, program->parameter_memories.size());
  set(args, &Args::memory_kinds, program->parameter_memories.data());
  set(args, &Args::memory_kind_sizes, program->parameter_memory_sizes.data());
  return {};
}

Status Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args &args) {
  using Args = PJRT_Executable_OutputElementTypes_Args;
  BP_ASSIGN(const auto program, find(args.executable));
  set(args, &Args::output_types, program->result_types.data());
  set(args, &Args::num_output_types, program->result_types.size());
  return {};
}

Status Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args &args) {
  using Args = PJRT_Executable_OutputDimensions_Args;
  BP_ASSIGN(const auto program, find(args.executable));
  set(args, &Args::num_outputs, program->results.size());
  set(args, &Args::dims, program->result_sizes.data());
  set(args, &Args::dim_sizes, program->result_ranks.data());
  return {};
}

// Called twice: the first time for the size, without memory for the program.
Status Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args &args) {
  static constexpr std::string_view format = "hlo_with_config";
  BP_ASSIGN(const auto program, find(args.executable));
  BP_ASSIGN(const std::string bytes, with_config(program->executable.module()));
  args.program->format = format.data();
  args.program->format_size = format.size();
  if (args.program->code == nullptr) {
    args.program->code_size = bytes.size();
    return {};
  }
  if (args.program->code_size < bytes.size()) {
    return invalid_input("memory of {} bytes for the program, expected {}", args.program->code_size, bytes.size());
  }
  std::ranges::copy(bytes, args.program->code);
  return {};
}

Status Executable_GetCompileOptions(PJRT_Executable_GetCompileOptions_Args &args) {
  using Args = PJRT_Executable_GetCompileOptions_Args;
  BP_ASSIGN(const auto program, find(args.executable));
  set(args, &Args::serialized_bytes, program->source.compile_options.data());
  set(args, &Args::serialized_bytes_size, program->source.compile_options.size());
  set(args, &Args::serialized_compile_options, nullptr);
  set(args, &Args::serialized_compile_options_deleter, [](PJRT_SerializedCompileOptions *) {});
  return {};
}

// The planner's prediction, for all programs that the module became.
Status Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args &args) {
  using Args = PJRT_Executable_GetCompiledMemoryStats_Args;
  BP_ASSIGN(const auto program, find(args.executable));
  const runtime::MemoryFigures memory = program->executable.memory();
  for (std::int64_t Args::*none :
       {&Args::host_generated_code_size_in_bytes, &Args::host_argument_size_in_bytes, &Args::host_output_size_in_bytes,
        &Args::host_alias_size_in_bytes, &Args::indefinite_allocations}) {
    set(args, none, 0);
  }
  set(args, &Args::generated_code_size_in_bytes, code_bytes(*program));
  set(args, &Args::argument_size_in_bytes, program->argument_bytes);
  set(args, &Args::output_size_in_bytes, program->result_bytes);
  set(args, &Args::alias_size_in_bytes, program->shared_bytes);
  set(args, &Args::temp_size_in_bytes, memory.temporaries + memory.constants + memory.scratch);
  set(args, &Args::host_temp_size_in_bytes, memory.staging);
  for (std::int64_t Args::*peak : {&Args::peak_memory_in_bytes, &Args::total_size_in_bytes,
                                   &Args::total_allocation_bytes, &Args::peak_unpadded_heap_bytes}) {
    set(args, peak, memory.peak());
  }
  return {};
}

Status Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args &args) {
  BP_ASSIGN(const auto program, find(args.executable));
  args.properties = program->costs.data();
  args.num_properties = program->costs.size();
  return {};
}

Status Executable_Serialize(PJRT_Executable_Serialize_Args &args) {
  BP_ASSIGN(const auto program, find(args.executable));
  BP_ASSIGN(std::string bytes, serialize(program->source, program->executable));
  auto serialized = std::make_unique<PJRT_SerializedExecutable>(std::move(bytes));
  args.serialized_bytes = serialized->bytes.data();
  args.serialized_bytes_size = serialized->bytes.size();
  args.serialized_executable = serialized.release();
  args.serialized_executable_deleter = [](PJRT_SerializedExecutable *bytes) { delete bytes; };
  return {};
}

Status Executable_Fingerprint(PJRT_Executable_Fingerprint_Args &args) {
  BP_ASSIGN(const auto program, find(args.executable));
  args.executable_fingerprint = program->fingerprint.data();
  args.executable_fingerprint_size = program->fingerprint.size();
  return {};
}

// --- Loaded executables ---

Status LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args &args) {
  BP_ASSIGN(const auto program, find(args.executable));
  args.executable_fingerprint = program->fingerprint.data();
  args.executable_fingerprint_size = program->fingerprint.size();
  return {};
}

Status LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args &args) {
  return args.executable == nullptr ? Status() : handles<PJRT_LoadedExecutable>().destroy(args.executable);
}

Status LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args &args) {
  BP_ASSIGN(const auto program, find(args.loaded_executable));
  args.executable = handles<PJRT_Executable>().add(std::make_unique<PJRT_Executable>(program));
  return {};
}

Status LoadedExecutable_GetDeviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args &args) {
  using Args = PJRT_LoadedExecutable_GetDeviceAssignment_Args;
  BP_ASSIGN(const auto program, find(args.executable));
  set(args, &Args::serialized_bytes, program->assignment.data());
  set(args, &Args::serialized_bytes_size, program->assignment.size());
  set(args, &Args::serialized_device_assignment, nullptr);
  set(args, &Args::serialized_device_assignment_deleter, [](PJRT_DeviceAssignmentSerialized *) {});
  return {};
}

Status LoadedExecutable_AddressableDevices(PJRT_LoadedExecutable_AddressableDevices_Args &args) {
  using Args = PJRT_LoadedExecutable_AddressableDevices_Args;
  BP_ASSIGN(const auto program, find(args.executable));
  set(args, &Args::addressable_devices, &program->device);
  set(args, &Args::num_addressable_devices, 1);
  return {};
}

Status LoadedExecutable_AddressableDeviceLogicalIds(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args &args) {
  using Args = PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args;
  BP_ASSIGN(const auto program, find(args.executable));
  set(args, &Args::addressable_device_logical_ids, &program->logical_ids);
  set(args, &Args::num_addressable_device_logical_ids, 1);
  return {};
}

Status LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args &args) {
  BP_ASSIGN(const auto program, find(args.executable));
  program->is_deleted = true;
  return {};
}

Status LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args &args) {
  BP_ASSIGN(const auto program, find(args.executable));
  args.is_deleted = program->is_deleted;
  return {};
}

}  // namespace bp::pjrt
