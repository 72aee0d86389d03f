// convolution as a contraction: a row is one output position of one batch element, a column one output feature, and
// the depth runs over window positions and, within each, over input features.
#include <cstring>

#include "core/interpreter/contraction.h"
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;

// One spatial dimension of the operand, window and result.
struct Spatial {
  ir::WindowDimension window;
  std::int64_t input_size, input_stride;
  std::int64_t kernel_stride;
  std::int64_t output_size, output_stride;
};

// Everything in elements. A group takes its own part of the input features, or of the batch (batch_group_count), and
// makes its own part of the output features.
struct Geometry {
  std::vector<Spatial> spatial;
  std::int64_t groups, group_input_stride;
  std::int64_t input_batch_stride, output_batch_stride;
  std::int64_t features;                                                      // input features of one group
  std::int64_t output_features, output_feature_stride, kernel_output_stride;  // of one group
  std::int64_t window_count = 1, output_positions = 1;
  std::int64_t output_batches;
  std::vector<std::int64_t> feature_offsets;  // in the input, by input feature
  std::vector<std::int64_t> kernel_offsets;   // in the kernel, by depth
};

Geometry make_geometry(const Instruction &instruction, const Shape &input, const Shape &kernel) {
  ir::ConvolutionDimensions dims = instruction.convolution_dimensions();
  const Shape &output = instruction.shape();
  Dimensions input_strides = dense_strides(input.sizes()), kernel_strides = dense_strides(kernel.sizes()),
             output_strides = dense_strides(output.sizes());
  auto at = [](auto &&list, std::int64_t dimension) { return list[static_cast<std::size_t>(dimension)]; };
  std::int64_t feature_groups = instruction.number(AttributeKey::FeatureGroupCount, 1);
  std::int64_t batch_groups = instruction.number(AttributeKey::BatchGroupCount, 1);

  Geometry geometry;
  geometry.groups = feature_groups * batch_groups;
  geometry.features = at(kernel.sizes(), dims.rhs_input_feature);
  geometry.output_batches = at(input.sizes(), dims.lhs_batch) / batch_groups;
  geometry.group_input_stride = feature_groups > 1 ? geometry.features * at(input_strides, dims.lhs_feature)
                                                   : geometry.output_batches * at(input_strides, dims.lhs_batch);
  geometry.input_batch_stride = at(input_strides, dims.lhs_batch);
  geometry.output_batch_stride = at(output_strides, dims.output_batch);
  geometry.output_features = at(output.sizes(), dims.output_feature) / geometry.groups;
  geometry.output_feature_stride = at(output_strides, dims.output_feature);
  geometry.kernel_output_stride = at(kernel_strides, dims.rhs_output_feature);
  std::span<const ir::WindowDimension> window = instruction.window();
  Dimensions window_sizes;
  for (std::size_t d = 0; d < dims.lhs_spatial.size(); ++d) {
    Spatial &spatial = geometry.spatial.emplace_back();
    spatial.window = window[d];
    spatial.input_size = at(input.sizes(), dims.lhs_spatial[d]);
    spatial.input_stride = at(input_strides, dims.lhs_spatial[d]);
    spatial.kernel_stride = at(kernel_strides, dims.rhs_spatial[d]);
    spatial.output_size = at(output.sizes(), dims.output_spatial[d]);
    spatial.output_stride = at(output_strides, dims.output_spatial[d]);
    geometry.window_count *= window[d].size;
    geometry.output_positions *= spatial.output_size;
    window_sizes.push_back(window[d].size);
  }
  for (std::int64_t f = 0; f < geometry.features; ++f) {
    geometry.feature_offsets.push_back(f * at(input_strides, dims.lhs_feature));
  }
  for_each_index(std::span(window_sizes.data(), window_sizes.size()), [&](std::span<const std::int64_t> index) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const Spatial &spatial = geometry.spatial[d];
      std::int64_t position = spatial.window.reversal != 0 ? spatial.window.size - 1 - index[d] : index[d];
      offset += position * spatial.kernel_stride;
    }
    for (std::int64_t f = 0; f < geometry.features; ++f) {
      geometry.kernel_offsets.push_back(offset + f * at(kernel_strides, dims.rhs_input_feature));
    }
  });
  return geometry;
}

template <class Sum>
struct ConvolutionLoaders {
  const Geometry &geometry;
  const std::byte *input, *kernel;
  std::int64_t input_width, kernel_width;
  PanelLoader<Sum> input_loader, kernel_loader;
  std::byte *output;
  std::int64_t output_width;
  ConvertLoop narrow;

  // Where in the input the window position w of an output position lies; -1: in the padding or between elements.
  std::int64_t input_offset(std::int64_t row, std::int64_t w) const {
    std::int64_t position = row % geometry.output_positions;
    std::int64_t offset = row / geometry.output_positions * geometry.input_batch_stride;
    for (std::size_t d = geometry.spatial.size(); d-- > 0;) {
      const Spatial &spatial = geometry.spatial[d];
      const ir::WindowDimension &window = spatial.window;
      std::int64_t out = position % spatial.output_size, in_window = w % window.size;
      position /= spatial.output_size;
      w /= window.size;
      std::int64_t at = out * window.stride + in_window * window.rhs_dilate - window.pad_low;
      if (at < 0) {
        return -1;
      }
      if (window.lhs_dilate != 1) {
        if (at % window.lhs_dilate != 0) {
          return -1;
        }
        at /= window.lhs_dilate;
      }
      if (at >= spatial.input_size) {
        return -1;
      }
      offset += at * spatial.input_stride;
    }
    return offset;
  }

  void load_lhs(std::int64_t group, std::int64_t row, std::int64_t rows, std::int64_t k, std::int64_t count,
                Sum *panel) const {
    const std::byte *elements = input + group * geometry.group_input_stride * input_width;
    std::int64_t offsets[panel_rows];
    for (std::int64_t end = k + count; k < end;) {
      std::int64_t w = k / geometry.features, feature = k % geometry.features;
      std::int64_t features = std::min(geometry.features - feature, end - k);
      for (std::int64_t r = 0; r < rows; ++r) {
        offsets[r] = input_offset(row + r, w);
      }
      input_loader(elements, std::span(offsets, static_cast<std::size_t>(rows)),
                   std::span(geometry.feature_offsets)
                       .subspan(static_cast<std::size_t>(feature), static_cast<std::size_t>(features)),
                   panel, panel_rows);
      panel += features * panel_rows;
      k += features;
    }
  }

  void load_rhs(std::int64_t group, std::int64_t k, std::int64_t count, std::int64_t column, std::int64_t columns,
                Sum *panel) const {
    std::int64_t offsets[panel_columns];
    for (std::int64_t c = 0; c < columns; ++c) {
      offsets[c] = (group * geometry.output_features + column + c) * geometry.kernel_output_stride;
    }
    kernel_loader(
        kernel, std::span(offsets, static_cast<std::size_t>(columns)),
        std::span(geometry.kernel_offsets).subspan(static_cast<std::size_t>(k), static_cast<std::size_t>(count)), panel,
        panel_columns);
  }

  void store(std::int64_t group, std::int64_t row, std::int64_t column, std::int64_t columns, const Sum *sums) const {
    std::int64_t offset = row / geometry.output_positions * geometry.output_batch_stride +
                          (group * geometry.output_features + column) * geometry.output_feature_stride;
    std::int64_t position = row % geometry.output_positions;
    for (std::size_t d = geometry.spatial.size(); d-- > 0;) {
      offset += position % geometry.spatial[d].output_size * geometry.spatial[d].output_stride;
      position /= geometry.spatial[d].output_size;
    }
    for (std::int64_t c = 0; c < columns; ++c) {
      std::byte *to = output + (offset + c * geometry.output_feature_stride) * output_width;
      if (narrow == nullptr) {
        std::memcpy(to, sums + c, sizeof(Sum));
      } else {
        narrow(sums + c, to, 1);
      }
    }
  }
};

}  // namespace

Result<Literal> evaluate_convolution(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  if (operands.size() != 2) {
    return unsupported("a convolution with sparsity metadata");
  }
  ElementType type = instruction.shape().element_type();
  BP_ASSIGN(Literal input, in_sum_class(evaluator, std::move(operands[0]), type));
  BP_ASSIGN(Literal kernel, in_sum_class(evaluator, std::move(operands[1]), type));
  Geometry geometry = make_geometry(instruction, input.shape(), kernel.shape());
  BP_ASSIGN(Literal result, evaluator.allocate(instruction.shape()));
  ContractionSize size{geometry.groups, geometry.output_batches * geometry.output_positions, geometry.output_features,
                       geometry.window_count * geometry.features};
  std::byte *out = result.mutable_bytes().data();
  visit_wide(sum_of(type), [&]<class Sum>() {
    if constexpr (std::is_same_v<Sum, SumType<Sum>>) {
      contract<Sum>(evaluator, size, [&] {
        return ConvolutionLoaders<Sum>{geometry,
                                       input.bytes().data(),
                                       kernel.bytes().data(),
                                       ir::byte_width(input.shape().element_type()),
                                       ir::byte_width(kernel.shape().element_type()),
                                       panel_loader<Sum>(input.shape().element_type()),
                                       panel_loader<Sum>(kernel.shape().element_type()),
                                       out,
                                       ir::byte_width(type),
                                       narrowing_loop(sum_of(type), type)};
      });
    }
  });
  return result;
}

}  // namespace bp::interpreter
