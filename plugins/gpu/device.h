// Device: what the devices of all GPU backends have in common. A backend derives its device from it and says how code
// is made for its GPUs and how one of them is opened; the functions of the ABI are in device_functions.h.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "backplane/backplane.h"
#include "backplane/ext/draft/fusion.h"
#include "backplane/ext/queue.h"
#include "plugin_api/cpp/host_services.h"
#include "plugins/gpu/artifact.h"
#include "plugins/gpu/code_generation.h"
#include "plugins/gpu/machine.h"
#include "plugins/gpu/queue.h"
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

// The extensions that device_functions.h has functions for.
inline constexpr const char *device_extensions[] = {BP_EXT_MEMORY,      BP_EXT_COMPILER, BP_EXT_QUEUE,
                                                    BP_EXT_NATIVE_SYNC, BP_EXT_FUSION,   nullptr};
// The kinds of commands that each queue takes, a bit each: copies do not wait for runs.
inline constexpr std::uint32_t queue_kinds[] = {1u << BP_COMMAND_COPY | 1u << BP_COMMAND_FILL, 1u << BP_COMMAND_RUN};
extern const bp_device_fusion_t fusion_extension;

class Device {
 public:
  bp_device_t abi;
  const bp_host_t *host;
  std::uint32_t instance;  // BP_NONE: offline

  bp_status claim(const bp_module_t *image, float *cost_ns, const bp_diag_t *diag) const;
  bp_status compile(const bp_module_t *image, const bp_ostream_t *out, const bp_diag_t *diag) const;
  bp_status load(std::span<const char> bytes, std::uint32_t allocation_count, const bp_program_t **program,
                 const bp_diag_t *diag);
  bp_status allocate(std::uint32_t space, std::uint64_t size, std::uint32_t alignment, bp_memory_t *out,
                     const bp_diag_t *diag);
  void release(std::uint64_t memory);
  bp_status copy(bp_loc_t to, bp_loc_t from, std::uint64_t size, const bp_diag_t *diag);
  bp_status submit(std::uint32_t queue, const bp_command_t *commands, std::uint32_t count, bp_point_t done,
                   const bp_diag_t *diag);
  bp_status wait(std::uint32_t queue, bp_point_t point, const bp_diag_t *diag);

  const bp_space_t &space() const { return space_; }

 protected:
  explicit Device(const ArtifactFormat &format) : format_(format) {}
  ~Device() = default;
  // Once, at the end of the backend's init(). target_text: the target and all that programs compiled for it depend on.
  void set_up(Target target, const std::string &target_text);
  // Sets the properties of the GPU's memory. 0: unknown.
  void set_memory(std::uint64_t capacity, float gb_per_s) {
    space_.capacity = capacity;
    space_.gb_per_s = gb_per_s;
  }
  const Target &target() const { return target_; }
  const plugin::HostServices &services() const { return services_; }

  virtual const DeviceOptions &options() const = 0;
  // The threads of the GPU, which are not emulated.
  virtual std::unique_ptr<Threads> make_threads() const = 0;
  // How their code is made; compile() sets what is wanted.
  virtual CodeRequest code_request() const = 0;
  // Joins the code of several parts, or of none, as text to read.
  virtual std::string whole_code(std::span<const CodePart> parts) const = 0;
  // The ending of the name of a file with such code, ".ptx".
  virtual const char *code_ending() const = 0;
  // Opens the GPU. Returns nullptr and reports why if that fails.
  virtual std::unique_ptr<Machine> open_machine(bp_status &status, const bp_diag_t *diag) = 0;

 private:
  // The machine, opened when it is first needed. Returns nullptr and reports why if that fails.
  Machine *machine(bp_status &status, const bp_diag_t *diag);
  // The queue, made when it is first needed. Returns nullptr and reports why if that fails.
  Queue *queue(std::uint32_t index, bp_status &status, const bp_diag_t *diag);
  // Reports why a call fails, and returns the status.
  bp_status refuse(const bp_diag_t *diag, bp_status status, const std::string &message,
                   std::uint32_t instruction = BP_NONE) const;
  // Writes a file to the folder of the option, if there is one. Returns false and sets the error if it cannot.
  bool dump(std::string_view name, const char *ending, const std::string &text, std::string &error) const;

  const ArtifactFormat format_;
  Target target_;
  std::string target_text_;
  bp_space_t space_{"global", 0, 256, 0, 0, 0};
  plugin::HostServices services_;
  std::mutex mutex_;
  std::unique_ptr<Machine> machine_;
  Board board_;
  std::unique_ptr<Queue> queues_[std::size(queue_kinds)];  // they use machine and board
};

}  // namespace bp::gpu
