#include "core/analysis/cost.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/call_graph.h"
#include "core/analysis/trip_count.h"

namespace bp::analysis {
namespace {

using ir::Instruction;
using ir::Opcode;

double elements(const ir::Shape &shape) {
  if (!shape.is_tuple()) {
    return shape.is_array() ? static_cast<double>(shape.element_count()) : 0;
  }
  double sum = 0;
  for (const ir::Shape &element : shape.elements()) {
    sum += elements(element);
  }
  return sum;
}

double bytes(const ir::Shape &shape) {
  return shape.is_token() ? 0 : static_cast<double>(shape.byte_size());
}

double size_of(const Instruction &operand, std::span<const std::int64_t> dimensions) {
  double product = 1;
  for (const std::int64_t dimension : dimensions) {
    product *= static_cast<double>(operand.shape().sizes()[static_cast<std::size_t>(dimension)]);
  }
  return product;
}

double window_size(const Instruction &instruction) {
  double product = 1;
  for (const ir::WindowDimension &dimension : instruction.window()) {
    product *= static_cast<double>(dimension.size);
  }
  return product;
}

double dot_operations(const Instruction &dot) {
  return 2 * elements(dot.shape()) * size_of(dot.operand(0), dot.numbers(ir::AttributeKey::LhsContractingDims));
}

// Each result is a sum over the window and the input features of the kernel, which are those of its group.
double convolution_operations(const Instruction &convolution) {
  const Instruction kernel = convolution.operand(1);
  const auto features = static_cast<std::size_t>(convolution.convolution_dimensions().rhs_input_feature);
  return 2 * elements(convolution.shape()) * window_size(convolution) *
         static_cast<double>(kernel.shape().sizes()[features]);
}

class CostCounter {
 public:
  explicit CostCounter(const ir::Module &module) : of_(module.computation_id_limit()) {}

  // The computations that it calls have been counted.
  void count(const ir::Computation &computation) {
    Cost sum;
    for (const Instruction instruction : computation.instructions()) {
      add(instruction, sum);
    }
    of_[index(computation.id())] = sum;
  }

  const Cost &of(ir::ComputationId id) const { return of_[index(id)]; }

 private:
  void add(const Instruction &instruction, Cost &sum) const {
    const double results = elements(instruction.shape());
    switch (instruction.opcode()) {
      case Opcode::Parameter:
      case Opcode::Constant:
      case Opcode::Tuple:
      case Opcode::GetTupleElement:
      case Opcode::Bitcast: return;
      case Opcode::While: {
        const auto trips = static_cast<double>(trip_count(instruction).value_or(1));
        for (const ir::ComputationId called : instruction.calls()) {
          add_times(trips, of(called), sum);
        }
        return;
      }
      case Opcode::Call: add_times(1, of(instruction.calls()[0]), sum); return;
      case Opcode::Conditional: add_times(1, dearest(instruction.calls()), sum); return;
      case Opcode::Fusion: add_arithmetic(1, instruction, sum); break;
      case Opcode::Map: add_arithmetic(results, instruction, sum); break;
      case Opcode::Reduce: {
        const double inputs = elements(instruction.operand(0).shape());
        const auto arrays = static_cast<double>(std::max<std::size_t>(instruction.operand_count() / 2, 1));
        add_arithmetic(std::max(0.0, inputs - results / arrays), instruction, sum);
        break;
      }
      case Opcode::ReduceWindow: {
        const auto arrays = static_cast<double>(std::max<std::size_t>(instruction.operand_count() / 2, 1));
        add_arithmetic(results / arrays * (window_size(instruction) - 1), instruction, sum);
        break;
      }
      case Opcode::Scatter:
        add_arithmetic(elements(instruction.operand(instruction.operand_count() - 1).shape()), instruction, sum);
        break;
      case Opcode::SelectAndScatter: add_arithmetic(elements(instruction.operand(1).shape()), instruction, sum); break;
      case Opcode::Sort: {
        const double rows = elements(instruction.operand(0).shape());
        add_arithmetic(rows * std::ceil(std::log2(std::max(rows, 2.0))), instruction, sum);
        break;
      }
      case Opcode::Dot: sum.operations += dot_operations(instruction); break;
      case Opcode::Convolution: sum.operations += convolution_operations(instruction); break;
      default:
        if (instruction.is(ir::Trait::Function)) {
          sum.functions += results;
        } else if (instruction.is(ir::Trait::Elementwise)) {
          sum.operations += results;
        }
    }
    sum.bytes += bytes(instruction.shape());
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      sum.bytes += bytes(instruction.operand(i).shape());
    }
  }

  static void add_times(double times, const Cost &cost, Cost &sum) {
    sum.operations += times * cost.operations;
    sum.functions += times * cost.functions;
    sum.bytes += times * cost.bytes;
  }

  // Adds the cost of the function that an instruction calls, without its bytes, which are not in memory.
  void add_arithmetic(double times, const Instruction &instruction, Cost &sum) const {
    for (const ir::ComputationId called : instruction.calls()) {
      add_times(times, {of(called).operations, of(called).functions, 0}, sum);
    }
  }

  Cost dearest(std::span<const ir::ComputationId> branches) const {
    Cost most;
    for (const ir::ComputationId branch : branches) {
      most.operations = std::max(most.operations, of(branch).operations);
      most.functions = std::max(most.functions, of(branch).functions);
      most.bytes = std::max(most.bytes, of(branch).bytes);
    }
    return most;
  }

  std::vector<Cost> of_;
};

}  // namespace

Cost cost(const ir::Module &module) {
  CostCounter counter(module);
  const CallGraph graph(module);
  for (const ir::ComputationId id : graph.callees_first()) {
    counter.count(module.computation(id));
  }
  return counter.of(module.entry().id());
}

}  // namespace bp::analysis
