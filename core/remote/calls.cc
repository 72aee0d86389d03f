#include "core/remote/calls.h"

namespace bp::remote {
namespace {

// Removes the next name from a list such as "(a, b, c)" and returns it.
std::string_view next_name(std::string_view &names) {
  const std::size_t begin = names.find_first_not_of("(, ");
  const std::size_t end = std::min(names.find_first_of(",)", begin), names.size());
  const std::string_view name = begin == std::string_view::npos ? "" : names.substr(begin, end - begin);
  names.remove_prefix(end);
  return name;
}

template <class Parameter>
void describe_parameter(std::string_view &names, Reader &in, Reader *out, Listing &listing) {
  constexpr std::size_t count = std::tuple_size_v<decltype(std::declval<typename Parameter::Frame &>().arguments())>;
  const std::string_view name = count == 0 ? "" : next_name(names);
  for (std::size_t i = 1; i < count; ++i) {
    next_name(names);
  }
  Parameter::describe(name, in, out, listing);
}

template <class... Parameters>
void describe_parameters(std::tuple<Parameters...> *, [[maybe_unused]] std::string_view names, Reader &in,
                         [[maybe_unused]] Reader *out, Listing &listing) {
  (describe_parameter<Parameters>(names, in, out, listing), ...);
}

}  // namespace

std::optional<Function> function_of(std::string_view name) {
#define BP_ABI_FUNCTION(object, table, function, tag, result, parameters, arguments, travel) \
  if (name == #table "." #function) {                                                        \
    return Function::table##_##function;                                                     \
  }
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION
  return std::nullopt;
}

bool is_of_host(Function function) {
  return visit(function, []<Function known>() { return std::is_same_v<typename Row<known>::Object, LayeredHost>; });
}

Status make_call(Function function, Interposer &layer, std::uint64_t object, Reader &in, Arrival arrival, Writer &out) {
  return visit(function, [&]<Function known>() -> Status {
    using Object = Row<known>::Object;
    if constexpr (std::is_same_v<Object, LayeredFactory>) {
      return make_call<known>(layer, *arrival.factory, in, arrival, out);
    } else if constexpr (std::is_same_v<Object, LayeredDevice>) {
      arrival.device =
          known == Function::device_destroy ? arrival.objects.take_device(object) : arrival.objects.device(object);
      if (arrival.device == nullptr) {
        return invalid_input("there is no device {}", object);
      }
      const bool is_routine = known == Function::kernels_kernel && arrival.device->custom_call != nullptr;
      if (!Row<known>::has_table(*arrival.device) && !is_routine) {
        return invalid_input("the device has no {}", layers::to_string(known));
      }
      return make_call<known>(layer, *arrival.device, in, arrival, out);
    } else if constexpr (std::is_same_v<Object, LayeredProgram>) {
      arrival.program =
          known == Function::program_destroy ? arrival.objects.take_program(object) : arrival.objects.program(object);
      if (arrival.program == nullptr) {
        return invalid_input("there is no program {}", object);
      }
      arrival.device = arrival.program->program->device;
      return make_call<known>(layer, *arrival.program->program, in, arrival, out);
    } else {
      return invalid_input("{} is a function of the host", layers::to_string(function));
    }
  });
}

bp_status describe_call(Function function, Reader &in, Reader *out, Listing &listing) {
  return visit(function, [&]<Function known>() {
    using Result = Row<known>::Result;
    const bp_status status = out == nullptr ? BP_OK : describe_result<Result>(*out, listing);
    describe_parameters(static_cast<typename Row<known>::Parameters *>(nullptr), Row<known>::names, in, out, listing);
    return status;
  });
}

}  // namespace bp::remote
