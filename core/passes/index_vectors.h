// What gather and scatter say about places: which windows of an array their index vectors mean.
#pragma once

#include "core/passes/array_builder.h"

namespace bp::passes {

struct WindowPlaces {
  // s32[windows, 1], by dimension of the operand: where each begins, moved inside where it would reach outside.
  std::vector<ir::InstructionId> columns;
  // pred[windows, 1]: whether it did not have to be moved.
  ir::InstructionId are_inside = ir::no_instruction;
  std::int64_t count = 0;
  std::vector<std::int64_t> batch_sizes;  // whose product it is
};

// Attributes of gather and scatter, by what they mean.
struct PlaceMap {
  std::int64_t index_vector_dimension = 0;
  std::span<const std::int64_t> start_map;      // index vector component -> operand dimension
  std::span<const std::int64_t> operand_batch;  // operand dimension i goes along with ...
  std::span<const std::int64_t> index_batch;    // ... index dimension i
};

// Instructions that compute the places of windows of these sizes, which fit into the operand.
WindowPlaces window_places(ArrayBuilder &b, ir::InstructionId indices, std::span<const std::int64_t> operand_sizes,
                           std::span<const std::int64_t> window_sizes, const PlaceMap &map);
// The columns side by side: s32[windows, rank of the operand].
ir::InstructionId starts_of(ArrayBuilder &b, const WindowPlaces &places);

// A copy: attributes move when instructions are added.
inline std::vector<std::int64_t> numbers_of(ir::Instruction instruction, ir::AttributeKey key) {
  return {instruction.numbers(key).begin(), instruction.numbers(key).end()};
}

// The dimensions 0, 1, ... but for those listed.
std::vector<std::int64_t> dimensions_except(std::size_t rank, std::span<const std::int64_t> listed);

// The sizes of the dimensions listed.
std::vector<std::int64_t> sizes_of(std::span<const std::int64_t> sizes, std::span<const std::int64_t> dimensions);

// How the windows of a scatter lie in what it is scattered into, and in its updates.
struct ScatterWindows {
  std::vector<std::int64_t> operand_sizes;
  std::vector<std::int64_t> removed;       // dimensions of the operand that windows lack, ascending
  std::vector<std::int64_t> sizes;         // of a window, by dimension of the operand: 1 where it lacks one
  std::vector<std::int64_t> row;           // of a window, as the updates have it
  std::vector<std::int64_t> update_order;  // of the updates' dimensions: [windows..., window...]
  std::int64_t count = 0;
  std::vector<std::int64_t> start_map, operand_batch, index_batch;  // as in PlaceMap
  std::int64_t index_vector_dimension = 0;

  PlaceMap map() const { return {index_vector_dimension, start_map, operand_batch, index_batch}; }
};
ScatterWindows scatter_windows(ir::Instruction scatter);

}  // namespace bp::passes
