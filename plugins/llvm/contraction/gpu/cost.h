// The shape of a contraction's kernel on a GPU: of all that are possible, the one that a model of the time says is fastest.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plugins/llvm/contraction/gpu/gpu_facts.h"
#include "plugins/llvm/contraction/problem.h"
#include "plugins/llvm/generator/team.h"

namespace bp::emit {

// Threads: each has an element. Split: a team has some, and shares the contracted axes. The others are tiles, each of a
// team, which multiplies them number by number, or by units of warps or warpgroups.
enum class ContractionWay : uint8_t { Threads, Split, ScalarTiles, MatrixTiles, WarpgroupTiles };

struct ContractionShape {
  ContractionWay way = ContractionWay::Threads;
  int64_t rows = 1, columns = 1;  // that a thread or a team has

  bool operator==(const ContractionShape &) const = default;
};

// The members of a team that does tiles, and the most slices that are on their way or multiplied at once.
constexpr int64_t tile_members = 256, max_slices = 4;
constexpr int64_t warpgroup_rows = tile_members / WarpgroupUnit::members * WarpgroupUnit::rows;  // of a tile
// The length of a slice along the contracted axes: numbers of a scalar tile, bytes of a matrix tile.
constexpr int64_t scalar_depth = 8, matrix_line_bytes = 2 * MatrixUnit::contracted_bytes;

// What a matrix unit would multiply.
std::optional<MatrixElement> matrix_element(const ContractionTypes &types);
// Whether neighbours in the operand's memory are neighbours along the contracted axes, not along `side`, its free ones.
bool lies_along_contracted(const ContractionProblem &problem, const std::vector<Axis> &side, Operand operand);
// Neighbours that are read at a time for a slice of so many elements along the side and the contracted axes: as many as
// 16 bytes have, where the operand has so many of which none is padding unless all are.
int64_t piece_lanes(const ContractionProblem &problem, const std::vector<Axis> &side, Operand operand, int64_t tile,
                    int64_t depth);

// Whether a team that does tiles copies slices of both operands without registers.
bool slices_come_by_themselves(const ContractionProblem &problem, const ContractionShape &shape, const GpuFacts &gpu);

// Cycles, from the start of the kernel.
double contraction_cycles(const ContractionProblem &problem, const ContractionShape &shape, const GpuFacts &gpu);

// For the problems that one kernel solves: tiles of any kind, or one split, or threads for all.
std::vector<ContractionShape> choose_shapes(std::span<const ContractionProblem> problems, const GpuFacts &gpu);

}  // namespace bp::emit
