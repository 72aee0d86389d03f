// The windows of an array that the index vectors of gather and scatter denote.
#pragma once

#include "core/passes/array_builder.h"

namespace bp::passes {

struct WindowStarts {
  // s32[windows, 1], by dimension of the operand: start of each window, clamped so that the window lies inside.
  std::vector<ir::InstructionId> columns;
  // pred[windows, 1]: whether the window was inside without clamping.
  ir::InstructionId is_in_bounds = ir::no_instruction;
  std::int64_t count = 0;
  std::vector<std::int64_t> batch_sizes;  // number of windows along each batch dimension; their product is `count`
};

// Attributes of gather and scatter under names that both share.
struct IndexVectorMap {
  std::int64_t index_vector_dimension = 0;
  std::span<const std::int64_t> start_map;  // index vector component -> operand dimension
  std::span<const std::int64_t>
      operand_batch;  // batch dimensions of the operand; element i corresponds to index_batch[i]
  std::span<const std::int64_t> index_batch;  // batch dimensions of the indices
};

// Adds instructions that compute where windows of these sizes start. The windows have to fit into the operand.
WindowStarts window_starts(ArrayBuilder &b, ir::InstructionId indices, std::span<const std::int64_t> operand_sizes,
                           std::span<const std::int64_t> window_sizes, const IndexVectorMap &map);
// Concatenates the columns: s32[windows, rank of the operand].
ir::InstructionId starts_of(ArrayBuilder &b, const WindowStarts &starts);

// Returns a copy, because attributes move in memory when instructions are added.
inline std::vector<std::int64_t> numbers_of(ir::Instruction instruction, ir::AttributeKey key) {
  return {instruction.numbers(key).begin(), instruction.numbers(key).end()};
}

// Returns the dimensions 0, 1, ... except those listed.
std::vector<std::int64_t> dimensions_except(std::size_t rank, std::span<const std::int64_t> listed);

// Returns the sizes of the dimensions listed.
std::vector<std::int64_t> sizes_of(std::span<const std::int64_t> sizes, std::span<const std::int64_t> dimensions);

// Layout of the windows of a scatter in its operand and in its updates.
struct ScatterWindows {
  std::vector<std::int64_t> operand_sizes;
  std::vector<std::int64_t> removed;       // operand dimensions that windows do not have, ascending
  std::vector<std::int64_t> sizes;         // of a window, by operand dimension: 1 where the window does not have it
  std::vector<std::int64_t> row;           // of a window, in its dimensions in the updates
  std::vector<std::int64_t> update_order;  // permutation of the updates' dimensions to [windows..., window...]
  std::int64_t count = 0;
  std::vector<std::int64_t> start_map, operand_batch, index_batch;  // as in IndexVectorMap
  std::int64_t index_vector_dimension = 0;

  IndexVectorMap map() const { return {index_vector_dimension, start_map, operand_batch, index_batch}; }
};
ScatterWindows scatter_windows(ir::Instruction scatter);

}  // namespace bp::passes
