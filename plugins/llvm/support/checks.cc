// Checks that several ops have in common.
#include <algorithm>
#include <unordered_set>

#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"
#include "plugins/llvm/support/support.h"

namespace bp::emit {
namespace {

std::string type_problem(const Shape &shape) {
  if (!is_supported_type(shape.dtype, shape.element_bits)) {
    return "element type " + std::to_string(shape.dtype) + " (" + std::to_string(shape.element_bits) +
           " bits) is not compiled";
  }
  return shape.tiled ? "tiled layouts are not compiled" : "";
}

}  // namespace

bool all_below(Numbers dims, std::size_t rank) {
  std::unordered_set<std::int64_t> seen;
  return std::ranges::all_of(
      dims, [&](std::int64_t d) { return d >= 0 && d < static_cast<std::int64_t>(rank) && seen.insert(d).second; });
}

bool same_dims(const Shape &a, const Shape &b) {
  return a.dims == b.dims;
}

std::string types_problem(InstructionView instruction) {
  for (std::size_t i = 0; i < instruction.operand_count() + instruction.result_count(); ++i) {
    const Shape &shape = i < instruction.operand_count() ? instruction.operand_shape(i)
                                                         : instruction.shape(i - instruction.operand_count());
    if (std::string problem = type_problem(shape); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

std::string packing_problem(InstructionView instruction) {
  bool packed = false;
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    packed |= instruction.operand_shape(i).packed();
  }
  for (std::size_t i = 0; i < instruction.result_count(); ++i) {
    packed |= instruction.shape(i).packed();
  }
  return packed ? "has several elements in a byte, which is not compiled" : "";
}

std::string result_count_problem(InstructionView instruction) {
  switch (instruction.op()) {
    case BP_OP_REDUCE:
    case BP_OP_REDUCE_WINDOW:
    case BP_OP_FUSION:
    case BP_OP_CALL:
    case BP_OP_SCATTER:
    case BP_OP_SORT:
    case BP_OP_TOP_K: return instruction.result_count() == 0 ? "has no result" : "";
    default: return instruction.result_count() == 1 ? "" : "has several results";
  }
}

std::string scalar_computation_problem(ComputationView computation, std::size_t parameters, std::size_t roots) {
  if (computation.parameters().size() != parameters || computation.roots().size() != roots) {
    return "calls a computation with a wrong number of parameters or roots";
  }
  for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
    const InstructionView instruction = computation.module().instruction(computation.first_instruction() + n);
    for (std::size_t i = 0; i < instruction.result_count(); ++i) {
      const Shape &shape = instruction.shape(i);
      if (std::string problem = type_problem(shape); !problem.empty()) {
        return problem;
      }
      if (shape.elements != 1) {
        return "calls a computation on arrays";
      }
    }
    if (std::string problem = result_count_problem(instruction); !problem.empty()) {
      return problem;
    }
    switch (instruction.op()) {
      case BP_OP_PARAMETER: break;
      case BP_OP_CONSTANT:
        if (static_cast<std::int64_t>(instruction.bytes(BP_ATTR_VALUE).size()) != instruction.shape().bytes()) {
          return "has a constant without value";
        }
        break;
      case BP_OP_BROADCAST:
      case BP_OP_RESHAPE:
      case BP_OP_TRANSPOSE:
        if (instruction.operand_count() != 1 || instruction.operand_shape(0).dtype != instruction.shape().dtype) {
          return "has a wrong number of operands";
        }
        break;
      case BP_OP_BITCAST:
        if (std::string problem = shape_op_problem(instruction); !problem.empty()) {
          return problem;
        }
        break;
      case BP_OP_BITCAST_CONVERT:
        if (std::string problem = bitcast_convert_problem(instruction); !problem.empty()) {
          return problem;
        }
        break;
      case BP_OP_FUSION:
      case BP_OP_CALL:
        if (instruction.calls().size() != 1) {
          return "has a wrong number of called computations";
        }
        if (std::string problem = scalar_computation_problem(instruction.called(0), instruction.operand_count(),
                                                             instruction.result_count());
            !problem.empty()) {
          return problem;
        }
        break;
      default:
        if (!is_elementwise(instruction.op())) {
          return "calls a computation with ops that are not elementwise";
        }
        if (std::string problem = elementwise_problem(instruction); !problem.empty()) {
          return problem;
        }
    }
  }
  return {};
}

std::string window_problem(Numbers window, std::size_t rank) {
  if (window.size() != 7 * rank) {
    return "has a window of a wrong rank";
  }
  constexpr std::int64_t limit = std::int64_t{1} << 31;
  for (std::size_t d = 0; d < rank; ++d) {
    const Numbers w = window.subspan(7 * d, 7);
    const bool in_range = std::ranges::all_of(w, [](std::int64_t v) { return v > -limit && v < limit; });
    if (!in_range || w[0] < 1 || w[1] < 1 || w[4] < 1 || w[5] < 1) {
      return "has a window of an impossible size";
    }
  }
  return {};
}

}  // namespace bp::emit
