// The units of an emulated warp, warpgroup and GPU, as emit::MatrixUnit, emit::WarpgroupUnit and emit::TensorView say.
#pragma once

#include <cstdint>
#include <span>

#include "plugins/nvptx/emulated_thread.h"

namespace bp::nvptx {

void multiply_part(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t element, std::uint32_t rows,
                   std::uint32_t contracted_bytes, void *sums);
void load_matrices(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t are_turned, void *words);
// Copies a box, and zeros where the array has ended, to lines that are swizzled, which together are its bytes.
void copy_emulated_box(const EmulatedMap &map, std::span<const std::int32_t> first, void *shared, void *to);
std::uint64_t box_bytes(const TensorMap &map);
void multiply_slices(EmulatedThread *thread, const EmulatedSlices *slices, void *sums);
void finish_slices(EmulatedThread *thread, void *sums);

}  // namespace bp::nvptx
