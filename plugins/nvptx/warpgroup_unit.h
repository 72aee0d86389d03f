// The operands of `wgmma` in shared memory: matrix descriptors, by the manual of PTX ("Asynchronous warpgroup level
// matrix operations"), for swizzles of 128 bytes.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <cstdint>

#include "plugins/gpu/slice_layout.h"

namespace bp::nvptx {

// The descriptors of a slice, i64, one for each `wgmma`.
using SliceDescriptors = std::array<llvm::Value *, gpu::steps_of_slice>;

// offset: i64, the address of the slice in the shared memory of the block.
SliceDescriptors slice_descriptors(llvm::IRBuilderBase &builder, llvm::Value *offset, bool has_contracted_lines);

// The fields of a descriptor, whose distances are in bytes: gpu::SliceLayout has them, too.
struct SliceDescriptor {
  std::uint64_t start = 0, leading = 0, stride = 0, swizzle = 1;  // 1: of 128 bytes

  constexpr std::uint64_t bits() const { return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | swizzle << 62; }
};
static_assert(SliceDescriptor{.start = 0x120, .leading = 0x2000, .stride = 0x400}.bits() == 0x4000'0040'0200'0012);

}  // namespace bp::nvptx
