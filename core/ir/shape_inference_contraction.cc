// Shape rules of dots, convolutions, transforms and linear algebra.
// The inferred element type of a contraction is the wider of its operands' types; the written one may differ (see
// may_widen_result()).
#include "core/ir/shape_inference_rules.h"

namespace bp::ir {

using namespace shape_rules;

namespace {

// Returns the wider of the two operand types; a float if either is a float. Real types may be mixed, complex types must
// be equal.
Result<ElementType> common_type(const Instruction &instruction) {
  ElementType lhs = operand_shape(instruction, 0).element_type(), rhs = operand_shape(instruction, 1).element_type();
  if (lhs != rhs && (is_complex(lhs) || is_complex(rhs))) {
    return unexpected_operand(instruction, 1, fmt::format("elements that combine with {}", to_string(lhs)));
  }
  if (is_floating(lhs) != is_floating(rhs)) {
    return is_floating(lhs) ? lhs : rhs;
  }
  return bit_width(rhs) > bit_width(lhs) ? rhs : lhs;
}

struct DotDimensions {
  std::span<const std::int64_t> lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
};

DotDimensions dot_dimensions(const Instruction &instruction) {
  return {instruction.numbers(AttributeKey::LhsBatchDims), instruction.numbers(AttributeKey::RhsBatchDims),
          instruction.numbers(AttributeKey::LhsContractingDims), instruction.numbers(AttributeKey::RhsContractingDims)};
}

Status check_paired(const Shape &lhs, const Shape &rhs, std::span<const std::int64_t> of_lhs,
                    std::span<const std::int64_t> of_rhs, std::string_view what) {
  if (of_lhs.size() != of_rhs.size()) {
    return invalid_input("there are {} {} dimensions of the lhs and {} of the rhs", of_lhs.size(), what, of_rhs.size());
  }
  for (std::size_t i = 0; i < of_lhs.size(); ++i) {
    std::int64_t left = lhs.size(static_cast<std::size_t>(of_lhs[i]));
    std::int64_t right = rhs.size(static_cast<std::size_t>(of_rhs[i]));
    if (!sizes_agree(left, right)) {
      return invalid_input("{} dimension {} of the lhs {} has size {}, expected {} as dimension {} of the rhs {}", what,
                           of_lhs[i], describe(lhs), left, right, of_rhs[i], describe(rhs));
    }
  }
  return {};
}

// (C1) Dimension numbers are in range, and no dimension is both batch and contracting.
Status check_numbers(const Shape &shape, std::span<const std::int64_t> batch, std::span<const std::int64_t> contracting,
                     std::string_view side) {
  std::vector<std::int64_t> all(batch.begin(), batch.end());
  all.insert(all.end(), contracting.begin(), contracting.end());
  return check_dimensions(all, shape.rank(),
                          fmt::format("the list of batch and contracting dimensions of the {}", side));
}

// Returns the dimensions that are in neither list, in ascending order.
std::vector<std::int64_t> free_dimensions(const Shape &shape, std::span<const std::int64_t> batch,
                                          std::span<const std::int64_t> contracting) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    auto number = static_cast<std::int64_t>(i);
    if (!contains(batch, number) && !contains(contracting, number)) {
      result.push_back(number);
    }
  }
  return result;
}

void append(std::vector<Dimension> &sizes, const Shape &shape, std::span<const std::int64_t> which) {
  for (std::int64_t i : which) {
    sizes.push_back(dimension(shape, static_cast<std::size_t>(i)));
  }
}

// Checks that the last two dimensions are equal.
Status check_square(const Instruction &instruction, std::size_t i) {
  const Shape &shape = operand_shape(instruction, i);
  if (shape.rank() < 2 || !sizes_agree(shape.size(shape.rank() - 1), shape.size(shape.rank() - 2))) {
    return unexpected_operand(instruction, i, "square matrices in the last two dimensions");
  }
  return {};
}

}  // namespace

Result<Shape> infer_dot(const Instruction &instruction) {
  const Shape &lhs = operand_shape(instruction, 0), &rhs = operand_shape(instruction, 1);
  BP_ASSIGN(ElementType type, common_type(instruction));
  DotDimensions numbers = dot_dimensions(instruction);
  BP_TRY(check_numbers(lhs, numbers.lhs_batch, numbers.lhs_contracting, "lhs"));
  BP_TRY(check_numbers(rhs, numbers.rhs_batch, numbers.rhs_contracting, "rhs"));
  // (C2) batch and contracting dimensions come in pairs of equal size.
  BP_TRY(check_paired(lhs, rhs, numbers.lhs_batch, numbers.rhs_batch, "batch"));
  BP_TRY(check_paired(lhs, rhs, numbers.lhs_contracting, numbers.rhs_contracting, "contracting"));
  std::vector<Dimension> sizes;
  append(sizes, lhs, numbers.lhs_batch);
  append(sizes, lhs, free_dimensions(lhs, numbers.lhs_batch, numbers.lhs_contracting));
  append(sizes, rhs, free_dimensions(rhs, numbers.rhs_batch, numbers.rhs_contracting));
  return make_array(type, sizes);
}

namespace {

// The group sizes are a vector; or there is one vector for each index of the dimensions before the ragged one: batch
// dimensions, then dimensions of the same kind as the ragged one, contracting or free.
Status check_group_sizes(const Instruction &instruction, const DotDimensions &numbers, std::int64_t ragged) {
  const Shape &lhs = operand_shape(instruction, 0), &sizes = operand_shape(instruction, 2);
  std::vector<std::int64_t> expected;
  for (std::int64_t d : numbers.lhs_batch) {
    expected.push_back(lhs.size(static_cast<std::size_t>(d)));
  }
  const std::vector<std::int64_t> free = free_dimensions(lhs, numbers.lhs_batch, numbers.lhs_contracting);
  for (std::int64_t d : contains(numbers.lhs_contracting, ragged) ? numbers.lhs_contracting : std::span(free)) {
    if (d == ragged) {
      break;
    }
    expected.push_back(lhs.size(static_cast<std::size_t>(d)));
  }
  bool fits = sizes.rank() == expected.size() + 1;
  for (std::size_t d = 0; fits && d < expected.size(); ++d) {
    fits = sizes_agree(sizes.size(d), expected[d]);
  }
  if (sizes.rank() != 1 && !fits) {
    expected.push_back(sizes.size(sizes.rank() - 1));
    return unexpected_operand(
        instruction, 2,
        fmt::format("a vector, or sizes {}: the dimensions before the ragged one and the groups", list(expected)));
  }
  return {};
}

}  // namespace

// The mode follows from the kind of the ragged dimension of the lhs:
//   free         [b, m, k], [g, b, k, n] -> [b, m, n]      (rhs_group_dims: g)
//   contracting  [b, m, k], [b, k, n]    -> [g, b, m, n]
//   batch        [b, m, k], [b, k, n]    -> [b, m, n]
Result<Shape> infer_ragged_dot(const Instruction &instruction) {
  const Shape &lhs = operand_shape(instruction, 0), &rhs = operand_shape(instruction, 1);
  const Shape &group_sizes = operand_shape(instruction, 2);
  BP_ASSIGN(ElementType type, common_type(instruction));
  DotDimensions numbers = dot_dimensions(instruction);
  auto ragged = instruction.numbers(AttributeKey::LhsRaggedDims),
       groups = instruction.numbers(AttributeKey::RhsGroupDims);
  BP_TRY(check_numbers(lhs, numbers.lhs_batch, numbers.lhs_contracting, "lhs"));
  std::vector<std::int64_t> rhs_contracting_and_groups(numbers.rhs_contracting.begin(), numbers.rhs_contracting.end());
  rhs_contracting_and_groups.insert(rhs_contracting_and_groups.end(), groups.begin(), groups.end());
  BP_TRY(check_numbers(rhs, numbers.rhs_batch, rhs_contracting_and_groups, "rhs"));
  BP_TRY(check_paired(lhs, rhs, numbers.lhs_batch, numbers.rhs_batch, "batch"));
  BP_TRY(check_paired(lhs, rhs, numbers.lhs_contracting, numbers.rhs_contracting, "contracting"));
  // (C3) there is one ragged dimension.
  if (ragged.size() != 1) {
    return invalid_input("lhs_ragged_dims has {} numbers, expected 1", ragged.size());
  }
  BP_TRY(check_dimension(ragged[0], lhs.rank(), "lhs_ragged_dims"));
  // (C4) the group sizes are integers; their last dimension is that of the groups.
  if (group_sizes.rank() == 0 || !is_integer(group_sizes.element_type())) {
    return unexpected_operand(instruction, 2, "integers, with the groups as the last dimension");
  }
  std::size_t last = group_sizes.rank() - 1;
  bool is_contracting = contains(numbers.lhs_contracting, ragged[0]);
  bool is_free = !is_contracting && !contains(numbers.lhs_batch, ragged[0]);
  // (C5) the rhs has a group dimension exactly if the ragged dimension is free.
  if (groups.size() != (is_free ? 1u : 0u)) {
    return invalid_input("rhs_group_dims has {} numbers, expected {}", groups.size(), is_free ? 1 : 0);
  }
  if (is_free && !sizes_agree(rhs.size(static_cast<std::size_t>(groups[0])), group_sizes.size(last))) {
    return unexpected_operand(instruction, 2, fmt::format("{} groups", rhs.size(static_cast<std::size_t>(groups[0]))));
  }
  // (C6) if the ragged dimension is a batch dimension, the groups have no effect.
  if (is_free || is_contracting) {
    BP_TRY(check_group_sizes(instruction, numbers, ragged[0]));
  }
  std::vector<Dimension> sizes;
  if (is_contracting) {
    sizes.push_back(dimension(group_sizes, last));
  }
  append(sizes, lhs, numbers.lhs_batch);
  append(sizes, lhs, free_dimensions(lhs, numbers.lhs_batch, numbers.lhs_contracting));
  append(sizes, rhs, free_dimensions(rhs, numbers.rhs_batch, rhs_contracting_and_groups));
  return make_array(type, sizes);
}

Result<Shape> infer_scaled_dot(const Instruction &instruction) {
  for (std::size_t i : {std::size_t{2}, std::size_t{3}}) {
    const Shape &values = operand_shape(instruction, i - 2), &scale = operand_shape(instruction, i);
    for (std::size_t k : {i - 2, i}) {
      if (!is_floating(operand_shape(instruction, k).element_type())) {
        return unexpected_operand(instruction, k, "floats");
      }
    }
    // (C1) a scale applies to all elements, or to blocks that divide each dimension evenly.
    bool fits = scale.rank() == values.rank();
    for (std::size_t k = 0; fits && k < scale.rank(); ++k) {
      fits = sizes_agree(scale.size(k), values.size(k)) || (scale.size(k) > 0 && values.size(k) % scale.size(k) == 0);
    }
    if (!scale.is_scalar() && !fits) {
      return unexpected_operand(instruction, i, fmt::format("scales of blocks of {}", describe(values)));
    }
  }
  return infer_dot(instruction);
}

Result<Shape> infer_convolution(const Instruction &instruction) {
  if (instruction.operand_count() > 2 && !instruction.has(AttributeKey::SparsityConfig)) {
    return invalid_input("{} operands, expected 2 without sparsity_config", instruction.operand_count());
  }
  const Shape &lhs = operand_shape(instruction, 0), &rhs = operand_shape(instruction, 1);
  BP_ASSIGN(ElementType type, common_type(instruction));
  ConvolutionDimensions labels = instruction.convolution_dimensions();
  std::size_t spatial = labels.lhs_spatial.size();
  // (C1) the labels number each dimension once.
  for (auto [rank, side] : {std::pair(lhs.rank(), "lhs"), std::pair(rhs.rank(), "rhs")}) {
    if (rank != spatial + 2) {
      return invalid_input("the {} has rank {}, expected {} by its dim_labels", side, rank, spatial + 2);
    }
  }
  auto check_labels = [&](std::int64_t first, std::int64_t second, std::span<const std::int64_t> others) {
    std::vector<std::int64_t> all(others.begin(), others.end());
    all.push_back(first);
    all.push_back(second);
    return check_dimensions(all, spatial + 2, "dim_labels");
  };
  BP_TRY(check_labels(labels.lhs_batch, labels.lhs_feature, labels.lhs_spatial));
  BP_TRY(check_labels(labels.rhs_input_feature, labels.rhs_output_feature, labels.rhs_spatial));
  BP_TRY(check_labels(labels.output_batch, labels.output_feature, labels.output_spatial));
  // (C2) the window has one entry per spatial dimension, of the size of the filter.
  auto window = instruction.window();
  if (window.size() != spatial) {
    return invalid_input("window has {} dimensions, expected {}", window.size(), spatial);
  }
  for (std::size_t i = 0; i < spatial; ++i) {
    std::int64_t filter = rhs.size(static_cast<std::size_t>(labels.rhs_spatial[i]));
    if (!sizes_agree(window[i].size, filter)) {
      return invalid_input("window dimension {} has size {}, expected {} as the filter", i, window[i].size, filter);
    }
  }
  Dimension batch = dimension(lhs, static_cast<std::size_t>(labels.lhs_batch));
  Dimension features = dimension(lhs, static_cast<std::size_t>(labels.lhs_feature));
  Dimension filter_features = dimension(rhs, static_cast<std::size_t>(labels.rhs_input_feature));
  Dimension output_features = dimension(rhs, static_cast<std::size_t>(labels.rhs_output_feature));
  std::int64_t feature_groups = instruction.number(AttributeKey::FeatureGroupCount, 1);
  std::int64_t batch_groups = instruction.number(AttributeKey::BatchGroupCount, 1);
  // (C3) there is at least one group, and features or batch are grouped, not both.
  if (feature_groups < 1 || batch_groups < 1 || (feature_groups > 1 && batch_groups > 1)) {
    return invalid_input("feature_group_count is {} and batch_group_count {}, expected at least 1 and one of them 1",
                         feature_groups, batch_groups);
  }
  // (C4) the number of groups divides the dimension that is grouped.
  auto divides = [](std::int64_t groups, Dimension whole) {
    return whole.size == unbounded || whole.size % groups == 0;
  };
  if (!divides(feature_groups, features) || !divides(feature_groups, output_features)) {
    return invalid_input("feature_group_count {} does not divide the {} input or {} output features", feature_groups,
                         features.size, output_features.size);
  }
  if (!divides(batch_groups, batch) || !divides(batch_groups, output_features)) {
    return invalid_input("batch_group_count {} does not divide the batch of {} or the {} output features", batch_groups,
                         batch.size, output_features.size);
  }
  // (C5) the filter has the features of one group.
  if (features.size != unbounded && !sizes_agree(features.size / feature_groups, filter_features.size)) {
    return invalid_input("the filter has {} input features, expected {} ({} in {} groups)", filter_features.size,
                         features.size / feature_groups, features.size, feature_groups);
  }
  std::vector<Dimension> sizes(spatial + 2);
  if (batch.size != unbounded) {
    batch.size /= batch_groups;
  }
  sizes[static_cast<std::size_t>(labels.output_batch)] = batch;
  sizes[static_cast<std::size_t>(labels.output_feature)] = output_features;
  for (std::size_t i = 0; i < spatial; ++i) {
    Dimension input = dimension(lhs, static_cast<std::size_t>(labels.lhs_spatial[i]));
    BP_ASSIGN(input.size, window_output_size(input.size, window[i]));
    sizes[static_cast<std::size_t>(labels.output_spatial[i])] = input;
  }
  return make_array(type, sizes);
}

Result<Shape> infer_fft(const Instruction &instruction) {
  const Shape &operand = operand_shape(instruction, 0);
  auto lengths = instruction.numbers(AttributeKey::FftLength);
  auto kind = instruction.enumerator(AttributeKey::FftType, FftType::Fft);
  // (C1) one to three of the innermost dimensions are transformed.
  if (lengths.empty() || lengths.size() > 3 || lengths.size() > operand.rank()) {
    return invalid_input("fft_length has {} numbers, expected 1 to 3 and at most the operand's rank {}", lengths.size(),
                         operand.rank());
  }
  // (C2) RFFT transforms real numbers, the others complex ones.
  bool is_real = is_floating(operand.element_type());
  if (is_real != (kind == FftType::Rfft)) {
    return unexpected_operand(instruction, 0, kind == FftType::Rfft ? "real numbers" : "complex numbers");
  }
  if (is_real && operand.element_type() != ElementType::F32 && operand.element_type() != ElementType::F64) {
    return unexpected_operand(instruction, 0, "f32 or f64");
  }
  // (C3) the transformed dimensions have the given lengths; only half of the spectrum of a real signal is stored.
  std::vector<Dimension> sizes = dimensions(operand);
  std::size_t outer = operand.rank() - lengths.size();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    bool is_halved = kind == FftType::Irfft && i + 1 == lengths.size();
    std::int64_t expected = is_halved && lengths[i] != 0 ? lengths[i] / 2 + 1 : lengths[i];
    const bool is_nothing = is_halved && lengths[i] == 0 && sizes[outer + i].size == 1;  // as JAX's hfft has it
    if (lengths[i] < 0 || (!is_nothing && !sizes_agree(sizes[outer + i].size, expected))) {
      return unexpected_operand(instruction, 0, fmt::format("dimension {} of size {}", outer + i, expected));
    }
  }
  ElementType type = operand.element_type();
  if (kind == FftType::Irfft) {
    sizes.back().size = lengths.back();
    type = real_part_type(type);
  } else if (kind == FftType::Rfft) {
    sizes.back().size = lengths.back() == 0 ? 0 : lengths.back() / 2 + 1;
    type = type == ElementType::F32 ? ElementType::C64 : ElementType::C128;
  }
  return make_array(type, sizes);
}

Result<Shape> infer_cholesky(const Instruction &instruction) {
  BP_TRY(check_square(instruction, 0));
  return operand_shape(instruction, 0);
}

Result<Shape> infer_triangular_solve(const Instruction &instruction) {
  BP_TRY(check_square(instruction, 0));
  const Shape &matrix = operand_shape(instruction, 0), &right = operand_shape(instruction, 1);
  // (C1) element type and batch dimensions are equal, and the number of unknowns equals the number of rows of the
  // matrix.
  bool fits = right.element_type() == matrix.element_type() && right.rank() == matrix.rank();
  for (std::size_t i = 0; fits && i + 2 < matrix.rank(); ++i) {
    fits = sizes_agree(right.size(i), matrix.size(i));
  }
  bool is_left = instruction.number(AttributeKey::LeftSide) != 0;
  if (!fits || !sizes_agree(right.size(right.rank() - (is_left ? 2 : 1)), matrix.size(matrix.rank() - 1))) {
    return unexpected_operand(instruction, 1, fmt::format("the right hand sides of {}", describe(matrix)));
  }
  return right;
}

}  // namespace bp::ir
