#include "core/pjrt/compilation.h"

#include <algorithm>

#include "core/analysis/cost.h"
#include "core/base/files.h"
#include "core/import/hlo_proto/hlo_proto.h"
#include "core/import/protobuf/wire.h"
#include "core/import/stablehlo/stablehlo.h"
#include "core/ir/annotations.h"
#include "core/ir/verifier.h"
#include "core/pjrt/args.h"
#include "core/pjrt/compile_options.h"
#include "core/pjrt/foreign_functions.h"

namespace bp::pjrt {
namespace {

// Reads a program in one of the formats of PJRT_Program.
Result<Module> read_program(std::string_view format, std::string_view code) {
  if (format == "mlir") {
    BP_ASSIGN(Module module, import::stablehlo::read(code));
    return module;
  }
  if (format == "hlo" || format == "hlo_with_config") {
    std::string_view bytes = code;
    if (format == "hlo_with_config") {
      using import::protobuf::Message;
      constexpr import::protobuf::Field module_field{1, "hlo_module"};
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
Result<std::string> dump(const SourceProgram &source, std::string_view name) {
  const char *folder = std::getenv("BACKPLANE_DUMP_DIR");
  if (folder == nullptr || *folder == '\0') {
    return std::string();
  }
  static std::atomic<int> number = 0;
  std::string own = fmt::format("{}/{:04}-{}", folder, number++, name);
  BP_TRY(make_directory(own));
  BP_TRY(write_file(own + (source.format == "mlir" ? "/program.mlirbc" : "/program.pb"), source.code));
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

// Returns the shapes of the results, in the layouts that the program asks for. Frameworks have the elements of a result
// that is a tuple as results.
std::vector<ir::Shape> results_of(const Module &module) {
  const ir::ModuleHeader &header = module.header();
  const ir::Shape shape = header.has_entry_layout ? header.entry_result_shape : module.entry().root().shape();
  if (!shape.is_tuple()) {
    return {shape};
  }
  return {shape.elements().begin(), shape.elements().end()};
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

void count_bytes(CompiledProgram &program, const Module &module) {
  for (std::size_t i = 0; i < module.entry().parameter_count(); ++i) {
    program.argument_bytes += module.entry().parameter(i).shape().byte_size();
  }
  for (const ir::Shape &shape : program.results) {
    program.result_bytes += shape.byte_size();
  }
  for (const ir::InputOutputAlias &alias : module.header().input_output_alias) {
    const std::size_t result = alias.output_index.empty() ? 0 : static_cast<std::size_t>(alias.output_index[0]);
    program.shared_bytes += program.results[result].byte_size();
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

// Whether the device runs the whole program, without loops, in little memory.
bool is_short(const runtime::Executable &executable) {
  constexpr std::int64_t little = 64 << 10;
  const auto has_loop = [](const ir::Computation &computation) {
    return std::ranges::any_of(computation.instructions(), [](const ir::Instruction &instruction) {
      return instruction.opcode() == ir::Opcode::While;
    });
  };
  return executable.program() != nullptr && executable.memory().peak() <= little &&
         std::ranges::none_of(executable.module().computations(), has_loop);
}

PJRT_NamedValue property(std::string_view name, double value) {
  PJRT_NamedValue named{};
  named.struct_size = sizeof named;
  named.name = name.data();
  named.name_size = name.size();
  named.type = PJRT_NamedValue_Type_Float;
  named.float_value = static_cast<float>(value);
  named.value_size = 1;
  return named;
}

// The names are those of XLA.
std::array<PJRT_NamedValue, 3> costs_of(const Module &module) {
  const analysis::Cost cost = analysis::cost(module);
  return {property("flops", cost.operations()), property("transcendentals", cost.functions),
          property("bytes accessed", cost.bytes)};
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

// Loads the package if there is one and it fits; otherwise compiles the module.
Result<Executable> load_or_compile(const Backend &backend, const Module &module, const CompileOptions &options,
                                   const Package *package) {
  if (package != nullptr) {
    if (auto loaded = package->load(backend.devices()); loaded.ok()) {
      return loaded;
    }
  }
  BP_ASSIGN(Compiled compiled, backend.compile(module, options));
  return std::move(compiled.executable);
}

// Makes a program for a device of the client. `package`: the program as compiled before; may be nullptr.
Result<PJRT_LoadedExecutable *> compile(PJRT_Client &client, SourceProgram source, const Package *package) {
  BP_ASSIGN(const CompileRequest request, read_compile_options(source.compile_options));
  Result<Module> read = read_program(source.format, source.code);
  CompileOptions options;
  BP_ASSIGN(options.dump_dir, dump(source, read.ok() ? read->name() : "unreadable"));
  BP_ASSIGN(Module module, std::move(read));
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
  BP_TRY(set_options(request, options));
  options.keep_artifacts = true;
  const Module original = std::move(module);
  BP_ASSIGN(Executable executable, load_or_compile(client.backend, original, options, package));
  auto program = std::make_shared<CompiledProgram>(std::move(executable));
  program->client = &client;
  program->device = client.device_handles[static_cast<std::size_t>(id)];
  program->name = original.name();
  program->source = std::move(source);
  program->fingerprint = fingerprint(program->source);
  program->assignment = device_assignment(id);
  program->donated = donated_parameters(original);
  for (std::size_t i = 0; i < original.entry().parameter_count(); ++i) {
    program->tokens.push_back(original.entry().parameter(i).shape().is_token());
  }
  program->results = results_of(original);
  find_memories(*program, original);
  count_bytes(*program, original);
  describe(*program);
  program->is_short = is_short(program->executable);
  program->costs = costs_of(program->executable.module());
  BP_ASSIGN(program->foreign_states, instantiate_foreign_functions(client.platform_name, original));
  return handles<PJRT_LoadedExecutable>().add(std::make_unique<PJRT_LoadedExecutable>(std::move(program)));
}

}  // namespace

Status Client_Compile(PJRT_Client_Compile_Args &args) {
  BP_ASSIGN(PJRT_Client * client, handles<PJRT_Client>().find(args.client));
  SourceProgram source;
  source.platform = client->platform_version;
  source.format.assign(args.program->format, args.program->format_size);
  source.code.assign(args.program->code, args.program->code_size);
  source.compile_options.assign(args.compile_options, args.compile_options_size);
  BP_ASSIGN(args.executable, compile(*client, std::move(source), nullptr));
  return {};
}

Status Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args &args) {
  using Args = PJRT_Executable_DeserializeAndLoad_Args;
  BP_ASSIGN(PJRT_Client * client, handles<PJRT_Client>().find(args.client));
  BP_ASSIGN(SerializedProgram stored,
            deserialize(std::string_view(args.serialized_executable, args.serialized_executable_size)));
  SourceProgram &source = stored.source;
  if (source.platform != client->platform_version) {
    return invalid_input("the serialized program is for {}, expected {}", source.platform, client->platform_version);
  }
  bool has_other_options = false;
  const char *options = get(args, &Args::overridden_serialized_compile_options);
  const std::size_t size = get(args, &Args::overridden_serialized_compile_options_size);
  if (options != nullptr && size != 0) {
    has_other_options = source.compile_options != std::string_view(options, size);
    source.compile_options.assign(options, size);
  }
  BP_ASSIGN(args.loaded_executable, compile(*client, std::move(source), has_other_options ? nullptr : &stored.package));
  return {};
}

}  // namespace bp::pjrt
