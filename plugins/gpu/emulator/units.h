// The units of an emulated warp, warpgroup and GPU, as emit::MatrixUnit, emit::WarpgroupUnit and emit::TensorView say.
#pragma once

#include <cstdint>
#include <span>

#include "plugins/gpu/emulator/thread.h"

namespace bp::gpu {

void mma(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t element, std::uint32_t rows,
         std::uint32_t contracted_bytes, void *sums);
void load_matrix_fragments(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t are_turned, void *words);
// Copies a box, and zeros where the array has ended, to lines that are swizzled, which together are its bytes.
void copy_box(const EmulatedMap &map, std::span<const std::int32_t> first, void *shared, void *to);
std::uint64_t box_bytes(const TensorMap &map);
void multiply_slices(EmulatedThread *thread, const EmulatedProduct *product, void *sums);
void finish_slices(EmulatedThread *thread, void *sums);

}  // namespace bp::gpu
