#include "plugins/llvm/contraction/convolution.h"

#include <algorithm>
#include <numeric>

namespace bp::emit {

namespace {

// The outputs first, first + step, ... of one dimension, which use every tap_step-th tap from first_tap on. Their input
// coordinate, in elements of the input, is origin + index * coordinate_step + tap index * coordinate_tap_step.
struct Phase {
  int64_t first = 0;
  int64_t step = 1;
  int64_t count = 0;
  int64_t first_tap = 0;
  int64_t tap_step = 1;
  int64_t taps = 0;
  int64_t origin = 0;
  int64_t coordinate_step = 0;
  int64_t coordinate_tap_step = 0;
};

std::vector<Phase> phases_of(const SpatialDimension &dimension) {
  int64_t dilation = dimension.base_dilation;
  int64_t step = dilation / std::gcd(dimension.stride, dilation);
  int64_t tap_step = dilation / std::gcd(dimension.window_dilation, dilation);
  std::vector<Phase> phases;
  for (int64_t first = 0; first < std::min(step, dimension.output_size); ++first) {
    Phase phase;
    phase.first = first;
    phase.step = step;
    phase.count = (dimension.output_size - first + step - 1) / step;
    phase.tap_step = tap_step;
    phase.coordinate_step = step * dimension.stride / dilation;
    phase.coordinate_tap_step = tap_step * dimension.window_dilation / dilation;
    for (int64_t tap = 0; tap < std::min(tap_step, dimension.window_size); ++tap) {
      int64_t dilated = first * dimension.stride + tap * dimension.window_dilation - dimension.padding_low;
      if (dilated % dilation == 0) {
        phase.first_tap = tap;
        phase.taps = (dimension.window_size - tap + tap_step - 1) / tap_step;
        phase.origin = dilated / dilation;
      }
    }
    phases.push_back(phase);
  }
  return phases;
}

void add_phase(Contraction &contraction, const SpatialDimension &dimension, const Phase &phase) {
  int window = static_cast<int>(contraction.windows.size());
  contraction.windows.push_back({phase.origin, dimension.input_size});
  contraction.lhs_offset += phase.origin * dimension.input_stride;
  contraction.out_offset += phase.first * dimension.output_stride;
  int64_t sign = dimension.window_reversal ? -1 : 1;
  int64_t first_element = dimension.window_reversal ? dimension.window_size - 1 - phase.first_tap : phase.first_tap;
  contraction.rhs_offset += first_element * dimension.window_stride;
  contraction.lhs_free.push_back({phase.count, phase.coordinate_step * dimension.input_stride, 0,
                                  phase.step * dimension.output_stride, window, phase.coordinate_step});
  contraction.contracted.push_back({phase.taps, phase.coordinate_tap_step * dimension.input_stride,
                                    sign * phase.tap_step * dimension.window_stride, 0, window,
                                    phase.coordinate_tap_step});
}

}  // namespace

std::vector<Contraction> contractions_of(const Convolution &c) {
  Contraction base;
  int64_t batch = c.batch / c.batch_group_count;
  int64_t inputs = c.input_features / c.feature_group_count;
  int64_t outputs = c.output_features / (c.feature_group_count * c.batch_group_count);
  base.batch.push_back({c.feature_group_count, inputs * c.input_feature_stride,
                        outputs * c.filter_output_feature_stride, outputs * c.output_feature_stride});
  base.batch.push_back({c.batch_group_count, batch * c.input_batch_stride, outputs * c.filter_output_feature_stride,
                        outputs * c.output_feature_stride});
  base.lhs_free.push_back({batch, c.input_batch_stride, 0, c.output_batch_stride});
  base.rhs_free.push_back({outputs, 0, c.filter_output_feature_stride, c.output_feature_stride});
  base.contracted.push_back({inputs, c.input_feature_stride, c.filter_input_feature_stride, 0});
  base.types = c.types;
  base.epilogue = c.epilogue;

  // Each combination of the dimensions' phases is one contraction.
  std::vector<Contraction> contractions = {base};
  bool is_empty = c.batch * c.input_features == 0;
  for (const SpatialDimension &dimension : c.spatial) {
    is_empty |= dimension.input_size == 0;
    std::vector<Contraction> combined;
    for (const Contraction &contraction : contractions) {
      for (const Phase &phase : phases_of(dimension)) {
        combined.push_back(contraction);
        add_phase(combined.back(), dimension, phase);
      }
    }
    contractions = std::move(combined);
  }
  // Outputs without any tap, or without input, are zero.
  for (Contraction &contraction : contractions) {
    bool has_taps = std::all_of(contraction.contracted.begin(), contraction.contracted.end(),
                                [](const Axis &axis) { return axis.size > 0; });
    if (is_empty || !has_taps) {
      contraction.contracted = {Axis{0}};
      contraction.windows.clear();
      for (Axis &axis : contraction.lhs_free) {
        axis.window = -1;
      }
    }
  }
  return contractions;
}

Kernel emit_convolution(llvm::Module &module, const std::string &name, const VectorTarget &target,
                        const Convolution &convolution) {
  return emit_contractions(module, name, target, contractions_of(convolution));
}

}  // namespace bp::emit
