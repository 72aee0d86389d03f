// Instructions that the application serves: custom calls, infeed and outfeed.
#include "core/interpreter/host_calls.h"

#include <fmt/ranges.h>

#include <memory>

#include "core/ir/lapack_calls.h"

namespace bp::interpreter {

using ir::Instruction;
using ir::Literal;
using ir::Opcode;
using ir::Shape;

namespace {

// Checks a value that the application gives; `what` says how.
Status check_given(const Shape &found, const Shape &expected, std::string_view what) {
  return ir::same(found, expected, ir::CompareLayout::No)
             ? Status()
             : invalid_input("{} {}, expected {}", what, ir::to_string(found), ir::to_string(expected));
}

}  // namespace

Status HostCalls::add_function(std::string target, Function function) {
  if (target.empty()) {
    return invalid_input("a function is registered for the custom call \"\", expected the name of a target");
  }
  const auto [place, is_new] = functions_.try_emplace(std::move(target), std::move(function));
  return is_new ? Status() : invalid_input("two functions are registered for the custom call \"{}\"", place->first);
}

Result<Literal> HostCalls::call_function(const Instruction &call, std::span<const Literal> operands) const {
  const std::string_view target = call.text(ir::AttributeKey::CustomCallTarget);
  if (const auto found = functions_.find(target); found != functions_.end()) {
    BP_ASSIGN(Literal result, found->second(call, operands));
    BP_TRY(check_given(result.shape(), call.shape(), "the function returned"));
    return result;
  }
  if (ir::is_lapack_target(target)) {
    return unsupported(
        "the custom call \"{}\" has other operands, results, layouts or flags than the routine, which takes matrices "
        "column by column; or they are empty",
        target);
  }
  if (target.starts_with("xla_ffi_python_") || target.starts_with("xla_python_")) {
    return unsupported(
        "the custom call \"{}\" names a Python function by its address in the process that made the program, as "
        "jax.pure_callback and jax.io_callback do: expected a run by JAX in that process",
        target);
  }
  std::vector<std::string> names;
  for (const auto &[name, function] : functions_) {
    names.push_back(fmt::format("\"{}\"", name));
  }
  return unsupported(
      "the host knows no custom call \"{}\", and the application serves {}: it can serve this one, by "
      "backplane_serve_function() in C or HostCalls::add_function() in C++",
      target, names.empty() ? "no function" : fmt::format("only {}", fmt::join(names, ", ")));
}

Result<Literal> HostCalls::execute(const Instruction &instruction, std::span<const Literal> operands) const {
  switch (instruction.opcode()) {
    case Opcode::Infeed: {
      const Shape &shape = instruction.shape().elements()[0];
      if (!source_) {
        return unsupported("takes {} from the application, which feeds nothing: expected a source of infeed",
                           ir::to_string(shape));
      }
      BP_ASSIGN(Literal value, source_(shape));
      BP_TRY(check_given(value.shape(), shape, "was fed"));
      return Literal::tuple({std::move(value), Literal::token()});
    }
    case Opcode::Outfeed: {
      if (!sink_) {
        return unsupported("gives {} to the application, which takes nothing: expected a sink of outfeed",
                           ir::to_string(operands[0].shape()));
      }
      BP_TRY(sink_(operands[0]));
      return Literal::token();
    }
    default: return call_function(instruction, operands);
  }
}

void HostCalls::serve(Options &options) const {
  options.on_host_call = [this](const Instruction &instruction, std::span<const Literal> operands) {
    return execute(instruction, operands);
  };
}

Result<Literal> execute_on_host(const Options &options, const Instruction &instruction,
                                std::span<const Literal> operands) {
  if (!options.on_host_call) {
    return HostCalls().execute(instruction, operands);
  }
  return call_application([&] { return options.on_host_call(instruction, operands); });
}

HostCalls::Source in_order(std::vector<Literal> values) {
  // The source is copied, as a function is, and all copies have one place in the values.
  return [values = std::make_shared<const std::vector<Literal>>(std::move(values)),
          next = std::make_shared<std::size_t>(0)](const Shape &shape) -> Result<Literal> {
    if (*next == values->size()) {
      return invalid_input("all {} values given to the run have been read, expected another one, {}", values->size(),
                           ir::to_string(shape));
    }
    return (*values)[(*next)++];
  };
}

}  // namespace bp::interpreter
