// Rewrites convolution as a loop over the positions of its window: at each position, the elements under it are
// multiplied by the filter's matrix for it, input features by output features, and the products are summed.
#include <numeric>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/index_vectors.h"
#include "core/passes/primitives/sliding_window.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using Id = ir::InstructionId;
using Numbers = std::vector<std::int64_t>;

struct Labels {
  explicit Labels(ir::Instruction convolution) {
    const ir::ConvolutionDimensions d = convolution.convolution_dimensions();
    lhs = {d.lhs_batch, d.lhs_feature};
    lhs.insert(lhs.begin() + 1, d.lhs_spatial.begin(), d.lhs_spatial.end());
    rhs.assign(d.rhs_spatial.begin(), d.rhs_spatial.end());
    rhs.insert(rhs.end(), {d.rhs_input_feature, d.rhs_output_feature});
    output = {d.output_batch, d.output_feature};
    output.insert(output.begin() + 1, d.output_spatial.begin(), d.output_spatial.end());
  }
  // The dimensions of each array in the order [batch, spatial..., feature], those of the filter as [spatial..., input,
  // output].
  Numbers lhs, rhs, output;
};

Id expand_convolution(ArrayBuilder &b, ir::Instruction convolution) {
  const Labels labels(convolution);
  const ir::Shape result = convolution.shape();
  const Id operands[] = {convolution.operands()[0], convolution.operands()[1]};
  const std::int64_t feature_groups = convolution.number(AttributeKey::FeatureGroupCount, 1);
  const std::int64_t batch_groups = convolution.number(AttributeKey::BatchGroupCount, 1);
  const std::int64_t groups = feature_groups * batch_groups;

  // [groups, batch, spatial..., features of a group]
  const Id ordered = b.transpose(operands[0], labels.lhs);
  const Numbers input(b.shape(ordered).sizes().begin(), b.shape(ordered).sizes().end());
  const std::size_t spatial = input.size() - 2;
  const std::int64_t batches = input.front() / batch_groups, features = input.back() / feature_groups;
  Numbers sizes = input;
  sizes.front() = batches;
  sizes.back() = features;
  sizes.insert(batch_groups > 1 ? sizes.begin() : sizes.end() - 1, groups);
  Numbers order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  if (batch_groups == 1) {
    std::rotate(order.begin(), order.end() - 2, order.end() - 1);
  }
  const Id elements = b.transpose(b.ir::Builder::reshape(ordered, sizes), order);

  // [positions, groups, features of a group, output features of a group]
  const Id kernel = b.transpose(operands[1], labels.rhs);
  const Numbers kernel_sizes(b.shape(kernel).sizes().begin(), b.shape(kernel).sizes().end());
  const std::int64_t outputs = kernel_sizes.back() / groups;
  const std::int64_t positions = ir::product(std::span(kernel_sizes).first(spatial));
  const Id by_group = b.reshape(kernel, {positions, features, groups, outputs});
  const Id matrices = b.transpose(by_group, Numbers{0, 2, 1, 3});

  const Numbers output_order = sizes_of(result.sizes(), labels.output);
  const std::span<const std::int64_t> places = std::span(output_order).subspan(1, spatial);
  const SlidingWindow window(convolution.window(), std::span(input).subspan(1, spatial), places, 2);
  const std::int64_t rows = batches * ir::product(places);
  const Id zero = b.zeros(ir::Shape::scalar(result.element_type()));
  const Id nothing = b.zeros(ir::Shape::array(result.element_type(), {groups, rows, outputs}));
  std::vector<Id> state{nothing, window.padded(b, elements, zero), matrices};
  if (window.has_gaps()) {
    state.push_back(window.is_no_gap(b, b.shape(elements)));
  }
  // Padding between elements does not count, even if it is multiplied by infinity or NaN.
  const auto add = [&](ArrayBuilder &body, Id position, std::vector<Id> values) {
    const Id under = body.reshape(window.under(body, values[1], position), {groups, rows, features});
    const Id matrix = body.reshape(body.dynamic_slice(values[2], 0, position, 1), {groups, features, outputs});
    const Id sum = body.sum({values[0], body.multiply_matrices(under, matrix)});
    if (values.size() > 3) {
      const Id is_there =
          body.slice(body.reshape(window.under(body, values[3], position), {groups, rows, features}), 2, 0, 1);
      values[0] = body.select({body.broadcast_to(is_there, sum), sum, values[0]});
    } else {
      values[0] = sum;
    }
    return values;
  };
  const Id sums = b.loop(positions, state, add)[0];

  // From [groups, batch, spatial..., output features of a group] to [batch, spatial..., output features], and to the
  // order of the result.
  Numbers parts{groups, batches};
  parts.insert(parts.end(), places.begin(), places.end());
  parts.push_back(outputs);
  Numbers together(parts.size());
  std::iota(together.begin(), together.end(), 0);
  std::rotate(together.begin(), together.begin() + 1, together.end() - 1);
  const Id whole = b.ir::Builder::reshape(b.transpose(b.ir::Builder::reshape(sums, parts), together), output_order);
  Numbers back(labels.output.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    back[static_cast<std::size_t>(labels.output[i])] = static_cast<std::int64_t>(i);
  }
  return b.transpose(whole, back);
}

// Whether the data, padded as the window needs it, is no huge array.
bool has_room(const ir::Instruction &convolution) {
  Numbers sizes;
  for (const std::int64_t d : convolution.convolution_dimensions().lhs_spatial) {
    sizes.push_back(convolution.operand(0).shape().size(static_cast<std::size_t>(d)));
  }
  return can_be_padded(convolution.window(), sizes);
}

}  // namespace

Result<bool> convolution_expansion(ir::Module &module, const PassContext &context) {
  return expand_outside_functions(module, context, [&](ir::Instruction i) -> Result<Id> {
    if (i.opcode() != ir::Opcode::Convolution || i.operand_count() != 2 || !is_plain(i) ||
        i.shape().element_count() == 0 || i.operand(0).shape().element_count() == 0 ||
        i.operand(1).shape().element_count() == 0 || i.operand(0).shape().element_type() != i.shape().element_type() ||
        i.operand(1).shape().element_type() != i.shape().element_type() || !has_room(i)) {
      return i.id();
    }
    ArrayBuilder b(module, i);
    return expand_convolution(b, i);
  });
}

}  // namespace bp::passes
