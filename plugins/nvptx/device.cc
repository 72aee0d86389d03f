// The device of the backend for NVIDIA's GPUs, whose code is made by LLVM's NVPTX.
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "backplane/backplane.h"
#include "plugin_api/cpp/single_device.h"
#include "plugins/gpu/device.h"
#include "plugins/nvptx/driver.h"
#include "plugins/nvptx/gpu_threads.h"
#include "plugins/nvptx/options.h"
#include "plugins/nvptx/ptx.h"
#include "plugins/nvptx/target.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 2,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.nvptx",
    "aliases": ["nvptx"],
    "name": "NVIDIA GPU",
    "extensions": ["bp.memory/1", "bp.compiler/1", "bp.queue/1", "bp.native-sync/1", "bp.fusion/draft-3"]
  }]
})");

namespace bp::nvptx {
namespace {

using plugin::Error;
using plugin::Result;

class NvptxDevice final : public gpu::Device {
 public:
  static constexpr bp_device_desc_t description = {BP_VERSION_INIT,
                                                   2,
                                                   "dev.backplane.nvptx",
                                                   "NVIDIA GPU",
                                                   "Backplane",
                                                   "0.1.0",
                                                   nullptr,
                                                   nullptr,
                                                   option_descriptions,
                                                   std::size(option_descriptions)};
  static constexpr std::string_view message_prefix = nvptx::message_prefix;

  NvptxDevice() : Device(artifact_format) {}
  plugin::Status set_option(std::string_view key, std::string_view value) { return options_.set(key, value); }
  Result<std::string> init();

 private:
  // Finds the GPU and its properties, and the best target for it, unless a target was given.
  void look_for_gpu();

  const gpu::DeviceOptions &options() const override { return options_; }
  std::unique_ptr<gpu::Threads> make_threads() const override { return make_gpu_threads(target()); }
  gpu::CodeRequest code_request() const override {
    return {.make_machine = [this] { return make_target_machine(target_); },
            .is_assembly = true,
            .may_divide = true,
            .prepare = store_bytes_as_words,
            .rewrite = without_call_numbers};
  }
  std::string whole_code(std::span<const gpu::CodePart> parts) const override { return whole_ptx(parts); }
  const char *code_ending() const override { return ".ptx"; }
  Result<std::unique_ptr<gpu::Machine>> open_machine() override;

  Options options_;
  Target target_{90, true};
  std::optional<GpuFacts> gpu_;
  std::string why_no_gpu_;  // empty: there is a GPU that can be used
};

Result<std::string> NvptxDevice::init() {
  if (options_.is_emulated && options_.emit == "ptx") {
    return Error(BP_INVALID, "an emulated GPU has no PTX: leave out emulate, or emit llvm or plan");
  }
  if (!options_.cache_dir.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options_.cache_dir, error);
    if (error) {
      return Error(BP_INVALID, "cache-dir " + options_.cache_dir + " cannot be made: " + error.message());
    }
  }
  if (options_.is_emulated) {
    target_ = options_.target.value_or(target_);
  } else {
    look_for_gpu();
  }
  return set_up(gpu_target(target_, options_.may_round),
                (options_.is_emulated ? "emulated " : "") + target_.text() + (options_.may_round ? " with tf32" : ""));
}

void NvptxDevice::look_for_gpu() {
  target_ = options_.target.value_or(target_);
  if (instance == BP_NONE) {
    why_no_gpu_ = "the device was made offline, to compile only";
    return;
  }
  auto found = find_gpu(options_.driver);
  if (!found.ok()) {
    why_no_gpu_ = found.error().message();
    return;
  }
  gpu_ = std::move(found).value();
  set_memory(gpu_->memory_bytes, gpu_->gb_per_s);
  const auto best = target_for(gpu_->capability);
  if (!best) {
    why_no_gpu_ = best.error().message() + "; without a GPU: --set emulate=1";
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

Result<std::unique_ptr<gpu::Machine>> NvptxDevice::open_machine() {
  if (!why_no_gpu_.empty()) {
    return Error(BP_DEVICE_LOST, why_no_gpu_);
  }
  return open_gpu(*gpu_, {options_.cache_dir, options_.has_graphs, services});
}

}  // namespace
}  // namespace bp::nvptx

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<bp::nvptx::NvptxDevice>::entry;
