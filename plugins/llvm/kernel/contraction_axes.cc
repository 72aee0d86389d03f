#include "plugins/llvm/kernel/contraction_axes.h"

#include <algorithm>

#include "plugins/llvm/scalar/element_type.h"

namespace bp::emit {

llvm::Type *contraction_type(llvm::LLVMContext &context, std::uint16_t dtype) {
  return dtype == BP_DTYPE_BF16 ? llvm::Type::getBFloatTy(context) : storage_type(context, dtype);
}

namespace {

// Integers are added in 32 bits at least, for which there is good code; the lower bits of the sum are the same.
llvm::Type *sum_type_of(llvm::LLVMContext &context, std::uint16_t dtype) {
  switch (dtype) {
    case BP_DTYPE_S8:
    case BP_DTYPE_U8:
    case BP_DTYPE_S16:
    case BP_DTYPE_U16: return llvm::Type::getInt32Ty(context);
    default: return compute_type(context, dtype);
  }
}

ContractionTypes types_of(llvm::LLVMContext &context, InstructionView instruction) {
  const std::uint16_t out = instruction.shape().dtype;
  const bool is_default = std::ranges::all_of(instruction.numbers(BP_ATTR_OPERAND_PRECISION),
                                              [](std::int64_t precision) { return precision == BP_PRECISION_DEFAULT; });
  return {.lhs = contraction_type(context, instruction.operand_shape(0).dtype),
          .rhs = contraction_type(context, instruction.operand_shape(1).dtype),
          .accumulate = sum_type_of(context, out),
          .out = contraction_type(context, out),
          .is_signed = is_signed(instruction.operand_shape(0).dtype),
          .may_round = is_default};
}

}  // namespace

Dot describe_dot(llvm::LLVMContext &context, InstructionView instruction) {
  const Shape &lhs = instruction.operand_shape(0), &rhs = instruction.operand_shape(1), &out = instruction.shape();
  const auto lhs_batch = instruction.numbers(BP_ATTR_LHS_BATCH_DIMS),
             rhs_batch = instruction.numbers(BP_ATTR_RHS_BATCH_DIMS);
  const auto lhs_contracted = instruction.numbers(BP_ATTR_LHS_CONTRACTING_DIMS),
             rhs_contracted = instruction.numbers(BP_ATTR_RHS_CONTRACTING_DIMS);
  Dot dot;
  dot.types = types_of(context, instruction);
  std::size_t result = 0;
  for (std::size_t i = 0; i < lhs_batch.size(); ++i) {
    const auto l = static_cast<std::size_t>(lhs_batch[i]), r = static_cast<std::size_t>(rhs_batch[i]);
    dot.batch.push_back({lhs.dims[l], lhs.strides[l], rhs.strides[r], out.strides[result++]});
  }
  for (std::size_t i = 0; i < lhs_contracted.size(); ++i) {
    const auto l = static_cast<std::size_t>(lhs_contracted[i]), r = static_cast<std::size_t>(rhs_contracted[i]);
    dot.contracted.push_back({lhs.dims[l], lhs.strides[l], rhs.strides[r], 0});
  }
  const auto is_free = [](std::span<const std::int64_t> batch, std::span<const std::int64_t> contracted,
                          std::size_t d) {
    const auto has = [d](std::span<const std::int64_t> list) {
      return std::ranges::find(list, static_cast<std::int64_t>(d)) != list.end();
    };
    return !has(batch) && !has(contracted);
  };
  for (std::size_t d = 0; d < lhs.rank(); ++d) {
    if (is_free(lhs_batch, lhs_contracted, d)) {
      dot.lhs_free.push_back({lhs.dims[d], lhs.strides[d], 0, out.strides[result++]});
    }
  }
  for (std::size_t d = 0; d < rhs.rank(); ++d) {
    if (is_free(rhs_batch, rhs_contracted, d)) {
      dot.rhs_free.push_back({rhs.dims[d], 0, rhs.strides[d], out.strides[result++]});
    }
  }
  return dot;
}

Convolution describe_convolution(llvm::LLVMContext &context, InstructionView instruction) {
  const Shape &lhs = instruction.operand_shape(0), &rhs = instruction.operand_shape(1), &out = instruction.shape();
  const auto labels = instruction.numbers(BP_ATTR_DIM_LABELS);
  const auto window = instruction.numbers(BP_ATTR_WINDOW);
  const auto label = [&](std::size_t i) { return static_cast<std::size_t>(labels[i]); };
  Convolution convolution;
  convolution.types = types_of(context, instruction);
  convolution.batch = lhs.dims[label(0)];
  convolution.input_features = lhs.dims[label(1)];
  convolution.output_features = out.dims[label(5)];
  convolution.feature_group_count = instruction.number(BP_ATTR_FEATURE_GROUP_COUNT, 1);
  convolution.batch_group_count = instruction.number(BP_ATTR_BATCH_GROUP_COUNT, 1);
  convolution.input_batch_stride = lhs.strides[label(0)];
  convolution.input_feature_stride = lhs.strides[label(1)];
  convolution.filter_input_feature_stride = rhs.strides[label(2)];
  convolution.filter_output_feature_stride = rhs.strides[label(3)];
  convolution.output_batch_stride = out.strides[label(4)];
  convolution.output_feature_stride = out.strides[label(5)];
  const std::size_t spatial = lhs.rank() - 2;
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::size_t l = label(6 + i), r = label(6 + spatial + i), o = label(6 + 2 * spatial + i);
    convolution.spatial.push_back({.input_size = lhs.dims[l],
                                   .window_size = rhs.dims[r],
                                   .output_size = out.dims[o],
                                   .stride = window[7 * i + 1],
                                   .padding_low = window[7 * i + 2],
                                   .base_dilation = window[7 * i + 4],
                                   .window_dilation = window[7 * i + 5],
                                   .window_reversal = window[7 * i + 6] != 0,
                                   .input_stride = lhs.strides[l],
                                   .window_stride = rhs.strides[r],
                                   .output_stride = out.strides[o]});
  }
  return convolution;
}

}  // namespace bp::emit
