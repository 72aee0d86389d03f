// Parameters: the encoding of the parameters of the ABI's functions, with a class for each kind of parameter, or for
// several that belong together. The rows of core/layers/abi.def say which class is used. Parameters that are memory are
// in memory_parameters.h.
//
// A class P is constructed from the caller's arguments and has
//   write(writer)                     writes the inputs
//   read_outputs(reader)              reads the outputs and stores them where the caller expects them
//   describe(name, in, out, listing)  lists inputs and outputs; static; `out` is nullptr if there are no outputs yet
//   Frame                             holds the arguments of the call as it is made:
//     Frame(p, caller)                  the caller's own arguments, if the call is recorded and passed on
//     Frame(reader, arrival)            arguments made from what was written, if the call was received
//     arguments()                       returns the arguments as a tuple
//     write_outputs(writer)             writes the outputs after the call
//     settle(arrival, succeeded)        optional: after the call, stores the objects that it made
#pragma once

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "core/host/byte_sink.h"
#include "core/host/diagnostics.h"
#include "core/remote/caller.h"
#include "core/remote/listing.h"
#include "core/remote/objects.h"
#include "core/remote/tables.h"

namespace bp::remote {

// Bases of the many parameters that have no outputs.
struct InputOnly {
  void read_outputs(Reader &) const {}
};
struct InputOnlyFrame {
  void write_outputs(Writer &) const {}
};

inline std::string to_text(bp_point_t point) {
  return fmt::format("{} of timeline {}", point.value, point.timeline);
}
template <class T>
std::string to_text(T value) {
  if constexpr (std::is_same_v<T, bp_status>) {
    return host::status_name(value);
  } else {
    return value == static_cast<T>(BP_NONE) ? "none" : fmt::format("{}", value);
  }
}

template <class T>
struct Number : InputOnly {
  T value;

  explicit Number(T given) : value(given) {}
  void write(Writer &writer) const { writer.number(value); }
  static void describe(std::string_view name, Reader &in, Reader *, Listing &listing) {
    listing.in(std::string(name), to_text(in.number<T>()));
  }
  struct Frame : InputOnlyFrame {
    T value;
    Frame(const Number &given, const Caller &) : value(given.value) {}
    Frame(Reader &reader, const Arrival &) : value(reader.number<T>()) {}
    std::tuple<T> arguments() { return {value}; }
  };
};

// A number that the call writes.
template <class T>
struct Output {
  T *value;

  explicit Output(T *given) : value(given) {}
  void write(Writer &) const {}
  void read_outputs(Reader &reader) const { reader.number(*value); }
  static void describe(std::string_view name, Reader &, Reader *out, Listing &listing) {
    if (out != nullptr) {
      listing.out(std::string(name), to_text(out->number<T>()));
    }
  }
  struct Frame {
    T own{};
    T *value = &own;
    Frame(const Output &given, const Caller &) : value(given.value) {}
    Frame(Reader &, const Arrival &) {}
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;
    std::tuple<T *> arguments() { return {value}; }
    void write_outputs(Writer &writer) const { writer.number(*value); }
  };
};

struct Text : InputOnly {
  const char *value;

  explicit Text(const char *given) : value(given) {}
  void write(Writer &writer) const { writer.text(value); }
  static void describe(std::string_view name, Reader &in, Reader *, Listing &listing) {
    listing.in(std::string(name), host::printable(in.optional_text().value_or("none")));
  }
  struct Frame : InputOnlyFrame {
    std::optional<std::string> own;
    const char *value;
    Frame(const Text &given, const Caller &) : value(given.value) {}
    Frame(Reader &reader, const Arrival &)
        : own(reader.optional_text()), value(own.has_value() ? own->c_str() : nullptr) {}
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;
    std::tuple<const char *> arguments() { return {value}; }
  };
};

// The host, which is never sent: the other side has its own.
struct Services : InputOnly {
  const bp_host_t *host;

  explicit Services(const bp_host_t *given) : host(given) {}
  void write(Writer &) const {}
  static void describe(std::string_view, Reader &, Reader *, Listing &) {}
  struct Frame : InputOnlyFrame {
    const bp_host_t *host;
    Frame(const Services &given, const Caller &) : host(given.host) {}
    Frame(Reader &, const Arrival &arrival) : host(arrival.objects.host()) {}
    std::tuple<const bp_host_t *> arguments() { return {host}; }
  };
};

struct Settings : InputOnly {
  std::span<const bp_option_t> options;

  Settings(const bp_option_t *given, std::uint32_t count) : options(given, count) {}
  void write(Writer &writer) const;
  static void describe(std::string_view name, Reader &in, Reader *out, Listing &listing);
  class Frame : public InputOnlyFrame {
   public:
    Frame(const Settings &given, const Caller &) : options_(given.options.begin(), given.options.end()) {}
    Frame(Reader &reader, const Arrival &);
    std::tuple<const bp_option_t *, std::uint32_t> arguments() {
      return {options_.data(), static_cast<std::uint32_t>(options_.size())};
    }

   private:
    std::vector<std::pair<std::string, std::string>> own_;
    std::vector<bp_option_t> options_;
  };
};

struct Reports {
  const bp_diag_t *diag;

  explicit Reports(const bp_diag_t *given) : diag(given) {}
  void write(Writer &) const {}
  void read_outputs(Reader &reader) const;
  static void describe(std::string_view name, Reader &in, Reader *out, Listing &listing);
  // Passes reports on at once, and keeps them.
  class Frame {
   public:
    Frame(const Reports &given, const Caller &) : below_(given.diag) {}
    Frame(Reader &, const Arrival &) {}
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;
    std::tuple<const bp_diag_t *> arguments() { return {&abi_}; }
    void write_outputs(Writer &writer) const;

   private:
    static void report(const bp_diag_t *diag, bp_status status, std::uint32_t instruction, const char *text) noexcept;

    bp_diag_t abi_{this, &Frame::report};
    const bp_diag_t *below_ = nullptr;
    mutable std::mutex mutex_;
    std::vector<host::Report> reports_;
  };
};

// --- modules ---

// A module that was received and checked.
class ArrivedModule {
 public:
  explicit ArrivedModule(Reader &reader);
  // Returns nullptr if no valid module was received.
  const bp_module_t *get() const { return module_; }

 private:
  Block own_;
  const bp_module_t *module_ = nullptr;
};

void write_module(Writer &writer, const bp_module_t *module);  // `module` may be nullptr
// Returns a text such as "softmax, stage 4, 12 instructions".
std::string describe_module(const bp_module_t *module);
// Returns the name of an instruction, such as "add.3".
std::string name_of(const bp_module_t *module, std::uint32_t instruction);

struct Module : InputOnly {
  const bp_module_t *module;

  explicit Module(const bp_module_t *given) : module(given) {}
  void write(Writer &writer) const { write_module(writer, module); }
  static void describe(std::string_view name, Reader &in, Reader *out, Listing &listing);
  struct Frame : InputOnlyFrame {
    std::optional<ArrivedModule> own;
    const bp_module_t *module;
    Frame(const Module &given, const Caller &) : module(given.module) {}
    Frame(Reader &reader, const Arrival &) : module(own.emplace(reader).get()) {}
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;
    std::tuple<const bp_module_t *> arguments() { return {module}; }
  };
};

struct InstructionOf : InputOnly {
  const bp_module_t *module;
  std::uint32_t instr;

  InstructionOf(const bp_module_t *given, std::uint32_t index) : module(given), instr(index) {}
  void write(Writer &writer) const;
  static void describe(std::string_view name, Reader &in, Reader *out, Listing &listing);
  struct Frame : InputOnlyFrame {
    std::optional<ArrivedModule> own;
    const bp_module_t *module;
    std::uint32_t instr;
    Frame(const InstructionOf &given, const Caller &) : module(given.module), instr(given.instr) {}
    Frame(Reader &reader, const Arrival &);
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;
    std::tuple<const bp_module_t *, std::uint32_t> arguments() { return {module, instr}; }
  };
};

// A module and the cost of each instruction.
struct Claimed {
  const bp_module_t *module;
  float *cost_ns;

  Claimed(const bp_module_t *given, float *costs) : module(given), cost_ns(costs) {}
  void write(Writer &writer) const { write_module(writer, module); }
  void read_outputs(Reader &reader) const;
  static void describe(std::string_view name, Reader &in, Reader *out, Listing &listing);
  class Frame {
   public:
    Frame(const Claimed &given, const Caller &) : module_(given.module), cost_ns_(given.cost_ns) {}
    Frame(Reader &reader, const Arrival &);
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;
    std::tuple<const bp_module_t *, float *> arguments() { return {module_, cost_ns_}; }
    void write_outputs(Writer &writer) const;

   private:
    std::optional<ArrivedModule> own_;
    const bp_module_t *module_;
    std::vector<float> costs_;
    float *cost_ns_;
  };
};

// --- streams ---

// The bytes that the call writes. Artifacts are not compared, because another build may write a different one.
template <bool is_artifact>
struct Stream {
  const bp_ostream_t *stream;

  explicit Stream(const bp_ostream_t *given) : stream(given) {}
  void write(Writer &) const {}
  void read_outputs(Reader &reader) const {
    const Bytes bytes = reader.content();
    stream->write(stream, bytes.data(), bytes.size());
  }
  static void describe(std::string_view name, Reader &, Reader *out, Listing &listing) {
    if (out != nullptr) {
      listing.outputs.push_back({std::string(name), {}, !is_artifact, out->content()});
    }
  }
  // Passes bytes on at once, and keeps them.
  class Frame {
   public:
    Frame(const Stream &given, const Caller &) : below_(given.stream) {}
    Frame(Reader &, const Arrival &) {}
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;
    std::tuple<const bp_ostream_t *> arguments() { return {&abi_}; }
    void write_outputs(Writer &writer) const { writer.content(std::as_bytes(std::span(bytes_))); }

   private:
    static bp_status write(const bp_ostream_t *stream, const void *bytes, std::uint64_t size) noexcept {
      auto &self = *static_cast<Frame *>(stream->ctx);
      try {
        self.bytes_.append(static_cast<const char *>(bytes), size);
      } catch (...) {
        return BP_NO_MEMORY;
      }
      return self.below_ == nullptr ? BP_OK : self.below_->write(self.below_, bytes, size);
    }

    bp_ostream_t abi_{this, &Frame::write};
    const bp_ostream_t *below_ = nullptr;
    std::string bytes_;
  };
};
struct Artifact : Stream<true> {
  using Stream::Stream;
};
struct Written : Stream<false> {
  using Stream::Stream;
};

// --- devices ---

// The target of a device, which init() sets.
struct Target {
  layers::LayeredDevice &device;

  explicit Target(layers::LayeredDevice &self) : device(self) {}
  void write(Writer &) const {}
  void read_outputs(Reader &reader) const;
  static void describe(std::string_view name, Reader &in, Reader *out, Listing &listing);
  struct Frame {
    layers::LayeredDevice *device;
    Frame(const Target &given, const Caller &) : device(&given.device) {}
    Frame(Reader &, const Arrival &arrival) : device(arrival.device) {}
    std::tuple<> arguments() { return {}; }
    void write_outputs(Writer &writer) const { writer.text(device->abi.target); }
  };
};

// The id of an extension, and the data in its table besides functions.
struct ExtensionName {
  layers::LayeredDevice &device;
  const char *id;

  ExtensionName(layers::LayeredDevice &self, const char *given) : device(self), id(given) {}
  void write(Writer &writer) const { writer.text(id); }
  // Reads nothing, because the code that sends the call keeps the tables: see Extensions.
  void read_outputs(Reader &) const {}
  static void describe(std::string_view name, Reader &in, Reader *out, Listing &listing);
  struct Frame {
    layers::LayeredDevice *device;
    std::string id;
    const char *given;
    Frame(const ExtensionName &name, const Caller &) : device(&name.device), id(name.id), given(name.id) {}
    Frame(Reader &reader, const Arrival &arrival)
        : device(arrival.device), id(reader.optional_text().value_or("")), given(id.c_str()) {}
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;
    std::tuple<const char *> arguments() { return {given}; }
    void write_outputs(Writer &writer) const { write_extension(writer, *device, id); }
  };
};

}  // namespace bp::remote
