// Parameters that are memory or refer to it. The members of these classes are explained in parameters.h.
#pragma once

#include <memory>

#include "core/remote/parameters.h"
#include "core/remote/places.h"

namespace bp::remote {

// The parameters of alloc(), except for the reports.
struct Allocated {
  std::uint32_t space;
  std::uint64_t size;
  std::uint32_t alignment;
  bp_memory_t *out;

  Allocated(std::uint32_t of, std::uint64_t bytes, std::uint32_t aligned, bp_memory_t *to)
      : space(of), size(bytes), alignment(aligned), out(to) {}
  void write(Writer &writer) const;
  void read_outputs(Reader &reader) const;  // except for the host address, which is one of the other side
  static void describe(std::string_view name, Reader &in, Reader *out, Listing &listing);
  class Frame {
   public:
    Frame(const Allocated &given, const Caller &)
        : space_(given.space), size_(given.size), alignment_(given.alignment), out_(given.out) {}
    Frame(Reader &reader, const Arrival &);
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;
    std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, bp_memory_t *> arguments() {
      return {space_, size_, alignment_, out_};
    }
    void write_outputs(Writer &writer) const;
    void settle(const Arrival &arrival, bool succeeded) const;

   private:
    std::uint32_t space_;
    std::uint64_t size_;
    std::uint32_t alignment_;
    bp_memory_t own_{};
    bp_memory_t *out_ = &own_;
  };
};

struct Memory : InputOnly {
  std::uint64_t memory;

  explicit Memory(std::uint64_t given) : memory(given) {}
  void write(Writer &writer) const { writer.number(writer.caller()->carried({memory, 0}).memory); }
  static void describe(std::string_view name, Reader &in, Reader *, Listing &listing) {
    listing.in(std::string(name), to_text(in.number<std::uint64_t>()));
  }
  struct Frame : InputOnlyFrame {
    std::uint64_t memory;
    Frame(const Memory &given, const Caller &) : memory(given.memory) {}
    Frame(Reader &reader, const Arrival &arrival);
    std::tuple<std::uint64_t> arguments() { return {memory}; }
  };
};

struct Copied {
  bp_loc_t to, from;
  std::uint64_t size;

  Copied(bp_loc_t into, bp_loc_t out_of, std::uint64_t bytes) : to(into), from(out_of), size(bytes) {}
  void write(Writer &writer) const;
  void read_outputs(Reader &reader) const;
  static void describe(std::string_view name, Reader &in, Reader *out, Listing &listing);
  class Frame {
   public:
    Frame(const Copied &given, const Caller &caller);
    Frame(Reader &reader, const Arrival &arrival);
    std::tuple<bp_loc_t, bp_loc_t, std::uint64_t> arguments() { return {to_, from_, size_}; }
    void write_outputs(Writer &writer) const;

   private:
    bp_loc_t to_, from_;
    std::uint64_t size_;
    std::shared_ptr<const Places> places_;
    std::vector<Bytes> results_;
  };
};

struct KernelCall {
  const bp_call_t *call;

  explicit KernelCall(const bp_call_t *given) : call(given) {}
  void write(Writer &writer) const;
  void read_outputs(Reader &reader) const;
  static void describe(std::string_view name, Reader &in, Reader *out, Listing &listing);
  class Frame {
   public:
    Frame(const KernelCall &given, const Caller &caller);
    Frame(Reader &reader, const Arrival &arrival);
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;
    std::tuple<const bp_call_t *> arguments() { return {call_}; }
    void write_outputs(Writer &writer) const;

   private:
    std::optional<ArrivedModule> module_;
    std::optional<Places> places_;
    std::vector<void *> addresses_;
    bp_call_t own_{};
    const bp_call_t *call_ = &own_;
    std::vector<Bytes> results_;
  };
};

// The parameters of load(), except for the reports.
struct Loaded {
  Bytes artifact;
  std::span<const bp_loc_t> constants;
  std::uint8_t *taken;
  const bp_program_t **program;

  Loaded(const void *bytes, std::uint64_t size, const bp_loc_t *places, std::uint8_t *took, std::uint32_t count,
         const bp_program_t **made)
      : artifact(static_cast<const std::byte *>(bytes), size), constants(places, count), taken(took), program(made) {}
  void write(Writer &writer) const;
  // Sets *program to a new bp_program_t with sizes but without functions, which the caller deletes. Leaves it unchanged
  // if no program was made.
  void read_outputs(Reader &reader) const;
  static void describe(std::string_view name, Reader &in, Reader *out, Listing &listing);
  class Frame {
   public:
    Frame(const Loaded &given, const Caller &);
    Frame(Reader &reader, const Arrival &arrival);
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;
    std::tuple<const void *, std::uint64_t, const bp_loc_t *, std::uint8_t *, std::uint32_t, const bp_program_t **>
    arguments() {
      return {artifact_.data(), artifact_.size(), constants_, taken_, count_, program_};
    }
    void write_outputs(Writer &writer) const;
    void settle(const Arrival &arrival, bool succeeded) const;

   private:
    Bytes artifact_;
    std::shared_ptr<const Places> places_;
    const bp_loc_t *constants_;
    std::vector<std::uint8_t> own_taken_;
    std::uint8_t *taken_;
    std::uint32_t count_;
    const bp_program_t *own_program_ = nullptr;
    const bp_program_t **program_ = &own_program_;
  };
};

// A run that was received.
class ArrivedRun {
 public:
  ArrivedRun(Reader &reader, const Arrival &arrival);
  ArrivedRun(const ArrivedRun &) = delete;
  ArrivedRun &operator=(const ArrivedRun &) = delete;
  const bp_run_t *abi() const { return &abi_; }
  std::vector<Item> results() const;

 private:
  ArrivedModule module_;
  Places places_;
  Block scratch_;  // used if the program needs more than the caller provides
  std::vector<Slice> slices_;
  bp_run_t abi_{};
};

struct Run {
  const layers::LayeredProgram &program;
  const bp_run_t *run;

  Run(const layers::LayeredProgram &self, const bp_run_t *given) : program(self), run(given) {}
  void write(Writer &writer) const;
  void read_outputs(Reader &reader) const;
  static void describe(std::string_view name, Reader &in, Reader *out, Listing &listing);
  class Frame {
   public:
    Frame(const Run &given, const Caller &caller);
    Frame(Reader &reader, const Arrival &arrival) : own_(std::make_unique<ArrivedRun>(reader, arrival)) {
      run_ = own_->abi();
    }
    std::tuple<const bp_run_t *> arguments() { return {run_}; }
    void write_outputs(Writer &writer) const;

   private:
    std::unique_ptr<ArrivedRun> own_;
    const bp_run_t *run_;
    std::vector<Bytes> results_;
  };
};

// The parameters of submit(), except for the reports. Its results exist when `done` is signalled; on the other side,
// Submitted has them.
struct Commands : InputOnly {
  std::uint32_t queue;
  std::span<const bp_command_t> commands;
  bp_point_t done;

  Commands(std::uint32_t on, const bp_command_t *given, std::uint32_t count, bp_point_t end)
      : queue(on), commands(given, count), done(end) {}
  void write(Writer &writer) const;
  static void describe(std::string_view name, Reader &in, Reader *out, Listing &listing);
  // Returns the memory that the results will be written to, as far as the caller can address it.
  std::vector<Bytes> results(const Caller &caller) const;

  class Frame : public InputOnlyFrame {
   public:
    Frame(const Commands &given, const Caller &)
        : queue_(given.queue), commands_(given.commands.begin(), given.commands.end()), done_(given.done) {}
    Frame(Reader &reader, const Arrival &arrival);
    std::tuple<std::uint32_t, const bp_command_t *, std::uint32_t, bp_point_t> arguments() {
      return {queue_, commands_.data(), static_cast<std::uint32_t>(commands_.size()), done_};
    }
    void settle(const Arrival &arrival, bool succeeded) const;

   private:
    std::uint32_t queue_;
    std::vector<bp_command_t> commands_;
    bp_point_t done_;
  };
};

}  // namespace bp::remote
