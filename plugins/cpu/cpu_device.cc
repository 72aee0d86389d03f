#include "plugins/cpu/cpu_device.h"

#include <algorithm>
#include <memory>

#include "plugin_api/cpp/call.h"
#include "plugins/cpu/artifact.h"
#include "plugins/cpu/code_generation.h"
#include "plugins/llvm/contraction/fusion.h"
#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/module_view.h"
#include "plugins/llvm/program.h"
#include "plugins/llvm/scalar/element_type.h"

namespace bp::cpu {
namespace {

using plugin::fail;

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

struct LoadedProgram {
  bp_program_t abi{};
  std::unique_ptr<emit::LinkedObjects> code;
  std::uint32_t allocation_count = 0;
  plugin::HostServices services;
  std::int64_t worker_scratch_bytes = 0;
  std::uint64_t common_bytes = 0;
};

// Number of parts per thread, more than one for thread pools that distribute the remaining parts to idle threads. The
// core's pool gives each thread the same number of consecutive parts.
constexpr std::int64_t parts_per_thread = 4;

void share(const emit::Workers *workers, emit::Workers::Task task, void *const *pointers, void *scratch,
           std::int64_t begin, std::int64_t end) {
  const auto *program = static_cast<const LoadedProgram *>(workers->context);
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

bp_status run_program(const bp_program_t *program, const bp_run_t *run, const bp_diag_t *diag) {
  const auto *self = static_cast<const LoadedProgram *>(program->program_data);
  if (run->allocation_count != self->allocation_count) {
    return fail(diag, BP_INVALID,
                "cpu: run has " + std::to_string(run->allocation_count) + " allocations, the program " +
                    std::to_string(self->allocation_count));
  }
  const emit::Workers workers{share, const_cast<LoadedProgram *>(self)};
  void *scratch = reinterpret_cast<void *>(run->scratch.offset + self->common_bytes);
  reinterpret_cast<emit::Entry>(self->code->symbol())(run->allocations, scratch, &workers);
  return BP_OK;
}

void destroy_program(const bp_program_t *program) {
  delete static_cast<LoadedProgram *>(program->program_data);
}

}  // namespace

bp_status CpuDevice::set_option(std::string_view key, const char *value, const bp_diag_t *) {
  (key == "target" ? options.target : key == "features" ? options.features : options.dump_dir) = value;
  return BP_OK;
}

bp_status CpuDevice::init(const bp_diag_t *diag) {
  services = plugin::HostServices(host);
  std::string error;
  machine = host_target();
  target = trusted_part(machine);
  if (!options.target.empty()) {
    const auto parsed = parse_target(options.target, error);
    if (!parsed) {
      return fail(diag, BP_INVALID, "cpu: option target: " + error);
    }
    target = *parsed;
  }
  if (!options.features.empty()) {
    const auto parsed = with_features(target, options.features, error);
    if (!parsed) {
      return fail(diag, BP_INVALID, "cpu: option features: " + error);
    }
    target = *parsed;
  }
  target_text = target.text();
  abi.target = target_text.c_str();
  return BP_OK;
}

bp_status CpuDevice::claim(const bp_module_t *image, float *cost_ns, const bp_diag_t *diag) const {
  std::string error;
  const auto module = emit::ModuleView::open(image, error);
  if (module == nullptr) {
    return fail(diag, BP_INVALID, "cpu: " + error);
  }
  std::fill_n(cost_ns, module->instruction_count(), 0.0f);
  for (std::uint32_t c = 0; c < module->computation_count(); ++c) {
    const emit::ComputationView computation = module->computation(c);
    if (computation.embedded()) {
      continue;
    }
    for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
      const emit::InstructionView instruction = module->instruction(computation.first_instruction() + n);
      const std::string problem = emit::kernel_problem(instruction, target.vectors);
      if (problem.empty()) {
        cost_ns[instruction.id()] = emit::is_control_flow(instruction.op()) ? 10 : cost_of(instruction);
      } else {
        cost_ns[instruction.id()] = -1;
        diag->report(diag, BP_UNSUPPORTED, instruction.id(),
                     ("cpu: " + std::string(instruction.name()) + " " + problem).c_str());
      }
    }
  }
  return BP_OK;
}

bp_status CpuDevice::compile(const bp_module_t *image, const bp_ostream_t *out, const bp_diag_t *diag) const {
  std::string error;
  const auto module = emit::ModuleView::open(image, error);
  if (module == nullptr) {
    return fail(diag, BP_INVALID, "cpu: " + error);
  }
  emit::throw_when_out_of_memory();
  const emit::Fragile<llvm::TargetMachine> machine_for_layout(make_target_machine(target, error).release());
  if (machine_for_layout == nullptr) {
    return fail(diag, BP_INTERNAL, "cpu: " + error);
  }
  emit::Problem problem;
  emit::Program program =
      emit::emit_program(*module,
                         {.target = target.vectors,
                          .triple = target.triple,
                          .data_layout = machine_for_layout->createDataLayout().getStringRepresentation()},
                         problem);
  if (program.units.empty()) {
    const bp_status status = problem.unsupported                                  ? BP_UNSUPPORTED
                             : problem.instruction == BP_NONE && !module->final() ? BP_INVALID
                                                                                  : BP_INTERNAL;
    return fail(diag, status, problem.instruction, "cpu: " + problem.message);
  }
  Artifact artifact;
  std::copy_n(image->hash, sizeof artifact.module_hash, artifact.module_hash);
  artifact.scratch_bytes = static_cast<std::uint64_t>(program.scratch_bytes);
  artifact.common_bytes = static_cast<std::uint64_t>(program.common_bytes);
  for (const bp_allocation_t &allocation : module->allocations()) {
    artifact.allocation_sizes.push_back(allocation.size);
  }
  artifact.target = target_text;
  artifact.objects.resize(program.units.size());
  std::vector<std::string> errors(program.units.size());
  const std::string name = dump_name(*module);
  services.parallel(static_cast<std::uint32_t>(program.units.size()), [&](std::uint32_t i, std::uint32_t) {
    emit::CodeUnit &unit = program.units[i];
    const std::string dump =
        options.dump_dir.empty() ? "" : options.dump_dir + "/" + name + "." + unit.module->getModuleIdentifier();
    artifact.objects[i] = generate_object(unit, target, dump, errors[i]);
    unit.module.reset();
    unit.context.reset();
  });
  for (const std::string &unit_error : errors) {
    if (!unit_error.empty()) {
      return fail(diag, BP_INTERNAL, "cpu: " + unit_error);
    }
  }
  const std::string bytes = write_artifact(artifact);
  return out->write(out, bytes.data(), bytes.size());
}

bp_status CpuDevice::load(const void *bytes, std::uint64_t size, std::uint32_t allocation_count,
                          const bp_program_t **program, const bp_diag_t *diag) const {
  std::string error;
  const auto artifact = read_artifact({static_cast<const char *>(bytes), size}, error);
  if (!artifact) {
    return fail(diag, BP_INVALID, "cpu: " + error);
  }
  if (artifact->allocation_sizes.size() != allocation_count) {
    return fail(diag, BP_INVALID,
                "cpu: artifact has " + std::to_string(artifact->allocation_sizes.size()) + " allocations, expected " +
                    std::to_string(allocation_count));
  }
  const auto made_for = parse_target(artifact->target, error);
  if (!made_for) {
    return fail(diag, BP_INVALID, "cpu: artifact: " + error);
  }
  if (const std::string missing = made_for->missing_on(machine); !missing.empty()) {
    return fail(diag, BP_INVALID, "cpu: artifact is for " + made_for->triple + ", " + missing);
  }
  auto loaded = std::make_unique<LoadedProgram>();
  loaded->code = emit::LinkedObjects::link(artifact->objects, emit::entry_name, error);
  if (loaded->code == nullptr) {
    return fail(diag, BP_INVALID, "cpu: " + error);
  }
  loaded->allocation_count = allocation_count;
  loaded->abi.program_data = loaded.get();
  loaded->services = services;
  loaded->worker_scratch_bytes = static_cast<std::int64_t>(artifact->scratch_bytes);
  loaded->common_bytes = artifact->common_bytes;
  loaded->abi.scratch_size = artifact->common_bytes + artifact->scratch_bytes * services.thread_count();
  loaded->abi.scratch_alignment = 64;
  loaded->abi.resident_size = loaded->code->mapped_bytes();
  loaded->abi.run = run_program;
  loaded->abi.destroy = destroy_program;
  *program = &loaded.release()->abi;
  return BP_OK;
}

}  // namespace bp::cpu
