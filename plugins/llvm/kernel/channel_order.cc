#include "plugins/llvm/kernel/channel_order.h"

#include <algorithm>

namespace bp::emit {
namespace {

// Returns the dimension of channels, then the spatial ones from the last to the first, then the other one.
std::vector<std::int64_t> channels_first(std::int64_t channels, std::span<const std::int64_t> spatial,
                                         std::int64_t other) {
  std::vector<std::int64_t> order = {channels};
  order.insert(order.end(), spatial.rbegin(), spatial.rend());
  order.push_back(other);
  return order;
}

// Returns the difference between two rates, in operations per nanosecond, as the time for one operation.
constexpr double saved(double before, double after) {
  return 1 / before - 1 / after;
}

// Sizes and strides of the window.
struct WindowKind {
  bool is_point = true;  // covers one element
  bool has_stride = false;
  bool has_gaps = false;  // between the elements of the input
};

WindowKind window_of(InstructionView convolution) {
  WindowKind window;
  const auto numbers = convolution.numbers(BP_ATTR_WINDOW);  // 7 per dimension, see attributes.def
  for (std::size_t i = 0; i + 7 <= numbers.size(); i += 7) {
    window.is_point = window.is_point && numbers[i] == 1;
    window.has_stride = window.has_stride || numbers[i + 1] != 1;
    window.has_gaps = window.has_gaps || numbers[i + 4] != 1;
  }
  return window;
}

// Returns the time that is saved for each operation, measured with vectors of 64 bytes; 0 where there is no figure.
double nanoseconds_saved(InstructionView convolution, std::int64_t inputs, std::int64_t outputs) {
  const WindowKind window = window_of(convolution);
  const std::int64_t groups = convolution.number(BP_ATTR_FEATURE_GROUP_COUNT, 1);
  if (convolution.number(BP_ATTR_BATCH_GROUP_COUNT, 1) != 1) {
    return 0;
  }
  if (groups > 1) {
    const bool is_depthwise = groups == inputs && groups == outputs && groups >= 8 && !window.is_point;
    return is_depthwise ? saved(30, 90) : 0;
  }
  const bool fills_vectors = outputs >= 32 || outputs == 16;
  if (convolution.shape().dtype != BP_DTYPE_F32 || !fills_vectors || window.has_gaps) {
    return 0;
  }
  return window.has_stride ? saved(65, 110) : saved(100, 112);
}

}  // namespace

std::optional<ChannelOrder> preferred_channel_order(InstructionView convolution) {
  const auto labels = convolution.numbers(BP_ATTR_DIM_LABELS);
  const std::size_t spatial = convolution.shape().rank() - 2;
  if (spatial == 0) {
    return {};
  }
  const std::int64_t inputs = convolution.operand_shape(0).dims[static_cast<std::size_t>(labels[1])],
                     outputs = convolution.shape().dims[static_cast<std::size_t>(labels[5])];
  const double saved = nanoseconds_saved(convolution, inputs, outputs);
  if (saved == 0) {
    return {};
  }
  std::vector<std::int64_t> filter = {labels[3], labels[2]};
  const auto window = labels.subspan(6 + spatial, spatial);
  filter.insert(filter.end(), window.rbegin(), window.rend());
  return ChannelOrder{{channels_first(labels[1], labels.subspan(6, spatial), labels[0]), std::move(filter),
                       channels_first(labels[5], labels.subspan(6 + 2 * spatial, spatial), labels[4])},
                      saved};
}

}  // namespace bp::emit
