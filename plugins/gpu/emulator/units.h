// The units of an emulated warp, warpgroup and GPU, which do what emit::MatrixUnit, emit::WarpgroupUnit and
// emit::TensorView describe.
#pragma once

#include <cstdint>
#include <span>

#include "plugins/gpu/emulator/thread.h"

namespace bp::gpu {

void mma(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t element, std::uint32_t rows,
         std::uint32_t contracted_bytes, void *sums);
void ldmatrix(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t transposed, void *words);
// Copies a box to swizzled lines, which together have its bytes, with zeros for elements outside of the array.
void copy_box(const EmulatedMap &map, std::span<const std::int32_t> first, void *shared, void *to);
std::uint64_t box_bytes(const TensorMap &map);
void wgmma(EmulatedThread *thread, const EmulatedProduct *product, void *sums);
void wgmma_wait(EmulatedThread *thread, void *sums);

}  // namespace bp::gpu
