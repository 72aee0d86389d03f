// Finds ops that are not defined on dynamic dimensions, or not on the dynamic dimensions they are given.
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/run_time_sizes.h"
#include "core/ir/shape_inference_rules.h"
#include "core/ir/size_formulas.h"

namespace bp::ir {
namespace {

using shape_rules::operand_shape;
using size_formulas::ReshapeGroup;

Status refused(const Instruction &i, std::string_view why) {
  return unsupported("{} with dynamic dimensions: {}", i.op().text, why);
}

std::vector<std::size_t> dynamic_dimensions(const Shape &shape, std::size_t begin, std::size_t end) {
  std::vector<std::size_t> result;
  for (std::size_t d = begin; d < end; ++d) {
    if (shape.is_dynamic(d)) {
      result.push_back(d);
    }
  }
  return result;
}

Status check_reshape(const Instruction &i) {
  for (const ReshapeGroup &group : size_formulas::common_groups(operand_shape(i, 0), i.shape())) {
    const auto from = dynamic_dimensions(operand_shape(i, 0), group.from_begin, group.from_end);
    const auto to = dynamic_dimensions(i.shape(), group.to_begin, group.to_end);
    const auto sizes = i.shape().sizes().subspan(group.to_begin, group.to_end - group.to_begin);
    const bool is_one = std::ranges::all_of(sizes, [](std::int64_t size) { return size == 1; });
    if (to.size() > 1 || (to.empty() && !from.empty() && !is_one)) {
      return refused(i, fmt::format("from {} to {}, {} dimensions of the result are dynamic, expected 1",
                                    to_string(operand_shape(i, 0), PrintLayout::Never),
                                    to_string(i.shape(), PrintLayout::Never), to.size()));
    }
  }
  return {};
}

Status check_convolution(const Instruction &i) {
  const ConvolutionDimensions dims = i.convolution_dimensions();
  for (std::size_t n : {0, 1}) {
    const std::int64_t feature = n == 0 ? dims.lhs_feature : dims.rhs_input_feature;
    for (std::size_t d : dynamic_dimensions(operand_shape(i, n), 0, operand_shape(i, n).rank())) {
      const auto number = static_cast<std::int64_t>(d);
      if (number != feature && !(n == 0 && number == dims.lhs_batch)) {
        return refused(i, fmt::format("dimension {} of operand {} is neither the batch nor an input feature", d, n));
      }
    }
  }
  if (i.number(AttributeKey::FeatureGroupCount, 1) != 1 || i.number(AttributeKey::BatchGroupCount, 1) != 1) {
    return refused(i, "it has feature or batch groups, expected one group");
  }
  return {};
}

// A slice must take one element or all elements of a dynamic dimension.
Status check_slice_sizes(const Instruction &i, std::span<const std::int64_t> sizes) {
  for (std::size_t d : dynamic_dimensions(operand_shape(i, 0), 0, operand_shape(i, 0).rank())) {
    if (sizes[d] > 1 && sizes[d] != operand_shape(i, 0).size(d)) {
      return refused(i, fmt::format("the slice takes {} of up to {} elements of dimension {}, expected 1 or all",
                                    sizes[d], operand_shape(i, 0).size(d), d));
    }
  }
  return {};
}

Status check_indexing(const Instruction &i) {
  const bool is_gather = i.opcode() == Opcode::Gather;
  const std::size_t indices = is_gather ? 1 : i.operand_count() / 2;
  const auto vector = static_cast<std::size_t>(i.number(AttributeKey::IndexVectorDim));
  if (vector < operand_shape(i, indices).rank() && operand_shape(i, indices).is_dynamic(vector)) {
    return refused(i, "the size of the index vectors is dynamic, expected a static one");
  }
  if (is_gather) {
    return check_slice_sizes(i, i.numbers(AttributeKey::SliceSizes));
  }
  for (std::size_t n = indices + 1; n < i.operand_count(); ++n) {
    for (std::int64_t d : i.numbers(AttributeKey::UpdateWindowDims)) {
      if (operand_shape(i, n).is_dynamic(static_cast<std::size_t>(d))) {
        return refused(i, fmt::format("window dimension {} of operand {} is dynamic, expected a static one", d, n));
      }
    }
  }
  return {};
}

// If the element widths differ, one of the shapes has an additional dimension that holds the parts of one element of
// the other; it must be static.
Status check_parts(const Instruction &i) {
  const Shape &from = operand_shape(i, 0), &to = i.shape();
  const Shape &longer = from.rank() > to.rank() ? from : to;
  if (from.rank() != to.rank() && longer.is_dynamic(longer.rank() - 1)) {
    return refused(i, "the dimension that holds the parts of an element is dynamic, expected a static one");
  }
  return {};
}

}  // namespace

Status check_dynamic_dimensions(const Instruction &i) {
  if (!has_dynamic_arrays(i)) {
    return {};
  }
  switch (i.opcode()) {
    case Opcode::BitcastConvert: return check_parts(i);
    case Opcode::Reshape: return check_reshape(i);
    case Opcode::DynamicSlice: return check_slice_sizes(i, i.numbers(AttributeKey::DynamicSliceSizes));
    case Opcode::Gather:
    case Opcode::Scatter: return check_indexing(i);
    case Opcode::Convolution: return check_convolution(i);
    default: return size_rule(i.opcode()) == SizeRule::Refused ? refused(i, size_summary(i.opcode())) : Status();
  }
}

}  // namespace bp::ir
