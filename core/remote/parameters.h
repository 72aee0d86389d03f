// Parameters: what happens to the parameters of a call on its way to another process, by their roles. The rows of
// core/layers/abi.def give each parameter, or group of parameters that belong together, a role; how its value becomes
// bytes is up to the codec of its type (codec.h), and for memory to memory.h.
//
// A role is made from references to the arguments of a call, and has some of these steps:
//   write_request(writer, call)   on the client: writes what the call gets
//   read_request(reader, call)    on the server: sets the arguments
//   watch(arena)                  on the server, or in a recorder: sets arguments that keep what the plugin writes
//   write_reply(writer)           on the server, or in a recorder: writes what the call made
//   settle(call, succeeded)       on the server: stores the objects that the call made
//   read_reply(reader, call)      on the client: stores what the call made where the arguments point
//   list_request, list_reply      after read_request, read_reply: lists the values, under the parameter's name
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/layers/artifacts.h"
#include "core/remote/client_call.h"
#include "core/remote/memory.h"
#include "core/remote/objects.h"

namespace bp::remote {

// The steps that a role does not have.
struct Role {
  static void write_request(Writer &, ClientCall &) {}
  static void read_request(Reader &, ReceivedCall &) {}
  static void watch(Arena &) {}
  static void write_reply(Writer &) {}
  static void settle(ReceivedCall &, bool /*succeeded*/) {}
  static void read_reply(Reader &, ClientCall &) {}
  static void list_request(std::string_view /*name*/, Listing &) {}
  static void list_reply(std::string_view /*name*/, Listing &) {}
};

// --- in ---

template <class T>
struct In : Role {
  T &value;

  explicit In(T &of) : value(of) {}
  void write_request(Writer &writer, ClientCall &) const { Codec<T>::write(writer, value); }
  void read_request(Reader &reader, ReceivedCall &call) const {
    value = Codec<T>::read(reader, *call.arena);
    if constexpr (std::is_same_v<T, const bp_module_t *>) {
      if (value == nullptr && call.objects != nullptr) {
        reader.fail("the call has no module");
      }
    }
  }
  void list_request(std::string_view name, Listing &listing) const {
    listing.in(std::string(name), Codec<T>::text(value));
  }
};

// A module that has to be in the state of one stage.
struct Staged : In<const bp_module_t *> {
  std::uint32_t stage;

  Staged(const bp_module_t *&of, std::uint32_t expected) : In(of), stage(expected) {}
  void read_request(Reader &reader, ReceivedCall &call) const;
};

// A module that is offered in a phase of rewriting: in the state of the stage that it is about to leave.
struct Rewritten : In<const bp_module_t *> {
  std::uint32_t &phase;

  Rewritten(const bp_module_t *&of, std::uint32_t &in) : In(of), phase(in) {}
  void read_request(Reader &reader, ReceivedCall &call) const;
};

// A text that is never nullptr.
struct Id : In<const char *> {
  using In::In;
  void read_request(Reader &reader, ReceivedCall &call) const {
    In::read_request(reader, call);
    if (value == nullptr) {
      reader.fail("the call has no id, expected a text");
      value = "";
    }
  }
};

// The host is never sent: the server has its own.
template <>
struct In<const bp_host_t *> : Role {
  const bp_host_t *&host;

  explicit In(const bp_host_t *&of) : host(of) {}
  void read_request(Reader &, ReceivedCall &call) const {
    host = call.objects == nullptr ? nullptr : call.objects->host();
  }
};

// The settings of a device.
struct List : Role {
  const bp_option_t *&options;
  std::uint32_t &count;

  List(const bp_option_t *&of, std::uint32_t &number) : options(of), count(number) {}
  void write_request(Writer &writer, ClientCall &) const { write_array(writer, options, count); }
  void read_request(Reader &reader, ReceivedCall &call) const;
  void list_request(std::string_view name, Listing &listing) const;
};

// An instruction of the module that comes before it.
struct Instruction : Role {
  const bp_module_t *&module;
  std::uint32_t &instr;

  Instruction(const bp_module_t *&of, std::uint32_t &index) : module(of), instr(index) {}
  void write_request(Writer &writer, ClientCall &) const { writer.number(instr); }
  void read_request(Reader &reader, ReceivedCall &call) const;
  void list_request(std::string_view, Listing &listing) const { listing.in("instruction", name_of(module, instr)); }
};

// --- out ---

template <class T>
struct Out : Role {
  T *&value;

  explicit Out(T *&of) : value(of) {}
  void read_request(Reader &, ReceivedCall &call) const { value = &call.arena->make<T>(); }
  void write_reply(Writer &writer) const { Codec<T>::write(writer, *value); }
  void read_reply(Reader &reader, ClientCall &call) const { *value = Codec<T>::read(reader, call.arena); }
  void list_reply(std::string_view name, Listing &listing) const {
    listing.out(std::string(name), Codec<T>::text(*value));
  }
};

// The cost of each instruction of a module.
struct Costs : Role {
  const bp_module_t *&module;
  float *&cost_ns;

  Costs(const bp_module_t *&of, float *&costs) : module(of), cost_ns(costs) {}
  void read_request(Reader &reader, ReceivedCall &call) const;
  void write_reply(Writer &writer) const { write_array(writer, cost_ns, module->instrs.count); }
  void read_reply(Reader &reader, ClientCall &call) const;
  void list_reply(std::string_view name, Listing &listing) const;
};

// The reports of a call, which are passed on at once, and kept.
struct Reports : Role {
  const bp_diag_t *&diag;

  explicit Reports(const bp_diag_t *&of) : diag(of) {}
  void watch(Arena &arena);
  void write_reply(Writer &writer) const;
  void read_reply(Reader &reader, ClientCall &call);
  void list_reply(std::string_view name, Listing &listing) const;

 private:
  host::Diagnostics *watched_ = nullptr;
  std::vector<host::Report> read_;
};

// The bytes that a call writes to a stream, which are passed on at once, and kept.
struct Written : Role {
  const bp_ostream_t *&stream;

  explicit Written(const bp_ostream_t *&of) : stream(of) {}
  const std::string &bytes() const { return watched_->bytes(); }  // what was written since watch()
  void watch(Arena &arena);
  void write_reply(Writer &writer) const;
  void read_reply(Reader &reader, ClientCall &call);
  void list_reply(std::string_view name, Listing &listing) const;

 protected:
  bool is_compared_ = true;

 private:
  layers::Tee *watched_ = nullptr;
  Bytes read_;
};
// Artifacts are not compared, because another build may write a different one.
struct Artifact : Written {
  explicit Artifact(const bp_ostream_t *&of) : Written(of) { is_compared_ = false; }
};

// The values that a call tells a receiver, which are passed on at once, and kept.
template <class Receiver>
struct Told : Role {
  template <class Value>
  static Value value_of(void (*)(const Receiver *, const Value *));
  using Value = decltype(value_of(Receiver::tell));
  const Receiver *&receiver;

  explicit Told(const Receiver *&of) : receiver(of) {}
  void watch(Arena &arena) {
    watched_ = &arena.keep(std::make_shared<Listener>(receiver));
    receiver = &watched_->abi;
  }
  void write_reply(Writer &writer) const {
    writer.number(watched_->count);
    writer.append(watched_->values);
  }
  void read_reply(Reader &reader, ClientCall &call) const {
    for (std::size_t i = reader.count(); i > 0 && reader.ok(); --i) {
      const Value value = Codec<Value>::read(reader, call.arena);
      if (receiver != nullptr && reader.ok()) {
        receiver->tell(receiver, &value);
      }
    }
  }

 private:
  struct Listener {
    explicit Listener(const Receiver *to) : abi{this, tell}, below(to) {}
    Listener(const Listener &) = delete;
    Listener &operator=(const Listener &) = delete;

    static void tell(const Receiver *self, const Value *value) {
      auto &listener = *static_cast<Listener *>(self->ctx);
      ++listener.count;
      Codec<Value>::write(listener.values, *value);
      if (listener.below != nullptr) {
        listener.below->tell(listener.below, value);
      }
    }

    Receiver abi;
    const Receiver *below;  // nullptr on the server
    std::uint64_t count = 0;
    Writer values;
  };
  Listener *watched_ = nullptr;
};

// The target of a device, which init() sets.
struct Target : Role {
  layers::LayeredDevice *device;
  const char *target = nullptr;

  explicit Target(layers::LayeredDevice *of) : device(of) {}
  void write_reply(Writer &writer) const { writer.text(device->abi.target); }
  void read_reply(Reader &reader, ClientCall &call);
  void list_reply(std::string_view, Listing &listing) const {
    listing.out("target", Codec<const char *>::text(target));
  }
};

// The data in the table of an extension besides functions.
struct Table : Role {
  layers::LayeredDevice *device;
  const char *&id;

  Table(layers::LayeredDevice *of, const char *&name) : device(of), id(name) {}
  void write_reply(Writer &writer) const { write_extension(writer, *device, id == nullptr ? "" : id); }
  void read_reply(Reader &reader, ClientCall &call) const;
};

// --- memory ---

// The memory that alloc() makes. The host address is one of the server's, and so is not sent.
struct Allocated : Role {
  std::uint64_t &size;
  bp_memory_t *&out;
  bool is_visible = false;

  Allocated(std::uint64_t &bytes, bp_memory_t *&to) : size(bytes), out(to) {}
  void read_request(Reader &, ReceivedCall &call) const { out = &call.arena->make<bp_memory_t>(); }
  void write_reply(Writer &writer) const;
  void settle(ReceivedCall &call, bool succeeded) const;
  void read_reply(Reader &reader, ClientCall &call);
  void list_reply(std::string_view name, Listing &listing) const;
};

// Memory that the call releases.
struct Released : Role {
  std::uint64_t &memory;

  explicit Released(std::uint64_t &of) : memory(of) {}
  void write_request(Writer &writer, ClientCall &call) const { writer.number(call.remote({memory, 0}).memory); }
  void read_request(Reader &reader, ReceivedCall &call) const;
  void list_request(std::string_view name, Listing &listing) const {
    listing.in(std::string(name), Codec<std::uint64_t>::text(memory));
  }
};

struct Copied : Role {
  bp_loc_t &to, &from;
  std::uint64_t &size;

  Copied(bp_loc_t &into, bp_loc_t &out_of, std::uint64_t &bytes) : to(into), from(out_of), size(bytes) {}
  void write_request(Writer &writer, ClientCall &call) const;
  void read_request(Reader &reader, ReceivedCall &call) const;
  void list_request(std::string_view, Listing &listing) const { listing.in("size", fmt::format("{}", size)); }
};

struct KernelCall : Role {
  const bp_call_t *&kernel;

  explicit KernelCall(const bp_call_t *&of) : kernel(of) {}
  void write_request(Writer &writer, ClientCall &call) const;
  void read_request(Reader &reader, ReceivedCall &call) const;
  void list_request(std::string_view name, Listing &listing) const;
};

// --- programs ---

// The artifact that is loaded.
struct Loaded : Role {
  const void *&artifact;
  std::uint64_t &size;

  Loaded(const void *&bytes, std::uint64_t &count) : artifact(bytes), size(count) {}
  void write_request(Writer &writer, ClientCall &) const {
    writer.content({static_cast<const std::byte *>(artifact), size});
  }
  void read_request(Reader &reader, ReceivedCall &call) const;
  void list_request(std::string_view, Listing &listing) const { listing.in("artifact", fmt::format("{} bytes", size)); }
};

// The constants of the artifact, by allocation.
struct Constants : Role {
  const void *&artifact;
  std::uint64_t &size;
  const bp_loc_t *&constants;
  std::uint32_t &count;

  Constants(const void *&bytes, std::uint64_t &byte_count, const bp_loc_t *&locations, std::uint32_t &number)
      : artifact(bytes), size(byte_count), constants(locations), count(number) {}
  void write_request(Writer &writer, ClientCall &call) const;
  void read_request(Reader &reader, ReceivedCall &call) const;
};

// Which of the constants the program has copied.
struct Taken : Role {
  std::uint8_t *&taken;
  std::uint32_t &count;

  Taken(std::uint8_t *&of, std::uint32_t &number) : taken(of), count(number) {}
  void read_request(Reader &, ReceivedCall &call) const {
    taken = call.arena->make(std::vector<std::uint8_t>(count)).data();
  }
  void write_reply(Writer &writer) const {
    writer.text(std::string_view(reinterpret_cast<const char *>(taken), count));
  }
  void read_reply(Reader &reader, ClientCall &call) const;
  void list_reply(std::string_view name, Listing &listing) const;
};

// The program that load() makes. On the client it has sizes but no functions, and lives as long as the ClientCall; it
// is unchanged if no program was made.
struct Made : Role {
  const bp_program_t **&program;
  std::uint8_t *&taken;
  std::uint32_t &count;

  Made(const bp_program_t **&of, std::uint8_t *&copied, std::uint32_t &number)
      : program(of), taken(copied), count(number) {}
  void read_request(Reader &, ReceivedCall &call) const { program = &call.arena->make<const bp_program_t *>(); }
  void write_reply(Writer &writer) const { write_array(writer, *program, 1); }
  void settle(ReceivedCall &call, bool succeeded) const;
  void read_reply(Reader &reader, ClientCall &call) const;
  void list_reply(std::string_view name, Listing &listing) const;
};

struct Run : Role {
  const layers::LayeredProgram *program;
  const bp_run_t *&run;
  const bp_module_t *module = nullptr;

  Run(const layers::LayeredProgram *self, const bp_run_t *&of) : program(self), run(of) {}
  void write_request(Writer &writer, ClientCall &call) const;
  void read_request(Reader &reader, ReceivedCall &call);
  void list_request(std::string_view name, Listing &listing) const;
};

// The commands of a submit(). Their results are there when `done` is signalled.
struct Commands : Role {
  const bp_command_t *&commands;
  std::uint32_t &count;
  bp_point_t &done;
  std::vector<Listing> listed = {};  // the inputs of each command

  Commands(const bp_command_t *&of, std::uint32_t &number, bp_point_t &point)
      : commands(of), count(number), done(point) {}
  void write_request(Writer &writer, ClientCall &call) const;
  void read_request(Reader &reader, ReceivedCall &call);
  void settle(ReceivedCall &call, bool succeeded) const;
  void list_request(std::string_view name, Listing &listing) const;
};

}  // namespace bp::remote
