#include "core/passes/index_vectors.h"

#include <algorithm>
#include <cmath>

namespace bp::passes {
namespace {

using ir::ComparisonDirection;
using ir::ElementType;
using ir::Opcode;
using Id = ir::InstructionId;

// Returns the maximum of an integer type, or that of s32 if it is smaller.
std::int64_t largest(ElementType type) {
  const int bits = std::min(31, ir::bit_width(type) - (ir::is_signed(type) ? 1 : 0));
  return (std::int64_t{1} << bits) - 1;
}

}  // namespace

std::vector<std::int64_t> dimensions_except(std::size_t rank, std::span<const std::int64_t> listed) {
  std::vector<std::int64_t> others;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(rank); ++d) {
    if (std::ranges::find(listed, d) == listed.end()) {
      others.push_back(d);
    }
  }
  return others;
}

std::vector<std::int64_t> sizes_of(std::span<const std::int64_t> sizes, std::span<const std::int64_t> dimensions) {
  std::vector<std::int64_t> result;
  for (std::int64_t d : dimensions) {
    result.push_back(sizes[static_cast<std::size_t>(d)]);
  }
  return result;
}

ScatterWindows scatter_windows(ir::Instruction scatter) {
  const ir::Shape operand = scatter.operand(0).shape();
  const ir::Shape updates = scatter.operand(scatter.operand_count() / 2 + 1).shape();
  const std::vector<std::int64_t> in_window = numbers_of(scatter, ir::AttributeKey::UpdateWindowDims);
  ScatterWindows windows;
  windows.start_map = numbers_of(scatter, ir::AttributeKey::ScatterDimsToOperandDims);
  windows.operand_batch = numbers_of(scatter, ir::AttributeKey::InputBatchingDims);
  windows.index_batch = numbers_of(scatter, ir::AttributeKey::ScatterIndicesBatchingDims);
  windows.index_vector_dimension = scatter.number(ir::AttributeKey::IndexVectorDim);
  windows.operand_sizes.assign(operand.sizes().begin(), operand.sizes().end());
  windows.removed = numbers_of(scatter, ir::AttributeKey::InsertedWindowDims);
  windows.removed.insert(windows.removed.end(), windows.operand_batch.begin(), windows.operand_batch.end());
  std::ranges::sort(windows.removed);
  windows.row = sizes_of(updates.sizes(), in_window);
  windows.sizes.assign(operand.rank(), 1);
  const std::vector<std::int64_t> kept = dimensions_except(operand.rank(), windows.removed);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    windows.sizes[static_cast<std::size_t>(kept[i])] = windows.row[i];
  }
  windows.update_order = dimensions_except(updates.rank(), in_window);
  windows.count = ir::product(sizes_of(updates.sizes(), windows.update_order));
  windows.update_order.insert(windows.update_order.end(), in_window.begin(), in_window.end());
  return windows;
}

WindowStarts window_starts(ArrayBuilder &b, Id indices, std::span<const std::int64_t> operand_sizes,
                           std::span<const std::int64_t> window_sizes, const IndexVectorMap &map) {
  const std::size_t rank = b.shape(indices).rank();
  const std::int64_t components = static_cast<std::int64_t>(map.start_map.size());
  const std::int64_t vector_dimension = map.index_vector_dimension;
  const std::vector<std::int64_t> batch = dimensions_except(rank, std::span(&vector_dimension, 1));
  WindowStarts starts;
  starts.batch_sizes = sizes_of(b.shape(indices).sizes(), batch);
  starts.count = ir::product(starts.batch_sizes);
  if (static_cast<std::size_t>(vector_dimension) < rank) {
    std::vector<std::int64_t> order = batch;
    order.push_back(vector_dimension);
    if (!std::ranges::is_sorted(order)) {
      indices = b.transpose(indices, order);
    }
  }
  const bool are_rows = rank == 2 && static_cast<std::size_t>(vector_dimension) < rank;
  const Id vectors = are_rows ? indices : b.reshape(indices, {starts.count, components});
  const Id zero = b.zeros(ir::Shape::array(ElementType::S32, {starts.count, 1}));
  std::vector<Id> &columns = starts.columns;
  columns.assign(operand_sizes.size(), zero);
  for (std::size_t i = 0; i < map.operand_batch.size(); ++i) {
    const auto position = std::ranges::find(batch, map.index_batch[i]) - batch.begin();
    const Id along = b.iota(ir::Shape::array(ElementType::S32, starts.batch_sizes), position);
    columns[static_cast<std::size_t>(map.operand_batch[i])] = b.reshape(along, {starts.count, 1});
  }
  starts.is_in_bounds = b.broadcast(b.constant(ElementType::Pred, 1), {starts.count, 1});
  for (std::int64_t i = 0; i < components; ++i) {
    const auto d = static_cast<std::size_t>(map.start_map[static_cast<std::size_t>(i)]);
    const Id given = components == 1 ? vectors : b.slice(vectors, 1, i, i + 1);
    const std::int64_t last = std::min(operand_sizes[d] - window_sizes[d], largest(b.type(given)));
    Id start = b.add(Opcode::Minimum, {given, b.splat(static_cast<double>(last), given)});
    if (ir::is_signed(b.type(given))) {
      start = b.add(Opcode::Maximum, {start, b.splat(0, given)});
    }
    starts.is_in_bounds = b.bit_and({starts.is_in_bounds, b.compare(ComparisonDirection::Eq, start, given)});
    columns[d] = b.cast(start, ElementType::S32);
  }
  return starts;
}

Id starts_of(ArrayBuilder &b, const WindowStarts &starts) {
  return starts.columns.empty() ? b.zeros(ir::Shape::array(ElementType::S32, {starts.count, 0}))
                                : b.concatenate(starts.columns, 1);
}

}  // namespace bp::passes
