// Depthwise convolutions are fastest if the channels of all arrays are neighbours in memory (contraction/sliding.cc).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/llvm/module_view.h"

namespace bp::emit {

// The dimensions of the input, the filter and the result, minor to major.
using ChannelOrder = std::array<std::vector<std::int64_t>, 3>;

// Returns the layouts that a convolution prefers; nothing if it is not depthwise, or has no window.
std::optional<ChannelOrder> preferred_channel_order(InstructionView convolution);

}  // namespace bp::emit
