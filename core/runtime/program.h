// Program: a computation that a device has loaded, with its constants; Execution: the memory of one run of it.
//
// Exactly the memory in the plan is allocated: constants when the program is loaded; temporaries and scratch for each
// execution, kept for the next one; inputs and outputs by the caller. A run itself allocates nothing. If the device
// compiles and has memory of its own (bp.memory/1), all of this is in that memory; the caller then sees copies of
// inputs and outputs in the host's memory, which are transferred before and after the run, unless the host can access
// the device's memory.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backplane/ext/compiler.h"
#include "core/base/cancellation.h"
#include "core/base/result.h"
#include "core/base/shared_bytes.h"
#include "core/host/image.h"
#include "core/host/plugin.h"
#include "core/interpreter/options.h"
#include "core/ir/literal.h"
#include "core/runtime/host_calls.h"
#include "core/runtime/memory.h"
#include "core/runtime/queue.h"
#include "core/runtime/run_extensions.h"
#include "core/runtime/value.h"

namespace bp::runtime {

// An array among the parameters and results of a computation, after tuples were flattened.
struct Leaf {
  std::uint32_t allocation;
  std::uint64_t offset, size;  // bytes in the allocation
  ir::Shape shape;             // with the layout of the buffer
};

// The parameters and result of a program, and its name for messages. The layouts are those of the buffers.
struct Signature {
  std::string name;
  std::vector<ir::Shape> parameters;
  ir::Shape result;
  std::optional<Error> refusal = {};        // if set, why it cannot run here
  std::optional<Error> alone_refusal = {};  // if set, why it cannot run on one device alone: it needs several
  // By name, instructions that the application may run: where they are in the text of the program, if that is known.
  CallLocations calls = {};
};
Signature signature_of(const ir::Module &module);

// Return InvalidInput, naming the program, unless the arguments have the parameters' shapes; layouts may differ.
Status check_arguments(std::string_view program, std::span<const ir::Shape> parameters,
                       std::span<const ir::Literal> arguments);
Status check_arguments(std::string_view program, std::span<const ir::Shape> parameters,
                       std::span<const Value> arguments);

// A device in whose memory a result is wanted, where the host can address it; nullptr: it is not.
struct ResultPlace {
  std::shared_ptr<const host::Device> device = nullptr;
};

class Execution;

// Threads: const functions may be called from any thread, also concurrently.
class Program : public std::enable_shared_from_this<Program> {
 public:
  // Has the device, which has bp.compiler/1, load the artifact that it compiled from the image. The image was built
  // from `module`. PluginFailure if the device rejects the artifact.
  static Result<std::shared_ptr<const Program>> load(std::shared_ptr<const host::Device> device,
                                                     const ir::Module &module, host::Image image,
                                                     std::span<const std::byte> artifact);
  // Like load() above, for the signature of that module. The program keeps the artifact, so that it can be saved again.
  static Result<std::shared_ptr<const Program>> load_and_keep(std::shared_ptr<const host::Device> device,
                                                              Signature signature, host::Image image,
                                                              SharedBytes artifact);
  // Makes a program that only keeps its artifact, which this machine cannot load. `refusal`: the error of its runs.
  static std::shared_ptr<const Program> keep(std::shared_ptr<const host::Device> device, Signature signature,
                                             host::Image image, SharedBytes artifact, Error refusal);
  // Makes the same program on another device with the same target. If it is compiled, it must have been kept.
  Result<std::shared_ptr<const Program>> load_on(std::shared_ptr<const host::Device> device) const;
  // Makes a program without compilation: it runs the kernels of a device that has bp.kernels/1 and the routines of one
  // that has bp.custom-call/draft-1, on host memory. Every instruction of the entry must have one.
  static Result<std::shared_ptr<const Program>> load_kernels(std::shared_ptr<const host::Device> device,
                                                             Signature signature, host::Image image);
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  const std::string &name() const { return signature_.name; }
  const Signature &signature() const { return signature_; }
  const std::shared_ptr<const host::Device> &device() const { return device_; }
  const host::Image &image() const { return image_; }
  const MemoryFigures &memory() const { return memory_; }
  std::span<const Leaf> inputs() const { return inputs_; }
  std::span<const Leaf> outputs() const { return outputs_; }
  // Whether the run overwrites the input's memory.
  bool is_donated(std::size_t input) const { return donated_[input]; }

  // Whether the device compiled it; otherwise it consists of kernels.
  bool is_compiled() const { return is_compiled_; }
  // Whether it can be run, unless its signature says otherwise.
  bool is_loaded() const { return program_ != nullptr; }
  // Whether its runs call the application.
  bool calls_host() const { return !host_calls_.empty(); }
  // Empty unless it was kept.
  const SharedBytes &artifact() const { return artifact_; }

  // Whether it works in memory of the device, which the host may not be able to access.
  bool is_on_device() const { return is_compiled_ && device_->memory() != nullptr; }
  std::uint32_t scratch_space() const { return program_ == nullptr ? 0 : program_->scratch_space; }

  // Arguments are given by parameter number; types and sizes must be those of the parameters. Literals whose bytes are
  // those of the buffer are used without a copy, except where a donation would change bytes of another literal, too.
  // Fails with Cancelled or DeadlineExceeded if the terms say so, even if the device has done all of its work late.
  // `host` also has what runs the instructions that the device calls the application for.
  Result<ir::Literal> run(std::vector<ir::Literal> arguments, const interpreter::Options &host = {}) const;
  // Like run(), but arrays that lie on the device are used where they are, and results stay on the device. A program
  // that works on host memory also uses arrays of other devices where they are, if the host can address them, and
  // computes results in their `places`, by element of a tuple, if it can. Returns the elements of a tuple, otherwise
  // one result.
  Result<std::vector<Value>> run_on_device(std::vector<Value> arguments, const interpreter::Options &host = {},
                                           std::span<const ResultPlace> places = {}) const;
  // Whether an argument that is an array in main memory of the device is used where it is.
  bool takes_from_device(std::size_t parameter) const { return takes_from_device_[parameter]; }

 private:
  friend class Execution;
  // The memory of an execution except inputs and outputs. The device's FreeBlocks have it between executions.
  struct Arena {
    std::vector<Block> temporaries;  // by allocation; empty for other kinds and size 0
    Block scratch;
  };

  Program() = default;
  static std::shared_ptr<Program> make(std::shared_ptr<const host::Device> device, Signature signature,
                                       host::Image image, bool is_compiled);
  Status load_artifact(std::span<const std::byte> artifact);
  void read_signature();
  Status fill_constants();
  Status adopt(const bp_program_t *loaded);
  BlockKind kind_of(std::uint32_t space, std::uint64_t size, std::size_t alignment) const;
  void share_arenas();
  Status fill(Arena &arena) const;
  void give_back(Arena arena) const;
  // An argument as a run uses it.
  struct Bound {
    ir::Literal literal;
    std::shared_ptr<const DeviceArray> array;  // nullptr: it is on the host
    Block converted;                           // the literal in another representation
    std::optional<Value> to_write = {};        // what has to be written into the execution's own memory
    bool is_in_place = false;                  // the run works in the memory of the literal or array
  };
  Result<Bound> bind(std::size_t input, Value argument, Execution &execution) const;
  Status write_input(std::size_t input, const Value &argument, Execution &execution) const;
  static std::shared_ptr<const DeviceArray> make_result(const Leaf &leaf, const ResultPlace &place);
  Result<std::vector<Value>> run_arrays(std::vector<Value> arguments, bool results_stay,
                                        std::span<const ResultPlace> places, const interpreter::Options &host) const;
  bool is_whole(const Leaf &leaf) const;
  bool fits(const DeviceArray &array, std::size_t input) const;
  bool fits_on_host(const DeviceArray &array, std::size_t input) const;
  void find_shared_memory();
  bool is_addressable(std::uint32_t space) const;  // whether the host can access it
  // Allocates in the memory that the program works in.
  Result<Block> allocate(std::uint32_t space, std::uint64_t size, std::size_t alignment) const;
  const std::shared_ptr<Queues> &queues() const;

  std::shared_ptr<const host::Device> device_;
  Signature signature_;
  host::Image image_;
  SharedBytes artifact_;
  bool is_compiled_ = false;  // otherwise it consists of kernels, which run on host memory
  const bp_program_t *program_ = nullptr;
  std::vector<Leaf> inputs_, outputs_;
  std::vector<bool> donated_;  // by input
  // By output: the input in whose memory it is as a whole. By input: whether all outputs in its memory are such.
  std::vector<std::optional<std::size_t>> input_with_;
  std::vector<bool> may_be_on_device_;
  std::vector<bool> takes_from_device_;  // by parameter
  std::vector<Block> constants_;         // by allocation; empty for constants that are used where the image has them
  // By allocation; {0, 0} if it is no constant or the backend has its own copy.
  std::vector<bp_loc_t> constant_locations_;
  MemoryFigures memory_;
  mutable std::shared_ptr<Queues> queues_;  // created at first use
  mutable std::mutex mutex_;
  // The kinds of what is in arenas: by allocation, of size 0 for other allocations; of the scratch.
  std::vector<BlockKind> temporary_kinds_;
  BlockKind scratch_kind_;
  HostCallSites host_calls_;
  std::shared_ptr<FreeBlocks> free_blocks_;  // nullptr until it is loaded
};

// One run at a time, any number of times: prepare(), set_input() and set_output() as needed, allocate(), run().
class Execution {
 public:
  // Allocates only its own bookkeeping.
  static Execution prepare(std::shared_ptr<const Program> program);
  Execution(Execution &&) = default;
  Execution &operator=(Execution &&) = delete;
  // Waits for a run that was started.
  ~Execution();

  // Set the address of a leaf, in the layout of its shape: the memory must exist until the last run and be aligned to
  // 64 bytes (InvalidInput otherwise). Inputs are not written unless they are donated; an output in a donated input is
  // at the input's address.
  Status set_input(std::size_t leaf, const void *data);
  Status set_output(std::size_t leaf, void *data);
  // For programs on the device: sets the location of an input there, which is a whole allocation; leaves an output,
  // which is a whole allocation too, on the device without memory on the host, and takes its memory after the run.
  void set_device_input(std::size_t leaf, bp_loc_t location);
  void leave_output(std::size_t leaf);
  Block take_output(std::size_t leaf);
  // Takes temporaries and scratch, possibly those of an earlier execution, and allocates memory for all inputs and
  // outputs that were not set. To be called once, before the first run. Unsupported if the program needs several
  // devices and the host's options do not connect it with them.
  Status allocate();
  // Valid after allocate(); may be written and read between runs.
  std::span<std::byte> input(std::size_t leaf) const { return bytes_of(program_->inputs()[leaf]); }
  std::span<std::byte> output(std::size_t leaf) const { return bytes_of(program_->outputs()[leaf]); }

  // If the device has memory of its own, a run transfers all inputs there and all outputs back, except those named
  // here, after allocate(); for other devices these functions have no effect. A kept input, such as weights, is
  // transferred once and stays; later writes to it are guaranteed to be seen only after send_input(). A kept output
  // stays on the device until it is fetched.
  void keep_input(std::size_t leaf);
  void send_input(std::size_t leaf);
  void keep_output(std::size_t leaf);
  Status fetch_output(std::size_t leaf);

  // Sets the terms of all later runs.
  void set_terms(const RunTerms &terms) { context_->terms = terms; }
  // Sets the terms of all later runs, and what runs the instructions that the device calls the application for. Must
  // live until the last of them has ended.
  void set_host(const interpreter::Options &host);

  // Complete on return. Allocates no memory. Fails with Cancelled or DeadlineExceeded if the terms say so; the next run
  // works, with donated inputs that were set again.
  Status run();
  // run() in two steps: between them the caller may do anything except access inputs and outputs. Uses a queue of the
  // device if it has one, otherwise a thread of the core. Each start() is followed by one finish().
  Status start();
  Status finish();

 private:
  // A leaf that has different memory on the host and on the device.
  struct Transfer {
    std::size_t leaf;
    bp_loc_t host, device;
    std::uint64_t size;
    bool is_kept = false;  // the input stays on the device
    bool is_due = true;    // must be transferred by the next run
  };

  explicit Execution(std::shared_ptr<const Program> program);
  Status set(const Leaf &leaf, const void *data, std::string_view what);
  Status place(std::uint32_t allocation);
  void find_transfers();
  static Transfer *find(std::vector<Transfer> &transfers, std::size_t leaf);
  std::vector<bp_command_t> copies(const std::vector<Transfer> &transfers, bool to_device) const;
  void note_sent(bool is_sent);
  Status run_here();
  Status outcome(Status done) const;
  std::span<std::byte> bytes_of(const Leaf &leaf) const {
    return {host_[leaf.allocation] + leaf.offset, static_cast<std::size_t>(leaf.size)};
  }

  std::shared_ptr<const Program> program_;
  Program::Arena arena_;
  std::vector<Block> own_;
  std::vector<bp_loc_t> locations_;  // by allocation: location for the device
  std::vector<std::byte *> host_;    // by allocation: address for the caller; inputs and outputs only
  std::vector<bool> is_given_;       // by allocation: an input that is on the device already
  std::vector<bool> stays_;          // by allocation: an output that stays there
  std::vector<Transfer> in_, out_;   // transfers before and after the run
  std::unique_ptr<RunContext> context_;
  std::unique_ptr<bp_run_t> run_;
  std::optional<Event> started_;
};

}  // namespace bp::runtime
