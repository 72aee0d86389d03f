#include "plugins/gpu/device.h"

#include <bit>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "plugins/gpu/compiler.h"
#include "plugins/gpu/emulator/emulator.h"
#include "plugins/gpu/emulator/host_target.h"
#include "plugins/gpu/launch_problem.h"
#include "plugins/gpu/transfer.h"
#include "plugins/llvm/fragile.h"
#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/math_precision.h"
#include "plugins/llvm/scalar/narrow_float.h"

namespace bp::gpu {

using plugin::Error;
using plugin::Result;
using plugin::Status;

namespace {

// Whether a command, with all before it, is done when it was started, as those are that end with Machine::copy_in() or
// copy_out().
bool ends_at_once(const bp_command_t &command) {
  return command.kind == BP_COMMAND_COPY && command.size > 0 && (command.to.memory == 0 || command.from.memory == 0);
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

}  // namespace

std::string Device::set_up(Target target, const std::string &target_text) {
  target_ = std::move(target);
  target_text_ = target_text;
  if (!options().emit.empty()) {
    target_text_ += " as " + options().emit;
  }
  if (options().is_emulated) {
    target_text_ += " on " + host_text();
    space_.capacity = options().memory_bytes;
  }
  return target_text_;
}

// --- Memory and queues ---

Result<Machine *> Device::machine() {
  const std::lock_guard lock(mutex_);
  if (machine_ == nullptr && options().is_emulated) {
    machine_ = make_emulator(target_, options().memory_bytes);
  } else if (machine_ == nullptr) {
    BP_ASSIGN(machine_, open_machine());
  }
  return machine_.get();
}

Status Device::check() const {
  const Machine *opened = opened_machine();
  return opened == nullptr ? Status() : opened->check();
}

Result<bp_memory_t> Device::alloc(std::uint32_t space, std::uint64_t size, std::uint32_t alignment) {
  if (space != 0 || size == 0 || !std::has_single_bit(alignment)) {
    return Error(BP_INVALID, std::to_string(size) + " bytes of space " + std::to_string(space) + " aligned to " +
                                 std::to_string(alignment) + ", expected some, of space 0, and a power of two");
  }
  BP_ASSIGN(Machine *const opened, machine());
  BP_ASSIGN(const std::uint64_t address, opened->allocate(size, alignment));
  return bp_memory_t{address, nullptr, address};
}

void Device::release(std::uint64_t memory) {
  if (Machine *opened = opened_machine()) {
    opened->release(memory);
  }
}

Status Device::copy(bp_loc_t to, bp_loc_t from, std::uint64_t size) {
  BP_ASSIGN(Machine *const opened, machine());
  BP_TRY(start_copy(*opened, to, from, size));
  return opened->finish();
}

Status Device::start(std::uint32_t, const bp_command_t &command) {
  BP_ASSIGN(Machine *const opened, machine());
  switch (command.kind) {
    case BP_COMMAND_RUN: return plugin::program_of<Program>(command.program).start(*command.run);
    case BP_COMMAND_COPY: return start_copy(*opened, command.to, command.from, command.size);
    default: return start_fill(*opened, command.to, command.size, command.pattern, command.pattern_size);
  }
}

Result<std::shared_ptr<const plugin::Mark>> Device::mark(std::uint32_t, const bp_command_t *last) {
  if (last != nullptr && ends_at_once(*last)) {
    return nullptr;
  }
  BP_ASSIGN(Machine *const opened, machine());
  auto mark = opened->mark();
  if (!mark.ok()) {
    (void)opened->finish();  // instead of the mark
  }
  return mark;
}

// --- Programs ---

Status Device::claim(const bp_module_t *image, plugin::Claims &claims) const {
  BP_ASSIGN(const auto module, emit::ModuleView::open(image));
  for (std::uint32_t c = 0; c < module->computation_count(); ++c) {
    const emit::ComputationView computation = module->computation(c);
    for (std::uint32_t n = 0; n < computation.instruction_count() && !computation.embedded(); ++n) {
      const emit::InstructionView instruction = module->instruction(computation.first_instruction() + n);
      const std::string problem = launch_problem(instruction, target_);
      if (problem.empty()) {
        claims.take(instruction.id(), cost_of(instruction, target_.threads));
      } else {
        claims.refuse(instruction.id(), std::string(instruction.name()) + " " + problem);
      }
    }
  }
  return {};
}

Status Device::dump(std::string_view name, const char *ending, const std::string &text) const {
  if (options().dump_dir.empty()) {
    return {};
  }
  const std::string path = options().dump_dir + "/" + std::string(name) + ending;
  errno = 0;
  if (!(std::ofstream(path, std::ios::binary) << text).flush()) {
    return Error(BP_INTERNAL, "cannot write " + path + ": " + std::generic_category().message(errno));
  }
  return {};
}

Result<std::string> Device::compile(const bp_module_t *image) const {
  BP_ASSIGN(const auto module, emit::ModuleView::open(image));
  CodeRequest request = options().is_emulated ? CodeRequest{.make_machine = make_host_machine} : code_request();
  emit::throw_when_out_of_memory();
  BP_ASSIGN(auto made, request.make_machine());
  const emit::Fragile<llvm::TargetMachine> machine(made.release());
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
  const auto threads = options().is_emulated ? make_emulated_threads(target_, options().finds_races) : make_threads();
  BP_ASSIGN(artifact.plan, gpu::compile(*module, *threads, code));
  const std::string plan_text =
      to_text(artifact.plan, [&](std::uint32_t id) { return std::string(module->instruction(id).name()); });
  BP_TRY(dump(module->name(), ".plan.txt", plan_text));
  if (options().emit == "plan") {
    return plan_text;
  }
  GeneratedCode generated;
  if (artifact.plan.kernel_count > 0 || !options().emit.empty()) {
    request.wants_llvm = options().emit == "llvm" || !options().dump_dir.empty();
    request.wants_code = options().emit != "llvm";
    request.may_divide = request.may_divide && request.wants_code;  // one module, which other tools read
    BP_ASSIGN(generated, generate_code(code, request, services));
  }
  const auto text_of_code = [&] {
    return generated.parts.size() == 1 ? generated.parts[0].code : whole_code(generated.parts);
  };
  BP_TRY(dump(module->name(), ".ll", generated.llvm));
  BP_TRY(dump(module->name(), options().is_emulated ? ".o" : code_ending(), text_of_code()));
  if (!options().emit.empty()) {
    return options().emit == "llvm" ? generated.llvm : text_of_code();
  }
  artifact.parts = std::move(generated.parts);
  return write_artifact(artifact, format_);
}

Result<std::unique_ptr<Program>> Device::load(std::span<const char> bytes, std::uint32_t allocation_count) {
  if (!options().emit.empty()) {
    return Error(BP_INVALID, "with option emit=" + options().emit + " nothing is made that runs: leave it out");
  }
  BP_ASSIGN(Artifact artifact, read_artifact(bytes, format_));
  if (artifact.target != target_text_) {
    return Error(BP_INVALID, "artifact is for " + artifact.target + ", expected " + target_text_);
  }
  if (artifact.plan.allocation_sizes.size() != std::size_t{allocation_count} + 1) {
    return Error(BP_INVALID, "artifact has " + std::to_string(artifact.plan.allocation_sizes.size() - 1) +
                                 " allocations, expected " + std::to_string(allocation_count));
  }
  BP_ASSIGN(Machine *const on, machine());
  return Program::load(std::move(artifact), *on);
}

}  // namespace bp::gpu
