// Calls: the functions of core/layers/abi.def as the steps of their parameters (parameters.h). The same few templates
// serve a client, which writes requests and reads replies; a recorder, which writes both and passes the call on; and a
// server, which makes the call.
#pragma once

#include <optional>
#include <tuple>

#include "core/remote/parameters.h"

namespace bp::remote {

using layers::Function;
using layers::Interposer;
using layers::LayeredDevice;
using layers::LayeredFactory;
using layers::LayeredHost;
using layers::LayeredProgram;

// --- rows ---

template <class Member>
struct Signature;
template <class Return, class Self, class... Parameters>
struct Signature<Return (Interposer::*)(Self, Parameters...)> {
  using Result = Return;
  using Object = std::remove_reference_t<Self>;
  using Arguments = std::tuple<Parameters...>;
};

// The row of a function in abi.def. roles() returns the roles of its parameters, bound to arguments; `self` is nullptr
// if the call is only listed.
template <Function function>
struct Row;

#define BP_NAME_ARGUMENTS(...) __VA_OPT__([[maybe_unused]] auto &[__VA_ARGS__] = given;)
// The last parameter cannot be named roles here, because the function has that name.
#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, role_list) \
  template <>                                                                                     \
  struct Row<Function::table##_##name> : Signature<decltype(&Interposer::table##_##name)> {       \
    static auto roles([[maybe_unused]] Object *self, [[maybe_unused]] Arguments &given) {         \
      BP_NAME_ARGUMENTS arguments return std::tuple role_list;                                    \
    }                                                                                             \
    static constexpr std::string_view role_texts = #role_list;                                    \
    static constexpr auto member = &Interposer::table##_##name;                                   \
    /* Whether the device has the table: kernels, memory, ... */                                  \
    template <class Self>                                                                         \
    static bool has_table(const Self &self) {                                                     \
      if constexpr (requires { self.table; }) {                                                   \
        return self.table != nullptr;                                                             \
      }                                                                                           \
      return true;                                                                                \
    }                                                                                             \
  };
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION

template <Function function>
using Roles = decltype(Row<function>::roles(nullptr, std::declval<typename Row<function>::Arguments &>()));
// False for functions that do not leave the process: they have parameters without roles, or are services of the host.
template <Function function>
inline constexpr bool is_sent =
    std::tuple_size_v<Roles<function>> != 0 || (!std::is_same_v<typename Row<function>::Object, LayeredHost> &&
                                                std::tuple_size_v<typename Row<function>::Arguments> == 0);

// Calls visitor.operator()<function>().
template <class Visitor>
decltype(auto) visit(Function function, Visitor &&visitor) {
  switch (function) {
#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles) \
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
// Whether it returns nothing, so that it cannot say that it failed.
bool has_no_result(Function function);

template <class Roles, class Step>
void for_each_role(Roles &roles, const Step &step) {
  std::apply([&](auto &...role) { (step(role), ...); }, roles);
}

// --- the client ---

// Writes the request of a call.
template <Function function, class... Given>
void write_request(Writer &writer, ClientCall &call, typename Row<function>::Object &self, Given... given) {
  typename Row<function>::Arguments arguments{given...};
  auto roles = Row<function>::roles(&self, arguments);
  for_each_role(roles, [&](auto &role) { role.write_request(writer, call); });
}

// Reads the reply of a call, after its result.
template <Function function, class... Given>
void read_reply(Reader &reader, ClientCall &call, typename Row<function>::Object &self, Given... given) {
  typename Row<function>::Arguments arguments{given...};
  auto roles = Row<function>::roles(&self, arguments);
  for_each_role(roles, [&](auto &role) { role.read_reply(reader, call); });
}

// --- the server, or a recorder ---

// Makes a call by make(arguments...), writes its reply, and returns its result.
template <Function function, class Make>
auto make_and_write(Writer &reply, Arena &arena, Make &&make, Roles<function> &roles,
                    typename Row<function>::Arguments &arguments) {
  using Result = Row<function>::Result;
  for_each_role(roles, [&](auto &role) { role.watch(arena); });
  if constexpr (std::is_void_v<Result>) {
    std::apply(make, arguments);
    for_each_role(roles, [&](auto &role) { role.write_reply(reply); });
  } else {
    Result result = std::apply(make, arguments);
    if constexpr (std::is_pointer_v<Result> && !std::is_same_v<Result, const bp_device_desc_t *> &&
                  !std::is_same_v<Result, bp_kernel>) {
      Codec<const void *>::write(reply, result);
    } else {
      Codec<Result>::write(reply, result);
    }
    for_each_role(roles, [&](auto &role) { role.write_reply(reply); });
    return result;
  }
}

// Makes a received call of any function of a plugin, on the layer above the plugin, and writes its reply. `object` is
// the client's id of the object. Fails with InvalidInput if the bytes are not a request of this function. Exceptions of
// the plugin are passed on.
Status make_call(Function function, Interposer &layer, std::uint64_t object, Reader &request, ReceivedCall &call,
                 Writer &reply);

// Lists the inputs and, unless `reply` is nullptr, the outputs of a call, with its results. Returns its status, or
// BP_OK if it has none.
bp_status list_call(Function function, Reader &request, Reader *reply, Listing &listing);

}  // namespace bp::remote
