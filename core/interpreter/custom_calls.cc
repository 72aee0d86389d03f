// Custom calls that the interpreter knows, by target.
#include <array>
#include <boost/json.hpp>

#include "core/interpreter/evaluator.h"
#include "core/interpreter/simulation.h"

namespace bp::interpreter {
namespace {

// custom-call(arguments of all devices ...), custom_call_target="interpreter.run_parallel", called_computations={a, b},
// backend_config={"replicas":R,"partitions":P}: by replica, then partition, a computation each; the results of all in
// one tuple. StableHLO's tests of collectives are written so.
Result<Literal> run_parallel(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  boost::system::error_code problem;
  const boost::json::value config = boost::json::parse(instruction.text(ir::AttributeKey::BackendConfig), problem);
  auto number = [&](const char *key) -> std::int64_t {
    const boost::json::value *value = problem || !config.is_object() ? nullptr : config.get_object().if_contains(key);
    return value == nullptr || !value->is_int64() ? 0 : value->get_int64();
  };
  std::vector<DeviceProgram> devices;
  std::size_t next = 0;
  for (std::size_t i = 0; i < instruction.calls().size(); ++i) {
    const ir::Computation computation = instruction.called(i);
    if (operands.size() - next < computation.parameter_count()) {
      return invalid_input("{} arguments for the programs of run_parallel, expected more", operands.size());
    }
    devices.push_back({computation, {}});
    for (std::size_t p = 0; p < computation.parameter_count(); ++p) {
      devices.back().arguments.push_back(operands[next++]);
    }
  }
  if (next != operands.size()) {
    return invalid_input("{} arguments for the programs of run_parallel, expected {}", operands.size(), next);
  }
  BP_ASSIGN(std::vector<Literal> results,
            simulate(devices, number("replicas"), number("partitions"), evaluator.options()));
  std::vector<Literal> all;
  for (Literal &result : results) {
    if (!result.shape().is_tuple()) {
      all.push_back(std::move(result));
      continue;
    }
    for (std::size_t i = 0, count = result.tuple_elements().size(); i < count; ++i) {
      all.push_back(result.take_element(i));
    }
  }
  const bool is_one = all.size() == 1 && !instruction.shape().is_tuple();
  Literal result = is_one ? std::move(all[0]) : Literal::tuple(std::move(all));
  if (!ir::same(result.shape(), instruction.shape(), ir::CompareLayout::No)) {
    return invalid_input("the programs of run_parallel give {}, expected {}", ir::to_string(result.shape()),
                         ir::to_string(instruction.shape()));
  }
  return result;
}

struct CustomCall {
  std::string_view target;
  Result<Literal> (*evaluate)(Evaluator &evaluator, const Instruction &instruction, Operands operands);
};
constexpr std::array custom_calls = {
    CustomCall{"interpreter.run_parallel", run_parallel},
};

}  // namespace

Result<Literal> evaluate_custom_call(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const std::string_view target = instruction.text(ir::AttributeKey::CustomCallTarget);
  for (const CustomCall &known : custom_calls) {
    if (known.target == target) {
      return known.evaluate(evaluator, instruction, operands);
    }
  }
  return unsupported("the interpreter knows no custom call \"{}\"", target);
}

}  // namespace bp::interpreter
