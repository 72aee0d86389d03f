// How emit::WarpgroupUnit is told where slices lie: matrix descriptors, by the manual of PTX ("Asynchronous warpgroup level
// matrix operations"), for swizzles of 128 bytes.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <cstdint>

#include "plugins/llvm/generator/team.h"

namespace bp::nvptx {

// The number of instructions for a slice: one multiplies 32 bytes along the contracted axis.
inline constexpr std::size_t steps_of_slice = 4;
using SliceDescriptors = std::array<llvm::Value *, steps_of_slice>;  // i64

// offset: i64, where in the shared memory of the block the slice is.
SliceDescriptors slice_descriptors(llvm::IRBuilderBase &builder, llvm::Value *offset, bool has_contracted_lines);

// The fields. Distances are in bytes: `stride` from 8 lines to the next 8; `leading`, of lines along the side, from 64
// neighbours to the next.
struct SliceDescriptor {
  std::uint64_t start = 0, leading = 0, stride = 0, swizzle = 1;  // 1: of 128 bytes

  constexpr std::uint64_t bits() const { return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | swizzle << 62; }
  static constexpr SliceDescriptor of(std::uint64_t bits) {
    constexpr std::uint64_t field = (1 << 14) - 1;
    return {(bits & field) << 4, (bits >> 16 & field) << 4, (bits >> 32 & field) << 4, bits >> 62};
  }
};

}  // namespace bp::nvptx
