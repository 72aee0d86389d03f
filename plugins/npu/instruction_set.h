// The instructions of the machine, what they do and what they cost.
//
// The machine has DRAM, which only the DMA engine can access, and a scratchpad, which is the only memory that the
// vector and the matrix unit can access. Instructions run one after the other, each to completion. Scratchpad addresses
// are bytes from the start of the run's scratch memory, multiples of 64. A program is three tables: tensors, axes,
// instructions.
//
// | instruction | what it does                                                             | cycles                 |
// |-------------|--------------------------------------------------------------------------|------------------------|
// | Load        | copies a box of a tensor to the scratchpad at `to`                       | 32 + bytes / b, or     |
// | Store       | copies the scratchpad at `to` to a box of a tensor                       | 32 + runs if more      |
// | Ramp        | to[i] = rows + i, `columns` elements of `type`                           | 4 + elements / 64      |
// | Vector      | to[i] = function(from[0][i], from[1][i], from[2][i]), `columns` elements | 4 + elements * k / 64  |
// | Reduce      | to[r] = function of to[r] and all from[0][r][c], rows * columns elements | 4 + elements / 64      |
// | Multiply    | to (+)= from[0] * from[1], matrices of rows * depth and depth * columns  | 16 + 8 * tile products |
// | Index       | index register `rows` = the s32 at from[0], clamped to [0, option]       | 4                      |
// | Branch      | jumps to instruction `columns` unless the element at from[0] is `option` | 4                      |
// | Jump        | jumps to instruction `columns`                                           | 4                      |
// | Call        | interrupts the host, which runs instruction `origin` of the module       | 64                     |
//
// Types are BP_DTYPE numbers, functions BP_OP_ numbers. b is 64 for tensors in DRAM, 256 for tensors in the scratchpad.
// k is 1, or 8 for quotients and the function unit. A run is a sequence of elements that are adjacent in memory.
// Matrices in the scratchpad are tiles of 8 rows by 16 (bf16) or 32 (s8) columns, row after row of tiles; sums are f32
// or s32 in the same tiles; `option` 1 adds to the existing sums.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "backplane/op_ids.h"

namespace bp::npu {

inline constexpr std::uint64_t scratchpad_bytes = 1 << 20;
inline constexpr std::uint32_t scratch_limit = 256 << 10;  // bytes that a program may use; the core plans the rest
inline constexpr std::uint32_t scratch_alignment = 64;
inline constexpr std::uint32_t max_rank = 6;
inline constexpr std::uint32_t index_registers = max_rank;
inline constexpr std::uint32_t lane_count = 64;
inline constexpr std::uint32_t none = UINT32_MAX;
inline constexpr std::uint32_t in_total_order = 8;
inline constexpr double nanoseconds_per_cycle = 1;

inline constexpr std::uint32_t tile_rows = 8;
// Returns the number of columns of the tiles of a product of matrices of this type.
constexpr std::uint32_t tile_columns(std::uint32_t dtype) {
  return dtype == BP_DTYPE_S8 ? 32 : 16;
}

constexpr std::uint64_t quotient_up(std::uint64_t x, std::uint64_t y) {
  return (x + y - 1) / y;
}

enum class Opcode : std::uint8_t { Load, Store, Ramp, Vector, Reduce, Multiply, Index, Branch, Jump, Call };
inline constexpr std::uint8_t opcode_count = 10;
const char *to_string(Opcode opcode);

// A dimension of a tensor, which may be split once: the byte offset of index i is (i / tile) * outer + (i % tile) *
// inner.
struct Dimension {
  std::uint32_t size, tile;
  std::uint64_t inner, outer;
};

constexpr std::uint64_t byte_offset(const Dimension &dimension, std::uint64_t index) {
  return index / dimension.tile * dimension.outer + index % dimension.tile * dimension.inner;
}

// A view of an allocation for Load and Store: elements of 1, 2, 4 or 8 bytes.
struct Tensor {
  std::uint32_t allocation;
  std::uint16_t space;
  std::uint8_t width, rank;
  std::uint64_t offset;
  Dimension dimensions[max_rank];
};

// One dimension of the box that an instruction moves: `count` indices of the tensor's dimension from `start` (plus the
// index register, if there is one) in steps of `step`. In the scratchpad they are `pitch` bytes apart.
struct Axis {
  std::int32_t start, step;
  std::uint32_t count, pitch;
  std::uint32_t index_register;  // number of the register, or `none`
};

struct Instruction {
  Opcode opcode = Opcode::Jump;
  std::uint8_t function = 0, type = 0, result_type = 0;
  std::uint32_t origin = 0;  // index of the module's instruction that it was made for
  std::uint32_t to = 0, from[3] = {};
  std::uint32_t rows = 0, columns = 0, depth = 0;
  std::uint32_t tensor = 0, axes = 0;  // Load, Store: indices in the tables; one axis per dimension
  std::uint32_t option = 0;            // see above; for a Vector comparison the direction, with in_total_order or not
};

struct Program {
  std::vector<Tensor> tensors;
  std::vector<Axis> axes;
  std::vector<Instruction> instructions;
  std::uint32_t allocation_count = 0;
  std::uint32_t scratch_bytes = 0;
  std::map<std::uint32_t, std::uint64_t> in_scratchpad;  // bytes used of each allocation there; set by read_artifact()
};

// Returns the bytes of an element of a type that the vector unit computes with, or 0 for other types.
std::uint32_t width_of(std::uint32_t dtype);

}  // namespace bp::npu
