// Carrier: a layer that has a worker in another process below it instead of a plugin. It encodes each call, sends it to
// the worker, and returns what the worker replies. Proxy (isolate.cc) overrides the functions that need more than that.
#pragma once

#include <memory>
#include <stdexcept>

#include "core/remote/calls.h"
#include "core/remote/protocol.h"
#include "core/remote/worker.h"

namespace bp::remote {

// The outcome of a call.
struct Outcome {
  bp_status status = BP_DEVICE_LOST;  // BP_OK for functions that return no status
  std::uint32_t number = 0;
  bool is_there = false;  // whether the function made or found an object
  bool has_come = false;  // whether the worker replied; if not, it is dead
};

class Carrier : public Interposer, public Caller {
 public:
  Carrier() : Interposer(nullptr) {}

#define BP_ABI_FUNCTION(object, table, name, tag, result, parameters, arguments, travel)              \
  result table##_##name(Layered##object &self BP_LAYERED_PARAMETERS parameters) override {            \
    return std::apply([&](auto... given) { return carry<Function::table##_##name>(self, given...); }, \
                      std::tuple arguments);                                                          \
  }
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION

 protected:
  // Returns a worker in which the object exists in the state that the core knows. If there is none, reports why and
  // returns nullptr.
  virtual std::shared_ptr<Worker> worker_for(LayeredFactory &factory, const bp_diag_t *diag) = 0;
  virtual std::shared_ptr<Worker> worker_for(LayeredDevice &device, const bp_diag_t *diag) = 0;
  virtual std::shared_ptr<Worker> worker_for(LayeredProgram &program, const bp_diag_t *diag) = 0;
  // Return names for messages.
  virtual std::string name_of(const LayeredFactory &factory) const = 0;
  std::string name_of(const LayeredDevice &device) const { return device.abi.desc->id; }
  std::string name_of(const LayeredProgram &program) const { return name_of(*program.device); }

  static void report(const bp_diag_t *diag, bp_status status, const std::string &text) {
    if (diag != nullptr) {
      diag->report(diag, status, BP_NONE, text.c_str());
    }
  }

  // Makes the call in the worker. `made` is the id of the object that the call makes. An exception of the plugin is
  // thrown here if the call has a bp_diag, because the caller then expects exceptions.
  template <Function function, class... Arguments>
  Outcome transmit(Worker &worker, typename Row<function>::Object &self, std::uint64_t made, Arguments... arguments) {
    const bp_diag_t *diag = diag_of(arguments...);
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
      Writer request(this, repeats_module(function) ? &worker : nullptr);
      request.number(Request::Call);
      request.number(static_cast<std::uint8_t>(function));
      request.number(self.id);
      request.number(made);
      write_call<function>(request, self, arguments...);
      const std::optional<std::string> reply = worker.ask(request);
      if (!reply.has_value()) {
        report(diag, BP_DEVICE_LOST,
               fmt::format("{} {} in {}; it is started again for the next call", name_of(self), worker.death(),
                           layers::to_string(function)));
        return {};
      }
      Reader reader(*reply);
      switch (reader.number<Answer>()) {
        case Answer::Done: return read_outcome<function>(reader, diag, self, arguments...);
        case Answer::Unknown: worker.forget_contents(); continue;
        case Answer::Threw:
          if (diag != nullptr) {
            throw std::runtime_error(std::string(reader.text()));
          }
          break;
        default: report(diag, BP_INTERNAL, std::string(reader.text())); break;
      }
      break;
    }
    Outcome refused;
    refused.status = BP_INTERNAL;
    refused.has_come = true;
    return refused;
  }

 private:
  static constexpr int max_attempts = 3;

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
  static Outcome read_outcome(Reader &reader, const bp_diag_t *diag, typename Row<function>::Object &self,
                              Arguments... arguments) {
    using Result = Row<function>::Result;
    Outcome outcome{BP_OK, 0, false, true};
    if constexpr (std::is_same_v<Result, bp_status>) {
      reader.number(outcome.status);
    } else if constexpr (std::is_same_v<Result, std::uint32_t>) {
      reader.number(outcome.number);
    } else if constexpr (!std::is_void_v<Result> && !std::is_same_v<Result, const bp_device_desc_t *>) {
      outcome.is_there = reader.number<std::uint8_t>() != 0;
    }
    read_outputs<function>(reader, self, arguments...);
    if (!reader.ok()) {
      report(diag, BP_INTERNAL, "the answer of the worker: " + reader.status().error().message());
      outcome.status = BP_INTERNAL;
    }
    return outcome;
  }

  template <Function function, class... Arguments>
  typename Row<function>::Result carry(typename Row<function>::Object &self, Arguments... arguments) {
    using Result = Row<function>::Result;
    Outcome outcome;
    if constexpr (!std::is_same_v<typename Row<function>::Object, LayeredHost>) {
      if (const auto worker = worker_for(self, diag_of(arguments...)); worker != nullptr) {
        outcome = transmit<function>(*worker, self, 0, arguments...);
      }
    }
    if constexpr (std::is_same_v<Result, bp_status>) {
      return outcome.status;
    } else if constexpr (std::is_same_v<Result, std::uint32_t>) {
      return outcome.number;
    } else if constexpr (std::is_same_v<Result, bp_kernel>) {
      if (!outcome.has_come) {
        // Returning nullptr would mean that there is no kernel, and the core would go on with the next instruction.
        throw std::runtime_error("the worker is lost");
      }
      return outcome.is_there ? kernel() : nullptr;
    } else if constexpr (!std::is_void_v<Result>) {
      return nullptr;  // Proxy overrides the functions that return an object
    }
  }
};

}  // namespace bp::remote
