// A small framework that calls the library as JAX does: each call checks for an error, and Args have the sizes that a
// caller of this version gives.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "core/pjrt/pjrt_c_api.h"

extern "C" const PJRT_Api *GetPjrtApi();

namespace bp::pjrt::testing {

// Returns the message of an error and destroys it; empty if there is none.
inline std::string message_of(PJRT_Error *error) {
  if (error == nullptr) {
    return {};
  }
  PJRT_Error_Message_Args args{sizeof args, nullptr, error, nullptr, 0};
  GetPjrtApi()->PJRT_Error_Message(&args);
  std::string message(args.message, args.message_size);
  PJRT_Error_Destroy_Args destroy{sizeof destroy, nullptr, error};
  GetPjrtApi()->PJRT_Error_Destroy(&destroy);
  return message;
}

template <class Args>
Args arguments() {
  Args args{};
  args.struct_size = sizeof(Args);
  return args;
}

// Calls a function, which must succeed. `fill` sets the inputs.
template <class Args, class Fill>
Args call(PJRT_Error *(*function)(Args *), const Fill &fill) {
  Args args = arguments<Args>();
  fill(args);
  REQUIRE(message_of(function(&args)) == "");
  return args;
}

// Calls a function, which must fail; returns the message.
template <class Args, class Fill>
std::string failure(PJRT_Error *(*function)(Args *), const Fill &fill) {
  Args args = arguments<Args>();
  fill(args);
  std::string message = message_of(function(&args));
  CHECK(message != "");
  return message;
}

inline PJRT_NamedValue option(const char *name, const char *value) {
  PJRT_NamedValue option{};
  option.struct_size = sizeof option;
  option.name = name;
  option.name_size = std::strlen(name);
  option.type = PJRT_NamedValue_Type_String;
  option.string_value = value;
  option.value_size = std::strlen(value);
  return option;
}

// Waits for an event, destroys it and returns the message of its error.
inline std::string wait_for(PJRT_Event *event) {
  PJRT_Event_Await_Args await{sizeof await, nullptr, event};
  std::string message = message_of(GetPjrtApi()->PJRT_Event_Await(&await));
  call(GetPjrtApi()->PJRT_Event_Destroy, [&](auto &args) { args.event = event; });
  return message;
}

class Framework {
 public:
  // `settings`: of the backend.
  explicit Framework(const char *backend = "interpreter", const char *devices = "1",
                     std::vector<PJRT_NamedValue> settings = {}) {
    settings.push_back(option("backend", backend));
    settings.push_back(option("num_devices", devices));
    create(settings);
  }
  // A framework that gives no options: BACKPLANE_BACKEND names the backend.
  struct WithoutOptions {};
  explicit Framework(WithoutOptions) { create({}); }
  ~Framework() { destroy_client(); }
  void destroy_client() {
    call(api_->PJRT_Client_Destroy, [&](auto &args) { args.client = std::exchange(client_, nullptr); });
  }

  const PJRT_Api &api() const { return *api_; }
  PJRT_Client *client() const { return client_; }

  PJRT_LoadedExecutable *compile(std::string code, const char *format = "mlir") const {
    PJRT_Program program = arguments<PJRT_Program>();
    program.code = code.data();
    program.code_size = code.size();
    program.format = format;
    program.format_size = std::strlen(format);
    return call(api_->PJRT_Client_Compile,
                [&](auto &args) {
                  args.client = client_;
                  args.program = &program;
                })
        .executable;
  }

  std::string compile_error(std::string code, const char *format = "mlir") const {
    PJRT_Program program = arguments<PJRT_Program>();
    program.code = code.data();
    program.code_size = code.size();
    program.format = format;
    program.format_size = std::strlen(format);
    return failure(api_->PJRT_Client_Compile, [&](auto &args) {
      args.client = client_;
      args.program = &program;
    });
  }

  PJRT_Buffer *put(const std::vector<float> &values, std::vector<std::int64_t> sizes,
                   std::vector<std::int64_t> strides = {}) const {
    const auto result = call(api_->PJRT_Client_BufferFromHostBuffer, [&](auto &args) {
      args.client = client_;
      args.data = values.data();
      args.type = PJRT_Buffer_Type_F32;
      args.dims = sizes.data();
      args.num_dims = sizes.size();
      args.byte_strides = strides.data();
      args.num_byte_strides = strides.size();
    });
    CHECK(wait_for(result.done_with_host_buffer) == "");
    return result.buffer;
  }

  std::vector<float> get(PJRT_Buffer *buffer) const {
    const std::size_t size = call(api_->PJRT_Buffer_ToHostBuffer, [&](auto &args) { args.src = buffer; }).dst_size;
    std::vector<float> values(size / sizeof(float));
    if (values.empty()) {
      return values;
    }
    PJRT_Event *event = call(api_->PJRT_Buffer_ToHostBuffer, [&](auto &args) {
                          args.src = buffer;
                          args.dst = values.data();
                          args.dst_size = size;
                        }).event;
    CHECK(wait_for(event) == "");
    return values;
  }

  // Starts a run; returns its outputs, which the caller destroys, or nothing if that fails. `error`: receives the
  // message; if it is null, the run must start. `done`: receives the event of the run.
  std::vector<PJRT_Buffer *> start(PJRT_LoadedExecutable *executable, std::vector<PJRT_Buffer *> inputs,
                                   std::string *error = nullptr, PJRT_Event **done = nullptr) const {
    PJRT_Executable *plain = call(api_->PJRT_LoadedExecutable_GetExecutable, [&](auto &args) {
                               args.loaded_executable = executable;
                             }).executable;
    const std::size_t count =
        call(api_->PJRT_Executable_NumOutputs, [&](auto &args) { args.executable = plain; }).num_outputs;
    call(api_->PJRT_Executable_Destroy, [&](auto &args) { args.executable = plain; });
    std::vector<PJRT_Buffer *> outputs(count);
    PJRT_ExecuteOptions options = arguments<PJRT_ExecuteOptions>();
    PJRT_Buffer *const *input_list = inputs.data();
    PJRT_Buffer **output_list = outputs.data();
    PJRT_LoadedExecutable_Execute_Args args = arguments<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = executable;
    args.options = &options;
    args.argument_lists = &input_list;
    args.num_devices = 1;
    args.num_args = inputs.size();
    args.output_lists = &output_list;
    args.device_complete_events = done;
    std::string message = message_of(api_->PJRT_LoadedExecutable_Execute(&args));
    if (error != nullptr) {
      *error = message;
    }
    if (!message.empty()) {
      REQUIRE(error != nullptr);
      return {};
    }
    return outputs;
  }

  // Runs a program to its end; like start() otherwise.
  std::vector<PJRT_Buffer *> execute(PJRT_LoadedExecutable *executable, std::vector<PJRT_Buffer *> inputs,
                                     std::string *error = nullptr) const {
    PJRT_Event *done = nullptr;
    std::vector<PJRT_Buffer *> outputs = start(executable, std::move(inputs), error, &done);
    const std::string message = done == nullptr ? "" : wait_for(done);
    if (message.empty()) {
      return outputs;
    }
    REQUIRE(error != nullptr);
    *error = message;
    for (PJRT_Buffer *output : outputs) {
      destroy(output);
    }
    return {};
  }

  // Waits for a buffer; returns the message of what failed.
  std::string error_of(PJRT_Buffer *buffer) const {
    return wait_for(call(api_->PJRT_Buffer_ReadyEvent, [&](auto &args) { args.buffer = buffer; }).event);
  }

  void destroy(PJRT_Buffer *buffer) const {
    call(api_->PJRT_Buffer_Destroy, [&](auto &args) { args.buffer = buffer; });
  }
  void destroy(PJRT_LoadedExecutable *executable) const {
    call(api_->PJRT_LoadedExecutable_Destroy, [&](auto &args) { args.executable = executable; });
  }

 private:
  void create(const std::vector<PJRT_NamedValue> &options) {
    client_ = call(api_->PJRT_Client_Create, [&](auto &args) {
                args.create_options = options.data();
                args.num_options = options.size();
              }).client;
  }

  const PJRT_Api *api_ = GetPjrtApi();
  PJRT_Client *client_ = nullptr;
};

}  // namespace bp::pjrt::testing
