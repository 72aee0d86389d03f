// Ops with indices that are computed at run time: dynamic slices, gather and scatter.

#include "core/interpreter/scalar_function.h"
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;

// Index array of gather and scatter: index vectors lie along one dimension; the other dimensions, in order, number the
// windows.
struct IndexVectors {
  std::vector<std::int64_t> values;
  Dimensions batch_sizes, batch_strides;
  std::int64_t vector_size = 1, vector_stride = 0;

  IndexVectors(const Literal &indices, std::int64_t vector_dimension) : values(integers(indices)) {
    Dimensions strides = dense_strides(indices.shape().sizes());
    for (std::size_t d = 0; d < strides.size(); ++d) {
      if (static_cast<std::int64_t>(d) == vector_dimension) {
        vector_size = indices.shape().size(d);
        vector_stride = strides[d];
      } else {
        batch_sizes.push_back(indices.shape().size(d));
        batch_strides.push_back(strides[d]);
      }
    }
  }
  std::int64_t at(std::span<const std::int64_t> batch, std::int64_t component) const {
    std::int64_t offset = component * vector_stride;
    for (std::size_t d = 0; d < batch.size(); ++d) {
      offset += batch[d] * batch_strides[d];
    }
    return values[static_cast<std::size_t>(offset)];
  }
  std::span<const std::int64_t> sizes() const { return {batch_sizes.data(), batch_sizes.size()}; }
};

bool contains(std::span<const std::int64_t> list, std::int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// Maps between the dimensions of the index array, the operand and the windows, both for gather (windows are read, and
// are in the result) and for scatter (windows are in the updates, and are combined into the operand).
struct WindowMap {
  std::span<const std::int64_t> start_map;                   // index vector component -> operand dimension
  std::span<const std::int64_t> operand_batch, index_batch;  // operand dimension i corresponds to index dimension i
  Dimensions index_batch_position;                  // position of that index dimension among the batch dimensions
  Dimensions window_to_operand;                     // operand dimension of each window dimension
  Dimensions batch_dimensions;                      // dimensions of the array of windows that number the windows
  std::span<const std::int64_t> window_dimensions;  // dimensions of the array of windows that are inside a window

  // `window_rank`: rank of the array of windows; `collapsed`: operand dimensions that windows do not have.
  WindowMap(const Shape &operand, std::size_t window_rank, std::span<const std::int64_t> in_window,
            std::span<const std::int64_t> collapsed, std::span<const std::int64_t> start,
            std::span<const std::int64_t> operand_batching, std::span<const std::int64_t> index_batching,
            std::int64_t vector_dimension)
      : start_map(start), operand_batch(operand_batching), index_batch(index_batching), window_dimensions(in_window) {
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(operand.rank()); ++d) {
      if (!contains(collapsed, d) && !contains(operand_batching, d)) {
        window_to_operand.push_back(d);
      }
    }
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(window_rank); ++d) {
      if (!contains(in_window, d)) {
        batch_dimensions.push_back(d);
      }
    }
    for (std::int64_t d : index_batching) {
      index_batch_position.push_back(d > vector_dimension ? d - 1 : d);
    }
  }

  // Returns the operand index at which the window with this batch index starts.
  Dimensions start(const IndexVectors &indices, std::span<const std::int64_t> batch, std::size_t operand_rank) const {
    Dimensions result(operand_rank, 0);
    for (std::size_t i = 0; i < start_map.size(); ++i) {
      result[static_cast<std::size_t>(start_map[i])] = indices.at(batch, static_cast<std::int64_t>(i));
    }
    for (std::size_t i = 0; i < operand_batch.size(); ++i) {
      result[static_cast<std::size_t>(operand_batch[i])] = batch[static_cast<std::size_t>(index_batch_position[i])];
    }
    return result;
  }

  // Returns the walk over one window in the array of windows.
  Walk window_walk(std::span<const std::int64_t> array_sizes, std::span<const std::int64_t> batch) const {
    Dimensions strides = dense_strides(array_sizes);
    Walk walk;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      walk.offset += batch[i] * strides[static_cast<std::size_t>(batch_dimensions[i])];
    }
    for (std::int64_t d : window_dimensions) {
      walk.strides.push_back(strides[static_cast<std::size_t>(d)]);
    }
    return walk;
  }
  // Returns the walk over the same window in the operand.
  Walk operand_walk(std::span<const std::int64_t> operand_sizes, std::span<const std::int64_t> start) const {
    Dimensions strides = dense_strides(operand_sizes);
    Walk walk;
    for (std::size_t d = 0; d < start.size(); ++d) {
      walk.offset += start[d] * strides[d];
    }
    for (std::int64_t d : window_to_operand) {
      walk.strides.push_back(strides[static_cast<std::size_t>(d)]);
    }
    return walk;
  }
};

}  // namespace

Result<Literal> evaluate_dynamic_slice(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &shape = instruction.shape();
  Walk walk = clamped_start(operands[0].shape().sizes(), shape.sizes(), operands.subspan(1));
  return gathered(evaluator, shape, operands[0], walk);
}

Result<Literal> evaluate_dynamic_update_slice(Evaluator &evaluator, const Instruction &, Operands operands) {
  Literal result = std::move(operands[0]);
  std::span<const std::int64_t> box = operands[1].shape().sizes();
  Walk to = clamped_start(result.shape().sizes(), box, operands.subspan(2));
  strided_copy(evaluator, run_time_sizes(operands[1]), result.mutable_bytes().data(), to, operands[1].bytes().data(),
               dense_walk(box), element_width(result.shape()));
  return result;
}

Result<Literal> evaluate_gather(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &shape = instruction.shape(), &operand_shape = operands[0].shape();
  std::int64_t vector_dimension = instruction.number(AttributeKey::IndexVectorDim);
  IndexVectors indices(operands[1], vector_dimension);
  WindowMap map(operand_shape, shape.rank(), instruction.numbers(AttributeKey::OffsetDims),
                instruction.numbers(AttributeKey::CollapsedSliceDims), instruction.numbers(AttributeKey::StartIndexMap),
                instruction.numbers(AttributeKey::OperandBatchingDims),
                instruction.numbers(AttributeKey::StartIndicesBatchingDims), vector_dimension);
  std::span<const std::int64_t> slice_sizes = instruction.numbers(AttributeKey::SliceSizes);
  Dimensions window_sizes;
  for (std::int64_t d : map.window_to_operand) {
    window_sizes.push_back(slice_sizes[static_cast<std::size_t>(d)]);
  }
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  if (ir::product(slice_sizes) == 0) {  // collapsed slices without elements: nothing to read
    return result;
  }
  std::byte *out = result.mutable_bytes().data();
  for_each_index(indices.sizes(), [&](std::span<const std::int64_t> batch) {
    Dimensions start = map.start(indices, batch, operand_shape.rank());
    for (std::size_t d = 0; d < start.size(); ++d) {
      start[d] = std::min(std::max<std::int64_t>(start[d], 0), operand_shape.size(d) - slice_sizes[d]);
    }
    strided_copy(evaluator, window_sizes, out, map.window_walk(shape.sizes(), batch), operands[0].bytes().data(),
                 map.operand_walk(operand_shape.sizes(), start), element_width(shape));
  });
  return result;
}

// A window that is not entirely inside is skipped.
Result<Literal> evaluate_scatter(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  std::size_t count = operands.size() / 2;
  std::int64_t vector_dimension = instruction.number(AttributeKey::IndexVectorDim);
  IndexVectors indices(operands[count], vector_dimension);
  Shape operand_shape = operands[0].shape();
  const Shape &update_shape = operands[count + 1].shape();
  WindowMap map(operand_shape, update_shape.rank(), instruction.numbers(AttributeKey::UpdateWindowDims),
                instruction.numbers(AttributeKey::InsertedWindowDims),
                instruction.numbers(AttributeKey::ScatterDimsToOperandDims),
                instruction.numbers(AttributeKey::InputBatchingDims),
                instruction.numbers(AttributeKey::ScatterIndicesBatchingDims), vector_dimension);
  Dimensions window_sizes, operand_window(operand_shape.rank(), 1);
  for (std::size_t i = 0; i < map.window_to_operand.size(); ++i) {
    window_sizes.push_back(update_shape.size(static_cast<std::size_t>(map.window_dimensions[i])));
    operand_window[static_cast<std::size_t>(map.window_to_operand[i])] = window_sizes[i];
  }
  BP_ASSIGN(ScalarFunction * function, evaluator.scalar_function(instruction.called(0)));
  std::vector<Literal> results(std::make_move_iterator(operands.begin()),
                               std::make_move_iterator(operands.begin() + static_cast<std::ptrdiff_t>(count)));
  std::vector<std::byte *> outputs;
  for (Literal &result : results) {
    outputs.push_back(result.mutable_bytes().data());
  }
  std::vector<const std::byte *> arguments(2 * count);
  std::vector<std::byte *> places(count);
  Status status;
  for_each_index(indices.sizes(), [&](std::span<const std::int64_t> batch) {
    Dimensions start = map.start(indices, batch, operand_shape.rank());
    for (std::size_t d = 0; d < start.size(); ++d) {
      if (start[d] < 0 || start[d] > operand_shape.size(d) - operand_window[d]) {
        return;
      }
    }
    Walk from = map.window_walk(update_shape.sizes(), batch), to = map.operand_walk(operand_shape.sizes(), start);
    for_each_index(window_sizes, [&](std::span<const std::int64_t> index) {
      std::int64_t from_offset = from.offset, to_offset = to.offset;
      for (std::size_t d = 0; d < index.size(); ++d) {
        from_offset += index[d] * from.strides[d];
        to_offset += index[d] * to.strides[d];
      }
      for (std::size_t i = 0; i < count; ++i) {
        const Literal &update = operands[count + 1 + i];  // may have another type
        places[i] = outputs[i] + to_offset * static_cast<std::int64_t>(element_width(results[i].shape()));
        arguments[i] = places[i];
        arguments[count + i] =
            update.bytes().data() + from_offset * static_cast<std::int64_t>(element_width(update.shape()));
      }
      if (status.ok()) {
        status = (*function)(arguments, places, 1);
      }
    });
  });
  BP_TRY(std::move(status));
  return instruction.shape().is_tuple() ? Literal::tuple(std::move(results)) : std::move(results[0]);
}

}  // namespace bp::interpreter
