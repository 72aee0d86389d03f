// NVIDIA's GPUs, through LLVM's NVPTX: what the backend says about itself, and the way from the ABI to its parts.
#include <algorithm>
#include <charconv>
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
#include "plugins/llvm/kernel.h"
#include "plugins/nvptx/code_generation.h"
#include "plugins/nvptx/compiler.h"
#include "plugins/nvptx/driver.h"
#include "plugins/nvptx/machine.h"
#include "plugins/nvptx/queue.h"
#include "plugins/nvptx/target.h"
#include "plugins/nvptx/transfer.h"

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
constexpr const char *emit_choices[] = {"llvm", "ptx", "plan", nullptr};
constexpr bp_option_desc_t options[] = {
    {"emulate", "0", "run kernels on the host, thread by thread, without a GPU", nullptr, BP_OPTION_SWITCH, 0},
    {"target", nullptr,
     "what to compile for: sm_75, sm_80, sm_90 or sm_90a; otherwise the GPU that is there, or sm_90a", nullptr,
     BP_OPTION_TEXT, 0},
    {"driver", "libcuda.so.1", "the library of NVIDIA's driver, with its path if it is where the system does not look",
     nullptr, BP_OPTION_TEXT, 0},
    {"cache-dir", nullptr, "a folder for machine code that the driver makes of PTX; none: the driver's own cache alone",
     nullptr, BP_OPTION_TEXT, 0},
    {"memory", "4294967296", "bytes of the emulated GPU", nullptr, BP_OPTION_INTEGER, 0},
    {"dump-dir", nullptr, "a folder to write LLVM IR, PTX and launch plans to", nullptr, BP_OPTION_TEXT, 0},
    {"emit", nullptr, "what to compile to instead of an artifact: optimized LLVM IR, PTX, or the launch plan, as text",
     emit_choices, BP_OPTION_TEXT, 0},
};

// Copies do not wait for runs.
constexpr std::uint32_t queue_kinds[] = {1u << BP_COMMAND_COPY | 1u << BP_COMMAND_FILL, 1u << BP_COMMAND_RUN};

class NvptxDevice {
 public:
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT, 1,       "dev.backplane.nvptx", "NVIDIA GPU", "Backplane", "0.1.0", nullptr,
      features,        options, std::size(options)};
  bp_device_t abi;
  const bp_host_t *host;
  std::uint32_t instance;  // BP_NONE: offline

  bp_status set_option(std::string_view key, const char *value, const bp_diag_t *diag);
  bp_status init(const bp_diag_t *diag);
  const void *extension(std::string_view id) const;

  bp_status claim(const bp_module_t *module, float *cost_ns, const bp_diag_t *diag) const;
  bp_status compile(const bp_module_t *module, const bp_ostream_t *out, const bp_diag_t *diag) const;
  bp_status load(std::span<const char> bytes, std::uint32_t allocation_count, const bp_program_t **program,
                 const bp_diag_t *diag);
  // Opened when it is first needed. Null, and says why, if that fails.
  Machine *machine(bp_status &status, const bp_diag_t *diag);
  // Null if it was never needed.
  Machine *opened_machine();
  // The same for a queue, whose index is one of queue_kinds.
  Queue *queue(std::uint32_t index, bp_status &status, const bp_diag_t *diag);

 private:
  // What is known of the GPU, and from it the target, unless that was given.
  void look_for_gpu();
  void dump(std::string_view name, const char *extension, const std::string &text) const;

  bool is_emulated_ = false;
  std::uint64_t memory_bytes_ = std::uint64_t{4} << 30;
  std::string driver_ = "libcuda.so.1", cache_dir_, dump_dir_, target_text_;
  std::string emit_;  // one of emit_choices; empty: an artifact
  std::optional<Target> target_option_;
  Target target_{90, true};
  std::optional<GpuFacts> gpu_;
  std::string why_no_gpu_;  // empty: it can be used
  bp_space_t space_{"global", 0, 256, 0, 0, 0};
  bp_device_memory_t memory_extension_{};
  plugin::HostServices services_;
  std::mutex mutex_;
  std::unique_ptr<Machine> machine_;
  Board board_;
  std::unique_ptr<Queue> queues_[std::size(queue_kinds)];  // they use machine and board
};

struct LoadedProgram {
  bp_program_t abi{};
  LaunchPlan plan;
  std::unique_ptr<LoadedKernels> kernels;
  Machine *machine;
};

NvptxDevice &self(const bp_device_t *device) {
  return plugin::device_of<NvptxDevice>(device);
}

// --- Running a program ---

class Run {
 public:
  Run(const LoadedProgram &program, const bp_run_t &run, const bp_diag_t *diag)
      : plan_(program.plan), kernels_(*program.kernels), machine_(*program.machine), run_(run), diag_(diag) {}

  // What is to be done on the host is done on return; the rest are commands of the calling thread.
  bp_status start() {
    for (std::size_t at = 0; at < plan_.commands.size();) {
      std::size_t next = at + 1;
      if (const bp_status status = step(plan_.commands[at], next); status != BP_OK) {
        return status;
      }
      at = next;
    }
    return BP_OK;
  }

 private:
  std::uint64_t address(std::uint32_t place) const {
    const Place &at = plan_.places[place];
    const bp_loc_t base = at.allocation < run_.allocation_count ? run_.allocations[at.allocation] : run_.scratch;
    return base.memory + base.offset + at.offset;
  }

  bp_status step(const Command &command, std::size_t &next) {
    switch (command.kind) {
      case CommandKind::Launch: {
        pointers_.clear();
        for (std::uint32_t i = 0; i < command.count; ++i) {
          pointers_.push_back(reinterpret_cast<void *>(address(command.first + i)));
        }
        return kernels_.launch(command.kernel, command.grid, pointers_, diag_);
      }
      case CommandKind::Move:
        return machine_.move(address(command.first), address(command.first + 1), command.size, diag_);
      case CommandKind::Jump: next = command.target; return BP_OK;
      case CommandKind::JumpUnless: {
        std::uint8_t condition = 0;
        const bp_status status = machine_.copy_out(&condition, address(command.first), sizeof condition, diag_);
        next = condition == 0 ? command.target : next;
        return status;
      }
      case CommandKind::Switch: {
        std::uint32_t selector = 0;  // below 0 is not a branch either
        const bp_status status = machine_.copy_out(&selector, address(command.first), sizeof selector, diag_);
        next = plan_.targets[command.target + std::min(selector, command.count - 1)];
        return status;
      }
    }
    return BP_INTERNAL;
  }

  const LaunchPlan &plan_;
  const LoadedKernels &kernels_;
  Machine &machine_;
  const bp_run_t &run_;
  const bp_diag_t *diag_;
  std::vector<void *> pointers_;
};

bp_status start_run(const LoadedProgram &loaded, const bp_run_t &run, const bp_diag_t *diag) {
  const std::size_t expected = loaded.plan.allocation_sizes.size() - 1;
  if (run.allocation_count != expected) {
    return fail(diag, BP_INVALID,
                "nvptx: run has " + std::to_string(run.allocation_count) + " allocations, the program " +
                    std::to_string(expected));
  }
  return Run(loaded, run, diag).start();
}

const LoadedProgram &loaded_program(const bp_program_t *program) {
  return *static_cast<const LoadedProgram *>(program->program_data);
}

bp_status run_program(const bp_program_t *program, const bp_run_t *run, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&] {
    const LoadedProgram &loaded = loaded_program(program);
    const bp_status status = start_run(loaded, *run, diag);
    const bp_status finished = loaded.machine->finish(status == BP_OK ? diag : nullptr);
    return status == BP_OK ? finished : status;
  });
}

bp_status start_command(Machine &machine, const bp_command_t &command, const bp_diag_t *diag) {
  switch (command.kind) {
    case BP_COMMAND_RUN: return start_run(loaded_program(command.program), *command.run, diag);
    case BP_COMMAND_COPY: return start_copy(machine, command.to, command.from, command.size, diag);
    default: return start_fill(machine, command.to, command.size, command.pattern, command.pattern_size, diag);
  }
}

void destroy_program(const bp_program_t *program) {
  delete static_cast<LoadedProgram *>(program->program_data);
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
    Machine *machine = self(device).machine(status, diag);
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
  if (Machine *machine = self(device).opened_machine(); machine != nullptr) {
    machine->release(memory);
  }
}
bp_status copy(const bp_device_t *device, bp_loc_t to, bp_loc_t from, std::uint64_t size, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&]() -> bp_status {
    bp_status status = BP_OK;
    Machine *machine = self(device).machine(status, diag);
    if (machine == nullptr) {
      return status;
    }
    status = start_copy(*machine, to, from, size, diag);
    return status == BP_OK ? machine->finish(diag) : status;
  });
}
bp_status submit(const bp_device_t *device, std::uint32_t index, const bp_command_t *commands, std::uint32_t count,
                 bp_point_t done, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&]() -> bp_status {
    bp_status status = BP_OK;
    Queue *queue = self(device).queue(index, status, diag);
    return queue == nullptr ? status : queue->submit(commands, count, done, diag);
  });
}

bp_status wait(const bp_device_t *device, std::uint32_t index, bp_point_t point, const bp_diag_t *diag) {
  return plugin::guarded(diag, [&]() -> bp_status {
    bp_status status = BP_OK;
    Queue *queue = self(device).queue(index, status, diag);
    if (queue != nullptr) {
      queue->wait(point);
    }
    return status;
  });
}

constexpr bp_device_compiler_t compiler_extension = {claim, compile_module, load};
constexpr bp_device_queue_t queue_extension = {queue_kinds, std::size(queue_kinds), submit};
constexpr bp_device_native_sync_t native_sync_extension = {wait};
// The rows that a whole GPU works on at a time stay in its second-level cache.
constexpr bp_fusion_limits_t fusion_limits = {BP_FUSES_ROWS | BP_FUSES_RESULTS, 64, 64, 0, std::uint64_t{1} << 17, 256};
constexpr bp_device_fusion_t fusion_extension = {&fusion_limits};

// --- The device ---

bp_status NvptxDevice::set_option(std::string_view key, const char *value, const bp_diag_t *diag) {
  const std::string_view text(value);
  if (key == "emulate") {
    if (text != "0" && text != "1") {
      return fail(diag, BP_INVALID, "nvptx: emulate is " + std::string(text) + ", expected 0 or 1");
    }
    is_emulated_ = text == "1";
  } else if (key == "memory") {
    const auto [end, problem] = std::from_chars(value, value + text.size(), memory_bytes_);
    if (problem != std::errc() || end != value + text.size() || memory_bytes_ == 0) {
      return fail(diag, BP_INVALID, "nvptx: memory is " + std::string(text) + ", expected a number of bytes");
    }
  } else if (key == "dump-dir") {
    dump_dir_ = value;
  } else if (key == "emit") {
    if (std::find(std::begin(emit_choices), std::end(emit_choices) - 1, text) == std::end(emit_choices) - 1) {
      return fail(diag, BP_INVALID, "nvptx: emit is " + std::string(text) + ", expected llvm, ptx or plan");
    }
    emit_ = text;
  } else if (key == "cache-dir") {
    cache_dir_ = value;
  } else if (key == "driver") {
    driver_ = value;
  } else {
    std::string error;
    const auto parsed = parse_target(value, error);
    if (!parsed) {
      return fail(diag, BP_INVALID, "nvptx: " + error);
    }
    target_option_ = *parsed;
  }
  return BP_OK;
}

bp_status NvptxDevice::init(const bp_diag_t *diag) {
  if (is_emulated_ && emit_ == "ptx") {
    return fail(diag, BP_INVALID, "nvptx: an emulated GPU has no PTX: leave out emulate, or emit llvm or plan");
  }
  if (!cache_dir_.empty()) {
    std::error_code error;
    std::filesystem::create_directories(cache_dir_, error);
    if (error) {
      return fail(diag, BP_INVALID, "nvptx: cache-dir " + cache_dir_ + " cannot be made: " + error.message());
    }
  }
  if (is_emulated_) {
    target_text_ = "emulated";
    space_.capacity = memory_bytes_;
  } else {
    look_for_gpu();
    target_text_ = target_.text();
  }
  if (!emit_.empty()) {
    target_text_ += " as " + emit_;
  }
  abi.target = target_text_.c_str();
  services_ = plugin::HostServices(host);
  memory_extension_ = {&space_, 1, alloc, release, copy};
  return BP_OK;
}

void NvptxDevice::look_for_gpu() {
  target_ = target_option_.value_or(target_);
  if (instance == BP_NONE) {
    why_no_gpu_ = "the device was made offline, to compile only";
    return;
  }
  gpu_ = find_gpu(driver_, why_no_gpu_);
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
  target_ = target_option_.value_or(*best);
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

Machine *NvptxDevice::machine(bp_status &status, const bp_diag_t *diag) {
  std::lock_guard lock(mutex_);
  if (machine_ == nullptr) {
    if (is_emulated_) {
      machine_ = make_emulator(memory_bytes_);
    } else if (!why_no_gpu_.empty()) {
      status = fail(diag, BP_DEVICE_LOST, "nvptx: " + why_no_gpu_);
    } else {
      machine_ = open_gpu(*gpu_, cache_dir_, status, diag);
    }
  }
  return machine_.get();
}

Machine *NvptxDevice::opened_machine() {
  std::lock_guard lock(mutex_);
  return machine_.get();
}

Queue *NvptxDevice::queue(std::uint32_t index, bp_status &status, const bp_diag_t *diag) {
  if (index >= std::size(queue_kinds)) {
    status = fail(diag, BP_INVALID,
                  "nvptx: there is no queue " + std::to_string(index) + ", expected one below " +
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

// Nanoseconds: a launch, and memory at 3000 GB/s.
float cost_of(emit::InstructionView kernel) {
  double bytes = 0;
  for (std::size_t i = 0; i < kernel.operand_count(); ++i) {
    bytes += static_cast<double>(kernel.operand_shape(i).bytes());
  }
  for (std::size_t i = 0; i < kernel.result_count(); ++i) {
    bytes += static_cast<double>(kernel.shape(i).bytes());
  }
  return static_cast<float>(3000 + bytes / 3000);
}

bp_status NvptxDevice::claim(const bp_module_t *image, float *cost_ns, const bp_diag_t *diag) const {
  std::string error;
  const auto module = emit::ModuleView::open(image, error);
  if (module == nullptr) {
    return fail(diag, BP_INVALID, "nvptx: " + error);
  }
  std::fill_n(cost_ns, module->instruction_count(), 0.0f);
  for (std::uint32_t c = 0; c < module->computation_count(); ++c) {
    const emit::ComputationView computation = module->computation(c);
    for (std::uint32_t n = 0; n < computation.instruction_count() && !computation.embedded(); ++n) {
      const emit::InstructionView instruction = module->instruction(computation.first_instruction() + n);
      const std::string problem = emit::kernel_problem(instruction);
      cost_ns[instruction.id()] = problem.empty() ? cost_of(instruction) : -1;
      if (!problem.empty()) {
        diag->report(diag, BP_UNSUPPORTED, instruction.id(),
                     ("nvptx: " + std::string(instruction.name()) + " " + problem).c_str());
      }
    }
  }
  return BP_OK;
}

void NvptxDevice::dump(std::string_view name, const char *extension, const std::string &text) const {
  if (!dump_dir_.empty()) {
    std::ofstream(dump_dir_ + "/" + std::string(name) + extension) << text;
  }
}

bp_status NvptxDevice::compile(const bp_module_t *image, const bp_ostream_t *out, const bp_diag_t *diag) const {
  std::string error;
  const auto module = emit::ModuleView::open(image, error);
  if (module == nullptr) {
    return fail(diag, BP_INVALID, "nvptx: " + error);
  }
  const auto make_machine = [this](std::string &why) {
    return is_emulated_ ? make_host_machine(why) : make_target_machine(target_, why);
  };
  const auto machine = make_machine(error);
  if (machine == nullptr) {
    return fail(diag, BP_INTERNAL, "nvptx: " + error);
  }
  llvm::LLVMContext context;
  llvm::Module code("kernels", context);
  code.setTargetTriple(machine->getTargetTriple().str());
  code.setDataLayout(machine->createDataLayout());
  Artifact artifact;
  artifact.target = target_text_;
  emit::Problem problem;
  const auto threads = is_emulated_ ? make_emulated_threads() : make_gpu_threads(target_);
  if (!nvptx::compile(*module, *threads, code, artifact.plan, problem)) {
    const bp_status status = problem.unsupported                                  ? BP_UNSUPPORTED
                             : problem.instruction == BP_NONE && !module->final() ? BP_INVALID
                                                                                  : BP_INTERNAL;
    return fail(diag, status, problem.instruction, "nvptx: " + problem.message);
  }
  const std::string plan_text =
      to_text(artifact.plan, [&](std::uint32_t id) { return std::string(module->instruction(id).name()); });
  dump(module->name(), ".plan.txt", plan_text);
  if (emit_ == "plan") {
    return plugin::write(out, plan_text);
  }
  GeneratedCode generated;
  if (artifact.plan.kernel_count > 0 || !emit_.empty()) {
    const CodeRequest request{.make_machine = make_machine,
                              .is_ptx = !is_emulated_,
                              .wants_llvm = emit_ == "llvm" || !dump_dir_.empty(),
                              .wants_code = emit_ != "llvm"};
    if (!generate_code(code, request, services_, generated, error)) {
      return fail(diag, BP_INTERNAL, "nvptx: " + error);
    }
  }
  dump(module->name(), ".ll", generated.llvm);
  dump(module->name(), is_emulated_ ? ".o" : ".ptx", generated.code);
  if (!emit_.empty()) {
    return plugin::write(out, emit_ == "llvm" ? generated.llvm : generated.code);
  }
  artifact.code = std::move(generated.code);
  return plugin::write(out, write_artifact(artifact));
}

bp_status NvptxDevice::load(std::span<const char> bytes, std::uint32_t allocation_count, const bp_program_t **program,
                            const bp_diag_t *diag) {
  if (!emit_.empty()) {
    return fail(diag, BP_INVALID, "nvptx: with option emit=" + emit_ + " nothing is made that runs: leave it out");
  }
  std::string error;
  auto artifact = read_artifact(bytes, error);
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
  auto loaded = std::make_unique<LoadedProgram>();
  bp_status status = BP_OK;
  loaded->machine = machine(status, diag);
  if (loaded->machine == nullptr) {
    return status;
  }
  if (artifact->plan.kernel_count > 0) {
    loaded->kernels = loaded->machine->load(*artifact, status, diag);
    if (loaded->kernels == nullptr) {
      return status;
    }
    loaded->abi.resident_size = loaded->kernels->resident_bytes();
  }
  loaded->plan = std::move(artifact->plan);
  loaded->abi.program_data = loaded.get();
  loaded->abi.scratch_size = loaded->plan.scratch_bytes;
  loaded->abi.scratch_alignment = 256;
  loaded->abi.run = run_program;
  loaded->abi.destroy = destroy_program;
  *program = &loaded.release()->abi;
  return BP_OK;
}

}  // namespace
}  // namespace bp::nvptx

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<bp::nvptx::NvptxDevice>::entry;
