#include "core/remote/calls.h"

namespace bp::remote {
namespace {

// Removes the next role from a list such as "(In(id), Out(instances))" and returns the name of its first argument.
std::string_view next_name(std::string_view &roles) {
  roles.remove_prefix(std::min(roles.size(), roles.find('(') + 1));
  const std::string_view name = roles.substr(0, roles.find_first_of(",)"));
  roles.remove_prefix(std::min(roles.size(), roles.find(')')));
  return name;
}

template <class Result>
bool is_success(const Result &result) {
  if constexpr (std::is_same_v<Result, bp_status>) {
    return result == BP_OK;
  } else {
    return result != Result{};
  }
}

template <Function function>
Status make(Interposer &layer, typename Row<function>::Object &self, Reader &request, ReceivedCall &call,
            Writer &reply) {
  typename Row<function>::Arguments arguments;
  auto roles = Row<function>::roles(&self, arguments);
  for_each_role(roles, [&](auto &role) { role.read_request(request, call); });
  BP_TRY(request.status());
  if constexpr (function == Function::device_destroy || function == Function::program_destroy) {
    self.abi.destroy(&self.abi);  // destroys the wrapper, too
  } else {
    const auto below = [&](auto... given) { return (layer.*Row<function>::member)(self, given...); };
    bool succeeded = true;
    if constexpr (std::is_void_v<typename Row<function>::Result>) {
      make_and_write<function>(reply, *call.arena, below, roles, arguments);
    } else {
      const auto result = make_and_write<function>(reply, *call.arena, below, roles, arguments);
      succeeded = is_success(result);
      if constexpr (function == Function::factory_create) {
        if (result != nullptr) {
          call.objects->add(call.made, &layers::layered(result));
        }
      }
    }
    for_each_role(roles, [&](auto &role) { role.settle(call, succeeded); });
  }
  return {};
}

// Reads the result of a call and lists it. Returns the status of the call, or BP_OK if it has none.
template <class Result>
bp_status list_result(Reader &reply, Arena &arena, Listing &listing) {
  if constexpr (std::is_same_v<Result, bp_status>) {
    const auto status = reply.number<bp_status>();
    listing.out("status", Codec<bp_status>::text(status));
    return status;
  } else if constexpr (std::is_same_v<Result, const bp_device_desc_t *>) {
    const bp_device_desc_t *description = Codec<Result>::read(reply, arena);
    if (description == nullptr) {
      listing.out("", "none");
      return BP_OK;
    }
    listing.out("id", Codec<const char *>::text(description->id));
    listing.out("version", Codec<const char *>::text(description->version), false);
    std::string features;
    for (const char *const *feature = description->features; feature != nullptr && *feature != nullptr; ++feature) {
      features += (features.empty() ? "" : ", ") + std::string(*feature);
    }
    listing.out("features", features);
  } else if constexpr (std::is_same_v<Result, std::uint32_t>) {
    listing.out("", Codec<Result>::text(Codec<Result>::read(reply, arena)));
  } else if constexpr (!std::is_void_v<Result>) {
    listing.out("", Codec<const void *>::text(Codec<const void *>::read(reply, arena)));
  }
  return BP_OK;
}

}  // namespace

std::optional<Function> function_of(std::string_view name) {
#define BP_ABI_FUNCTION(object, table, function, tag, loss, result, parameters, arguments, roles) \
  if (name == #table "." #function) {                                                             \
    return Function::table##_##function;                                                          \
  }
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION
  return std::nullopt;
}

bool is_of_host(Function function) {
  return visit(function, []<Function known>() { return std::is_same_v<typename Row<known>::Object, LayeredHost>; });
}

bool has_no_result(Function function) {
  return visit(function, []<Function known>() { return std::is_void_v<typename Row<known>::Result>; });
}

Status make_call(Function function, Interposer &layer, std::uint64_t object, Reader &request, ReceivedCall &call,
                 Writer &reply) {
  return visit(function, [&]<Function known>() -> Status {
    using Object = Row<known>::Object;
    if constexpr (!is_sent<known>) {
      return invalid_input("calls of {} do not leave a process", layers::to_string(function));
    } else if constexpr (std::is_same_v<Object, LayeredFactory>) {
      if (!Row<known>::has_table(*call.factory)) {
        return invalid_input("the plugin has no {}", layers::to_string(known));
      }
      return make<known>(layer, *call.factory, request, call, reply);
    } else if constexpr (std::is_same_v<Object, LayeredDevice>) {
      call.device =
          known == Function::device_destroy ? call.objects->take_device(object) : call.objects->device(object);
      if (call.device == nullptr) {
        return invalid_input("there is no device {}", object);
      }
      const bool is_routine = known == Function::kernels_kernel && call.device->custom_call != nullptr;
      if (!Row<known>::has_table(*call.device) && !is_routine) {
        return invalid_input("the device has no {}", layers::to_string(known));
      }
      return make<known>(layer, *call.device, request, call, reply);
    } else if constexpr (std::is_same_v<Object, LayeredProgram>) {
      call.program =
          known == Function::program_destroy ? call.objects->take_program(object) : call.objects->program(object);
      if (call.program == nullptr) {
        return invalid_input("there is no program {}", object);
      }
      call.device = call.program->program->device;
      return make<known>(layer, *call.program->program, request, call, reply);
    } else {
      return invalid_input("{} is a function of the host", layers::to_string(function));
    }
  });
}

bp_status list_call(Function function, Reader &request, Reader *reply, Listing &listing) {
  return visit(function, [&]<Function known>() {
    typename Row<known>::Arguments arguments;
    auto roles = Row<known>::roles(nullptr, arguments);
    ReceivedCall call;
    for_each_role(roles, [&](auto &role) { role.read_request(request, call); });
    std::string_view names = Row<known>::role_texts.substr(1);
    for_each_role(roles, [&](auto &role) { role.list_request(next_name(names), listing); });
    if (reply == nullptr) {
      return bp_status{BP_OK};
    }
    ClientCall client;
    Extensions extensions;
    client.extensions = &extensions;
    const bp_status status = list_result<typename Row<known>::Result>(*reply, client.arena, listing);
    for_each_role(roles, [&](auto &role) { role.read_reply(*reply, client); });
    names = Row<known>::role_texts.substr(1);
    for_each_role(roles, [&](auto &role) { role.list_reply(next_name(names), listing); });
    extensions.list(listing);
    read_results(*reply, call.results);
    std::ranges::move(call.results, std::back_inserter(listing.outputs));
    return status;
  });
}

}  // namespace bp::remote
