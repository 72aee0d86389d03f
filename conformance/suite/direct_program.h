// A program run directly by its ABI, in memory that the caller provides: the core compiles it, but it is loaded and run
// without the core's runtime, so that every byte around it can be watched.
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

// These load the plugin again and create devices of it with the user's settings. Log messages are discarded.
Result<std::shared_ptr<const host::Plugin>> load_library(const Subject &subject);
Result<DevicePointer> make_device(const std::shared_ptr<const host::Plugin> &library, const Subject &subject,
                                  std::uint32_t instance = 0);
host::HostOptions silent_host();

// Returns one of the device's queues that accepts all of these kinds of commands (bit k: BP_COMMAND_ k); BP_NONE if
// there is none.
std::uint32_t find_queue(const host::Device &device, std::uint32_t kinds, std::uint32_t choice = 0);
bp_command_t copy_command(bp_loc_t to, bp_loc_t from, std::uint64_t size);

// The parts that a program is loaded from, any number of times, on any device of the same kind.
struct DirectParts {
  host::Image image;
  std::vector<Shape> parameters;  // as stored
  Shape result;                   // as stored
  std::vector<std::byte> artifact;

  // Compiles the whole module as one program; nullptr if the core leaves nothing for the device to do. The parameters
  // must be arrays. `host_functions`: as in compile::Options.
  static Result<std::shared_ptr<const DirectParts>> compile(const DevicePointer &device, const Module &module,
                                                            std::vector<std::string> host_functions = {});
};

class DirectRun;

// Memory for the module and the artifact of one program after the other, so that they have the same addresses. Each
// must have the capacity for all of them.
struct LoadingPlace {
  host::Image::Storage module, artifact;
};

class DirectProgram {
 public:
  // `place`: if given, the program is loaded from there, and the content must stay as long as the program exists.
  static Result<std::unique_ptr<DirectProgram>> load(DevicePointer device, std::shared_ptr<const DirectParts> parts,
                                                     LoadingPlace *place = nullptr);
  DirectProgram(const DirectProgram &) = delete;
  DirectProgram &operator=(const DirectProgram &) = delete;
  ~DirectProgram();

  struct Arrangement {
    GuardedBlock::Side side = GuardedBlock::Side::AtEnd;
    std::byte poison{0xff};
    bool is_reversed = false;  // the last allocation is made first, so that addresses differ
    bool has_inputs = true;    // if false, they are copied later: DirectRun::copies_in()
    // run() protects inputs that are not donated, and constants, from writes (write_trap.h).
    bool is_protected = false;
  };
  using Outputs = std::vector<std::vector<std::byte>>;
  // Allocates and poisons memory as arranged, and writes the arguments to it.
  Result<std::unique_ptr<DirectRun>> prepare(std::span<const Literal> arguments, const Arrangement &arrangement) const;
  // Runs the program once; see DirectRun::finish(). With is_protected only one such run at a time in a process.
  Result<Outputs> run(std::span<const Literal> arguments, const Arrangement &arrangement) const;

  // Runs the program in the memory of a prepared run.
  Status start(const DirectRun &run) const;

  const bp_program_t *abi() const { return program_; }

 private:
  friend class DirectRun;
  DirectProgram(DevicePointer device, std::shared_ptr<const DirectParts> parts)
      : device_(std::move(device)), parts_(std::move(parts)) {}
  Status open(const bp_module_t *module, std::span<const std::byte> artifact);
  Result<GuardedBlock> make_block(std::uint32_t space, std::uint64_t size, std::uint64_t alignment,
                                  const Arrangement &arrangement) const;
  Status run_protected(const DirectRun &run) const;

  DevicePointer device_;
  std::shared_ptr<const DirectParts> parts_;
  std::vector<std::optional<GuardedBlock>> constants_;  // by allocation; none if the program has taken ownership of it
  std::vector<bp_loc_t> constant_locations_;
  const bp_program_t *program_ = nullptr;
};

// The memory of one run: before it begins, while it is in progress, and after it. The program must outlive it.
class DirectRun {
 public:
  DirectRun(const DirectRun &) = delete;
  DirectRun &operator=(const DirectRun &) = delete;

  const bp_run_t *abi() const { return &run_; }
  // Return commands that copy the inputs to the device, and its outputs to `outputs`. The buffers on both sides must
  // stay in place until that is done.
  std::vector<bp_command_t> copies_in() const;
  std::vector<bp_command_t> copies_out(DirectProgram::Outputs &outputs) const;
  // Called after the run: returns the bytes of the outputs. PluginFailure says which memory was written that is not the
  // program's to write: an input, or bytes past the end of an allocation.
  Result<DirectProgram::Outputs> finish() const;

 private:
  friend class DirectProgram;
  // Returns, by allocation, the pages of host memory that no run may write; empty for other allocations.
  std::vector<std::span<std::byte>> read_only_pages() const;
  // Returns the values of the program that lie in memory of the run.
  std::vector<plugin::Value> outputs() const;
  explicit DirectRun(const DirectProgram &program) : program_(program), locations_(program.constant_locations_) {}
  Status arrange(std::span<const Literal> arguments, const DirectProgram::Arrangement &arrangement);

  const DirectProgram &program_;
  std::vector<std::optional<GuardedBlock>> blocks_;  // by allocation; none where another allocation's block is used
  std::vector<bp_loc_t> locations_;
  std::vector<std::size_t> owners_;  // by allocation: index of the allocation whose block holds it
  std::vector<bool> is_donated_;     // by allocation: whether an output shares its memory
  std::vector<std::vector<std::byte>> inputs_;
  std::optional<GuardedBlock> scratch_;
  bp_run_t run_{};
};

// Reads the result of a program from the bytes of its arrays, and removes these from `outputs`.
Result<Literal> literal_of(const ir::Shape &shape, std::span<const std::vector<std::byte>> &outputs);
std::size_t count_arrays(const ir::Shape &shape);

}  // namespace bp::conformance
