#include "plugins/llvm/kernel/channel_order.h"

#include <algorithm>

namespace bp::emit {
namespace {

constexpr std::int64_t min_channels = 8;

// Returns the feature dimension, then the spatial ones from the last to the first, then the other one.
std::vector<std::int64_t> channels_first(std::int64_t feature, std::span<const std::int64_t> spatial,
                                         std::int64_t other) {
  std::vector<std::int64_t> order = {feature};
  order.insert(order.end(), spatial.rbegin(), spatial.rend());
  order.push_back(other);
  return order;
}

}  // namespace

std::optional<ChannelOrder> preferred_channel_order(InstructionView convolution) {
  const Shape &input = convolution.operand_shape(0), &filter = convolution.operand_shape(1), &out = convolution.shape();
  const auto labels = convolution.numbers(BP_ATTR_DIM_LABELS);
  const std::size_t spatial = input.rank() - 2;
  const std::int64_t channels = input.dims[static_cast<std::size_t>(labels[1])];
  if (spatial == 0 || channels < min_channels || convolution.number(BP_ATTR_FEATURE_GROUP_COUNT, 1) != channels ||
      out.dims[static_cast<std::size_t>(labels[5])] != channels ||
      convolution.number(BP_ATTR_BATCH_GROUP_COUNT, 1) != 1) {
    return {};
  }
  const bool is_window = std::ranges::any_of(labels.subspan(6 + spatial, spatial), [&](std::int64_t d) {
    return filter.dims[static_cast<std::size_t>(d)] > 1;
  });
  if (!is_window) {
    return {};
  }
  return ChannelOrder{channels_first(labels[1], labels.subspan(6, spatial), labels[0]),
                      channels_first(labels[3], labels.subspan(6 + spatial, spatial), labels[2]),
                      channels_first(labels[5], labels.subspan(6 + 2 * spatial, spatial), labels[4])};
}

}  // namespace bp::emit
