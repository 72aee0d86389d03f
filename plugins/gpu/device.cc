#include "plugins/gpu/device.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "plugin_api/cpp/call.h"
#include "plugins/gpu/compiler.h"
#include "plugins/gpu/emulator/emulator.h"
#include "plugins/gpu/emulator/host_target.h"
#include "plugins/gpu/launch_problem.h"
#include "plugins/gpu/program.h"
#include "plugins/gpu/transfer.h"
#include "plugins/llvm/fragile.h"
#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/math_precision.h"
#include "plugins/llvm/scalar/narrow_float.h"

namespace bp::gpu {
namespace {

bp_status start_command(Machine &machine, const bp_command_t &command, const bp_diag_t *diag) {
  switch (command.kind) {
    case BP_COMMAND_RUN: return start_run(command.program, *command.run, diag);
    case BP_COMMAND_COPY: return start_copy(machine, command.to, command.from, command.size, diag);
    default: return start_fill(machine, command.to, command.size, command.pattern, command.pattern_size, diag);
  }
}

// The cost of a kernel in nanoseconds: a launch, memory traffic at 3000 GB/s, and the instructions of a prologue, which
// is computed again and again, at about 20 in a picosecond, eight of them for an op.
float cost_of(emit::InstructionView kernel, const emit::VectorTarget &target) {
  double bytes = 0;
  for (std::size_t i = 0; i < kernel.operand_count(); ++i) {
    bytes += static_cast<double>(kernel.operand_shape(i).bytes());
  }
  for (std::size_t i = 0; i < kernel.result_count(); ++i) {
    bytes += static_cast<double>(kernel.shape(i).bytes());
  }
  return static_cast<float>(3000 + bytes / 3000 + 8 * emit::prologue_operations(kernel, target) / 20'000);
}

// About 64,000 threads, with vectors of four elements, are enough work for a GPU. The rows that a whole GPU works on at
// a time stay in its L2 cache.
constexpr std::uint32_t fused_kinds = BP_FUSES_CONTRACTIONS | BP_FUSES_ROWS | BP_FUSES_RESULTS | BP_FUSES_PROLOGUES;
constexpr bp_fusion_limits_t fusion_limits = {fused_kinds, 256, 64, 1 << 18, std::uint64_t{1} << 17, 256};

}  // namespace

constexpr bp_device_fusion_t fusion_extension = {&fusion_limits};

void Device::set_up(Target target, const std::string &target_text) {
  target_ = std::move(target);
  target_text_ = target_text;
  if (!options().emit.empty()) {
    target_text_ += " as " + options().emit;
  }
  if (options().is_emulated) {
    target_text_ += " on " + host_text();
    space_.capacity = options().memory_bytes;
  }
  abi.target = target_text_.c_str();
  services_ = plugin::HostServices(host);
}

bp_status Device::refuse(const bp_diag_t *diag, bp_status status, const std::string &message,
                         std::uint32_t instruction) const {
  return plugin::fail(diag, status, instruction, target_.backend + ": " + message);
}

// --- Memory and queues ---

Machine *Device::machine(bp_status &status, const bp_diag_t *diag) {
  std::lock_guard lock(mutex_);
  if (machine_ == nullptr) {
    machine_ = options().is_emulated ? make_emulator(target_, options().memory_bytes) : open_machine(status, diag);
  }
  return machine_.get();
}

bp_status Device::allocate(std::uint32_t space, std::uint64_t size, std::uint32_t alignment, bp_memory_t *out,
                           const bp_diag_t *diag) {
  if (space != 0 || size == 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return refuse(diag, BP_INVALID,
                  std::to_string(size) + " bytes of space " + std::to_string(space) + " aligned to " +
                      std::to_string(alignment) + ", expected some, of space 0, and a power of two");
  }
  bp_status status = BP_OK;
  Machine *opened = machine(status, diag);
  if (opened == nullptr) {
    return status;
  }
  std::uint64_t address = 0;
  status = opened->allocate(size, alignment, address, diag);
  if (status == BP_OK) {
    *out = {address, nullptr, address};
  }
  return status;
}

void Device::release(std::uint64_t memory) {
  std::unique_lock lock(mutex_);
  Machine *opened = machine_.get();
  lock.unlock();
  if (opened != nullptr) {
    opened->release(memory);
  }
}

bp_status Device::copy(bp_loc_t to, bp_loc_t from, std::uint64_t size, const bp_diag_t *diag) {
  bp_status status = BP_OK;
  Machine *opened = machine(status, diag);
  if (opened == nullptr) {
    return status;
  }
  status = start_copy(*opened, to, from, size, diag);
  return status == BP_OK ? opened->finish(diag) : status;
}

Queue *Device::queue(std::uint32_t index, bp_status &status, const bp_diag_t *diag) {
  if (index >= std::size(queue_kinds)) {
    status = refuse(diag, BP_INVALID,
                    "there is no queue " + std::to_string(index) + ", expected one below " +
                        std::to_string(std::size(queue_kinds)));
    return nullptr;
  }
  Machine *opened = machine(status, diag);
  if (opened == nullptr) {
    return nullptr;
  }
  std::lock_guard lock(mutex_);
  if (queues_[index] == nullptr) {
    queues_[index] = std::make_unique<Queue>(host, *opened, board_, queue_kinds[index],
                                             [opened](const bp_command_t &command, const bp_diag_t *report) {
                                               return start_command(*opened, command, report);
                                             });
  }
  return queues_[index].get();
}

bp_status Device::submit(std::uint32_t index, const bp_command_t *commands, std::uint32_t count, bp_point_t done,
                         const bp_diag_t *diag) {
  bp_status status = BP_OK;
  Queue *to = queue(index, status, diag);
  return to == nullptr ? status : to->submit(commands, count, done, diag);
}

bp_status Device::wait(std::uint32_t index, bp_point_t point, const bp_diag_t *diag) {
  bp_status status = BP_OK;
  if (Queue *waiting = queue(index, status, diag); waiting != nullptr) {
    waiting->wait(point);
  }
  return status;
}

// --- Programs ---

bp_status Device::claim(const bp_module_t *image, float *cost_ns, const bp_diag_t *diag) const {
  std::string error;
  const auto module = emit::ModuleView::open(image, error);
  if (module == nullptr) {
    return refuse(diag, BP_INVALID, error);
  }
  std::fill_n(cost_ns, module->instruction_count(), 0.0f);
  for (std::uint32_t c = 0; c < module->computation_count(); ++c) {
    const emit::ComputationView computation = module->computation(c);
    for (std::uint32_t n = 0; n < computation.instruction_count() && !computation.embedded(); ++n) {
      const emit::InstructionView instruction = module->instruction(computation.first_instruction() + n);
      const std::string problem = launch_problem(instruction, target_);
      cost_ns[instruction.id()] = problem.empty() ? cost_of(instruction, target_.threads) : -1;
      if (!problem.empty()) {
        diag->report(diag, BP_UNSUPPORTED, instruction.id(),
                     (target_.backend + ": " + std::string(instruction.name()) + " " + problem).c_str());
      }
    }
  }
  return BP_OK;
}

bool Device::dump(std::string_view name, const char *ending, const std::string &text, std::string &error) const {
  if (options().dump_dir.empty()) {
    return true;
  }
  const std::string path = options().dump_dir + "/" + std::string(name) + ending;
  errno = 0;
  if (!(std::ofstream(path, std::ios::binary) << text).flush()) {
    error = "cannot write " + path + ": " + std::generic_category().message(errno);
    return false;
  }
  return true;
}

bp_status Device::compile(const bp_module_t *image, const bp_ostream_t *out, const bp_diag_t *diag) const {
  std::string error;
  const auto module = emit::ModuleView::open(image, error);
  if (module == nullptr) {
    return refuse(diag, BP_INVALID, error);
  }
  CodeRequest request = options().is_emulated ? CodeRequest{.make_machine = make_host_machine} : code_request();
  emit::throw_when_out_of_memory();
  const emit::Fragile<llvm::TargetMachine> machine(request.make_machine(error).release());
  if (machine == nullptr) {
    return refuse(diag, BP_INTERNAL, error);
  }
  const auto context = emit::make_fragile<llvm::LLVMContext>();
  const auto module_of_kernels = emit::make_fragile<llvm::Module>("kernels", *context);
  llvm::Module &code = *module_of_kernels;
  code.setTargetTriple(machine->getTargetTriple().str());
  code.setDataLayout(machine->createDataLayout());
  emit::avoid_f64(code);
  if (target_.has_bf16_instructions) {
    emit::set_bf16_rounding(
        code, options().is_emulated ? emit::Bf16Rounding::LikeInstruction : emit::Bf16Rounding::Instruction);
  }
  const auto instructions =
      options().is_emulated ? emit::NarrowConversion::LikeInstructions : emit::NarrowConversion::Instructions;
  emit::set_narrow_conversion(code, target_.has_f8_instructions ? instructions : emit::NarrowConversion::Floats);
  Artifact artifact;
  artifact.target = target_text_;
  emit::Problem problem;
  const auto threads = options().is_emulated ? make_emulated_threads(target_, options().finds_races) : make_threads();
  if (!gpu::compile(*module, *threads, code, artifact.plan, problem)) {
    const bp_status status = problem.unsupported                                  ? BP_UNSUPPORTED
                             : problem.instruction == BP_NONE && !module->final() ? BP_INVALID
                                                                                  : BP_INTERNAL;
    return refuse(diag, status, problem.message, problem.instruction);
  }
  const std::string plan_text =
      to_text(artifact.plan, [&](std::uint32_t id) { return std::string(module->instruction(id).name()); });
  if (!dump(module->name(), ".plan.txt", plan_text, error)) {
    return refuse(diag, BP_INTERNAL, error);
  }
  if (options().emit == "plan") {
    return plugin::write(out, plan_text);
  }
  GeneratedCode generated;
  if (artifact.plan.kernel_count > 0 || !options().emit.empty()) {
    request.wants_llvm = options().emit == "llvm" || !options().dump_dir.empty();
    request.wants_code = options().emit != "llvm";
    if (!generate_code(code, request, services_, generated, error)) {
      return refuse(diag, BP_INTERNAL, error);
    }
  }
  const auto text_of_code = [&] {
    return generated.parts.size() == 1 ? generated.parts[0].code : whole_code(generated.parts);
  };
  if (!dump(module->name(), ".ll", generated.llvm, error) ||
      !dump(module->name(), options().is_emulated ? ".o" : code_ending(), text_of_code(), error)) {
    return refuse(diag, BP_INTERNAL, error);
  }
  if (!options().emit.empty()) {
    return plugin::write(out, options().emit == "llvm" ? generated.llvm : text_of_code());
  }
  artifact.parts = std::move(generated.parts);
  return plugin::write(out, write_artifact(artifact, format_));
}

bp_status Device::load(std::span<const char> bytes, std::uint32_t allocation_count, const bp_program_t **program,
                       const bp_diag_t *diag) {
  if (!options().emit.empty()) {
    return refuse(diag, BP_INVALID, "with option emit=" + options().emit + " nothing is made that runs: leave it out");
  }
  std::string error;
  auto artifact = read_artifact(bytes, format_, error);
  if (!artifact) {
    return refuse(diag, BP_INVALID, error);
  }
  if (artifact->target != target_text_) {
    return refuse(diag, BP_INVALID, "artifact is for " + artifact->target + ", expected " + target_text_);
  }
  if (artifact->plan.allocation_sizes.size() != std::size_t{allocation_count} + 1) {
    return refuse(diag, BP_INVALID,
                  "artifact has " + std::to_string(artifact->plan.allocation_sizes.size() - 1) +
                      " allocations, expected " + std::to_string(allocation_count));
  }
  bp_status status = BP_OK;
  Machine *on = machine(status, diag);
  return on == nullptr ? status : load_program(std::move(*artifact), *on, program, diag);
}

}  // namespace bp::gpu
