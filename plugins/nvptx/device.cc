// NVIDIA's GPUs, through LLVM's NVPTX: what the backend says about itself, and the way from the ABI to its parts.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>

#include "backplane/backplane.h"
#include "backplane/ext/draft/fusion.h"
#include "backplane/ext/queue.h"
#include "plugin_api/cpp/call.h"
#include "plugin_api/cpp/host_services.h"
#include "plugin_api/cpp/single_device.h"
#include "plugins/gpu/code_generation.h"
#include "plugins/gpu/compiler.h"
#include "plugins/gpu/emulator/emulator.h"
#include "plugins/gpu/emulator/host_target.h"
#include "plugins/gpu/machine.h"
#include "plugins/gpu/program.h"
#include "plugins/gpu/queue.h"
#include "plugins/gpu/transfer.h"
#include "plugins/llvm/fragile.h"
#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/math.h"
#include "plugins/llvm/scalar/narrow_float.h"
#include "plugins/nvptx/driver.h"
#include "plugins/nvptx/gpu_threads.h"
#include "plugins/nvptx/options.h"
#include "plugins/nvptx/ptx.h"
#include "plugins/nvptx/target.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 1,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.nvptx",
    "aliases": ["nvptx"],
    "name": "NVIDIA GPU",
    "extensions": ["bp.memory/1", "bp.compiler/1", "bp.queue/1", "bp.native-sync/1", "bp.fusion/1"]
  }]
})");

namespace bp::nvptx {
namespace {

using plugin::fail;

constexpr const char *features[] = {BP_EXT_MEMORY,      BP_EXT_COMPILER, BP_EXT_QUEUE,
                                    BP_EXT_NATIVE_SYNC, BP_EXT_FUSION,   nullptr};
// Copies do not wait for runs.
constexpr std::uint32_t queue_kinds[] = {1u << BP_COMMAND_COPY | 1u << BP_COMMAND_FILL, 1u << BP_COMMAND_RUN};

class NvptxDevice {
 public:
  static constexpr bp_device_desc_t description = {BP_VERSION_INIT,
                                                   1,
                                                   "dev.backplane.nvptx",
                                                   "NVIDIA GPU",
                                                   "Backplane",
                                                   "0.1.0",
                                                   nullptr,
                                                   features,
                                                   option_descriptions,
                                                   std::size(option_descriptions)};
  bp_device_t abi;
  const bp_host_t *host;
  std::uint32_t instance;  // BP_NONE: offline

  bp_status set_option(std::string_view key, const char *value, const bp_diag_t *diag) {
    return options_.set(key, value, diag);
  }
  bp_status init(const bp_diag_t *diag);
  const void *extension(std::string_view id) const;

  bp_status claim(const bp_module_t *module, float *cost_ns, const bp_diag_t *diag) const;
  bp_status compile(const bp_module_t *module, const bp_ostream_t *out, const bp_diag_t *diag) const;
  bp_status load(std::span<const char> bytes, std::uint32_t allocation_count, const bp_program_t **program,
                 const bp_diag_t *diag);
  // Opened when it is first needed. Null, and says why, if that fails.
  gpu::Machine *machine(bp_status &status, const bp_diag_t *diag);
  // Null if it was never needed.
  gpu::Machine *opened_machine();
  // The same for a queue, whose index is one of queue_kinds.
  gpu::Queue *queue(std::uint32_t index, bp_status &status, const bp_diag_t *diag);

 private:
  // What is known of the GPU, and from it the target, unless that was given.
  void look_for_gpu();
  // Into the folder of the option, if it was given. False with the reason.
  bool dump(std::string_view name, const char *extension, const std::string &text, std::string &error) const;

  Options options_;
  std::string target_text_;
  Target target_{90, true};
  std::optional<GpuFacts> gpu_;
  std::string why_no_gpu_;  // empty: it can be used
  bp_space_t space_{"global", 0, 256, 0, 0, 0};
  bp_device_memory_t memory_extension_{};
  plugin::HostServices services_;
  std::mutex mutex_;
  std::unique_ptr<gpu::Machine> machine_;
  gpu::Board board_;
  std::unique_ptr<gpu::Queue> queues_[std::size(queue_kinds)];  // they use machine and board
};

NvptxDevice &self(const bp_device_t *device) {
  return plugin::device_of<NvptxDevice>(device);
}

bp_status start_command(gpu::Machine &machine, const bp_command_t &command, const bp_diag_t *diag) {
  switch (command.kind) {
    case BP_COMMAND_RUN: return gpu::start_run(command.program, *command.run, diag);
    case BP_COMMAND_COPY: return gpu::start_copy(machine, command.to, command.from, command.size, diag);
    default: return gpu::start_fill(machine, command.to, command.size, command.pattern, command.pattern_size, diag);
  }
}

// --- The ABI's functions ---

bp_status claim(const bp_device_t *device, const bp_module_t *module, float *cost_ns, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&] { return self(device).claim(module, cost_ns, diag); });
}
bp_status compile_module(const bp_device_t *device, const bp_module_t *module, const bp_ostream_t *artifact,
                         const bp_diag_t *diag) {
  return plugin::guarded(diag, [&] { return self(device).compile(module, artifact, diag); });
}
bp_status load(const bp_device_t *device, const void *artifact, std::uint64_t size, const bp_loc_t *, std::uint8_t *,
               std::uint32_t allocation_count, const bp_program_t **program, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&] {
    return self(device).load({static_cast<const char *>(artifact), size}, allocation_count, program, diag);
  });
}
bp_status alloc(const bp_device_t *device, std::uint32_t space, std::uint64_t size, std::uint32_t alignment,
                bp_memory_t *out, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&]() -> bp_status {
    if (space != 0 || size == 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
      return fail(diag, BP_INVALID,
                  "nvptx: " + std::to_string(size) + " bytes of space " + std::to_string(space) + " aligned to " +
                      std::to_string(alignment) + ", expected some, of space 0, and a power of two");
    }
    bp_status status = BP_OK;
    gpu::Machine *machine = self(device).machine(status, diag);
    if (machine == nullptr) {
      return status;
    }
    std::uint64_t address = 0;
    status = machine->allocate(size, alignment, address, diag);
    if (status == BP_OK) {
      *out = {address, nullptr, address};
    }
    return status;
  });
}
void release(const bp_device_t *device, std::uint64_t memory) {
  if (gpu::Machine *machine = self(device).opened_machine(); machine != nullptr) {
    machine->release(memory);
  }
}
bp_status copy(const bp_device_t *device, bp_loc_t to, bp_loc_t from, std::uint64_t size, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&]() -> bp_status {
    bp_status status = BP_OK;
    gpu::Machine *machine = self(device).machine(status, diag);
    if (machine == nullptr) {
      return status;
    }
    status = gpu::start_copy(*machine, to, from, size, diag);
    return status == BP_OK ? machine->finish(diag) : status;
  });
}
bp_status submit(const bp_device_t *device, std::uint32_t index, const bp_command_t *commands, std::uint32_t count,
                 bp_point_t done, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&]() -> bp_status {
    bp_status status = BP_OK;
    gpu::Queue *queue = self(device).queue(index, status, diag);
    return queue == nullptr ? status : queue->submit(commands, count, done, diag);
  });
}

bp_status wait(const bp_device_t *device, std::uint32_t index, bp_point_t point, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&]() -> bp_status {
    bp_status status = BP_OK;
    gpu::Queue *queue = self(device).queue(index, status, diag);
    if (queue != nullptr) {
      queue->wait(point);
    }
    return status;
  });
}

constexpr bp_device_compiler_t compiler_extension = {claim, compile_module, load};
constexpr bp_device_queue_t queue_extension = {queue_kinds, std::size(queue_kinds), submit};
constexpr bp_device_native_sync_t native_sync_extension = {wait};
// Some 64,000 threads, with vectors of four, are enough to do. The rows that a whole GPU works on at a time stay in its
// second-level cache.
constexpr std::uint32_t fused_kinds = BP_FUSES_CONTRACTIONS | BP_FUSES_ROWS | BP_FUSES_RESULTS | BP_FUSES_PROLOGUES;
constexpr bp_fusion_limits_t fusion_limits = {fused_kinds, 256, 64, 1 << 18, std::uint64_t{1} << 17, 256};
constexpr bp_device_fusion_t fusion_extension = {&fusion_limits};

// --- The device ---

bp_status NvptxDevice::init(const bp_diag_t *diag) {
  if (options_.is_emulated && options_.emit == "ptx") {
    return fail(diag, BP_INVALID, "nvptx: an emulated GPU has no PTX: leave out emulate, or emit llvm or plan");
  }
  if (!options_.cache_dir.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options_.cache_dir, error);
    if (error) {
      return fail(diag, BP_INVALID, "nvptx: cache-dir " + options_.cache_dir + " cannot be made: " + error.message());
    }
  }
  if (options_.is_emulated) {
    target_ = options_.target.value_or(target_);
    target_text_ = "emulated " + target_.text();
    space_.capacity = options_.memory_bytes;
  } else {
    look_for_gpu();
    target_text_ = target_.text();
  }
  if (options_.may_round) {
    target_text_ += " with tf32";
  }
  if (!options_.emit.empty()) {
    target_text_ += " as " + options_.emit;
  }
  if (options_.is_emulated) {
    target_text_ += " on " + gpu::host_text();
  }
  abi.target = target_text_.c_str();
  services_ = plugin::HostServices(host);
  memory_extension_ = {&space_, 1, alloc, release, copy};
  return BP_OK;
}

void NvptxDevice::look_for_gpu() {
  target_ = options_.target.value_or(target_);
  if (instance == BP_NONE) {
    why_no_gpu_ = "the device was made offline, to compile only";
    return;
  }
  gpu_ = find_gpu(options_.driver, why_no_gpu_);
  if (!gpu_) {
    return;
  }
  space_.capacity = gpu_->memory_bytes;
  space_.gb_per_s = gpu_->gb_per_s;
  const auto best = target_for(gpu_->capability, why_no_gpu_);
  if (!best) {
    why_no_gpu_ += "; without a GPU: --set emulate=1";
    return;
  }
  target_ = options_.target.value_or(*best);
  if (!runs_on(target_, gpu_->capability)) {
    why_no_gpu_ = "code for " + target_.text() + " does not run on " + gpu_->name + ", expected " + best->text() +
                  ": leave out --set target to compile for the GPU that is there";
  } else if (const int oldest = oldest_driver(target_); gpu_->driver->version < oldest) {
    why_no_gpu_ = "code for " + target_.text() + " is PTX " + ptx_version(target_) +
                  ", for which the driver, of CUDA " + version_text(gpu_->driver->version) +
                  ", is too old: update it to one for CUDA " + version_text(oldest) +
                  " or later, or --set target=sm_80";
  }
}

const void *NvptxDevice::extension(std::string_view id) const {
  if (id == BP_EXT_MEMORY) {
    return &memory_extension_;
  }
  if (id == BP_EXT_FUSION) {
    return &fusion_extension;
  }
  if (id == BP_EXT_QUEUE) {
    return &queue_extension;
  }
  if (id == BP_EXT_NATIVE_SYNC) {
    return &native_sync_extension;
  }
  return id == BP_EXT_COMPILER ? &compiler_extension : nullptr;
}

gpu::Machine *NvptxDevice::machine(bp_status &status, const bp_diag_t *diag) {
  std::lock_guard lock(mutex_);
  if (machine_ == nullptr) {
    if (options_.is_emulated) {
      machine_ = gpu::make_emulator(gpu_target(target_, options_.may_round), options_.memory_bytes);
    } else if (!why_no_gpu_.empty()) {
      status = fail(diag, BP_DEVICE_LOST, "nvptx: " + why_no_gpu_);
    } else {
      machine_ = open_gpu(*gpu_, {options_.cache_dir, options_.has_graphs, services_}, status, diag);
    }
  }
  return machine_.get();
}

gpu::Machine *NvptxDevice::opened_machine() {
  std::lock_guard lock(mutex_);
  return machine_.get();
}

gpu::Queue *NvptxDevice::queue(std::uint32_t index, bp_status &status, const bp_diag_t *diag) {
  if (index >= std::size(queue_kinds)) {
    status = fail(diag, BP_INVALID,
                  "nvptx: there is no queue " + std::to_string(index) + ", expected one below " +
                      std::to_string(std::size(queue_kinds)));
    return nullptr;
  }
  gpu::Machine *opened = machine(status, diag);
  if (opened == nullptr) {
    return nullptr;
  }
  std::lock_guard lock(mutex_);
  if (queues_[index] == nullptr) {
    queues_[index] = std::make_unique<gpu::Queue>(host, *opened, board_, queue_kinds[index],
                                                  [opened](const bp_command_t &command, const bp_diag_t *report) {
                                                    return start_command(*opened, command, report);
                                                  });
  }
  return queues_[index].get();
}

// Nanoseconds: a launch, memory at 3000 GB/s, and what a prologue does again and again, at some 20 instructions in a
// picosecond, of which an op takes eight.
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

bp_status NvptxDevice::claim(const bp_module_t *image, float *cost_ns, const bp_diag_t *diag) const {
  std::string error;
  const auto module = emit::ModuleView::open(image, error);
  if (module == nullptr) {
    return fail(diag, BP_INVALID, "nvptx: " + error);
  }
  const gpu::Target target = gpu_target(target_, options_.may_round);
  std::fill_n(cost_ns, module->instruction_count(), 0.0f);
  for (std::uint32_t c = 0; c < module->computation_count(); ++c) {
    const emit::ComputationView computation = module->computation(c);
    for (std::uint32_t n = 0; n < computation.instruction_count() && !computation.embedded(); ++n) {
      const emit::InstructionView instruction = module->instruction(computation.first_instruction() + n);
      const std::string problem = gpu::launch_problem(instruction, target);
      cost_ns[instruction.id()] = problem.empty() ? cost_of(instruction, target.threads) : -1;
      if (!problem.empty()) {
        diag->report(diag, BP_UNSUPPORTED, instruction.id(),
                     ("nvptx: " + std::string(instruction.name()) + " " + problem).c_str());
      }
    }
  }
  return BP_OK;
}

bool NvptxDevice::dump(std::string_view name, const char *extension, const std::string &text,
                       std::string &error) const {
  if (options_.dump_dir.empty()) {
    return true;
  }
  const std::string path = options_.dump_dir + "/" + std::string(name) + extension;
  errno = 0;
  if (!(std::ofstream(path, std::ios::binary) << text).flush()) {
    error = "cannot write " + path + ": " + std::generic_category().message(errno);
    return false;
  }
  return true;
}

bp_status NvptxDevice::compile(const bp_module_t *image, const bp_ostream_t *out, const bp_diag_t *diag) const {
  std::string error;
  const auto module = emit::ModuleView::open(image, error);
  if (module == nullptr) {
    return fail(diag, BP_INVALID, "nvptx: " + error);
  }
  const auto make_machine = [this](std::string &why) {
    return options_.is_emulated ? gpu::make_host_machine(why) : make_target_machine(target_, why);
  };
  emit::throw_when_out_of_memory();
  const emit::Fragile<llvm::TargetMachine> machine(make_machine(error).release());
  if (machine == nullptr) {
    return fail(diag, BP_INTERNAL, "nvptx: " + error);
  }
  const auto context = emit::make_fragile<llvm::LLVMContext>();
  const auto module_of_kernels = emit::make_fragile<llvm::Module>("kernels", *context);
  llvm::Module &code = *module_of_kernels;
  code.setTargetTriple(machine->getTargetTriple().str());
  code.setDataLayout(machine->createDataLayout());
  emit::avoid_f64(code);
  const gpu::Target target = gpu_target(target_, options_.may_round);
  if (target.has_bf16_instructions) {
    emit::set_bf16_rounding(
        code, options_.is_emulated ? emit::Bf16Rounding::LikeInstruction : emit::Bf16Rounding::Instruction);
  }
  const auto instructions =
      options_.is_emulated ? emit::NarrowConversion::LikeInstructions : emit::NarrowConversion::Instructions;
  emit::set_narrow_conversion(code, target.has_f8_instructions ? instructions : emit::NarrowConversion::Floats);
  gpu::Artifact artifact;
  artifact.target = target_text_;
  emit::Problem problem;
  const auto threads =
      options_.is_emulated ? gpu::make_emulated_threads(target, options_.finds_races) : make_gpu_threads(target);
  if (!gpu::compile(*module, *threads, code, artifact.plan, problem)) {
    const bp_status status = problem.unsupported                                  ? BP_UNSUPPORTED
                             : problem.instruction == BP_NONE && !module->final() ? BP_INVALID
                                                                                  : BP_INTERNAL;
    return fail(diag, status, problem.instruction, "nvptx: " + problem.message);
  }
  const std::string plan_text =
      gpu::to_text(artifact.plan, [&](std::uint32_t id) { return std::string(module->instruction(id).name()); });
  if (!dump(module->name(), ".plan.txt", plan_text, error)) {
    return fail(diag, BP_INTERNAL, "nvptx: " + error);
  }
  if (options_.emit == "plan") {
    return plugin::write(out, plan_text);
  }
  gpu::GeneratedCode generated;
  if (artifact.plan.kernel_count > 0 || !options_.emit.empty()) {
    gpu::CodeRequest request = {.make_machine = make_machine,
                                .wants_llvm = options_.emit == "llvm" || !options_.dump_dir.empty(),
                                .wants_code = options_.emit != "llvm"};
    if (!options_.is_emulated) {
      request.is_assembly = request.may_divide = true;
      request.prepare = store_bytes_as_words;
      request.rewrite = without_call_numbers;
    }
    if (!gpu::generate_code(code, request, services_, generated, error)) {
      return fail(diag, BP_INTERNAL, "nvptx: " + error);
    }
  }
  if (!dump(module->name(), ".ll", generated.llvm, error) ||
      !dump(module->name(), options_.is_emulated ? ".o" : ".ptx", whole_ptx(generated.parts), error)) {
    return fail(diag, BP_INTERNAL, "nvptx: " + error);
  }
  if (!options_.emit.empty()) {
    return plugin::write(out, options_.emit == "llvm" ? generated.llvm : whole_ptx(generated.parts));
  }
  artifact.parts = std::move(generated.parts);
  return plugin::write(out, gpu::write_artifact(artifact, artifact_format));
}

bp_status NvptxDevice::load(std::span<const char> bytes, std::uint32_t allocation_count, const bp_program_t **program,
                            const bp_diag_t *diag) {
  if (!options_.emit.empty()) {
    return fail(diag, BP_INVALID,
                "nvptx: with option emit=" + options_.emit + " nothing is made that runs: leave it out");
  }
  std::string error;
  auto artifact = gpu::read_artifact(bytes, artifact_format, error);
  if (!artifact) {
    return fail(diag, BP_INVALID, "nvptx: " + error);
  }
  if (artifact->target != target_text_) {
    return fail(diag, BP_INVALID, "nvptx: artifact is for " + artifact->target + ", expected " + target_text_);
  }
  if (artifact->plan.allocation_sizes.size() != std::size_t{allocation_count} + 1) {
    return fail(diag, BP_INVALID,
                "nvptx: artifact has " + std::to_string(artifact->plan.allocation_sizes.size() - 1) +
                    " allocations, expected " + std::to_string(allocation_count));
  }
  bp_status status = BP_OK;
  gpu::Machine *on = machine(status, diag);
  return on == nullptr ? status : gpu::load_program(std::move(*artifact), *on, program, diag);
}

}  // namespace
}  // namespace bp::nvptx

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<bp::nvptx::NvptxDevice>::entry;
