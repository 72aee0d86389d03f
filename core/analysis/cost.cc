#include "core/analysis/cost.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <tuple>

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

bool is_asynchronous(Opcode opcode) {
  return opcode == Opcode::AsyncStart || opcode == Opcode::AsyncUpdate || opcode == Opcode::AsyncDone;
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

// Returns the pairs of an output and a window position, in one dimension, for which the position holds an element of
// the operand: neither padding nor a gap between elements.
double window_pairs(const ir::WindowDimension &window, std::int64_t size, std::int64_t results) {
  constexpr std::int64_t max_pairs = 1 << 16, max_step = std::int64_t{1} << 40;
  if (window.size > max_pairs || results > max_pairs || window.size * results > max_pairs || window.stride > max_step ||
      window.rhs_dilate > max_step) {
    return static_cast<double>(window.size) * static_cast<double>(results);
  }
  double pairs = 0;
  for (std::int64_t position = 0; position < window.size; ++position) {
    for (std::int64_t result = 0; result < results; ++result) {
      const std::int64_t at = result * window.stride + position * window.rhs_dilate - window.pad_low;
      pairs += at >= 0 && at % window.lhs_dilate == 0 && at / window.lhs_dilate < size ? 1 : 0;
    }
  }
  return pairs;
}

// Each result is a sum over the positions of the window that hold an element, and over the input features of the
// kernel, which are those of its group.
double convolution_operations(const Instruction &convolution) {
  const ir::ConvolutionDimensions dimensions = convolution.convolution_dimensions();
  const Instruction kernel = convolution.operand(1);
  double sums = elements(convolution.shape());
  double pairs = 1;
  for (std::size_t d = 0; d < convolution.window().size(); ++d) {
    const auto results = convolution.shape().size(static_cast<std::size_t>(dimensions.output_spatial[d]));
    const auto size = convolution.operand(0).shape().size(static_cast<std::size_t>(dimensions.lhs_spatial[d]));
    pairs *= window_pairs(convolution.window()[d], size, results);
    sums /= static_cast<double>(std::max<std::int64_t>(results, 1));
  }
  return 2 * sums * pairs *
         static_cast<double>(kernel.shape().sizes()[static_cast<std::size_t>(dimensions.rhs_input_feature)]);
}

bool runs_computations(Opcode opcode) {
  return opcode == Opcode::While || opcode == Opcode::Call || opcode == Opcode::Conditional ||
         opcode == Opcode::AsyncStart;
}

// Returns the bytes that an instruction reads of an operand: of one that is indexed, only the elements that it takes.
double bytes_read(const Instruction &instruction, std::size_t number) {
  const double whole = bytes(instruction.operand(number).shape());
  switch (instruction.opcode()) {
    case Opcode::Slice:
    case Opcode::DynamicSlice:
    case Opcode::Gather: return number == 0 ? std::min(whole, bytes(instruction.shape())) : whole;
    case Opcode::DynamicUpdateSlice: return number == 0 ? 0 : whole;
    case Opcode::Scatter: {
      const std::size_t arrays = instruction.operand_count() / 2;
      return number < arrays ? std::min(whole, bytes(instruction.operand(number + arrays + 1).shape())) : whole;
    }
    default: return whole;
  }
}

double bytes_written(const Instruction &instruction) {
  switch (instruction.opcode()) {
    case Opcode::DynamicUpdateSlice: return bytes(instruction.operand(1).shape());
    case Opcode::Scatter: {
      double sum = 0;
      for (std::size_t i = instruction.operand_count() / 2 + 1; i < instruction.operand_count(); ++i) {
        sum += bytes(instruction.operand(i).shape());
      }
      return std::min(sum, bytes(instruction.shape()));
    }
    default: return bytes(instruction.shape());
  }
}

// Returns the bytes that a fusion reads and writes: of an operand that its instructions only index, what they take.
double bytes_of_fusion(const Instruction &fusion) {
  const ir::Computation body = fusion.called(0);
  std::vector<double> read(fusion.operand_count(), 0);
  double sum = 0;
  for (const Instruction user : body.instructions()) {
    for (std::size_t k = 0; k < user.operand_count(); ++k) {
      if (const Instruction parameter = user.operand(k); parameter.opcode() == Opcode::Parameter) {
        read[static_cast<std::size_t>(parameter.parameter_number())] += bytes_read(user, k);
      }
    }
  }
  for (std::size_t k = 0; k < read.size(); ++k) {
    const bool is_root = body.root() == body.parameter(k);
    const double whole = bytes(fusion.operand(k).shape());
    sum += is_root ? whole : std::min(whole, read[k]);
  }
  const Instruction root = body.root();
  if (root.opcode() != Opcode::Tuple) {
    return sum + bytes_written(root);
  }
  for (std::size_t k = 0; k < root.operand_count(); ++k) {
    sum += bytes_written(root.operand(k));
  }
  return sum;
}

class CostCounter {
 public:
  explicit CostCounter(const std::vector<Cost> &of) : of_(of) {}

  // Returns the cost of an instruction itself, without those of computations that it runs as control flow.
  Cost own(const Instruction &instruction) const {
    Cost cost;
    if (is_asynchronous(instruction.opcode())) {
      return cost;
    }
    const double results = elements(instruction.shape());
    switch (instruction.opcode()) {
      case Opcode::Parameter:
      case Opcode::Constant:
      case Opcode::Tuple:
      case Opcode::GetTupleElement:
      case Opcode::Bitcast:
      case Opcode::While:
      case Opcode::Call:
      case Opcode::Conditional: return cost;
      case Opcode::Fusion:
        add_arithmetic(1, instruction, cost);
        cost.bytes = bytes_of_fusion(instruction);
        return cost;
      case Opcode::Map: add_arithmetic(results, instruction, cost); break;
      case Opcode::Reduce: {
        const double inputs = elements(instruction.operand(0).shape());
        const auto arrays = static_cast<double>(std::max<std::size_t>(instruction.operand_count() / 2, 1));
        add_arithmetic(std::max(0.0, inputs - results / arrays), instruction, cost);
        break;
      }
      case Opcode::ReduceWindow: {
        const auto arrays = static_cast<double>(std::max<std::size_t>(instruction.operand_count() / 2, 1));
        add_arithmetic(results / arrays * (window_size(instruction) - 1), instruction, cost);
        break;
      }
      case Opcode::Scatter:
        add_arithmetic(elements(instruction.operand(instruction.operand_count() - 1).shape()), instruction, cost);
        break;
      case Opcode::SelectAndScatter: add_arithmetic(elements(instruction.operand(1).shape()), instruction, cost); break;
      case Opcode::Sort: {
        const double rows = elements(instruction.operand(0).shape());
        add_arithmetic(rows * std::ceil(std::log2(std::max(rows, 2.0))), instruction, cost);
        break;
      }
      case Opcode::Dot: cost.contractions += dot_operations(instruction); break;
      case Opcode::Convolution: cost.contractions += convolution_operations(instruction); break;
      default:
        if (instruction.is(ir::Trait::Function)) {
          cost.functions += results;
        } else if (instruction.is(ir::Trait::Elementwise) && !instruction.is(ir::Trait::Movement)) {
          cost.others += results;
        }
    }
    cost.bytes = bytes_written(instruction);
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      cost.bytes += bytes_read(instruction, i);
    }
    return cost;
  }

  // Returns the branch of a conditional that counts.
  ir::ComputationId dearest(const Instruction &conditional) const {
    return *std::ranges::max_element(conditional.calls(), {}, [&](ir::ComputationId branch) {
      const Cost &cost = of_[index(branch)];
      return std::tuple(cost.operations() + cost.functions, cost.bytes);
    });
  }

  Cost with_called(const Instruction &instruction) const {
    switch (instruction.opcode()) {
      case Opcode::While: {
        const auto trips = static_cast<double>(trip_count(instruction).value_or(1));
        Cost cost;
        for (const ir::ComputationId called : instruction.calls()) {
          cost += trips * of_[index(called)];
        }
        return cost;
      }
      case Opcode::Call:
      case Opcode::AsyncStart: return of_[index(instruction.calls()[0])];
      case Opcode::Conditional: return of_[index(dearest(instruction))];
      default: return own(instruction);
    }
  }

 private:
  // Adds the cost of the function that an instruction calls, without its bytes, which are not in memory.
  void add_arithmetic(double times, const Instruction &instruction, Cost &sum) const {
    for (const ir::ComputationId called : instruction.calls()) {
      Cost cost = of_[index(called)];
      cost.bytes = 0;
      sum += times * cost;
    }
  }

  const std::vector<Cost> &of_;
};

std::vector<Cost> count(const ir::Module &module, const CallGraph &graph) {
  std::vector<Cost> of(module.computation_id_limit());
  const CostCounter counter(of);
  for (const ir::ComputationId id : graph.callees_first()) {
    Cost sum;
    for (const Instruction instruction : module.computation(id).instructions()) {
      sum += counter.with_called(instruction);
    }
    of[index(id)] = sum;
  }
  return of;
}

}  // namespace

Cost &Cost::operator+=(const Cost &more) {
  contractions += more.contractions;
  others += more.others;
  functions += more.functions;
  bytes += more.bytes;
  return *this;
}

Cost operator*(double times, const Cost &cost) {
  return {times * cost.contractions, times * cost.others, times * cost.functions, times * cost.bytes};
}

std::vector<Cost> costs_of_computations(const ir::Module &module) {
  return count(module, CallGraph(module));
}

Cost cost_of(const Instruction &instruction, const std::vector<Cost> &of) {
  return CostCounter(of).with_called(instruction);
}

Cost cost(const ir::Module &module) {
  return costs_of_computations(module)[index(module.entry().id())];
}

Costs costs(const ir::Module &module) {
  const CallGraph graph(module);
  const std::vector<Cost> of = count(module, graph);
  const CostCounter counter(of);
  Costs result;
  result.sum = of[index(module.entry().id())];
  std::vector<double> times(module.computation_id_limit());  // by computation id: how often it runs
  times[index(module.entry().id())] = 1;
  for (const ir::ComputationId id : graph.callees_first() | std::views::reverse) {
    const double runs = times[index(id)];
    for (const Instruction instruction : module.computation(id).instructions()) {
      if (runs == 0 || !runs_computations(instruction.opcode())) {
        continue;
      }
      if (instruction.opcode() == Opcode::Conditional) {
        times[index(counter.dearest(instruction))] += runs;
        result.conditionals.push_back(instruction.id());
        continue;
      }
      std::optional<std::int64_t> trips = 1;
      if (instruction.opcode() == Opcode::While && !(trips = trip_count(instruction))) {
        result.unknown_loops.push_back(instruction.id());
      }
      for (const ir::ComputationId called : instruction.calls()) {
        times[index(called)] += runs * static_cast<double>(trips.value_or(1));
      }
    }
  }
  for (const ir::Computation computation : module.computations()) {
    const double runs = times[index(computation.id())];
    for (const Instruction instruction : computation.instructions()) {
      const Cost own = counter.own(instruction);
      if (runs > 0 && (own.bytes > 0 || own.operations() > 0 || own.functions > 0)) {
        result.instructions.push_back({instruction.id(), runs, runs * own});
      }
    }
  }
  return result;
}

}  // namespace bp::analysis
