// The instructions of the machine, what they do and what they cost.
//
// The machine has DRAM, which only the DMA engine reaches, and a scratchpad, which is all that the vector and the matrix
// unit see. Instructions run one after the other, each until it is done. Scratchpad addresses are bytes from the start
// of the run's scratch memory, multiples of 64. A program is three tables: tensors, axes, instructions.
//
// | instruction | what it does                                                                  | cycles                 |
// |-------------|-------------------------------------------------------------------------------|------------------------|
// | Load        | a box of a tensor goes to the scratchpad at `to`                              | 32 + bytes / 64, or    |
// | Store       | the scratchpad at `to` goes to a box of a tensor                              | + one for each run     |
// | Ramp        | to[i] = rows + i, `columns` elements of `type`                                | 4 + elements / 64      |
// | Vector      | to[i] = function(from[0][i], from[1][i], from[2][i]), `columns` elements      | 4 + elements * k / 64  |
// | Reduce      | to[r] = function of to[r] and all from[0][r][c], of rows * columns elements   | 4 + elements / 64      |
// | Multiply    | to (+)= from[0] * from[1]: matrices of rows * depth, depth * columns elements | 16 + 8 * tile products |
// | Index       | index register `rows` = the s32 at from[0], clamped to [0, option]            | 4                      |
// | Branch      | goes on at instruction `columns` unless the element at from[0] is `option`    | 4                      |
// | Jump        | goes on at instruction `columns`                                              | 4                      |
//
// Types are BP_DTYPE numbers, functions BP_OP_ numbers. k is 1, or 8 for quotients and the function unit. A run are
// elements that follow each other in memory. Matrices in the scratchpad are tiles of 8 rows by 16 (bf16) or 32 (s8)
// columns, row after row of tiles; sums are f32 or s32 in such tiles; `option` 1 adds to the sums that are there.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "backplane/op_ids.h"

namespace bp::npu {

inline constexpr std::uint64_t scratchpad_bytes = 1 << 20;
inline constexpr std::uint32_t scratch_limit = 256 << 10;  // what a program takes; the rest is for the core to plan
inline constexpr std::uint32_t scratch_alignment = 64;
inline constexpr std::uint32_t max_rank = 6;
inline constexpr std::uint32_t index_registers = max_rank;
inline constexpr std::uint32_t lane_count = 64;
inline constexpr std::uint32_t none = UINT32_MAX;
inline constexpr std::uint32_t in_total_order = 8;
inline constexpr double nanoseconds_per_cycle = 1;

inline constexpr std::uint32_t tile_rows = 8;
// Of the tiles of a product of matrices of this type.
constexpr std::uint32_t tile_columns(std::uint32_t dtype) {
  return dtype == BP_DTYPE_S8 ? 32 : 16;
}

constexpr std::uint64_t quotient_up(std::uint64_t x, std::uint64_t y) {
  return (x + y - 1) / y;
}

enum class Opcode : std::uint8_t { Load, Store, Ramp, Vector, Reduce, Multiply, Index, Branch, Jump };
inline constexpr std::uint8_t opcode_count = 9;
const char *to_string(Opcode opcode);

// A dimension of a tensor, which may be split once: index i lies at (i / tile) * outer + (i % tile) * inner, in bytes.
struct Dimension {
  std::uint32_t size, tile;
  std::uint64_t inner, outer;
};

constexpr std::uint64_t place_in(const Dimension &dimension, std::uint64_t index) {
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

// Of the box that an instruction moves, in one dimension of its tensor: `count` indices from `start`, plus an index
// register if there is one, in steps of `step`; in the scratchpad these are `pitch` bytes apart.
struct Axis {
  std::int32_t start, step;
  std::uint32_t count, pitch;
  std::uint32_t index_register;  // or none
};

struct Instruction {
  Opcode opcode = Opcode::Jump;
  std::uint8_t function = 0, type = 0, result_type = 0;
  std::uint32_t origin = 0;  // instruction of the module
  std::uint32_t to = 0, from[3] = {};
  std::uint32_t rows = 0, columns = 0, depth = 0;
  std::uint32_t tensor = 0, axes = 0;  // of Load and Store: in the tables; one axis for each dimension
  std::uint32_t option = 0;            // of a Vector comparison: the direction, perhaps in_total_order
};

struct Program {
  std::vector<Tensor> tensors;
  std::vector<Axis> axes;
  std::vector<Instruction> instructions;
  std::uint32_t allocation_count = 0;
  std::uint32_t scratch_bytes = 0;
  std::map<std::uint32_t, std::uint64_t> in_scratchpad;  // allocations planned there: bytes used; known once loaded
};

// Bytes of an element that the vector unit computes in; 0 of other types.
std::uint32_t width_of(std::uint32_t dtype);

// How long an instruction takes: always the same.
std::uint64_t cycles(const Program &program, const Instruction &instruction);

}  // namespace bp::npu
