// Functions of the C interface that serve instructions of a program: custom calls, infeed and outfeed.
#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "backplane/runtime.h"
#include "core/c/arrays.h"
#include "core/c/objects.h"
#include "core/host/diagnostics.h"

namespace {

using bp::Literal;
using bp::Result;
using bp::Shape;
using bp::Status;

// A function of the application.
struct Served {
  backplane_function_t function;
  void *data;
};

// The arrays of one side of a call.
class Arrays {
 public:
  void add(Literal literal, const char *name) {
    if (literal.shape().is_tuple()) {
      for (std::size_t i = 0; i < literal.tuple_elements().size(); ++i) {
        add(literal.take_element(i), name);
      }
    } else if (literal.shape().is_array()) {
      Literal &kept = literals_.emplace_back(std::move(literal));
      described.push_back(bp::c::describe(kept.shape(), name));
      data.push_back(kept.mutable_bytes().data());
    }
  }

  // InvalidInput if the application has written bytes that are no values of their type.
  Status check() const {
    for (std::size_t i = 0; i < literals_.size(); ++i) {
      if (literals_[i].shape().element_type() != bp::ir::ElementType::Pred) {
        continue;
      }
      const auto bytes = literals_[i].bytes();
      const auto wrong = std::ranges::find_if(bytes, [](std::byte byte) { return byte > std::byte{1}; });
      if (wrong != bytes.end()) {
        return bp::invalid_input(
            "the application's function wrote {} as element {} of output {}, expected 0 or 1 (pred)",
            static_cast<int>(*wrong), wrong - bytes.begin(), i);
      }
    }
    return {};
  }

  std::vector<backplane_array_t> described;
  std::vector<void *> data;

 private:
  std::deque<Literal> literals_;
};

// The first report of a call, or one that says that there was none.
struct FirstReport {
  std::string message;

  static void report(const bp_diag_t *diag, bp_status, std::uint32_t, const char *message) {
    FirstReport &self = *static_cast<FirstReport *>(diag->ctx);
    if (self.message.empty() && message != nullptr) {
      self.message = message;
    }
  }
};

// Calls the function with these operands, and returns a value of this shape that it has written.
Result<Literal> call(const Served &served, const char *target, const char *config, const char *name,
                     std::vector<Literal> operands, const Shape &shape) {
  Arrays inputs, outputs;
  for (Literal &operand : operands) {
    inputs.add(std::move(operand), name);
  }
  BP_ASSIGN(Literal zeros, Literal::zeros(shape));
  outputs.add(std::move(zeros), name);
  const backplane_call_t made = {target,
                                 config,
                                 inputs.described.data(),
                                 outputs.described.data(),
                                 inputs.data.data(),
                                 outputs.data.data(),
                                 static_cast<std::uint32_t>(inputs.data.size()),
                                 static_cast<std::uint32_t>(outputs.data.size())};
  FirstReport first;
  const bp_diag_t diag = {&first, FirstReport::report};
  if (const bp_status status = served.function(served.data, &made, &diag); status != BP_OK) {
    const std::string why = first.message.empty() ? "it does not say why" : first.message;
    // The device is not lost, whatever the function says.
    const bp::ErrorCode code =
        bp::host::error_code(status == BP_DEVICE_LOST ? bp_status{BP_INVALID} : status, bp::ErrorCode::InvalidInput);
    return bp::make_error(code, "the application's function {}: {}",
                          code == bp::ErrorCode::Cancelled ? "ended the run" : "failed", why);
  }
  BP_TRY(outputs.check());
  const void *const *written = outputs.data.data();
  return bp::c::make_literal(shape, written);
}

Status check_served(const backplane_terms *terms, backplane_function_t function) {
  BP_TRY(bp::c::expect_given(terms, "terms"));
  return bp::c::expect_given(reinterpret_cast<const void *>(function), "function");
}

}  // namespace

bp_status backplane_serve_function(backplane_terms *terms, const char *target, backplane_function_t function,
                                   void *data, const bp_diag_t *errors) {
  return bp::c::call(errors, [&]() -> Status {
    BP_TRY(check_served(terms, function));
    BP_TRY(bp::c::expect_given(target, "target"));
    return terms->host_calls.add_function(
        target,
        [served = Served{function, data}](const bp::ir::Instruction &instruction,
                                          std::span<const Literal> operands) -> Result<Literal> {
          const std::string name(instruction.name()), called(instruction.text(bp::ir::AttributeKey::CustomCallTarget)),
              config(instruction.text(bp::ir::AttributeKey::BackendConfig));
          return call(served, called.c_str(), config.c_str(), name.c_str(), {operands.begin(), operands.end()},
                      instruction.shape());
        });
  });
}

bp_status backplane_serve_infeed(backplane_terms *terms, backplane_function_t function, void *data,
                                 const bp_diag_t *errors) {
  return bp::c::call(errors, [&]() -> Status {
    BP_TRY(check_served(terms, function));
    terms->host_calls.set_infeed([served = Served{function, data}](const Shape &shape) {
      return call(served, nullptr, "", "infeed", {}, shape);
    });
    return {};
  });
}

bp_status backplane_serve_outfeed(backplane_terms *terms, backplane_function_t function, void *data,
                                  const bp_diag_t *errors) {
  return bp::c::call(errors, [&]() -> Status {
    BP_TRY(check_served(terms, function));
    terms->host_calls.set_outfeed([served = Served{function, data}](const Literal &value) -> Status {
      BP_TRY(call(served, nullptr, "", "outfeed", {value}, Shape::tuple({})));
      return {};
    });
    return {};
  });
}
