// Lowers the checks of tests to custom calls: the name of the operation is the target, its attributes are a JSON object
// in backend_config, and an expected value is the last operand.
#include <boost/json.hpp>

#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {
namespace {

boost::json::value to_json(const Attribute &attribute) {
  if (const auto *number = attribute.get<std::int64_t>()) {
    return *number;
  }
  if (const auto *real = attribute.get<double>()) {
    return *real;
  }
  if (const auto *flag = attribute.get<bool>()) {
    return *flag;
  }
  if (const auto *text = attribute.get<std::string>()) {
    return boost::json::value(*text);
  }
  return boost::json::value(to_string(attribute));
}

Result<InstructionId> custom_call(Lowering &lowering, const Operation &operation,
                                  std::span<const InstructionId> operands, const boost::json::object &config,
                                  std::span<const ComputationId> calls) {
  return lowering.add(
      operation, Opcode::CustomCall, lowering.result_shapes(operation), operands,
      [&](ir::Module &m, InstructionId added) {
        m.set_text(added, AttributeKey::CustomCallTarget, operation.name);
        m.set_number(added, AttributeKey::CustomCallHasSideEffect, 1);
        if (!config.empty()) {
          m.set_text(added, AttributeKey::BackendConfig, boost::json::serialize(config));
        }
      },
      calls);
}

}  // namespace

Result<Values> lower_check(Lowering &lowering, const Operation &operation) {
  Values operands = lowering.operands(operation);
  boost::json::object config;
  for (const NamedAttribute &entry : operation.attributes) {
    if (entry.name == "value") {
      continue;
    }
    entry.is_used = true;
    config[entry.name] = to_json(entry.value);
  }
  if (operation.find("value") != nullptr) {
    BP_ASSIGN(InstructionId expected, constant_value(lowering, operation));
    operands.push_back(expected);
  }
  BP_ASSIGN(InstructionId id, custom_call(lowering, operation, operands, config, {}));
  return lowering.results(operation, id);
}

// programs = [[@a, @b], [@c]]: one row per replica, with the function that each partition runs. infeed = [@d, @e]:
// functions whose results the programs receive from infeed, in this order. backend_config contains both, as indices of
// called computations.
Result<Values> lower_run_parallel(Lowering &lowering, const Operation &operation) {
  BP_ASSIGN(const Attribute *programs, lowering.attribute(operation, "programs"));
  const auto *rows = programs->get<std::vector<Attribute>>();
  if (rows == nullptr) {
    return lowering.error(*programs, "expected functions as in [[@a, @b], [@c, @d]]");
  }
  std::vector<ComputationId> calls;
  auto numbers_of = [&](const Attribute &list) -> Result<boost::json::array> {
    const auto *functions = list.get<std::vector<Attribute>>();
    if (functions == nullptr) {
      return lowering.error(list, "expected a list of functions");
    }
    boost::json::array numbers;
    for (const Attribute &function : *functions) {
      BP_ASSIGN(ComputationId computation, lowering.function(function));
      numbers.push_back(static_cast<std::int64_t>(calls.size()));
      calls.push_back(computation);
    }
    return numbers;
  };
  boost::json::array grid;
  for (const Attribute &row : *rows) {
    BP_ASSIGN(boost::json::array numbers, numbers_of(row));
    grid.push_back(std::move(numbers));
  }
  boost::json::object config{{"programs", std::move(grid)}};
  if (const Attribute *inputs = operation.find("infeed")) {
    BP_ASSIGN(config["infeed"], numbers_of(*inputs));
  }
  BP_ASSIGN(InstructionId id, custom_call(lowering, operation, lowering.operands(operation), config, calls));
  return lowering.results(operation, id);
}

}  // namespace bp::import::stablehlo
