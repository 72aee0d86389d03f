// The units of an emulated warp and warpgroup, as emit::MatrixUnit and emit::WarpgroupUnit say: EmulatedThread calls these.
#pragma once

#include <cstdint>

#include "plugins/nvptx/emulated_thread.h"

namespace bp::nvptx {

void multiply_matrices(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t element, void *sums);
void load_matrices(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t are_turned, void *words);
void multiply_slices(const EmulatedThread *thread, const EmulatedSlices *slices, void *sums);

}  // namespace bp::nvptx
