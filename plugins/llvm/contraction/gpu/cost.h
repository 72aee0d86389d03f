// Chooses the shape of a contraction's kernel on a GPU: of all possible shapes, the one that is fastest by a model of
// the time.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plugins/llvm/contraction/gpu/shape.h"
#include "plugins/llvm/contraction/problem.h"
#include "plugins/llvm/generator/team.h"
#include "plugins/llvm/gpu_facts.h"

namespace bp::emit {

// Returns the type of elements with which a matrix unit would multiply, if there is one.
std::optional<MatrixElement> matrix_element(const ContractionTypes &types);
// Whether the operand is contiguous along the contracted axes, and not along `side`, its free axes: whether elements
// that follow each other along these axes follow each other in memory.
bool lies_along_contracted(const ContractionProblem &problem, const std::vector<Axis> &side, Operand operand);
// Returns the number of contiguous elements that are read at a time for a slice with `tile` elements along the side and
// `depth` along the contracted axes: those that fit into 16 bytes, or fewer, so that in each group of this size either
// all elements or none are padding.
int64_t piece_lanes(const ContractionProblem &problem, const std::vector<Axis> &side, Operand operand, int64_t tile,
                    int64_t depth);

// Whether a team that does tiles copies the slices of both operands asynchronously, without registers.
bool are_slices_copied_async(const ContractionProblem &problem, const ContractionShape &shape, const GpuFacts &gpu);

// Returns the estimated cycles from the start of the kernel to its end.
double contraction_cycles(const ContractionProblem &problem, const ContractionShape &shape, const GpuFacts &gpu);

// Chooses the shapes for the problems that one kernel solves: tiles of any kind for all, or one split, or threads for
// all.
std::vector<ContractionShape> choose_shapes(std::span<const ContractionProblem> problems, const GpuFacts &gpu);

}  // namespace bp::emit
