// Device: what the devices of all GPU backends have in common. A backend derives its device from it and says how code
// is made for its GPUs and how one of them is opened.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "backplane/backplane.h"
#include "plugin_api/cpp/device.h"
#include "plugins/gpu/artifact.h"
#include "plugins/gpu/code_generation.h"
#include "plugins/gpu/machine.h"
#include "plugins/gpu/program.h"
#include "plugins/gpu/threads.h"

namespace bp::gpu {

// Values of options that all backends have.
struct DeviceOptions {
  bool is_emulated = false;                             // kernels run on the host
  bool finds_races = false;                             // if they do
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  // of the emulated GPU
  // The output of compile() instead of an artifact: "llvm", "plan", or the name of the code of kernels. Empty: an
  // artifact.
  std::string emit;
  std::string dump_dir;  // a folder for all three; empty: none
};

// A device without its description, init() and options, for the frame in plugin_api/cpp/device.h.
class Device {
 public:
  // Copies do not wait for runs.
  static constexpr std::uint32_t queue_kinds[] = {1u << BP_COMMAND_COPY | 1u << BP_COMMAND_FILL, 1u << BP_COMMAND_RUN};
  // About 64,000 threads, with vectors of four elements, are enough work for a GPU. The rows that a whole GPU works on
  // at a time stay in its L2 cache.
  static constexpr bp_fusion_limits_t fusion_limits = {
      BP_FUSES_CONTRACTIONS | BP_FUSES_ROWS | BP_FUSES_RESULTS | BP_FUSES_PROLOGUES,
      256,
      64,
      1 << 18,
      std::uint64_t{1} << 17,
      256,
      1 << 18,
      0};

  plugin::HostServices services;
  std::uint32_t instance;  // BP_NONE: offline

  plugin::Status check() const;
  plugin::Status claim(const bp_module_t *image, plugin::Claims &claims) const;
  plugin::Result<std::string> compile(const bp_module_t *image) const;
  plugin::Result<std::unique_ptr<Program>> load(std::span<const char> bytes, std::uint32_t allocation_count);
  std::span<const bp_space_t> spaces() const { return {&space_, 1}; }
  plugin::Result<bp_memory_t> alloc(std::uint32_t space, std::uint64_t size, std::uint32_t alignment);
  void release(std::uint64_t memory);
  plugin::Status copy(bp_loc_t to, bp_loc_t from, std::uint64_t size);
  plugin::Status start(std::uint32_t queue, const bp_command_t &command);
  plugin::Result<std::shared_ptr<const plugin::Mark>> mark(std::uint32_t queue, const bp_command_t *last);

 protected:
  explicit Device(const ArtifactFormat &format) : format_(format) {}
  ~Device() = default;
  // Once, at the end of the backend's init(), which returns the result. target_text: the target and all that programs
  // compiled for it depend on.
  std::string set_up(Target target, const std::string &target_text);
  // Sets the properties of the GPU's memory. 0: unknown.
  void set_memory(std::uint64_t capacity, float gb_per_s) {
    space_.capacity = capacity;
    space_.gb_per_s = gb_per_s;
  }
  const Target &target() const { return target_; }

  virtual const DeviceOptions &options() const = 0;
  // The threads of the GPU, which are not emulated.
  virtual std::unique_ptr<Threads> make_threads() const = 0;
  // How their code is made; compile() sets what is wanted.
  virtual CodeRequest code_request() const = 0;
  // Joins the code of several parts, or of none, as text to read.
  virtual std::string whole_code(std::span<const CodePart> parts) const = 0;
  // The ending of the name of a file with such code, ".ptx".
  virtual const char *code_ending() const = 0;
  // Opens the GPU.
  virtual plugin::Result<std::unique_ptr<Machine>> open_machine() = 0;

 private:
  // The machine, opened when it is first needed.
  plugin::Result<Machine *> machine();
  Machine *opened_machine() const {
    const std::lock_guard lock(mutex_);
    return machine_.get();
  }
  // Writes a file to the folder of the option, if there is one. Fails with BP_INTERNAL if it cannot.
  plugin::Status dump(std::string_view name, const char *ending, const std::string &text) const;

  const ArtifactFormat format_;
  Target target_;
  std::string target_text_;
  bp_space_t space_{"global", 0, 256, 0, 0, 0};
  mutable std::mutex mutex_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace bp::gpu
