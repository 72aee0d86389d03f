// A program by its naked ABI, on memory of the caller's making: what the core compiled, loaded and run without the
// core's runtime, so that every byte around it can be watched.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "conformance/suite/guarded_block.h"
#include "conformance/suite/subject.h"
#include "core/backplane.h"
#include "core/host/image.h"

namespace bp::conformance {

using DevicePointer = std::shared_ptr<const host::Device>;

// The plugin once more, and devices of it with the settings of the user; silent.
Result<std::shared_ptr<const host::Plugin>> load_library(const Subject &subject);
Result<DevicePointer> make_device(const std::shared_ptr<const host::Plugin> &library, const Subject &subject,
                                  std::uint32_t instance = 0);
host::HostOptions silent_host();

// One of the device's queues that takes all of these kinds of commands (bit k: BP_COMMAND_ k); BP_NONE if there is
// none.
std::uint32_t find_queue(const host::Device &device, std::uint32_t kinds, std::uint32_t choice = 0);
bp_command_t copy_command(bp_loc_t to, bp_loc_t from, std::uint64_t size);

// What a program is made of; can be loaded any number of times, on any device of its kind.
struct NakedParts {
  host::Image image;
  std::vector<Shape> parameters;  // as stored
  std::vector<std::byte> artifact;

  // All of the module as one program; null if the core leaves nothing for the device to do. The parameters are arrays.
  static Result<std::shared_ptr<const NakedParts>> compile(const DevicePointer &device, const Module &module);
};

class NakedRun;

class NakedProgram {
 public:
  static Result<std::unique_ptr<NakedProgram>> load(DevicePointer device, std::shared_ptr<const NakedParts> parts);
  NakedProgram(const NakedProgram &) = delete;
  NakedProgram &operator=(const NakedProgram &) = delete;
  ~NakedProgram();

  struct Arrangement {
    GuardedBlock::Place place = GuardedBlock::Place::AtEnd;
    std::byte poison{0xff};
    bool is_reversed = false;  // the last allocation is made first, and so lies elsewhere
    bool has_inputs = true;    // or they come later: NakedRun::copies_in()
    // run() protects inputs that are not donated, and constants, from writes (write_trap.h).
    bool is_protected = false;
  };
  using Outputs = std::vector<std::vector<std::byte>>;
  // Fresh memory, arranged and poisoned, with the arguments in it.
  Result<std::unique_ptr<NakedRun>> prepare(std::span<const Literal> arguments, const Arrangement &arrangement) const;
  // One run; see NakedRun::finish(). With is_protected there is one at a time in a process.
  Result<Outputs> run(std::span<const Literal> arguments, const Arrangement &arrangement) const;

  const bp_program_t *abi() const { return program_; }

 private:
  friend class NakedRun;
  NakedProgram(DevicePointer device, std::shared_ptr<const NakedParts> parts)
      : device_(std::move(device)), parts_(std::move(parts)) {}
  Status open();
  Result<GuardedBlock> make_block(std::uint32_t space, std::uint64_t size, std::uint64_t alignment,
                                  const Arrangement &arrangement) const;
  Status run_protected(const NakedRun &run) const;
  Status start(const NakedRun &run) const;

  DevicePointer device_;
  std::shared_ptr<const NakedParts> parts_;
  std::vector<std::optional<GuardedBlock>> constants_;  // by allocation; none if the program has taken it
  std::vector<bp_loc_t> constant_places_;
  const bp_program_t *program_ = nullptr;
};

// A run before it begins, while it goes on, and after it: the program outlives it.
class NakedRun {
 public:
  NakedRun(const NakedRun &) = delete;
  NakedRun &operator=(const NakedRun &) = delete;

  const bp_run_t *abi() const { return &run_; }
  // What brings the inputs to the device, and its outputs to `outputs`: both stay where they are until that is done.
  std::vector<bp_command_t> copies_in() const;
  std::vector<bp_command_t> copies_out(NakedProgram::Outputs &outputs) const;
  // After the run: the bytes of the outputs. PluginFailure says what was written that is not the program's: an input,
  // or past the end of an allocation.
  Result<NakedProgram::Outputs> finish() const;

 private:
  friend class NakedProgram;
  // By allocation: the pages in the host's memory that no run may write; empty of others.
  std::vector<std::span<std::byte>> read_only_pages() const;
  // Values of the program that lie in memory of the run.
  std::vector<plugin::Value> outputs() const;
  explicit NakedRun(const NakedProgram &program) : program_(program), places_(program.constant_places_) {}
  Status arrange(std::span<const Literal> arguments, const NakedProgram::Arrangement &arrangement);

  const NakedProgram &program_;
  std::vector<std::optional<GuardedBlock>> blocks_;  // by allocation; none where there is another's
  std::vector<bp_loc_t> places_;
  std::vector<std::size_t> owners_;  // by allocation: whose block it lies in
  std::vector<bool> is_donated_;     // by allocation: an output lies there too
  std::vector<std::vector<std::byte>> inputs_;
  std::optional<GuardedBlock> scratch_;
  bp_run_t run_{};
};

}  // namespace bp::conformance
