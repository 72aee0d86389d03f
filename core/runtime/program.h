// Program: a computation that a device has loaded, with its constants; Execution: the memory of one run of it.
//
// What is allocated is what the plan says: constants when the program is loaded; temporaries and scratch for each
// execution, kept for the next one; inputs and outputs by the caller. A run itself takes nothing. Where the device
// compiles and has memory of its own (bp.memory/1), all that is there; what the caller sees of inputs and outputs is
// then a copy in the host's memory, brought over before and after the run, unless the host can address the device's.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backplane/ext/compiler.h"
#include "core/base/result.h"
#include "core/host/image.h"
#include "core/host/plugin.h"
#include "core/ir/literal.h"
#include "core/runtime/memory.h"
#include "core/runtime/queue.h"

namespace bp::runtime {

// Array parameters and results of a computation, tuples taken apart.
struct Leaf {
  std::uint32_t allocation;
  std::uint64_t offset, size;  // bytes in the allocation
  ir::Shape shape;             // with the layout of the buffer
};

// InvalidInput, naming the program, unless the arguments have the parameters' shapes; layouts may differ.
Status check_arguments(std::string_view program, std::span<const ir::Shape> parameters,
                       std::span<const ir::Literal> arguments);

class Execution;

// Threads: const functions from any thread, also at the same time.
class Program : public std::enable_shared_from_this<Program> {
 public:
  // Has the device, which has bp.compiler/1, load the artifact it made of the image. `module` is what the image was
  // built from. An artifact that the device does not accept is a PluginFailure.
  static Result<std::shared_ptr<const Program>> load(std::shared_ptr<const host::Device> device,
                                                     const ir::Module &module, host::Image image,
                                                     std::span<const std::byte> artifact);
  // As above, with nothing compiled: runs the kernels of a device that has bp.kernels/1 and the routines of one that
  // has bp.custom-call/1, on host memory. Every instruction of the entry must have one.
  static Result<std::shared_ptr<const Program>> load_kernels(std::shared_ptr<const host::Device> device,
                                                             const ir::Module &module, host::Image image);
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  const std::string &name() const { return name_; }
  const host::Image &image() const { return image_; }
  const MemoryFigures &memory() const { return memory_; }
  std::span<const Leaf> inputs() const { return inputs_; }
  std::span<const Leaf> outputs() const { return outputs_; }
  // Whether the run overwrites the input's memory.
  bool is_donated(std::size_t input) const { return donated_[input]; }

  // Whether it works in memory of the device, where the host may not see it.
  bool is_on_device() const { return is_compiled_ && device_->memory() != nullptr; }
  std::uint32_t scratch_space() const { return program_->scratch_space; }

  // Arguments by parameter number; types and sizes must be those of the parameters. Literals are borrowed where their
  // bytes are those of the buffer, and copied where a donation would change them.
  Result<ir::Literal> run(std::span<const ir::Literal> arguments) const;

 private:
  friend class Execution;
  // What an execution needs beside inputs and outputs. Kept here between executions.
  struct Arena {
    std::vector<Block> temporaries;  // by allocation; empty where it is of another kind, or size 0
    Block scratch;
    bool is_filled = false;
  };

  Program() = default;
  static Result<std::shared_ptr<Program>> make(std::shared_ptr<const host::Device> device, const ir::Module &module,
                                               host::Image image, bool is_compiled);
  void read_signature(const ir::Module &module);
  Status fill_constants();
  Status adopt(const bp_program_t *loaded);
  Status fill(Arena &arena) const;
  void give_back(Arena arena) const;
  bool is_addressable(std::uint32_t space) const;  // by the host
  // Where the program works.
  Result<Block> allocate(std::uint32_t space, std::uint64_t size, std::size_t alignment) const;
  const std::shared_ptr<Queues> &queues() const;

  std::shared_ptr<const host::Device> device_;
  std::string name_;
  host::Image image_;
  bool is_compiled_ = false;  // else of kernels, which run on host memory
  Status one_device_;         // or why it needs several
  const bp_program_t *program_ = nullptr;
  std::vector<Leaf> inputs_, outputs_;
  std::vector<bool> donated_;  // by input
  std::vector<ir::Shape> parameter_shapes_;
  ir::Shape result_shape_;
  std::vector<Block> constants_;           // by allocation
  std::vector<bp_loc_t> constant_places_;  // by allocation; {0, 0} if it is no constant or the backend has its own copy
  MemoryFigures memory_;
  mutable std::shared_ptr<Queues> queues_;  // made when first used
  mutable std::mutex mutex_;
  mutable std::vector<Arena> free_arenas_;
};

// One run at a time, any number of times: prepare(), set_input() and set_output() as wanted, allocate(), run().
class Execution {
 public:
  // Takes nothing yet but a few words.
  static Execution prepare(std::shared_ptr<const Program> program);
  Execution(Execution &&) = default;
  Execution &operator=(Execution &&) = delete;
  // Waits for a run that was started.
  ~Execution();

  // Where a leaf lies, in the layout of its shape: borrowed until the last run, aligned to 64 bytes (InvalidInput
  // otherwise). Inputs are not written unless they are donated; an output in the place of a donated input is there.
  Status set_input(std::size_t leaf, const void *data);
  Status set_output(std::size_t leaf, void *data);
  // Takes temporaries and scratch, or those that an earlier execution gave back, and memory for all inputs and outputs
  // that were not set. Once, before the first run. Unsupported if the program needs several devices.
  Status allocate();
  // After allocate(); may be written and read between runs.
  std::span<std::byte> input(std::size_t leaf) const { return bytes_of(program_->inputs()[leaf]); }
  std::span<std::byte> output(std::size_t leaf) const { return bytes_of(program_->outputs()[leaf]); }

  // Where the device has memory of its own, a run brings all inputs there and all outputs back, but for what is said
  // here, after allocate(); elsewhere this changes nothing. A kept input, such as weights, is brought once and stays;
  // what is written to it later is sure to be seen only after send_input(). A kept output stays there until it is
  // fetched.
  void keep_input(std::size_t leaf);
  void send_input(std::size_t leaf);
  void keep_output(std::size_t leaf);
  Status fetch_output(std::size_t leaf);

  // Complete on return. Takes no memory.
  Status run();
  // The same in two steps: the run goes on while the caller does something else, but touch inputs and outputs. On a
  // queue of the device if it has some, else on a thread of the core. Each start() is followed by one finish().
  Status start();
  Status finish();

 private:
  // A leaf whose bytes the host has elsewhere than the device.
  struct Transfer {
    std::size_t leaf;
    bp_loc_t host, device;
    std::uint64_t size;
    bool is_kept = false;  // an input, by the device
    bool is_due = true;    // by the next run
  };

  explicit Execution(std::shared_ptr<const Program> program);
  Status set(const Leaf &leaf, const void *data, std::string_view what);
  Status place(std::uint32_t allocation);
  void find_transfers();
  static Transfer *find(std::vector<Transfer> &transfers, std::size_t leaf);
  std::vector<bp_command_t> copies(const std::vector<Transfer> &transfers, bool to_device) const;
  void note_sent(bool is_sent);
  Status run_here();
  std::span<std::byte> bytes_of(const Leaf &leaf) const {
    return {host_[leaf.allocation] + leaf.offset, static_cast<std::size_t>(leaf.size)};
  }

  std::shared_ptr<const Program> program_;
  Program::Arena arena_;
  std::vector<Block> own_;
  std::vector<bp_loc_t> places_;    // by allocation: for the device
  std::vector<std::byte *> host_;   // by allocation: for the caller; inputs and outputs only
  std::vector<Transfer> in_, out_;  // before and after the run
  std::unique_ptr<bp_run_t> run_;
  std::optional<Event> started_;
};

}  // namespace bp::runtime
