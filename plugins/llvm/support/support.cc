#include "plugins/llvm/support/support.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "plugins/llvm/contraction/fusion.h"
#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/kernel/row_fusion.h"
#include "plugins/llvm/kernel/topk.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"

namespace bp::emit {
namespace {

// Rule BP-MODULE-07: attributes must be hints or belong to the opset for which this was written.
std::string attributes_problem(InstructionView instruction) {
  constexpr std::uint16_t newest = BP_ATTR_INDICES;
  for (const bp_attr_t &attribute : instruction.attributes()) {
    if (attribute.key > newest && attribute.key < BP_ATTR_HINT) {
      return "has attribute " + std::to_string(attribute.key) + ", which is not known";
    }
  }
  return {};
}

// Limit of the instructions of a kernel, each counted as often as code for it is emitted. Fusions are walked
// recursively, so this also limits stack depth, and the time that LLVM takes.
constexpr std::uint32_t largest_fusion = 2000;

std::string elementwise_shape_problem(InstructionView instruction) {
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    const Shape &operand = instruction.operand_shape(i);
    const bool may_be_scalar = instruction.op() == BP_OP_CLAMP || instruction.op() == BP_OP_SELECT;
    if (!same_dims(operand, instruction.shape()) && !(may_be_scalar && operand.rank() == 0)) {
      return "has operands of other dimensions";
    }
  }
  return elementwise_problem(instruction);
}

std::string forwarding_problem(InstructionView instruction) {
  return instruction.operand_count() > 0 && instruction.operand_shape(0).dtype == instruction.shape().dtype &&
                 same_dims(instruction.operand_shape(0), instruction.shape())
             ? ""
             : "has a result that is not its operand";
}

std::string random_state_problem(InstructionView instruction) {
  return instruction.shape().dtype == BP_DTYPE_U64 && instruction.shape().elements == 2 ? "" : "is not of two u64";
}

std::string fusion_problem(InstructionView instruction, const VectorTarget *target);

// Check of an instruction whose types and number of results have been checked. Null: no such op is compiled.
using Check = std::string (*)(InstructionView instruction);
constexpr const char *not_compiled = "is not compiled";

// Returns the check of ops whose result Generator computes element by element.
Check element_check(std::uint16_t op) {
  if (is_elementwise(op)) {
    return elementwise_shape_problem;
  }
  switch (op) {
    case BP_OP_BROADCAST:
    case BP_OP_IOTA:
    case BP_OP_RESHAPE:
    case BP_OP_BITCAST:
    case BP_OP_TRANSPOSE:
    case BP_OP_REVERSE:
    case BP_OP_SLICE:
    case BP_OP_CONCATENATE:
    case BP_OP_PAD: return shape_op_problem;
    case BP_OP_BITCAST_CONVERT: return bitcast_convert_problem;
    case BP_OP_DYNAMIC_SLICE:
    case BP_OP_DYNAMIC_UPDATE_SLICE: return dynamic_slice_problem;
    case BP_OP_GATHER: return gather_problem;
    case BP_OP_REDUCE:
    case BP_OP_REDUCE_WINDOW: return reduce_problem;
    case BP_OP_MAP: return map_problem;
    case BP_OP_FUSION:
    case BP_OP_CALL: return [](InstructionView instruction) { return fusion_problem(instruction, nullptr); };
    default: return is_forwarding(op) ? forwarding_problem : nullptr;
  }
}

// Returns the check of ops that are compiled inside a kernel's fusion.
Check check_in_fusion(std::uint16_t op) {
  return op == BP_OP_DOT ? dot_problem : op == BP_OP_CONVOLUTION ? convolution_problem : element_check(op);
}
// Returns the check of ops that are compiled as a kernel, except fusions.
Check kernel_check(std::uint16_t op) {
  switch (op) {
    case BP_OP_RNG_GET_AND_UPDATE_STATE: return random_state_problem;
    case BP_OP_SCATTER: return scatter_problem;
    case BP_OP_SELECT_AND_SCATTER: return select_and_scatter_problem;
    case BP_OP_SORT: return sort_problem;
    case BP_OP_TOP_K: return topk_problem;
    case BP_OP_FFT: return fft_problem;
    default: return check_in_fusion(op);
  }
}

// Returns what is wrong with a fusion that ends in a scatter.
std::string scatter_fusion_problem(InstructionView fusion, InstructionView scatter) {
  if (std::string problem = packing_problem(scatter); !problem.empty()) {
    return "contains " + std::string(scatter.name()) + ", which " + problem;
  }
  const std::size_t operand = scattered_operand(fusion, 0);
  if (operand == fusion.operand_count()) {
    return "contains " + std::string(scatter.name()) + ", which is not into a parameter";
  }
  const bool lies_alike = scatter.operand_shape(0).minor_to_major == fusion.operand_shape(operand).minor_to_major &&
                          scatter.shape().minor_to_major == fusion.shape().minor_to_major;
  return lies_alike ? "" : "has other layouts than the scatter that it ends in";
}

// Checks the depth and size of the computations that a fusion calls, because code is emitted recursively, once for each
// call. Each computation is visited once.
std::string nesting_problem(InstructionView fusion) {
  constexpr std::uint32_t max_depth = 256;
  struct Size {
    std::uint32_t depth = 0, instructions = 0;  // including the computations it calls
  };
  const ModuleView &module = fusion.module();
  const auto for_each_called = [&](ComputationView computation, auto &&body) {
    for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
      std::ranges::for_each(module.instruction(computation.first_instruction() + n).calls(), body);
    }
  };
  std::map<std::uint32_t, Size> sizes;  // by computation; callees have smaller numbers than callers
  std::vector<std::uint32_t> found{fusion.calls()[0]};
  while (!found.empty()) {
    const std::uint32_t id = found.back();
    found.pop_back();
    if (sizes.emplace(id, Size()).second) {
      for_each_called({&module, id}, [&](std::uint32_t called) { found.push_back(called); });
    }
  }
  for (auto &[id, size] : sizes) {
    const ComputationView computation(&module, id);
    size.instructions = std::min(computation.instruction_count(), largest_fusion + 1);
    for_each_called(computation, [&, &size = size](std::uint32_t called) {
      const Size &inner = sizes.at(called);
      size.depth = std::max(size.depth, inner.depth + 1);
      size.instructions = std::min(size.instructions + inner.instructions, largest_fusion + 1);
    });
  }
  const Size &whole = sizes.at(fusion.calls()[0]);
  return whole.depth > max_depth               ? "has fusions that are nested more than 256 deep"
         : whole.instructions > largest_fusion ? "has too many instructions"
                                               : "";
}

// target: that of a kernel; null for a fusion inside another one.
std::string fusion_problem(InstructionView instruction, const VectorTarget *target) {
  if (instruction.calls().size() != 1) {
    return "has a wrong number of called computations";
  }
  if (target != nullptr) {
    if (std::string problem = nesting_problem(instruction); !problem.empty()) {
      return problem;
    }
  }
  const ComputationView computation = instruction.called(0);
  if (computation.parameters().size() != instruction.operand_count() ||
      computation.roots().size() != instruction.result_count()) {
    return "does not agree with the computation it calls";
  }
  const ModuleView &module = instruction.module();
  const auto ending = scatter_in(instruction);
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    const Shape &inner = module.shape_of(computation.parameters()[i]), &outer = instruction.operand_shape(i);
    if (inner.dtype != outer.dtype || !same_dims(inner, outer)) {
      return "has parameters of other shapes than its operands";
    }
  }
  for (std::size_t i = 0; i < instruction.result_count(); ++i) {
    const Shape &inner = module.shape_of(computation.roots()[i]);
    if (inner.dtype != instruction.shape(i).dtype || !same_dims(inner, instruction.shape(i))) {
      return "has roots of other shapes than its results";
    }
  }
  for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
    const InstructionView inner = module.instruction(computation.first_instruction() + n);
    const auto because = [&](const std::string &problem) {
      return problem.empty() ? problem : "contains " + std::string(inner.name()) + ", which " + problem;
    };
    const bool is_given = inner.op() == BP_OP_PARAMETER || inner.op() == BP_OP_CONSTANT;
    const bool is_end = target != nullptr && ending && inner.id() == ending->id();
    const Check check = is_end              ? scatter_problem
                        : target == nullptr ? element_check(inner.op())
                                            : check_in_fusion(inner.op());
    if (!is_given && check == nullptr) {
      return because(not_compiled);
    }
    if (std::string problem = types_problem(inner); !problem.empty()) {
      return problem;
    }
    if (std::string problem = result_count_problem(inner); !problem.empty()) {
      return because(problem);
    }
    if (std::string problem = attributes_problem(inner); !problem.empty()) {
      return because(problem);
    }
    if (inner.op() == BP_OP_PARAMETER) {
      continue;
    }
    if (inner.op() == BP_OP_CONSTANT) {
      if (static_cast<std::int64_t>(inner.bytes(BP_ATTR_VALUE).size()) != inner.shape().bytes()) {
        return because("has no value");
      }
      continue;
    }
    if (std::string problem = check(inner); !problem.empty()) {
      return because(problem);
    }
  }
  if (const auto contraction = contraction_in(instruction); contraction && target != nullptr) {
    return contraction_fusion_problem(instruction, *contraction, *target);
  }
  if (ending && target != nullptr) {
    return scatter_fusion_problem(instruction, *ending);
  }
  std::string problem;
  if (repeats_reductions(instruction)) {
    find_rows(instruction, problem);
  }
  return problem;
}

std::string control_flow_problem(InstructionView instruction) {
  const std::size_t operands = instruction.operand_count(), results = instruction.result_count();
  const auto takes = [](ComputationView computation, std::size_t parameters, std::size_t roots) {
    return computation.parameters().size() == parameters && computation.roots().size() == roots;
  };
  const auto calls = instruction.calls();
  bool fits = true;
  if (instruction.op() == BP_OP_WHILE) {
    fits = calls.size() == 2 && takes(instruction.called(0), operands, 1) &&
           takes(instruction.called(1), operands, results) && results == operands;
    if (fits) {
      const Shape &condition = instruction.module().shape_of(instruction.called(0).roots()[0]);
      fits = condition.dtype == BP_DTYPE_PRED && condition.rank() == 0;
    }
  } else if (instruction.op() == BP_OP_CONDITIONAL) {
    std::size_t taken = 1;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      taken += instruction.called(i).parameters().size();
      fits = fits && instruction.called(i).roots().size() == results;
    }
    fits = fits && !calls.empty() && operands == taken && instruction.operand_shape(0).rank() == 0 &&
           (instruction.operand_shape(0).dtype == BP_DTYPE_S32 ||
            (instruction.operand_shape(0).dtype == BP_DTYPE_PRED && calls.size() == 2));
  } else {
    fits = calls.size() == 1 && takes(instruction.called(0), operands, results);
  }
  return fits ? "" : "does not agree with the computations it calls";
}

}  // namespace

bool is_forwarding(std::uint16_t op) {
  return op == BP_OP_OPTIMIZATION_BARRIER || op == BP_OP_DOMAIN || op == BP_OP_ADD_DEPENDENCY ||
         op == BP_OP_AFTER_ALL || op == BP_OP_BITCAST;
}

bool works_in_memory(InstructionView instruction) {
  const std::uint16_t op = instruction.op();
  return contraction_in(instruction) || scatter_in(instruction) || op == BP_OP_SELECT_AND_SCATTER || op == BP_OP_SORT ||
         op == BP_OP_TOP_K || op == BP_OP_FFT || op == BP_OP_DOT || op == BP_OP_CONVOLUTION;
}

std::optional<InstructionView> scatter_in(InstructionView instruction) {
  if (instruction.op() == BP_OP_FUSION && instruction.calls().size() == 1 &&
      instruction.called(0).roots().size() == 1) {
    instruction = instruction.module().definition(instruction.called(0).roots()[0]);
  }
  return instruction.op() == BP_OP_SCATTER ? std::optional(instruction) : std::nullopt;
}

std::size_t scattered_operand(InstructionView instruction, std::size_t i) {
  if (instruction.op() != BP_OP_FUSION) {
    return i;
  }
  const auto parameters = instruction.called(0).parameters();
  const auto found = std::ranges::find(parameters, scatter_in(instruction)->operand(i));
  return static_cast<std::size_t>(found - parameters.begin());
}

bool is_control_flow(std::uint16_t op) {
  return op == BP_OP_WHILE || op == BP_OP_CONDITIONAL || op == BP_OP_CALL;
}

std::string kernel_problem(InstructionView instruction, const VectorTarget &target) {
  const std::uint16_t op = instruction.op();
  if (op == BP_OP_PARAMETER || op == BP_OP_CONSTANT) {
    return {};
  }
  if (std::string problem = attributes_problem(instruction); !problem.empty()) {
    return problem;
  }
  if (op == BP_OP_AFTER_ALL) {
    return {};
  }
  if (is_control_flow(op)) {
    return control_flow_problem(instruction);
  }
  if (is_forwarding(op)) {
    return instruction.operand_count() >= instruction.result_count() ? "" : "has a wrong number of operands";
  }
  const Check check = kernel_check(op);
  // Threaded targets compute ffts as matrix products.
  if (check == nullptr || (op == BP_OP_FFT && target.is_threaded)) {
    return not_compiled;
  }
  if (std::string problem = types_problem(instruction); !problem.empty()) {
    return problem;
  }
  if (std::string problem = result_count_problem(instruction); !problem.empty()) {
    return problem;
  }
  if (op != BP_OP_FUSION && works_in_memory(instruction)) {
    if (std::string problem = packing_problem(instruction); !problem.empty()) {
      return problem;
    }
  }
  if (op == BP_OP_FUSION) {
    return fusion_problem(instruction, &target);
  }
  std::string problem = check(instruction);
  if (problem.empty() && op == BP_OP_TOP_K && target.is_threaded && !topk_for_team(instruction)) {
    return "wants so many that threads sort";
  }
  return problem;
}

}  // namespace bp::emit
