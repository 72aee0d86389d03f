// Convolutions are fastest if the channels of all arrays are neighbours in memory. Depthwise ones then slide over
// vectors of channels (contraction/sliding.cc); others read each pixel's channels where they are, and multiply them
// with weights that were laid out when the program was compiled, whatever the window's stride is. Arrays whose minor
// dimension is one of space have to be copied to panels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/llvm/module_view.h"

namespace bp::emit {

struct ChannelOrder {
  std::array<std::vector<std::int64_t>, 3> layouts;  // of the input, the filter and the result, minor to major
  double nanoseconds_saved;                          // for each operation, against space as the minor dimensions
};

// Returns what a convolution prefers; nothing if the order makes no difference, or was not measured.
std::optional<ChannelOrder> preferred_channel_order(InstructionView convolution);

}  // namespace bp::emit
