// Stub: a layer that has a worker in another process below it instead of a plugin. It sends the request of each call to
// the worker, and returns what the reply says. IsolatedPlugin (isolate.cc) overrides the functions that need more than
// that.
#pragma once

#include <memory>
#include <stdexcept>

#include "core/remote/calls.h"
#include "core/remote/protocol.h"
#include "core/remote/staging.h"

namespace bp::remote {

// The outcome of a call.
struct Outcome {
  bp_status status = BP_DEVICE_LOST;  // BP_OK for functions that return no status
  std::uint32_t number = 0;
  bool is_there = false;   // whether the function made or found an object
  bool has_reply = false;  // whether the worker replied; if not, it is dead
};

// Reports an error of a call that has a sink for reports.
inline void report(const bp_diag_t *diag, bp_status status, const std::string &text) {
  if (diag != nullptr) {
    diag->report(diag, status, BP_NONE, text.c_str());
  }
}

// Shows a line to the user, if the host has such a service.
inline void log(const bp_host_t *host, std::uint32_t severity, const char *text) {
  const auto *service = static_cast<const bp_host_log_t *>(host->get_extension(host, BP_EXT_LOG));
  if (service != nullptr) {
    service->log(host, severity, text);
  }
}

class Stub : public Interposer {
 public:
  Stub() : Interposer(nullptr) {}

#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles)           \
  result table##_##name(Layered##object &self BP_LAYERED_PARAMETERS parameters) override {              \
    return std::apply([&](auto... given) { return forward<Function::table##_##name>(self, given...); }, \
                      std::tuple arguments);                                                            \
  }
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION

 protected:
  // Return the worker that makes the calls of an object. For a factory, which outlives workers, it is alive, or nullptr
  // if none can be started, which is reported.
  virtual std::shared_ptr<Worker> worker_of(LayeredFactory &factory, const bp_diag_t *diag) = 0;
  virtual std::shared_ptr<Worker> worker_of(LayeredDevice &device) = 0;
  std::shared_ptr<Worker> worker_of(LayeredDevice &device, const bp_diag_t *) { return worker_of(device); }
  std::shared_ptr<Worker> worker_of(LayeredProgram &program, const bp_diag_t *) { return worker_of(*program.device); }
  // Return names for messages.
  virtual std::string name_of(const LayeredFactory &factory) const = 0;
  static std::string name_of(const LayeredDevice &device) { return device.abi.desc->id; }
  static std::string name_of(const LayeredProgram &program) { return name_of(*program.device); }
  // Returns what a call to this worker knows of the memory in it.
  virtual std::unique_ptr<StagedCall> begin(std::shared_ptr<Worker> worker) = 0;

  // Makes a call in the worker. `made` is the id of the object that the call makes. An exception of the plugin is
  // thrown here if the call has a bp_diag, because the caller then expects exceptions. After success, what the call has
  // written is where the arguments say; except for submit(), which has then only begun.
  template <Function function, class... Arguments>
  Outcome send(StagedCall &call, typename Row<function>::Object &self, std::uint64_t made, Arguments... arguments) {
    const bp_diag_t *diag = diag_of(arguments...);
    Worker &worker = call.worker();
    Outcome refused{BP_INTERNAL, 0, false, true};
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
      Writer request(repeats_module(function) ? &worker : nullptr);
      request.number(Request::Call);
      request.number(static_cast<std::uint8_t>(function));
      request.number(self.id);
      request.number(made);
      write_request<function>(request, call, self, arguments...);
      if (!call.status.ok()) {
        report(diag, BP_NO_MEMORY, call.status.error().message());
        refused.status = BP_NO_MEMORY;
        return refused;
      }
      const bool was_alive = worker.is_alive();
      const std::optional<std::string> reply = worker.ask(request);
      if (!reply.has_value()) {
        const std::string text =
            lost(name_of(self), worker, fmt::format("{} {}", was_alive ? "in" : "before", layers::to_string(function)));
        report(diag, BP_DEVICE_LOST, text);
        if (worker.tell_death()) {
          log_unreported<function>(self, text);
        }
        return {};
      }
      Reader reader(*reply);
      switch (reader.number<Answer>()) {
        case Answer::Done: return read_outcome<function>(reader, call, diag, self, arguments...);
        case Answer::Unknown: worker.forget_contents(); continue;
        case Answer::Threw:
          if (diag != nullptr) {
            throw std::runtime_error(std::string(reader.text()));
          }
          log_unreported<function>(self, fmt::format("{} threw an exception in {}: {}", name_of(self),
                                                     layers::to_string(function), reader.text()));
          return refused;
        default: {
          const std::string text(reader.text());
          report(diag, BP_INTERNAL, text);
          log_unreported<function>(self, fmt::format("{}: {}", layers::to_string(function), text));
          return refused;
        }
      }
    }
    report(diag, BP_INTERNAL, "the worker forgets a module as soon as it has got it");
    return refused;
  }
  template <Function function, class... Arguments>
  Outcome send(const std::shared_ptr<Worker> &worker, typename Row<function>::Object &self, std::uint64_t made,
               Arguments... arguments) {
    return send<function>(*begin(worker), self, made, arguments...);
  }

 private:
  static constexpr int max_attempts = 3;

  // Logs an error of a function that returns nothing and gets no sink for reports, such as destroy().
  template <Function function>
  static void log_unreported([[maybe_unused]] const typename Row<function>::Object &self,
                             [[maybe_unused]] const std::string &text) {
    if constexpr (std::is_void_v<typename Row<function>::Result>) {
      log(host_of(self), BP_LOG_ERROR, text.c_str());
    }
  }
  static const bp_host_t *host_of(const LayeredDevice &device) { return device.host.below; }
  static const bp_host_t *host_of(const LayeredProgram &program) { return host_of(*program.device); }

  // Whether the function is called with the same module for each of its instructions.
  static constexpr bool repeats_module(Function function) {
    return function == Function::kernels_find || function == Function::kernels_kernel;
  }

  static const bp_diag_t *diag_of() { return nullptr; }
  template <class First, class... Rest>
  static const bp_diag_t *diag_of(First first, Rest... rest) {
    if constexpr (std::is_same_v<First, const bp_diag_t *>) {
      return first;
    } else {
      return diag_of(rest...);
    }
  }

  template <Function function, class... Arguments>
  static Outcome read_outcome(Reader &reader, StagedCall &call, const bp_diag_t *diag,
                              typename Row<function>::Object &self, Arguments... arguments) {
    using Result = Row<function>::Result;
    Outcome outcome{BP_OK, 0, false, true};
    if constexpr (std::is_same_v<Result, bp_status>) {
      reader.number(outcome.status);
    } else if constexpr (std::is_same_v<Result, std::uint32_t>) {
      reader.number(outcome.number);
    } else if constexpr (!std::is_void_v<Result> && !std::is_same_v<Result, const bp_device_desc_t *>) {
      outcome.is_there = reader.number<std::uint8_t>() != 0;
    }
    read_reply<function>(reader, call, self, arguments...);
    if (!reader.ok()) {
      report(diag, BP_INTERNAL, "the reply of the worker: " + reader.status().error().message());
      outcome.status = BP_INTERNAL;
    }
    if (outcome.status == BP_OK && function != Function::queue_submit) {
      call.copy_out();
    }
    return outcome;
  }

  template <Function function, class... Arguments>
  typename Row<function>::Result forward(typename Row<function>::Object &self, Arguments... arguments) {
    using Result = Row<function>::Result;
    Outcome outcome;
    if constexpr (!std::is_same_v<typename Row<function>::Object, LayeredHost> && !is_sent<function>) {
      report(diag_of(arguments...), BP_UNSUPPORTED,
             fmt::format("{}: calls of {} cannot be carried to another process", name_of(self),
                         layers::to_string(function)));
      outcome.status = BP_UNSUPPORTED;
    } else if constexpr (!std::is_same_v<typename Row<function>::Object, LayeredHost>) {
      if (const auto worker = worker_of(self, diag_of(arguments...)); worker != nullptr) {
        outcome = send<function>(worker, self, 0, arguments...);
      }
    }
    if constexpr (std::is_same_v<Result, bp_status>) {
      return outcome.status;
    } else if constexpr (std::is_same_v<Result, std::uint32_t>) {
      return outcome.number;
    } else if constexpr (std::is_same_v<Result, bp_kernel>) {
      // A lost device, which was reported, has every kernel: the call of a kernel says with its status what happened,
      // whereas nullptr would mean that the device does not run the instruction.
      return outcome.is_there || !outcome.has_reply ? kernel() : nullptr;
    } else if constexpr (!std::is_void_v<Result>) {
      return nullptr;  // IsolatedPlugin overrides the functions that return an object
    }
  }
};

}  // namespace bp::remote
