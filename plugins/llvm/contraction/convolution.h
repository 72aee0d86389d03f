// A convolution with the semantics of HLO, as contractions: output positions and filter taps move the same input
// coordinate. Base dilation is split into phases (output positions with the same taps), so that no inserted zero is
// ever multiplied. Padding is multiplied: an infinite weight over it gives NaN. The interpreter does the same. (XLA:CPU
// may or may not multiply inserted zeros and padding, depending on the code path; the paths of usual convolutions do as
// described here.)
#pragma once

#include "plugins/llvm/contraction/contraction.h"
#include "plugins/llvm/contraction/contraction_kernel.h"

namespace bp::emit {

// One spatial dimension: sizes in elements, strides in elements of memory. Padding may be negative. The input
// coordinate of output o and tap w is o * stride + w * window_dilation - padding_low in the input with
// base_dilation - 1 zeros between its elements; with window_reversal tap w uses filter element window_size - 1 - w.
struct SpatialDimension {
  int64_t input_size = 1;
  int64_t window_size = 1;
  int64_t output_size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;
  int64_t base_dilation = 1;
  int64_t window_dilation = 1;
  bool window_reversal = false;
  int64_t input_stride = 0;
  int64_t window_stride = 0;
  int64_t output_stride = 0;
};

// Sizes are those of the HLO operands: input [batch, input_features, spatial], filter [input_features /
// feature_group_count, output_features, spatial], output [batch / batch_group_count, output_features, spatial].
struct Convolution {
  int64_t batch = 1;
  int64_t input_features = 1;
  int64_t output_features = 1;
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
  int64_t input_batch_stride = 0;
  int64_t input_feature_stride = 0;
  int64_t filter_input_feature_stride = 0;
  int64_t filter_output_feature_stride = 0;
  int64_t output_batch_stride = 0;
  int64_t output_feature_stride = 0;
  std::vector<SpatialDimension> spatial;
  ContractionTypes types;  // lhs is the input, rhs the filter
  Epilogue epilogue;
};

// Returns one contraction for each combination of phases.
std::vector<Contraction> contractions_of(const Convolution &convolution);
Kernel emit_convolution(llvm::Module &module, const std::string &name, const VectorTarget &target,
                        const Convolution &convolution);

}  // namespace bp::emit
