// Checks of dots and convolutions.
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/support/support.h"

namespace bp::emit {
namespace {

// Whether the type is an integer of at least 8 bits or a float of at least 16.
bool is_contracted_type(std::uint16_t dtype) {
  return is_float(dtype) ? value_bits(dtype) >= 16 : is_integer(dtype) && value_bits(dtype) >= 8;
}

std::string contraction_type_problem(InstructionView instruction) {
  const std::uint16_t lhs = instruction.operand_shape(0).dtype, rhs = instruction.operand_shape(1).dtype,
                      out = instruction.shape().dtype;
  if (!is_contracted_type(lhs) || !is_contracted_type(rhs) || !is_contracted_type(out)) {
    return "of these element types is not compiled";
  }
  if (is_float(lhs) != is_float(out) || is_float(rhs) != is_float(out) || is_signed(lhs) != is_signed(rhs) ||
      compute_bits(lhs) > compute_bits(out) || compute_bits(rhs) > compute_bits(out)) {
    return "of these element types is not compiled";
  }
  return {};
}

}  // namespace

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
  return contraction_type_problem(instruction);
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
  return contraction_type_problem(instruction);
}

}  // namespace bp::emit
