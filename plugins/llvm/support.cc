// What can be compiled. Everything the emitters rely on is checked here, so that no module, however odd, leads them
// astray: numbers of operands, lengths and ranges of attributes, dimensions that must agree.
#include <algorithm>
#include <unordered_set>

#include "plugins/llvm/element_type.h"
#include "plugins/llvm/elementwise.h"
#include "plugins/llvm/kernel.h"

namespace bp::emit {
namespace {

using Numbers = std::span<const std::int64_t>;

// Fusions are walked recursively: this bounds the stack.
constexpr std::uint32_t largest_fusion = 2000;

std::string type_problem(const Shape &shape) {
  if (!is_supported_type(shape.dtype, shape.element_bits)) {
    return "element type " + std::to_string(shape.dtype) + " (" + std::to_string(shape.element_bits) +
           " bits) is not compiled";
  }
  return shape.tiled ? "tiled layouts are not compiled" : "";
}

bool all_below(Numbers dims, std::size_t rank) {
  std::unordered_set<std::int64_t> seen;
  return std::ranges::all_of(
      dims, [&](std::int64_t d) { return d >= 0 && d < static_cast<std::int64_t>(rank) && seen.insert(d).second; });
}

bool same_dims(const Shape &a, const Shape &b) {
  return a.dims == b.dims;
}

// Ops of one result have one.
std::string result_count_problem(InstructionView instruction) {
  switch (instruction.op()) {
    case BP_OP_REDUCE:
    case BP_OP_REDUCE_WINDOW:
    case BP_OP_FUSION:
    case BP_OP_CALL:
    case BP_OP_SCATTER:
    case BP_OP_SORT: return instruction.result_count() == 0 ? "has no result" : "";
    default: return instruction.result_count() == 1 ? "" : "has several results";
  }
}

// The computation works on scalars: arguments and results of these types.
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
        if (instruction.bytes(BP_ATTR_VALUE).size() != storage_bytes(instruction.shape().dtype)) {
          return "has a constant without value";
        }
        break;
      case BP_OP_BROADCAST:
      case BP_OP_RESHAPE:
      case BP_OP_BITCAST:
      case BP_OP_TRANSPOSE:
        if (instruction.operand_count() != 1) {
          return "has a wrong number of operands";
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

std::string reduce_problem(InstructionView instruction) {
  const std::size_t count = instruction.operand_count() / 2;
  if (count == 0 || instruction.operand_count() % 2 != 0 || instruction.result_count() != count ||
      instruction.calls().size() != 1) {
    return "has a wrong number of operands";
  }
  const Shape &shape = instruction.operand_shape(0);
  std::size_t rank = shape.rank();
  if (instruction.op() == BP_OP_REDUCE) {
    const Numbers dims = instruction.numbers(BP_ATTR_DIMENSIONS);
    if (!all_below(dims, shape.rank())) {
      return "has dimensions out of range";
    }
    rank -= dims.size();
  } else if (std::string problem = window_problem(instruction.numbers(BP_ATTR_WINDOW), rank); !problem.empty()) {
    return problem;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!same_dims(instruction.operand_shape(i), shape) || instruction.operand_shape(count + i).rank() != 0 ||
        instruction.shape(i).rank() != rank || instruction.operand_shape(i).dtype != instruction.shape(i).dtype ||
        !same_dims(instruction.shape(i), instruction.shape(0))) {
      return "has operands that do not agree";
    }
  }
  return scalar_computation_problem(instruction.called(0), 2 * count, count);
}

std::string starts_problem(InstructionView instruction, std::size_t first, std::size_t rank) {
  if (instruction.operand_count() != first + rank) {
    return "has a wrong number of start indices";
  }
  for (std::size_t i = first; i < instruction.operand_count(); ++i) {
    if (instruction.operand_shape(i).rank() != 0 || !is_integer(instruction.operand_shape(i).dtype)) {
      return "has start indices that are no integer scalars";
    }
  }
  return {};
}

std::string gather_problem(InstructionView instruction) {
  if (instruction.operand_count() != 2) {
    return "has a wrong number of operands";
  }
  const Shape &operand = instruction.operand_shape(0), &starts = instruction.operand_shape(1);
  const std::size_t out_rank = instruction.shape().rank();
  const Numbers offset = instruction.numbers(BP_ATTR_OFFSET_DIMS),
                collapsed = instruction.numbers(BP_ATTR_COLLAPSED_SLICE_DIMS),
                map = instruction.numbers(BP_ATTR_START_INDEX_MAP), sizes = instruction.numbers(BP_ATTR_SLICE_SIZES),
                batching = instruction.numbers(BP_ATTR_OPERAND_BATCHING_DIMS),
                starts_batching = instruction.numbers(BP_ATTR_START_INDICES_BATCHING_DIMS);
  const auto vector_dim = static_cast<std::size_t>(instruction.number(BP_ATTR_INDEX_VECTOR_DIM, -1));
  if (!is_integer(starts.dtype) || vector_dim > starts.rank() || !all_below(offset, out_rank) ||
      !all_below(collapsed, operand.rank()) || !all_below(map, operand.rank()) ||
      !all_below(batching, operand.rank()) || !all_below(starts_batching, starts.rank()) ||
      batching.size() != starts_batching.size() || sizes.size() != operand.rank() ||
      offset.size() + collapsed.size() + batching.size() != operand.rank()) {
    return "has dimension numbers out of range";
  }
  const std::size_t starts_rank = starts.rank() - (vector_dim < starts.rank() ? 1 : 0);
  if (out_rank - offset.size() != starts_rank ||
      (vector_dim < starts.rank() ? starts.dims[vector_dim] : 1) != static_cast<std::int64_t>(map.size())) {
    return "has dimension numbers that do not agree";
  }
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || sizes[d] > operand.dims[d]) {
      return "has slices that do not fit";
    }
  }
  return {};
}

std::string scatter_problem(InstructionView instruction) {
  const std::size_t count = instruction.operand_count() / 2;
  if (count == 0 || instruction.operand_count() != 2 * count + 1 || instruction.result_count() != count ||
      instruction.calls().size() != 1) {
    return "has a wrong number of operands";
  }
  const Shape &operand = instruction.operand_shape(0), &starts = instruction.operand_shape(count),
              &update = instruction.operand_shape(count + 1);
  const Numbers window = instruction.numbers(BP_ATTR_UPDATE_WINDOW_DIMS),
                inserted = instruction.numbers(BP_ATTR_INSERTED_WINDOW_DIMS),
                map = instruction.numbers(BP_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS),
                batching = instruction.numbers(BP_ATTR_INPUT_BATCHING_DIMS),
                starts_batching = instruction.numbers(BP_ATTR_SCATTER_INDICES_BATCHING_DIMS);
  const auto vector_dim = static_cast<std::size_t>(instruction.number(BP_ATTR_INDEX_VECTOR_DIM, -1));
  if (!is_integer(starts.dtype) || vector_dim > starts.rank() || !all_below(window, update.rank()) ||
      !all_below(inserted, operand.rank()) || !all_below(map, operand.rank()) || !all_below(batching, operand.rank()) ||
      !all_below(starts_batching, starts.rank()) || batching.size() != starts_batching.size() ||
      window.size() + inserted.size() + batching.size() != operand.rank()) {
    return "has dimension numbers out of range";
  }
  const std::size_t starts_rank = starts.rank() - (vector_dim < starts.rank() ? 1 : 0);
  if (update.rank() - window.size() != starts_rank ||
      (vector_dim < starts.rank() ? starts.dims[vector_dim] : 1) != static_cast<std::int64_t>(map.size())) {
    return "has dimension numbers that do not agree";
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Shape &result = instruction.shape(i), &from = instruction.operand_shape(i);
    if (!same_dims(from, operand) || !same_dims(result, operand) || from.minor_to_major != operand.minor_to_major ||
        result.minor_to_major != operand.minor_to_major || from.dtype != result.dtype ||
        !same_dims(instruction.operand_shape(count + 1 + i), update)) {
      return "has operands that do not agree";
    }
  }
  return scalar_computation_problem(instruction.called(0), 2 * count, count);
}

std::string select_and_scatter_problem(InstructionView instruction) {
  if (instruction.operand_count() != 3 || instruction.calls().size() != 2) {
    return "has a wrong number of operands";
  }
  const Shape &operand = instruction.operand_shape(0);
  const Numbers window = instruction.numbers(BP_ATTR_WINDOW);
  if (std::string problem = window_problem(window, operand.rank()); !problem.empty()) {
    return problem;
  }
  for (std::size_t d = 0; d < operand.rank(); ++d) {
    if (window[7 * d + 4] != 1 || window[7 * d + 5] != 1 || window[7 * d + 6] != 0) {
      return "has a dilated window";
    }
  }
  const Shape &result = instruction.shape();
  if (!same_dims(result, operand) || result.minor_to_major != operand.minor_to_major || result.dtype != operand.dtype ||
      instruction.operand_shape(1).rank() != operand.rank() || instruction.operand_shape(2).rank() != 0) {
    return "has operands that do not agree";
  }
  if (std::string problem = scalar_computation_problem(instruction.called(0), 2, 1); !problem.empty()) {
    return problem;
  }
  return scalar_computation_problem(instruction.called(1), 2, 1);
}

std::string sort_problem(InstructionView instruction) {
  const std::size_t count = instruction.operand_count();
  const Numbers dims = instruction.numbers(BP_ATTR_DIMENSIONS);
  if (count == 0 || instruction.result_count() != count || instruction.calls().size() != 1 || dims.size() != 1 ||
      !all_below(dims, instruction.operand_shape(0).rank())) {
    return "has a wrong number of operands or dimensions";
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!same_dims(instruction.operand_shape(i), instruction.operand_shape(0)) ||
        !same_dims(instruction.shape(i), instruction.operand_shape(0)) ||
        instruction.shape(i).dtype != instruction.operand_shape(i).dtype ||
        instruction.shape(i).minor_to_major != instruction.operand_shape(i).minor_to_major) {
      return "has operands that do not agree";
    }
  }
  return scalar_computation_problem(instruction.called(0), 2 * count, 1);
}

std::string dot_problem(InstructionView instruction) {
  if (instruction.operand_count() != 2) {
    return "has a wrong number of operands";
  }
  const Shape &lhs = instruction.operand_shape(0), &rhs = instruction.operand_shape(1);
  const Numbers lhs_batch = instruction.numbers(BP_ATTR_LHS_BATCH_DIMS),
                rhs_batch = instruction.numbers(BP_ATTR_RHS_BATCH_DIMS),
                lhs_sum = instruction.numbers(BP_ATTR_LHS_CONTRACTING_DIMS),
                rhs_sum = instruction.numbers(BP_ATTR_RHS_CONTRACTING_DIMS);
  if (!all_below(lhs_batch, lhs.rank()) || !all_below(rhs_batch, rhs.rank()) || !all_below(lhs_sum, lhs.rank()) ||
      !all_below(rhs_sum, rhs.rank()) || lhs_batch.size() != rhs_batch.size() || lhs_sum.size() != rhs_sum.size() ||
      lhs.rank() + rhs.rank() - 2 * lhs_sum.size() - lhs_batch.size() != instruction.shape().rank()) {
    return "has dimension numbers out of range";
  }
  for (std::size_t i = 0; i < lhs_sum.size(); ++i) {
    if (lhs.dims[static_cast<std::size_t>(lhs_sum[i])] != rhs.dims[static_cast<std::size_t>(rhs_sum[i])]) {
      return "has contracting dimensions that differ";
    }
  }
  return {};
}

std::string contraction_type_problem(InstructionView instruction) {
  const std::uint16_t lhs = instruction.operand_shape(0).dtype, rhs = instruction.operand_shape(1).dtype,
                      out = instruction.shape().dtype;
  if (lhs == BP_DTYPE_PRED || rhs == BP_DTYPE_PRED || out == BP_DTYPE_PRED) {
    return "of pred is not compiled";
  }
  if (is_float(lhs) != is_float(out) || is_float(rhs) != is_float(out) || is_signed(lhs) != is_signed(rhs) ||
      compute_bits(lhs) > compute_bits(out) || compute_bits(rhs) > compute_bits(out)) {
    return "of these element types is not compiled";
  }
  return {};
}

std::string convolution_problem(InstructionView instruction) {
  if (instruction.operand_count() != 2) {
    return "has a wrong number of operands";
  }
  const Shape &lhs = instruction.operand_shape(0), &rhs = instruction.operand_shape(1), &out = instruction.shape();
  const Numbers labels = instruction.numbers(BP_ATTR_DIM_LABELS);
  const std::size_t rank = lhs.rank();
  if (rank < 2 || rhs.rank() != rank || out.rank() != rank || labels.size() != 6 + 3 * (rank - 2)) {
    return "has dimension labels of a wrong rank";
  }
  const std::size_t spatial = rank - 2;
  const auto permutes = [&](std::int64_t a, std::int64_t b, std::size_t first) {
    std::vector<std::int64_t> all = {a, b};
    all.insert(all.end(), labels.begin() + static_cast<std::ptrdiff_t>(first),
               labels.begin() + static_cast<std::ptrdiff_t>(first + spatial));
    return all_below(all, rank);
  };
  if (!permutes(labels[0], labels[1], 6) || !permutes(labels[2], labels[3], 6 + spatial) ||
      !permutes(labels[4], labels[5], 6 + 2 * spatial)) {
    return "has dimension labels that are no permutation";
  }
  if (spatial > 0) {
    if (std::string problem = window_problem(instruction.numbers(BP_ATTR_WINDOW), spatial); !problem.empty()) {
      return problem;
    }
  }
  const std::int64_t groups = instruction.number(BP_ATTR_FEATURE_GROUP_COUNT, 1),
                     batch_groups = instruction.number(BP_ATTR_BATCH_GROUP_COUNT, 1);
  const auto size = [&](const Shape &shape, std::size_t i) { return shape.dims[static_cast<std::size_t>(labels[i])]; };
  if (groups < 1 || batch_groups < 1 || size(lhs, 1) % groups != 0 || size(lhs, 0) % batch_groups != 0 ||
      size(rhs, 3) % groups != 0 || size(rhs, 3) % batch_groups != 0 || size(rhs, 2) != size(lhs, 1) / groups ||
      size(out, 5) != size(rhs, 3) || size(out, 4) != size(lhs, 0) / batch_groups) {
    return "has features or groups that do not agree";
  }
  const Numbers window = instruction.numbers(BP_ATTR_WINDOW);
  for (std::size_t i = 0; i < spatial; ++i) {
    if (window[7 * i] != size(rhs, 6 + spatial + i)) {
      return "has a window that is not the filter";
    }
  }
  return {};
}

std::string shape_op_problem(InstructionView instruction) {
  const std::uint16_t op = instruction.op();
  const Shape &out = instruction.shape();
  const Numbers dims = instruction.numbers(BP_ATTR_DIMENSIONS);
  if (op == BP_OP_IOTA) {
    const std::int64_t d = instruction.number(BP_ATTR_IOTA_DIMENSION, -1);
    return d >= 0 && d < static_cast<std::int64_t>(out.rank()) && out.dtype != BP_DTYPE_PRED ? ""
                                                                                             : "has no such dimension";
  }
  if (instruction.operand_count() == 0) {
    return "has no operand";
  }
  const Shape &in = instruction.operand_shape(0);
  const std::size_t needed = op == BP_OP_PAD ? 2 : 1;
  if (op != BP_OP_CONCATENATE && instruction.operand_count() != needed) {
    return "has a wrong number of operands";
  }
  if (op != BP_OP_BITCAST && in.dtype != out.dtype) {
    return "changes the element type";
  }
  const bool agree = in.rank() == out.rank();
  switch (op) {
    case BP_OP_BROADCAST: {
      if (dims.size() != in.rank() || !all_below(dims, out.rank())) {
        return "has dimensions out of range";
      }
      for (std::size_t i = 0; i < dims.size(); ++i) {
        if (in.dims[i] != 1 && in.dims[i] != out.dims[static_cast<std::size_t>(dims[i])]) {
          return "has dimensions that do not agree";
        }
      }
      return {};
    }
    case BP_OP_RESHAPE: return in.elements == out.elements ? "" : "changes the number of elements";
    case BP_OP_BITCAST:
      return in.elements == out.elements && storage_bytes(in.dtype) == storage_bytes(out.dtype) &&
                     (in.dtype == out.dtype || (in.dtype != BP_DTYPE_PRED && out.dtype != BP_DTYPE_PRED))
                 ? ""
                 : "changes the width of elements";
    case BP_OP_TRANSPOSE: {
      if (!agree || dims.size() != out.rank() || !all_below(dims, out.rank())) {
        return "has no permutation";
      }
      for (std::size_t i = 0; i < dims.size(); ++i) {
        if (in.dims[static_cast<std::size_t>(dims[i])] != out.dims[i]) {
          return "has dimensions that do not agree";
        }
      }
      return {};
    }
    case BP_OP_REVERSE: return same_dims(in, out) && all_below(dims, out.rank()) ? "" : "has dimensions out of range";
    case BP_OP_SLICE: {
      const Numbers ranges = instruction.numbers(BP_ATTR_SLICE);
      if (!agree || ranges.size() != 3 * out.rank()) {
        return "has a wrong number of ranges";
      }
      for (std::size_t d = 0; d < out.rank(); ++d) {
        const std::int64_t start = ranges[3 * d], step = ranges[3 * d + 2];
        if (start < 0 || step < 1 || start > in.dims[d] || step > in.dims[d] + 1 ||
            (out.dims[d] > 0 && start + (out.dims[d] - 1) * step >= in.dims[d])) {
          return "has ranges that do not fit";
        }
      }
      return {};
    }
    case BP_OP_PAD: {
      const Numbers padding = instruction.numbers(BP_ATTR_PADDING);
      if (!agree || padding.size() != 3 * out.rank() || instruction.operand_shape(1).rank() != 0 ||
          instruction.operand_shape(1).dtype != out.dtype) {
        return "has padding of a wrong rank";
      }
      constexpr std::int64_t limit = std::int64_t{1} << 40;
      for (const std::int64_t amount : padding) {
        if (amount < -limit || amount > limit) {
          return "has padding out of range";
        }
      }
      for (std::size_t d = 0; d < out.rank(); ++d) {
        if (padding[3 * d + 2] < 0) {
          return "has negative interior padding";
        }
      }
      return {};
    }
    default: {  // concatenate
      if (dims.size() != 1 || !all_below(dims, out.rank())) {
        return "has dimensions out of range";
      }
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
        const Shape &part = instruction.operand_shape(i);
        if (part.rank() != out.rank() || part.dtype != out.dtype) {
          return "has operands that do not agree";
        }
        for (std::size_t d = 0; d < out.rank(); ++d) {
          if (static_cast<std::int64_t>(d) != dims[0] && part.dims[d] != out.dims[d]) {
            return "has operands that do not agree";
          }
        }
        sum += part.dims[static_cast<std::size_t>(dims[0])];
      }
      return sum == out.dims[static_cast<std::size_t>(dims[0])] ? "" : "has operands that do not add up";
    }
  }
}

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

std::string fusion_problem(InstructionView instruction);

// Of ops whose result Generator computes element by element.
std::string element_problem(InstructionView instruction) {
  const std::uint16_t op = instruction.op();
  if (is_elementwise(op)) {
    return elementwise_shape_problem(instruction);
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
    case BP_OP_PAD: return shape_op_problem(instruction);
    case BP_OP_DYNAMIC_SLICE:
    case BP_OP_DYNAMIC_UPDATE_SLICE: {
      const bool update = op == BP_OP_DYNAMIC_UPDATE_SLICE;
      const std::size_t rank = instruction.shape().rank();
      if (std::string problem = starts_problem(instruction, update ? 2 : 1, rank); !problem.empty()) {
        return problem;
      }
      const Shape &whole = instruction.operand_shape(0);
      const Shape &part = update ? instruction.operand_shape(1) : instruction.shape();
      if (whole.rank() != rank || part.rank() != rank || whole.dtype != part.dtype ||
          whole.dtype != instruction.shape().dtype || (update && !same_dims(whole, instruction.shape()))) {
        return "has operands that do not agree";
      }
      for (std::size_t d = 0; d < rank; ++d) {
        if (part.dims[d] > whole.dims[d]) {
          return "has a slice that does not fit";
        }
      }
      return {};
    }
    case BP_OP_GATHER: return gather_problem(instruction);
    case BP_OP_REDUCE:
    case BP_OP_REDUCE_WINDOW: return reduce_problem(instruction);
    case BP_OP_MAP:
      for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
        if (!same_dims(instruction.operand_shape(i), instruction.shape())) {
          return "has operands of other dimensions";
        }
      }
      return instruction.calls().size() == 1
                 ? scalar_computation_problem(instruction.called(0), instruction.operand_count(), 1)
                 : "has a wrong number of called computations";
    case BP_OP_FUSION:
    case BP_OP_CALL: return fusion_problem(instruction);
    default:
      if (!is_forwarding(op)) {
        return "is not compiled";
      }
      return instruction.operand_count() > 0 && instruction.operand_shape(0).dtype == instruction.shape().dtype &&
                     same_dims(instruction.operand_shape(0), instruction.shape())
                 ? ""
                 : "has a result that is not its operand";
  }
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

std::string fusion_problem(InstructionView instruction) {
  if (instruction.calls().size() != 1) {
    return "has a wrong number of called computations";
  }
  const ComputationView computation = instruction.called(0);
  if (computation.parameters().size() != instruction.operand_count() ||
      computation.roots().size() != instruction.result_count()) {
    return "does not agree with the computation it calls";
  }
  if (computation.instruction_count() > largest_fusion) {
    return "has too many instructions";
  }
  const ModuleView &module = instruction.module();
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
  // By value: whether a reduction goes into it. Repeating one for each element it is broadcast to would never end.
  std::unordered_set<std::uint32_t> reduced;
  for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
    const InstructionView inner = module.instruction(computation.first_instruction() + n);
    const auto because = [&](const std::string &problem) {
      return problem.empty() ? problem : "contains " + std::string(inner.name()) + ", which " + problem;
    };
    if (std::string problem = types_problem(inner); !problem.empty()) {
      return problem;
    }
    if (std::string problem = result_count_problem(inner); !problem.empty()) {
      return because(problem);
    }
    if (inner.op() == BP_OP_PARAMETER) {
      continue;
    }
    if (inner.op() == BP_OP_CONSTANT) {
      if (static_cast<std::int64_t>(inner.bytes(BP_ATTR_VALUE).size()) !=
          inner.shape().elements * storage_bytes(inner.shape().dtype)) {
        return because("has no value");
      }
      continue;
    }
    if (std::string problem = element_problem(inner); !problem.empty()) {
      return because(problem);
    }
    bool from_reduction = inner.op() == BP_OP_REDUCE || inner.op() == BP_OP_REDUCE_WINDOW;
    for (const std::uint32_t operand : inner.operands()) {
      from_reduction |= reduced.contains(operand);
      if (reduced.contains(operand) && inner.shape().elements > module.shape_of(operand).elements) {
        return because("repeats what was reduced");
      }
    }
    if (from_reduction) {
      for (std::size_t i = 0; i < inner.result_count(); ++i) {
        reduced.insert(inner.result(i));
      }
    }
  }
  return {};
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

bool is_control_flow(std::uint16_t op) {
  return op == BP_OP_WHILE || op == BP_OP_CONDITIONAL || op == BP_OP_CALL;
}

std::string kernel_problem(InstructionView instruction) {
  const std::uint16_t op = instruction.op();
  if (op == BP_OP_PARAMETER || op == BP_OP_CONSTANT) {
    return {};
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
  if (std::string problem = types_problem(instruction); !problem.empty()) {
    return problem;
  }
  if (std::string problem = result_count_problem(instruction); !problem.empty()) {
    return problem;
  }
  switch (op) {
    case BP_OP_SCATTER: return scatter_problem(instruction);
    case BP_OP_SELECT_AND_SCATTER: return select_and_scatter_problem(instruction);
    case BP_OP_SORT: return sort_problem(instruction);
    case BP_OP_DOT:
    case BP_OP_CONVOLUTION: {
      std::string problem = op == BP_OP_DOT ? dot_problem(instruction) : convolution_problem(instruction);
      return problem.empty() ? contraction_type_problem(instruction) : problem;
    }
    default: return element_problem(instruction);
  }
}

}  // namespace bp::emit
