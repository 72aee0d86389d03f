// Convolution as a contraction: a row is one output position of one batch element, a column is one output feature, and
// the depth covers window positions and, within each, input features.
//
// Padding consists of zeros that are multiplied, so an infinite weight at padding gives NaN. The gaps that base
// dilation makes between elements are skipped: outputs that meet the same window positions are one contraction over
// these positions only. The code that XLA:CPU uses for usual convolutions does the same; other code in it also skips
// padding, or multiplies both. An empty input gives zeros.
#include <cstring>
#include <numeric>

#include "core/interpreter/contraction.h"
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;

// Outputs along one dimension that meet the same window positions, each of which is at an element or at padding.
struct Phase {
  std::int64_t first, step, count;  // outputs first, first + step, ...
  std::vector<std::int64_t> positions;
};

// One spatial dimension of the input, window and result.
struct Spatial {
  ir::WindowDimension window;
  std::int64_t input_size, input_stride;
  std::int64_t filter_stride;
  std::int64_t output_size, output_stride;
  std::vector<Phase> phases;
};

// Sizes and strides, in elements. A group reads its own part of the input features, or of the batch
// (batch_group_count), and computes its own part of the output features.
struct Geometry {
  std::vector<Spatial> spatial;
  std::int64_t groups, group_input_stride;
  std::int64_t input_batch_stride, output_batch_stride;
  std::int64_t features;                                                      // input features of one group
  std::int64_t output_features, output_feature_stride, filter_output_stride;  // of one group
  std::int64_t output_batches;
  std::int64_t filter_feature_stride;
  std::vector<std::int64_t> feature_offsets;  // in the input, by input feature
};

std::vector<Phase> phases_of(const Spatial &spatial, bool has_input) {
  const ir::WindowDimension &window = spatial.window;
  std::int64_t step = window.lhs_dilate / std::gcd(window.stride, window.lhs_dilate);
  std::vector<Phase> phases;
  for (std::int64_t first = 0; first < std::min(step, spatial.output_size); ++first) {
    Phase &phase = phases.emplace_back(Phase{first, step, (spatial.output_size - first + step - 1) / step, {}});
    for (std::int64_t w = 0; w < window.size && has_input; ++w) {
      if ((first * window.stride + w * window.rhs_dilate - window.pad_low) % window.lhs_dilate == 0) {
        phase.positions.push_back(w);
      }
    }
  }
  return phases;
}

Geometry make_geometry(const Instruction &instruction, const Shape &input, const Shape &filter) {
  ir::ConvolutionDimensions dims = instruction.convolution_dimensions();
  const Shape &output = instruction.shape();
  Dimensions input_strides = dense_strides(input.sizes()), filter_strides = dense_strides(filter.sizes()),
             output_strides = dense_strides(output.sizes());
  auto at = [](auto &&list, std::int64_t dimension) { return list[static_cast<std::size_t>(dimension)]; };
  std::int64_t feature_groups = instruction.number(AttributeKey::FeatureGroupCount, 1);
  std::int64_t batch_groups = instruction.number(AttributeKey::BatchGroupCount, 1);

  Geometry geometry;
  geometry.groups = feature_groups * batch_groups;
  geometry.features = at(filter.sizes(), dims.rhs_input_feature);
  geometry.output_batches = at(input.sizes(), dims.lhs_batch) / batch_groups;
  geometry.group_input_stride = feature_groups > 1 ? geometry.features * at(input_strides, dims.lhs_feature)
                                                   : geometry.output_batches * at(input_strides, dims.lhs_batch);
  geometry.input_batch_stride = at(input_strides, dims.lhs_batch);
  geometry.output_batch_stride = at(output_strides, dims.output_batch);
  geometry.output_features = at(output.sizes(), dims.output_feature) / geometry.groups;
  geometry.output_feature_stride = at(output_strides, dims.output_feature);
  geometry.filter_output_stride = at(filter_strides, dims.rhs_output_feature);
  std::span<const ir::WindowDimension> window = instruction.window();
  for (std::size_t d = 0; d < dims.lhs_spatial.size(); ++d) {
    Spatial &spatial = geometry.spatial.emplace_back();
    spatial.window = window[d];
    spatial.input_size = at(input.sizes(), dims.lhs_spatial[d]);
    spatial.input_stride = at(input_strides, dims.lhs_spatial[d]);
    spatial.filter_stride = at(filter_strides, dims.rhs_spatial[d]);
    spatial.output_size = at(output.sizes(), dims.output_spatial[d]);
    spatial.output_stride = at(output_strides, dims.output_spatial[d]);
    spatial.phases = phases_of(spatial, input.element_count() > 0);
  }
  for (std::int64_t f = 0; f < geometry.features; ++f) {
    geometry.feature_offsets.push_back(f * at(input_strides, dims.lhs_feature));
  }
  geometry.filter_feature_stride = at(filter_strides, dims.rhs_input_feature);
  return geometry;
}

// One contraction: one phase per dimension.
struct Part {
  std::vector<const Phase *> phases;
  std::int64_t output_positions = 1;
  std::vector<std::int64_t> filter_offsets;  // by depth
};

Part make_part(const Geometry &geometry, std::span<const std::int64_t> phase_index) {
  Part part;
  Dimensions position_counts;
  for (std::size_t d = 0; d < geometry.spatial.size(); ++d) {
    const Phase &phase = geometry.spatial[d].phases[static_cast<std::size_t>(phase_index[d])];
    part.phases.push_back(&phase);
    part.output_positions *= phase.count;
    position_counts.push_back(static_cast<std::int64_t>(phase.positions.size()));
  }
  for_each_index(std::span(position_counts.data(), position_counts.size()), [&](std::span<const std::int64_t> index) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const Spatial &spatial = geometry.spatial[d];
      std::int64_t position = part.phases[d]->positions[static_cast<std::size_t>(index[d])];
      offset += (spatial.window.reversal != 0 ? spatial.window.size - 1 - position : position) * spatial.filter_stride;
    }
    for (std::int64_t f = 0; f < geometry.features; ++f) {
      part.filter_offsets.push_back(offset + f * geometry.filter_feature_stride);
    }
  });
  return part;
}

template <class Sum>
struct ConvolutionLoaders {
  const Geometry &geometry;
  const Part &part;
  const std::byte *input, *filter;
  std::int64_t input_width, filter_width;
  PanelLoader<Sum> input_loader, filter_loader;
  std::byte *output;
  std::int64_t output_width;
  ConvertLoop narrow;

  // Returns the offset in the input of window position w of an output position; -1 if it is in the padding.
  std::int64_t input_offset(std::int64_t row, std::int64_t w) const {
    std::int64_t position = row % part.output_positions;
    std::int64_t offset = row / part.output_positions * geometry.input_batch_stride;
    for (std::size_t d = geometry.spatial.size(); d-- > 0;) {
      const Spatial &spatial = geometry.spatial[d];
      const ir::WindowDimension &window = spatial.window;
      const Phase &phase = *part.phases[d];
      auto windows = static_cast<std::int64_t>(phase.positions.size());
      std::int64_t out = phase.first + position % phase.count * phase.step;
      std::int64_t in_window = phase.positions[static_cast<std::size_t>(w % windows)];
      position /= phase.count;
      w /= windows;
      std::int64_t at = (out * window.stride + in_window * window.rhs_dilate - window.pad_low) / window.lhs_dilate;
      if (at < 0 || at >= spatial.input_size) {
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
      offsets[c] = (group * geometry.output_features + column + c) * geometry.filter_output_stride;
    }
    filter_loader(filter, std::span(offsets, static_cast<std::size_t>(columns)),
                  std::span(part.filter_offsets).subspan(static_cast<std::size_t>(k), static_cast<std::size_t>(count)),
                  panel, panel_columns);
  }

  void store(std::int64_t group, std::int64_t row, std::int64_t column, std::int64_t columns, const Sum *sums) const {
    std::int64_t offset = row / part.output_positions * geometry.output_batch_stride +
                          (group * geometry.output_features + column) * geometry.output_feature_stride;
    std::int64_t position = row % part.output_positions;
    for (std::size_t d = geometry.spatial.size(); d-- > 0;) {
      const Phase &phase = *part.phases[d];
      offset += (phase.first + position % phase.count * phase.step) * geometry.spatial[d].output_stride;
      position /= phase.count;
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
  BP_ASSIGN(Literal filter, in_sum_class(evaluator, std::move(operands[1]), type));
  Geometry geometry = make_geometry(instruction, input.shape(), filter.shape());
  BP_ASSIGN(Literal result, evaluator.allocate(instruction.shape()));
  std::byte *out = result.mutable_bytes().data();
  Dimensions phase_counts;
  for (const Spatial &spatial : geometry.spatial) {
    phase_counts.push_back(static_cast<std::int64_t>(spatial.phases.size()));
  }
  for_each_index(std::span(phase_counts.data(), phase_counts.size()), [&](std::span<const std::int64_t> phase_index) {
    Part part = make_part(geometry, phase_index);
    ContractionSize size{geometry.groups, geometry.output_batches * part.output_positions, geometry.output_features,
                         static_cast<std::int64_t>(part.filter_offsets.size())};
    visit_sum(type, [&]<class Sum>() {
      contract<Sum>(evaluator, size, [&] {
        return ConvolutionLoaders<Sum>{geometry,
                                       part,
                                       input.bytes().data(),
                                       filter.bytes().data(),
                                       ir::byte_width(input.shape().element_type()),
                                       ir::byte_width(filter.shape().element_type()),
                                       panel_loader<Sum>(input.shape().element_type()),
                                       panel_loader<Sum>(filter.shape().element_type()),
                                       out,
                                       ir::byte_width(type),
                                       narrowing_loop(sum_of(type), type)};
      });
    });
  });
  return result;
}

}  // namespace bp::interpreter
