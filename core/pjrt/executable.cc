#include "core/pjrt/executable.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/files.h"
#include "core/import/hlo_proto/hlo_proto.h"
#include "core/import/hlo_proto/wire.h"
#include "core/import/stablehlo/stablehlo.h"
#include "core/ir/annotations.h"
#include "core/ir/verifier.h"
#include "core/pjrt/args.h"
#include "core/pjrt/compile_options.h"
#include "core/pjrt/foreign_functions.h"

namespace bp::pjrt {
namespace {

using import::hlo_proto::Field;
// The fields of HloModuleProtoWithConfig, of its HloModuleProto and of its HloModuleConfigProto.
constexpr Field module_field{1, "hlo_module"}, config_field{2, "config"};
constexpr Field program_shape_field{4, "host_program_shape"};
constexpr Field entry_layout_field{1, "entry_computation_layout"}, replicas_field{4, "replica_count"},
    partitions_field{5, "num_partitions"};

// Reads a program in one of the formats of PJRT_Program.
Result<Module> read_program(std::string_view format, std::string_view code) {
  if (format == "mlir") {
    BP_ASSIGN(Module module, import::stablehlo::read(code));
    return module;
  }
  if (format == "hlo" || format == "hlo_with_config") {
    std::string_view bytes = code;
    if (format == "hlo_with_config") {
      using import::hlo_proto::Message;
      BP_ASSIGN(const Message message, Message::parse(code, {nullptr, "HloModuleProtoWithConfig"}));
      BP_ASSIGN(bytes, message.text(module_field));
    }
    BP_ASSIGN(Module module, import::hlo_proto::read_module(bytes));
    BP_TRY(ir::verify(module));
    return module;
  }
  return unsupported("a program in the format '{}', expected mlir, hlo or hlo_with_config", format);
}

// If BACKPLANE_DUMP_DIR is set, returns a folder in it for this program, and stores the program there.
Result<std::string> dump(std::string_view program, std::string_view name) {
  const char *folder = std::getenv("BACKPLANE_DUMP_DIR");
  if (folder == nullptr || *folder == '\0') {
    return std::string();
  }
  static std::atomic<int> number = 0;
  std::string own = fmt::format("{}/{:04}-{}", folder, number++, name);
  BP_TRY(make_directory(own));
  BP_TRY(write_file(own + "/program.mlirbc", program));
  return own;
}

std::vector<bool> donated_parameters(const Module &module) {
  std::vector<bool> donated(module.entry().parameter_count());
  const auto mark = [&](std::int64_t parameter) {
    if (parameter >= 0 && static_cast<std::size_t>(parameter) < donated.size()) {
      donated[static_cast<std::size_t>(parameter)] = true;
    }
  };
  for (const ir::InputOutputAlias &alias : module.header().input_output_alias) {
    mark(alias.parameter);
  }
  for (const ir::BufferDonor &donor : module.header().buffer_donor) {
    mark(donor.parameter);
  }
  return donated;
}

// Frameworks have the elements of a result that is a tuple as results.
std::vector<ir::Shape> results_of(const Module &module) {
  const ir::Shape shape = module.entry().root().shape();
  if (!shape.is_tuple()) {
    return {shape};
  }
  return {shape.elements().begin(), shape.elements().end()};
}

// Returns a HloModuleProtoWithConfig, the format that frameworks accept.
Result<std::string> with_config(const Module &module) {
  using import::hlo_proto::Message, import::hlo_proto::Writer;
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

// Returns the memory that a frontend attribute names, by its index in memory_kinds; nothing if there is none.
std::optional<std::size_t> memory_named(const ir::Instruction &instruction, std::string_view attribute) {
  const std::string_view text = instruction.text(ir::AttributeKey::FrontendAttributes);
  for (std::size_t i = 0; i < memory_kinds.size(); ++i) {
    if (text.find(fmt::format("{}=\"{}\"", attribute, memory_kinds[i])) != std::string_view::npos) {
      return i;
    }
  }
  return std::nullopt;
}

// Returns the memory of a result: frameworks annotate the value that is returned.
std::size_t memory_of_result(ir::Instruction value) {
  while (ir::annotation_of(value) == ir::Annotation::Operand) {
    if (const auto found = memory_named(value, "_xla_buffer_placement"); found) {
      return *found;
    }
    value = value.operand(0);
  }
  return value.opcode() == ir::Opcode::Parameter ? memory_named(value, "mhlo.memory_kind").value_or(0) : 0;
}

void find_memories(CompiledProgram &program, const Module &module) {
  const ir::Computation entry = module.entry();
  for (std::size_t i = 0; i < entry.parameter_count(); ++i) {
    program.parameter_kinds.push_back(memory_named(entry.parameter(i), "mhlo.memory_kind").value_or(0));
  }
  const ir::Instruction root = entry.root();
  const std::size_t count = root.shape().is_tuple() ? root.shape().elements().size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_list = root.opcode() == ir::Opcode::Tuple;
    const bool is_value = is_list || !root.shape().is_tuple();
    program.result_kinds.push_back(is_value ? memory_of_result(is_list ? root.operand(i) : root) : 0);
  }
}

void describe(CompiledProgram &program) {
  for (const ir::Shape &shape : program.results) {
    program.result_types.push_back(buffer_type(shape.element_type()));
    program.result_ranks.push_back(shape.is_array() ? shape.rank() : 0);
    if (shape.is_array()) {
      program.result_sizes.insert(program.result_sizes.end(), shape.sizes().begin(), shape.sizes().end());
    }
  }
  const auto fill = [](std::span<const std::size_t> kinds, std::vector<const char *> &names,
                       std::vector<std::size_t> &sizes) {
    for (const std::size_t kind : kinds) {
      names.push_back(memory_kinds[kind].data());
      sizes.push_back(memory_kinds[kind].size());
    }
  };
  fill(program.result_kinds, program.result_memories, program.result_memory_sizes);
  fill(program.parameter_kinds, program.parameter_memories, program.parameter_memory_sizes);
}

// Settings of compiler_options that the core understands; others are refused by name.
Status set_options(const CompileRequest &request, CompileOptions &options) {
  for (const auto &[name, value] : request.options) {
    if (name == "backplane_verify") {
      options.verify = value == "true";
    } else if (name == "backplane_device_only") {
      options.device_only = value == "true";
    } else if (name.starts_with("backplane_")) {
      return invalid_input("the compiler option '{}', expected backplane_verify or backplane_device_only", name);
    }  // others are of XLA
  }
  return {};
}

}  // namespace

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

// Compiles a program for a device of the client. Takes artifacts from `source`, and adds those that are missing.
Result<PJRT_LoadedExecutable *> compile(PJRT_Client &client, SerializedProgram source) {
  BP_ASSIGN(const CompileRequest request, read_compile_options(source.compile_options));
  BP_ASSIGN(Module module, read_program(source.format, source.code));
  const std::int64_t devices = std::max(request.num_replicas * request.num_partitions,
                                        module.header().replica_count * module.header().num_partitions);
  if (devices != 1) {
    return unsupported(
        "the program '{}' is for {} devices, expected one: programs over several devices are not "
        "supported yet",
        module.name(), devices);
  }
  const std::int64_t id = request.device_ids.empty() ? 0 : request.device_ids.front();
  if (id < 0 || static_cast<std::size_t>(id) >= client.devices.size()) {
    return invalid_input("the program is for device {}, expected 0 to {}", id, client.devices.size() - 1);
  }
  CompileOptions options;
  BP_TRY(set_options(request, options));
  BP_ASSIGN(options.dump_dir, dump(source.code, module.name()));
  compile::MemoryCache artifacts(std::move(source.artifacts));
  options.cache = &artifacts;
  const Module original = module;
  BP_ASSIGN(Compiled compiled, client.backend.compile(std::move(module), options));
  auto program = std::make_shared<CompiledProgram>(std::move(compiled.executable));
  program->client = &client;
  program->device = client.device_handles[static_cast<std::size_t>(id)];
  program->name = original.name();
  program->source = std::move(source);
  program->source.artifacts = artifacts.entries();
  program->fingerprint = fingerprint(program->source);
  program->assignment = device_assignment(id);
  program->donated = donated_parameters(original);
  for (std::size_t i = 0; i < original.entry().parameter_count(); ++i) {
    program->tokens.push_back(original.entry().parameter(i).shape().is_token());
  }
  program->results = results_of(original);
  find_memories(*program, original);
  describe(*program);
  return handles<PJRT_LoadedExecutable>().add(std::make_unique<PJRT_LoadedExecutable>(std::move(program)));
}

}  // namespace

Status Client_Compile(PJRT_Client_Compile_Args &args) {
  BP_ASSIGN(PJRT_Client * client, handles<PJRT_Client>().find(args.client));
  SerializedProgram source;
  source.platform = client->platform_version;
  source.format.assign(args.program->format, args.program->format_size);
  source.code.assign(args.program->code, args.program->code_size);
  source.compile_options.assign(args.compile_options, args.compile_options_size);
  BP_ASSIGN(args.executable, compile(*client, std::move(source)));
  return {};
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

// Returns the bytes of all artifacts.
std::int64_t code_bytes(const CompiledProgram &program) {
  std::int64_t bytes = 0;
  for (const auto &[key, artifact] : program.source.artifacts) {
    bytes += std::ssize(artifact);
  }
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
       {&Args::alias_size_in_bytes, &Args::host_generated_code_size_in_bytes, &Args::host_argument_size_in_bytes,
        &Args::host_output_size_in_bytes, &Args::host_alias_size_in_bytes, &Args::indefinite_allocations}) {
    set(args, none, 0);
  }
  set(args, &Args::generated_code_size_in_bytes, code_bytes(*program));
  set(args, &Args::argument_size_in_bytes, memory.inputs);
  set(args, &Args::output_size_in_bytes, memory.outputs);
  set(args, &Args::temp_size_in_bytes, memory.temporaries + memory.constants + memory.scratch);
  set(args, &Args::host_temp_size_in_bytes, memory.staging);
  for (std::int64_t Args::*peak : {&Args::peak_memory_in_bytes, &Args::total_size_in_bytes,
                                   &Args::total_allocation_bytes, &Args::peak_unpadded_heap_bytes}) {
    set(args, peak, memory.peak());
  }
  return {};
}

Status Executable_Serialize(PJRT_Executable_Serialize_Args &args) {
  BP_ASSIGN(const auto program, find(args.executable));
  auto serialized = std::make_unique<PJRT_SerializedExecutable>(serialize(program->source));
  args.serialized_bytes = serialized->bytes.data();
  args.serialized_bytes_size = serialized->bytes.size();
  args.serialized_executable = serialized.release();
  args.serialized_executable_deleter = [](PJRT_SerializedExecutable *bytes) { delete bytes; };
  return {};
}

Status Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args &args) {
  using Args = PJRT_Executable_DeserializeAndLoad_Args;
  BP_ASSIGN(PJRT_Client * client, handles<PJRT_Client>().find(args.client));
  BP_ASSIGN(SerializedProgram source,
            deserialize(std::string_view(args.serialized_executable, args.serialized_executable_size)));
  if (source.platform != client->platform_version) {
    return invalid_input("the serialized program is for {}, expected {}", source.platform, client->platform_version);
  }
  const char *options = get(args, &Args::overridden_serialized_compile_options);
  const std::size_t size = get(args, &Args::overridden_serialized_compile_options_size);
  if (options != nullptr && size != 0) {
    source.compile_options.assign(options, size);
  }
  BP_ASSIGN(args.loaded_executable, compile(*client, std::move(source)));
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

namespace {

// Whether the program takes over the buffer of an argument.
bool is_donated(const CompiledProgram &program, const PJRT_LoadedExecutable_Execute_Args &args, std::size_t argument) {
  const std::span<const std::int64_t> kept(args.options->non_donatable_input_indices,
                                           args.options->num_non_donatable_input_indices);
  return program.donated[argument] && std::ranges::find(kept, static_cast<std::int64_t>(argument)) == kept.end();
}

// Fails if a buffer that the program takes over is another argument, too.
Status check_donations(const CompiledProgram &program, const PJRT_LoadedExecutable_Execute_Args &args) {
  std::unordered_map<const PJRT_Buffer *, std::size_t> first;  // argument, by buffer
  for (std::size_t i = 0; i < args.num_args; ++i) {
    const auto [other, is_new] = first.emplace(args.argument_lists[0][i], i);
    if (!is_new && (is_donated(program, args, i) || is_donated(program, args, other->second))) {
      return invalid_input("arguments {} and {} of '{}' are the same buffer, expected two, because one is donated",
                           other->second, i, program.name);
    }
  }
  return {};
}

// Marks the buffers that the program takes over as deleted.
Status donate(const CompiledProgram &program, const PJRT_LoadedExecutable_Execute_Args &args) {
  for (std::size_t i = 0; i < args.num_args; ++i) {
    if (is_donated(program, args, i)) {
      BP_ASSIGN(PJRT_Buffer * buffer, handles<PJRT_Buffer>().find(args.argument_lists[0][i]));
      const std::lock_guard lock(buffer->mutex);
      buffer->give_up();
    }
  }
  return {};
}

// Returns options with which the host runs the custom calls that the device leaves to it. They refer to the program.
interpreter::Options host_options(const CompiledProgram &program, const PJRT_ExecuteOptions &options) {
  static std::atomic<std::int64_t> runs = 0;
  const ForeignRun run{program.client->platform_name, ++runs, program.device->description.id,
                       get(options, &PJRT_ExecuteOptions::context)};
  interpreter::Options host;
  host.on_custom_call = [run](const ir::Instruction &call, std::span<const ir::Literal> operands) {
    return call_foreign_function(run, call, operands);
  };
  return host;
}

}  // namespace

Status LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args &args) {
  BP_ASSIGN(const auto program, find(args.executable));
  if (program->is_deleted) {
    return invalid_input("the program '{}' was deleted", program->name);
  }
  if (args.num_devices != 1) {
    return unsupported("a run of '{}' on {} devices, expected one", program->name, args.num_devices);
  }
  if (args.num_args != program->donated.size()) {
    return invalid_input("{} arguments for '{}', expected {}", args.num_args, program->name, program->donated.size());
  }
  BP_TRY(check_donations(*program, args));
  std::vector<ir::Literal> arguments;
  for (std::size_t i = 0; i < args.num_args; ++i) {
    BP_ASSIGN(PJRT_Buffer * buffer, handles<PJRT_Buffer>().find(args.argument_lists[0][i]));
    BP_ASSIGN(const auto value, value_of(*buffer));
    arguments.push_back(program->tokens[i] ? ir::Literal::token() : *value);
  }
  BP_ASSIGN(ir::Literal result, program->executable.run(std::move(arguments), host_options(*program, *args.options)));
  BP_TRY(donate(*program, args));  // after a failure, the arguments are still there for another try
  const bool is_tuple = result.shape().is_tuple();
  for (std::size_t i = 0; i < program->results.size(); ++i) {
    auto &memory = static_cast<OwnMemory &>(*program->device->memories[program->result_kinds[i]]);
    args.output_lists[0][i] = make_buffer(memory, is_tuple ? result.tuple_elements()[i] : result);
  }
  if (args.device_complete_events != nullptr) {
    args.device_complete_events[0] = make_event();
  }
  return {};
}

}  // namespace bp::pjrt
