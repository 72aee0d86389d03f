// Calls: encodes calls of all functions in core/layers/abi.def. The same few templates serve the side that writes a
// call and reads its outcome, a layer that only records calls, and the side that makes the call in another process.
#pragma once

#include "core/layers/interposer.h"
#include "core/remote/memory_parameters.h"
#include "core/remote/parameters.h"

namespace bp::remote {

using layers::Function;
using layers::Interposer;
using layers::LayeredDevice;
using layers::LayeredFactory;
using layers::LayeredHost;
using layers::LayeredProgram;

// --- rows ---

// The row of a function in abi.def: its object, its result, how layers call it, and how its parameters are encoded.
template <Function function>
struct Row;

template <class Signature>
struct ReturnOf;
template <class Return, class... Parameters>
struct ReturnOf<Return (*)(Parameters...)> {
  using Type = Return;
};

#define BP_ABI_FUNCTION(object, table, name, tag, result, parameters, arguments, travel)                             \
  inline auto travelling_##table##_##name([[maybe_unused]] Layered##object &self BP_LAYERED_PARAMETERS parameters) { \
    static_cast<void>(std::tie arguments);                                                                           \
    return std::tuple travel;                                                                                        \
  }                                                                                                                  \
  template <>                                                                                                        \
  struct Row<Function::table##_##name> {                                                                             \
    using Object = Layered##object;                                                                                  \
    using Result = result;                                                                                           \
    using Parameters = ReturnOf<decltype(&travelling_##table##_##name)>::Type;                                       \
    /* False for functions of the host that do not leave the process. */                                             \
    static constexpr bool is_carried = !std::is_same_v<Object, LayeredHost> || std::tuple_size_v<Parameters> != 0;   \
    static constexpr std::string_view names = #arguments;                                                            \
    static constexpr auto member = &Interposer::table##_##name;                                                      \
    /* Whether the device has the table: kernels, memory, ... */                                                     \
    template <class Self>                                                                                            \
    static bool has_table(const Self &self) {                                                                        \
      if constexpr (requires { self.table; }) {                                                                      \
        return self.table != nullptr;                                                                                \
      }                                                                                                              \
      return true;                                                                                                   \
    }                                                                                                                \
    static constexpr auto travelling = &travelling_##table##_##name;                                                 \
  };
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION

// Calls visitor.operator()<function>().
template <class Visitor>
decltype(auto) visit(Function function, Visitor &&visitor) {
  switch (function) {
#define BP_ABI_FUNCTION(object, table, name, tag, result, parameters, arguments, travel) \
  case Function::table##_##name: return visitor.template operator()<Function::table##_##name>();
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION
  }
  BP_CHECK(!"a function of abi.def");
  return visitor.template operator()<Function::factory_count>();
}
// Returns the function with this name, such as "memory.alloc", or nullopt if there is none.
std::optional<Function> function_of(std::string_view name);
// Whether it is a function of the host, which the plugin calls.
bool is_of_host(Function function);

// --- frames ---

// The frames of all parameters (parameters.h), constructed in the order of the parameters.
template <class Parameters>
class FrameList;
template <>
class FrameList<std::tuple<>> {
 public:
  FrameList(Reader &, const Arrival &) {}
  explicit FrameList(const Caller &) {}
  std::tuple<> arguments() { return {}; }
  void write_outputs(Writer &) const {}
  void settle(const Arrival &, bool) const {}
};
template <class First, class... Rest>
class FrameList<std::tuple<First, Rest...>> {
 public:
  FrameList(Reader &reader, const Arrival &arrival) : first_(reader, arrival), rest_(reader, arrival) {}
  FrameList(const Caller &caller, const First &first, const Rest &...rest)
      : first_(first, caller), rest_(caller, rest...) {}
  auto arguments() { return std::tuple_cat(first_.arguments(), rest_.arguments()); }
  void write_outputs(Writer &writer) const {
    first_.write_outputs(writer);
    rest_.write_outputs(writer);
  }
  void settle(const Arrival &arrival, bool succeeded) const {
    if constexpr (requires { first_.settle(arrival, succeeded); }) {
      first_.settle(arrival, succeeded);
    }
    rest_.settle(arrival, succeeded);
  }

 private:
  First::Frame first_;
  FrameList<std::tuple<Rest...>> rest_;
};

// --- results ---

inline void write_result(Writer &writer, bp_status status) {
  writer.number(status);
}
inline void write_result(Writer &writer, std::uint32_t number) {
  writer.number(number);
}
inline void write_result(Writer &writer, const bp_device_desc_t *description) {
  write_description(writer, description);
}
// For an object that a call makes or finds: writes whether there is one.
inline void write_result(Writer &writer, const void *found) {
  writer.number(static_cast<std::uint8_t>(found != nullptr));
}
inline void write_result(Writer &writer, bp_kernel found) {
  writer.number(static_cast<std::uint8_t>(found != nullptr));
}

template <class Result>
bool is_success(const Result &result) {
  if constexpr (std::is_same_v<Result, bp_status>) {
    return result == BP_OK;
  } else {
    return result != Result{};
  }
}

// Reads the result of a call and adds it to the listing. Returns the status of the call, or BP_OK if it has none.
template <class Result>
bp_status describe_result(Reader &out, Listing &listing) {
  if constexpr (std::is_same_v<Result, bp_status>) {
    const auto status = out.number<bp_status>();
    listing.out("status", host::status_name(status));
    return status;
  } else if constexpr (std::is_same_v<Result, std::uint32_t>) {
    listing.out("", to_text(out.number<std::uint32_t>()));
  } else if constexpr (std::is_same_v<Result, const bp_device_desc_t *>) {
    Description(out).describe(listing);
  } else if constexpr (!std::is_void_v<Result>) {
    listing.out("", out.number<std::uint8_t>() != 0 ? "there" : "none");
  }
  return BP_OK;
}

// --- the caller ---

// Writes the inputs of a call.
template <Function function, class... Arguments>
void write_call(Writer &writer, typename Row<function>::Object &self, Arguments... arguments) {
  std::apply([&](const auto &...parameter) { (parameter.write(writer), ...); },
             Row<function>::travelling(self, arguments...));
}

// Makes the call by below(arguments...), and writes its result and outputs.
template <Function function, class Below, class... Arguments>
auto watch_call(Writer &out, const Caller &caller, Below &&below, typename Row<function>::Object &self,
                Arguments... arguments) {
  using Frames = FrameList<typename Row<function>::Parameters>;
  Frames frames = std::apply([&](const auto &...parameter) { return Frames(caller, parameter...); },
                             Row<function>::travelling(self, arguments...));
  if constexpr (std::is_void_v<typename Row<function>::Result>) {
    std::apply(below, frames.arguments());
    frames.write_outputs(out);
  } else {
    auto result = std::apply(below, frames.arguments());
    write_result(out, result);
    frames.write_outputs(out);
    return result;
  }
}

// Reads the outputs of a call, after its result was read.
template <Function function, class... Arguments>
void read_outputs(Reader &out, typename Row<function>::Object &self, Arguments... arguments) {
  std::apply([&](const auto &...parameter) { (parameter.read_outputs(out), ...); },
             Row<function>::travelling(self, arguments...));
}

// --- where the call is made ---

// Makes a call that was received, on the layer above the plugin, and writes its result and outputs. Fails with
// InvalidInput if the bytes are not a call of this function. Exceptions of the plugin are passed on.
template <Function function>
Status make_call(Interposer &layer, typename Row<function>::Object &self, Reader &in, const Arrival &arrival,
                 Writer &out) {
  FrameList<typename Row<function>::Parameters> frames(in, arrival);
  BP_TRY(in.status());
  auto call = [&](auto... arguments) { return (layer.*Row<function>::member)(self, arguments...); };
  bool succeeded = true;
  if constexpr (function == Function::device_destroy || function == Function::program_destroy) {
    self.abi.destroy(&self.abi);  // destroys the wrapper, too
  } else if constexpr (std::is_void_v<typename Row<function>::Result>) {
    std::apply(call, frames.arguments());
  } else {
    auto result = std::apply(call, frames.arguments());
    succeeded = is_success(result);
    if constexpr (std::is_same_v<decltype(result), const bp_device_t *>) {
      if (result != nullptr) {
        arrival.objects.add(arrival.made, &layers::layered(result));
      }
    }
    write_result(out, result);
  }
  frames.write_outputs(out);
  frames.settle(arrival, succeeded);
  return {};
}

// Makes a received call of any function of a plugin. `object` is the caller's id of the object.
Status make_call(Function function, Interposer &layer, std::uint64_t object, Reader &in, Arrival arrival, Writer &out);

// Lists the inputs and, unless `out` is nullptr, the outputs of a call. Returns its status, or BP_OK if it has none.
bp_status describe_call(Function function, Reader &in, Reader *out, Listing &listing);

}  // namespace bp::remote
