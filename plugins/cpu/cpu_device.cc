#include "plugins/cpu/cpu_device.h"

#include <algorithm>
#include <memory>

#include "plugin_api/cpp/run_services.h"
#include "plugins/cpu/ahead_of_time/code.h"
#include "plugins/cpu/artifact.h"
#include "plugins/cpu/code_generation.h"
#include "plugins/llvm/contraction/fusion.h"
#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/module_view.h"
#include "plugins/llvm/program.h"
#include "plugins/llvm/scalar/element_type.h"

namespace bp::cpu {

using plugin::Error;
using plugin::Result;
using plugin::Status;

namespace {

// Returns the estimated time in nanoseconds: memory at 20 GB/s, contractions at 100 GFLOP/s, and 10 ns for the call.
float cost_of(emit::InstructionView kernel) {
  const emit::InstructionView instruction = emit::contraction_in(kernel).value_or(kernel);
  double bytes = 0;
  for (std::size_t i = 0; i < kernel.operand_count(); ++i) {
    bytes += static_cast<double>(kernel.operand_shape(i).bytes());
  }
  for (std::size_t i = 0; i < kernel.result_count(); ++i) {
    bytes += static_cast<double>(kernel.shape(i).bytes());
  }
  double operations = 0;
  if (instruction.op() == BP_OP_DOT) {
    operations = 2 * static_cast<double>(instruction.shape().elements);
    for (const std::int64_t d : instruction.numbers(BP_ATTR_LHS_CONTRACTING_DIMS)) {
      operations *= static_cast<double>(instruction.operand_shape(0).dims[static_cast<std::size_t>(d)]);
    }
  } else if (instruction.op() == BP_OP_CONVOLUTION) {
    const auto feature = static_cast<std::size_t>(instruction.numbers(BP_ATTR_DIM_LABELS)[3]);
    const emit::Shape &filter = instruction.operand_shape(1);
    operations = 2 * static_cast<double>(instruction.shape().elements) * static_cast<double>(filter.elements) /
                 static_cast<double>(std::max<std::int64_t>(filter.dims[feature], 1));
  }
  return static_cast<float>(10 + bytes / 20 + operations / 100);
}

// Returns a file name: the module's name, with unusual characters replaced, and the beginning of its hash.
std::string dump_name(const emit::ModuleView &module) {
  std::string name;
  for (const char c : module.name().substr(0, 64)) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
    name += plain ? c : '_';
  }
  constexpr char digits[] = "0123456789abcdef";
  name += '.';
  for (int i = 0; i < 4; ++i) {
    name += digits[module.image().hash[i] >> 4];
    name += digits[module.image().hash[i] & 15];
  }
  return name;
}

// A run, as the functions that generated code calls see it.
struct CurrentRun {
  const LoadedProgram *program;
  const plugin::EarlyEnd end;
  bool is_over = false;  // what the code was told last
};

std::uint32_t is_over(const bp_aot_caller_t *caller) {
  auto *run = static_cast<CurrentRun *>(caller->context);
  run->is_over = run->is_over || run->end.is_over();
  return run->is_over ? 1 : 0;
}

// Number of parts per thread, more than one for thread pools that distribute the remaining parts to idle threads. The
// core's pool gives each thread the same number of consecutive parts.
constexpr std::int64_t parts_per_thread = 4;

void share(const bp_aot_caller_t *caller, bp_aot_task task, void *const *pointers, void *scratch, std::int64_t begin,
           std::int64_t end) {
  const LoadedProgram *program = static_cast<const CurrentRun *>(caller->context)->program;
  const std::int64_t threads = program->services.thread_count();
  if (threads <= 1) {
    task(pointers, scratch, begin, end);
    return;
  }
  const std::int64_t items = end - begin;
  const std::int64_t parts = std::min(items, threads * parts_per_thread);
  program->services.parallel(static_cast<std::uint32_t>(parts), [&](std::uint32_t part, std::uint32_t worker) {
    task(pointers, static_cast<char *>(scratch) + worker * program->worker_scratch_bytes, begin + items * part / parts,
         begin + items * (part + 1) / parts);
  });
}

}  // namespace

Status LoadedProgram::run(const bp_run_t &run) const {
  if (run.allocation_count != allocation_count) {
    return Error(BP_INVALID, "run has " + std::to_string(run.allocation_count) + " allocations, the program " +
                                 std::to_string(allocation_count));
  }
  CurrentRun current{this, plugin::EarlyEnd(run)};
  const bp_aot_caller_t caller{share, current.end.is_possible() ? is_over : nullptr, &current};
  void *scratch = reinterpret_cast<void *>(run.scratch.offset + common_bytes);
  reinterpret_cast<emit::Entry>(code->symbol())(run.allocations, scratch, &caller);
  return current.is_over ? Status(Error(BP_CANCELLED, "ended early")) : Status();
}

Result<std::string> CpuDevice::init() {
  machine = host_target();
  target = trusted_part(machine);
  if (!options.target.empty()) {
    auto parsed = parse_target(options.target);
    if (!parsed.ok()) {
      return std::move(parsed).error().with_prefix("option target: ");
    }
    target = *parsed;
  }
  if (!options.features.empty()) {
    auto parsed = with_features(target, options.features);
    if (!parsed.ok()) {
      return std::move(parsed).error().with_prefix("option features: ");
    }
    target = *parsed;
  }
  generators = std::make_unique<CodeGenerators>(target);
  return target.text();
}

Status CpuDevice::claim(const bp_module_t *image, plugin::Claims &claims) const {
  BP_ASSIGN(const auto module, emit::ModuleView::open(image));
  for (std::uint32_t c = 0; c < module->computation_count(); ++c) {
    const emit::ComputationView computation = module->computation(c);
    if (computation.embedded()) {
      continue;
    }
    for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
      const emit::InstructionView instruction = module->instruction(computation.first_instruction() + n);
      const std::string problem = emit::kernel_problem(instruction, target.vectors);
      if (problem.empty()) {
        claims.take(instruction.id(), emit::is_control_flow(instruction.op()) ? 10 : cost_of(instruction));
      } else {
        claims.refuse(instruction.id(), std::string(instruction.name()) + " " + problem);
      }
    }
  }
  return {};
}

Result<std::string> CpuDevice::compile(const bp_module_t *image) const {
  BP_ASSIGN(const auto module, emit::ModuleView::open(image));
  emit::throw_when_out_of_memory();
  BP_ASSIGN(const std::string data_layout, generators->with([](CodeGenerator &generator) -> Result<std::string> {
    return generator.machine->createDataLayout().getStringRepresentation();
  }));
  BP_ASSIGN(emit::Program program, emit::emit_program(*module, {.target = target.vectors,
                                                                .triple = target.triple,
                                                                .data_layout = data_layout,
                                                                .in_one_unit = !options.emit.empty()}));
  if (!options.emit.empty()) {
    return generators->with([&](CodeGenerator &generator) {
      return options.emit == "obj" ? generate_object(program.units[0], generator, "")
                                   : generate_text(program.units[0], *generator.machine, options.emit);
    });
  }
  Artifact artifact;
  std::copy_n(image->hash, sizeof artifact.module_hash, artifact.module_hash);
  artifact.scratch_bytes = static_cast<std::uint64_t>(program.scratch_bytes);
  artifact.common_bytes = static_cast<std::uint64_t>(program.common_bytes);
  for (const bp_allocation_t &allocation : module->allocations()) {
    artifact.allocation_sizes.push_back(allocation.size);
  }
  artifact.target = target.text();
  artifact.objects.resize(program.units.size());
  std::vector<Status> outcomes(program.units.size());
  const std::string name = dump_name(*module);
  services.parallel(static_cast<std::uint32_t>(program.units.size()), [&](std::uint32_t i, std::uint32_t) {
    emit::CodeUnit &unit = program.units[i];
    const std::string dump =
        options.dump_dir.empty() ? "" : options.dump_dir + "/" + name + "." + unit.module->getModuleIdentifier();
    auto object = generators->with([&](CodeGenerator &generator) { return generate_object(unit, generator, dump); });
    if (object.ok()) {
      artifact.objects[i] = std::move(object).value();
    } else {
      outcomes[i] = std::move(object).error();
    }
    unit.module.reset();
    unit.context.reset();
  });
  for (Status &outcome : outcomes) {
    BP_TRY(std::move(outcome));
  }
  return write_artifact(artifact);
}

Result<std::unique_ptr<LoadedProgram>> CpuDevice::load(std::span<const char> bytes,
                                                       std::uint32_t allocation_count) const {
  if (!options.emit.empty()) {
    return Error(BP_INVALID, "with option emit=" + options.emit + " nothing is made that runs: leave it out");
  }
  BP_ASSIGN(const Artifact artifact, read_artifact(bytes));
  if (artifact.allocation_sizes.size() != allocation_count) {
    return Error(BP_INVALID, "artifact has " + std::to_string(artifact.allocation_sizes.size()) +
                                 " allocations, expected " + std::to_string(allocation_count));
  }
  auto made_for = parse_target(artifact.target);
  if (!made_for.ok()) {
    return std::move(made_for).error().with_prefix("artifact: ");
  }
  if (const std::string missing = made_for->missing_on(machine); !missing.empty()) {
    return Error(BP_INVALID, "artifact is for " + made_for->triple + ", " + missing);
  }
  auto loaded = std::make_unique<LoadedProgram>();
  BP_ASSIGN(loaded->code, emit::LinkedObjects::link(artifact.objects, emit::entry_name));
  loaded->allocation_count = allocation_count;
  loaded->services = services;
  loaded->worker_scratch_bytes = static_cast<std::int64_t>(artifact.scratch_bytes);
  loaded->common_bytes = artifact.common_bytes;
  loaded->abi.scratch_size = artifact.common_bytes + artifact.scratch_bytes * services.thread_count();
  loaded->abi.scratch_alignment = 64;
  loaded->abi.resident_size = loaded->code->mapped_bytes();
  return loaded;
}

Result<bp_aot_code_t> CpuDevice::describe(std::span<const char> bytes, std::uint32_t) const {
  BP_ASSIGN(const Artifact artifact, read_artifact(bytes));
  return describe_code(artifact);
}

Result<std::string> CpuDevice::write_object(std::span<const char> bytes, std::uint32_t flags,
                                            std::uint32_t index) const {
  BP_ASSIGN(const Artifact artifact, read_artifact(bytes));
  return write_code(artifact, flags, index);
}

}  // namespace bp::cpu
