// Custom calls that the interpreter supports, by target.
#include <array>
#include <boost/json.hpp>

#include "core/interpreter/evaluator.h"
#include "core/interpreter/factorizations.h"
#include "core/interpreter/host_calls.h"
#include "core/interpreter/lapack.h"
#include "core/interpreter/simulation.h"
#include "core/interpreter/sort.h"
#include "core/ir/annotations.h"
#include "core/ir/run_time_sizes.h"
#include "core/ir/top_k_calls.h"

namespace bp::interpreter {
namespace {

struct Grid {
  std::int64_t replicas = 0, partitions = 0;
  std::vector<std::size_t> programs;  // numbers of called computations, by replica, then partition
  std::vector<std::size_t> infeed;    // numbers of called computations
};

Result<Grid> read_grid(const Instruction &instruction) {
  const std::string_view config = instruction.text(ir::AttributeKey::BackendConfig);
  auto refuse = [&] {
    return invalid_input(
        "backend_config is '{}', expected {{\"programs\":[[0,1],[0,1]],\"infeed\":[2]}}, rows of equal "
        "length of numbers below {}",
        config, instruction.calls().size());
  };
  boost::system::error_code problem;
  const boost::json::value value = boost::json::parse(config, problem);
  const boost::json::value *rows = problem || !value.is_object() ? nullptr : value.get_object().if_contains("programs");
  if (rows == nullptr || !rows->is_array()) {
    return refuse();
  }
  Grid grid;
  auto append = [&](const boost::json::value &row, std::vector<std::size_t> &numbers) {
    if (!row.is_array()) {
      return false;
    }
    for (const boost::json::value &number : row.get_array()) {
      numbers.push_back(number.to_number<std::size_t>(problem));
      if (problem || numbers.back() >= instruction.calls().size()) {
        return false;
      }
    }
    return true;
  };
  if (const auto *inputs = value.get_object().if_contains("infeed");
      inputs != nullptr && !append(*inputs, grid.infeed)) {
    return refuse();
  }
  for (const boost::json::value &row : rows->get_array()) {
    if (!append(row, grid.programs)) {
      return refuse();
    }
    const auto partitions = static_cast<std::int64_t>(row.get_array().size());
    if (++grid.replicas > 1 && partitions != grid.partitions) {
      return refuse();
    }
    grid.partitions = partitions;
  }
  return grid;
}

// custom-call(arguments of all devices ...), custom_call_target="interpreter.run_parallel", called_computations={a, b},
// backend_config={"programs":[[0,1],[0,1]]}: one row per replica, with the number of the called computation that each
// partition runs. The result is a tuple of the results of all devices. "infeed":[2,3]: computations without parameters,
// whose values infeed returns, one after the other. StableHLO's tests of collectives are translated to this form.
Result<Literal> run_parallel(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  BP_ASSIGN(Grid grid, read_grid(instruction));
  std::vector<DeviceProgram> devices;
  std::size_t next = 0;
  for (std::size_t number : grid.programs) {
    const ir::Computation computation = instruction.called(number);
    devices.push_back({computation, {}});
    for (std::size_t p = 0; p < computation.parameter_count() && next < operands.size(); ++p) {
      devices.back().arguments.push_back(operands[next++]);
    }
  }
  if (next != operands.size()) {
    return invalid_input("{} arguments for the programs of run_parallel, expected {}", operands.size(), next);
  }
  std::deque<Literal> inputs;
  for (std::size_t number : grid.infeed) {
    if (instruction.called(number).parameter_count() != 0) {
      return invalid_input("the infeed {} takes arguments, expected none", instruction.called(number).name());
    }
    BP_ASSIGN(Literal value, evaluator.run(instruction.called(number), {}));
    inputs.push_back(std::move(value));
  }
  Exchange exchange(grid.replicas, grid.partitions, MemberOrder::ByPartition);
  exchange.feed(std::move(inputs));
  const Options &options = evaluator.options();
  const auto interpret = [&](std::size_t number, const Options &own) {
    return evaluate(devices[number].computation, devices[number].arguments, own);
  };
  BP_ASSIGN(std::vector<Literal> results,
            options.on_devices ? options.on_devices(exchange, devices) : run_together(exchange, options, interpret));
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

// Returns the operand, and passes it to on_probe if that is set.
Result<Literal> probe(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  if (operands.size() != 1 || !ir::same(operands[0].shape(), instruction.shape(), ir::CompareLayout::No)) {
    return invalid_input("a probe takes one operand and returns it");
  }
  if (evaluator.options().on_probe) {
    evaluator.options().on_probe(instruction, operands[0]);
  }
  return std::move(operands[0]);
}

// For debugging by people; the interpreter prints nothing.
Result<Literal> print_nothing(Evaluator &, const Instruction &, Operands) {
  return Literal::tuple({});
}

// Returns the array of the bounds, in which elements outside the sizes have any value, and the sizes.
Result<Literal> pad_to_static(Evaluator &, const Instruction &instruction, Operands operands) {
  BP_TRY(ir::check_size_call(instruction));
  std::vector<Literal> parts;
  parts.push_back(operands[0].with_shape(instruction.shape().elements()[0]));
  for (std::size_t d = 0; d < operands[0].shape().rank(); ++d) {
    parts.push_back(Literal::scalar(ir::ElementType::S32, static_cast<std::int32_t>(operands[0].dynamic_size(d))));
  }
  return Literal::tuple(std::move(parts));
}

Result<Literal> slice_to_dynamic(Evaluator &, const Instruction &instruction, Operands operands) {
  BP_TRY(ir::check_size_call(instruction));
  const Shape &shape = instruction.shape();
  Literal result = operands[0].with_shape(shape);
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    const std::int64_t size = operands[1 + d].elements<std::int32_t>()[0], bound = shape.size(d);
    if (size < 0 || size > bound || (size != bound && !shape.is_dynamic(d))) {
      return invalid_input("size {} for dimension {}, expected {}{}", size, d, shape.is_dynamic(d) ? "0 to " : "",
                           bound);
    }
    if (size != bound) {
      result.set_dynamic_size(d, size);
    }
  }
  return result;
}

struct CustomCall {
  std::string_view target;
  Result<Literal> (*evaluate)(Evaluator &evaluator, const Instruction &instruction, Operands operands);
};
constexpr std::array custom_calls = {
    CustomCall{"interpreter.run_parallel", run_parallel}, CustomCall{"interpreter.probe", probe},
    CustomCall{"interpreter.print", print_nothing},       CustomCall{"PadToStatic", pad_to_static},
    CustomCall{"SliceToDynamic", slice_to_dynamic},
};

}  // namespace

Result<Literal> evaluate_custom_call(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const std::string_view target = instruction.text(ir::AttributeKey::CustomCallTarget);
  switch (ir::annotation_of(instruction)) {
    case ir::Annotation::Operand: return std::move(operands[0]);
    case ir::Annotation::Operands:
      return Literal::tuple({std::make_move_iterator(operands.begin()), std::make_move_iterator(operands.end())});
    case ir::Annotation::Nothing: return Literal::tuple({});
    case ir::Annotation::Division:
      return unsupported("{} converts {} to {}, its part on one of several devices: partition the program first",
                         target, ir::to_string(operands[0].shape()), ir::to_string(instruction.shape()));
    case ir::Annotation::None: break;
  }
  if (const auto factorization = ir::factorization_of(instruction); factorization != ir::Factorization::None) {
    return evaluate_factorization(evaluator, instruction, operands, factorization);
  }
  if (const ir::LapackCall call = ir::lapack_call_of(instruction); call.routine != ir::LapackRoutine::None) {
    return evaluate_lapack_call(evaluator, instruction, operands, call);
  }
  if (const auto dimension = ir::top_k_dimension(instruction)) {
    return evaluate_top_k_call(evaluator, instruction, operands, *dimension);
  }
  for (const CustomCall &known : custom_calls) {
    if (known.target == target) {
      return known.evaluate(evaluator, instruction, operands);
    }
  }
  return execute_on_host(evaluator.options(), instruction, operands);
}

}  // namespace bp::interpreter
