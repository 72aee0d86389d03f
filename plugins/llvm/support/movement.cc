// Checks of ops that only move elements.
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/support/support.h"

namespace bp::emit {
namespace {

// Returns why bits of one type cannot be reinterpreted as another type; empty if they can.
std::string reinterpretation_problem(std::uint16_t from, std::uint16_t to) {
  return from != to && (is_complex(from) || is_complex(to)) ? "is not compiled for complex numbers" : "";
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

}  // namespace

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
      if (in.elements != out.elements || in.element_bits != out.element_bits) {
        return "changes the width of elements";
      }
      // The bytes do not change, and only bytes 0 and 1 are valid for pred.
      return in.dtype != out.dtype && out.dtype == BP_DTYPE_PRED ? "makes pred of other bits"
                                                                 : reinterpretation_problem(in.dtype, out.dtype);
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

std::string bitcast_convert_problem(InstructionView instruction) {
  if (instruction.operand_count() != 1) {
    return "has a wrong number of operands";
  }
  const Shape &in = instruction.operand_shape(0), &out = instruction.shape();
  const unsigned in_bits = value_bits(in.dtype), out_bits = value_bits(out.dtype);
  if (in_bits == out_bits) {
    return same_dims(in, out) ? reinterpretation_problem(in.dtype, out.dtype) : "has an operand of other dimensions";
  }
  const Shape &wide = in_bits > out_bits ? in : out, &narrow = in_bits > out_bits ? out : in;
  const unsigned wide_bits = std::max(in_bits, out_bits), narrow_bits = std::min(in_bits, out_bits);
  std::vector<std::int64_t> parted = wide.dims;
  parted.push_back(wide_bits / narrow_bits);
  return wide_bits % narrow_bits == 0 && narrow.dims == parted ? reinterpretation_problem(in.dtype, out.dtype)
                                                               : "has an operand of other dimensions";
}

std::string dynamic_slice_problem(InstructionView instruction) {
  const bool update = instruction.op() == BP_OP_DYNAMIC_UPDATE_SLICE;
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

}  // namespace bp::emit
