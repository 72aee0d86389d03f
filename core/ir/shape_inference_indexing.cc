// Shape rules of gather, scatter, sort and topk.
// Gather: the result interleaves the batch dimensions of the indices (all except the index vector) with the dimensions
// of one slice, as offset_dims specifies. Scatter is the inverse, so that both share the checks of their dimension
// numbers.
#include "core/ir/shape_inference_rules.h"

namespace bp::ir {

using namespace shape_rules;

namespace {

// The dimension numbers of gather and scatter under common names. "Array" is what is gathered from or scattered to.
struct IndexingNumbers {
  // Dimensions of the gathered result or of the updates that are dimensions of a slice.
  std::span<const std::int64_t> window_dims;
  // Dimensions of the array that slices do not have; their size in a slice is 1.
  std::span<const std::int64_t> absent_dims;
  // For each entry of an index vector, the dimension of the array that it refers to.
  std::span<const std::int64_t> index_to_array;
  // Batching dimensions of the array and, in the same order, those of the indices.
  std::span<const std::int64_t> array_batching_dims;
  std::span<const std::int64_t> indices_batching_dims;
  std::int64_t index_vector_dim = 0;
};

Status check_indexing(const IndexingNumbers &numbers, const Shape &array, const Shape &indices) {
  std::size_t rank = array.rank();
  auto indices_rank = static_cast<std::int64_t>(indices.rank());
  // (C1) the indices are integers.
  if (!is_integer(indices.element_type())) {
    return invalid_input("the indices have shape {}, expected integers", describe(indices));
  }
  // (C2) index_vector_dim is a dimension of the indices, or the rank of the indices, which then are scalar indices.
  if (numbers.index_vector_dim < 0 || numbers.index_vector_dim > indices_rank) {
    return invalid_input("index_vector_dim is {}, expected at least 0 and at most {}", numbers.index_vector_dim,
                         indices_rank);
  }
  // (C3) each entry of an index refers to a different dimension.
  std::int64_t entries =
      numbers.index_vector_dim == indices_rank ? 1 : indices.size(static_cast<std::size_t>(numbers.index_vector_dim));
  if (entries != unbounded && static_cast<std::int64_t>(numbers.index_to_array.size()) != entries) {
    return invalid_input("an index has {} entries, expected {}, one for each of {}", entries,
                         numbers.index_to_array.size(), list(numbers.index_to_array));
  }
  BP_TRY(check_dimensions(numbers.index_to_array, rank, "the map from index entries to dimensions"));
  // (C4) the lists of dimensions that slices do not have, of window dimensions and of batching dimensions are distinct
  // and sorted.
  BP_TRY(check_dimensions(numbers.absent_dims, rank, "the list of collapsed dimensions"));
  BP_TRY(check_dimensions(numbers.array_batching_dims, rank, "the list of batching dimensions"));
  BP_TRY(
      check_dimensions(numbers.indices_batching_dims, indices.rank(), "the list of the indices' batching dimensions"));
  for (auto sorted : {numbers.window_dims, numbers.absent_dims, numbers.array_batching_dims}) {
    if (!std::is_sorted(sorted.begin(), sorted.end())) {
      return invalid_input("the dimensions {} are not in ascending order", list(sorted));
    }
  }
  // (C5) batching dimensions come in pairs of equal size and are neither collapsed nor indexed.
  if (numbers.array_batching_dims.size() != numbers.indices_batching_dims.size()) {
    return invalid_input("there are {} batching dimensions of the operand and {} of the indices",
                         numbers.array_batching_dims.size(), numbers.indices_batching_dims.size());
  }
  for (std::size_t i = 0; i < numbers.array_batching_dims.size(); ++i) {
    std::int64_t in_array = numbers.array_batching_dims[i], in_indices = numbers.indices_batching_dims[i];
    if (contains(numbers.absent_dims, in_array) || contains(numbers.index_to_array, in_array) ||
        in_indices == numbers.index_vector_dim) {
      return invalid_input("batching dimension {} is also collapsed or indexed", in_array);
    }
    if (!sizes_agree(array.size(static_cast<std::size_t>(in_array)),
                     indices.size(static_cast<std::size_t>(in_indices)))) {
      return invalid_input("batching dimension {} of {} and {} of {} differ in size", in_array, describe(array),
                           in_indices, describe(indices));
    }
  }
  return {};
}

// Returns the dimensions of the indices without the index vector.
std::vector<Dimension> batch_dimensions(const Shape &indices, std::int64_t index_vector_dim) {
  std::vector<Dimension> result;
  for (std::size_t i = 0; i < indices.rank(); ++i) {
    if (static_cast<std::int64_t>(i) != index_vector_dim) {
      result.push_back(dimension(indices, i));
    }
  }
  return result;
}

// Returns the window dimensions at the indices `window_dims` and the batch dimensions at the others, each in their
// order.
std::vector<Dimension> interleave(std::span<const std::int64_t> window_dims, std::span<const Dimension> window,
                                  std::span<const Dimension> batch) {
  std::vector<Dimension> result;
  std::size_t next_window = 0, next_batch = 0;
  for (std::size_t i = 0; i < window.size() + batch.size(); ++i) {
    bool is_window = contains(window_dims, static_cast<std::int64_t>(i));
    result.push_back(is_window ? window[next_window++] : batch[next_batch++]);
  }
  return result;
}

}  // namespace

Result<Shape> infer_gather(const Instruction &instruction) {
  const Shape &operand = operand_shape(instruction, 0), &indices = operand_shape(instruction, 1);
  IndexingNumbers numbers{instruction.numbers(AttributeKey::OffsetDims),
                          instruction.numbers(AttributeKey::CollapsedSliceDims),
                          instruction.numbers(AttributeKey::StartIndexMap),
                          instruction.numbers(AttributeKey::OperandBatchingDims),
                          instruction.numbers(AttributeKey::StartIndicesBatchingDims),
                          instruction.number(AttributeKey::IndexVectorDim)};
  BP_TRY(check_indexing(numbers, operand, indices));
  auto slice_sizes = instruction.numbers(AttributeKey::SliceSizes);
  if (slice_sizes.size() != operand.rank()) {
    return invalid_input("slice_sizes has {} numbers, expected {}", slice_sizes.size(), operand.rank());
  }
  std::vector<Dimension> window;
  for (std::size_t i = 0; i < slice_sizes.size(); ++i) {
    auto number = static_cast<std::int64_t>(i);
    bool is_absent = contains(numbers.absent_dims, number) || contains(numbers.array_batching_dims, number);
    // (C6) a slice fits into the operand, and has at most size 1 along a dimension that is collapsed.
    bool fits = slice_sizes[i] >= 0 && (operand.size(i) == unbounded || slice_sizes[i] <= operand.size(i));
    if (!fits || (is_absent && slice_sizes[i] > 1)) {
      return invalid_input("slice_sizes is {}, expected a slice of {} with at most 1 where it is collapsed",
                           list(slice_sizes), describe(operand));
    }
    if (!is_absent) {
      window.push_back({slice_sizes[i], operand.is_dynamic(i) && slice_sizes[i] == operand.size(i)});
    }
  }
  // (C7) offset_dims gives the index of each remaining dimension of a slice in the result.
  std::vector<Dimension> batch = batch_dimensions(indices, numbers.index_vector_dim);
  if (numbers.window_dims.size() != window.size()) {
    return invalid_input("offset_dims has {} numbers, expected {}", numbers.window_dims.size(), window.size());
  }
  BP_TRY(check_dimensions(numbers.window_dims, window.size() + batch.size(), "offset_dims"));
  return make_array(operand.element_type(), interleave(numbers.window_dims, window, batch));
}

Result<Shape> infer_scatter(const Instruction &instruction) {
  std::size_t count = instruction.operand_count();
  if (count % 2 == 0) {
    return invalid_input("scatter has {} operands, expected N arrays, the indices and N updates", count);
  }
  std::size_t n = count / 2;
  const Shape &array = operand_shape(instruction, 0), &indices = operand_shape(instruction, n);
  IndexingNumbers numbers{instruction.numbers(AttributeKey::UpdateWindowDims),
                          instruction.numbers(AttributeKey::InsertedWindowDims),
                          instruction.numbers(AttributeKey::ScatterDimsToOperandDims),
                          instruction.numbers(AttributeKey::InputBatchingDims),
                          instruction.numbers(AttributeKey::ScatterIndicesBatchingDims),
                          instruction.number(AttributeKey::IndexVectorDim)};
  BP_TRY(check_indexing(numbers, array, indices));
  std::vector<Dimension> window;  // the maximum size of an update's window
  for (std::size_t i = 0; i < array.rank(); ++i) {
    auto number = static_cast<std::int64_t>(i);
    if (!contains(numbers.absent_dims, number) && !contains(numbers.array_batching_dims, number)) {
      window.push_back(dimension(array, i));
    }
  }
  // (C6) update_window_dims names a dimension of the updates for each dimension of a window.
  std::vector<Dimension> batch = batch_dimensions(indices, numbers.index_vector_dim);
  if (numbers.window_dims.size() != window.size()) {
    return invalid_input("update_window_dims has {} numbers, expected {}", numbers.window_dims.size(), window.size());
  }
  BP_TRY(check_dimensions(numbers.window_dims, window.size() + batch.size(), "update_window_dims"));
  BP_ASSIGN(Shape largest_update, make_array(array.element_type(), interleave(numbers.window_dims, window, batch)));
  std::vector<ElementType> types, update_types;
  std::vector<Shape> results;
  for (std::size_t k = 0; k < n; ++k) {
    // (C7) all arrays have the same sizes.
    const Shape &operand = operand_shape(instruction, k), &update = operand_shape(instruction, n + 1 + k);
    if (!sizes_agree(operand, array)) {
      return unexpected_operand(instruction, k, fmt::format("the sizes of {}", describe(array)));
    }
    // (C8) the updates have the batch dimensions of the indices, and windows that fit into the arrays.
    bool fits = update.rank() == largest_update.rank();
    for (std::size_t i = 0; fits && i < update.rank(); ++i) {
      fits = sizes_agree(update.size(i), largest_update.size(i)) ||
             (contains(numbers.window_dims, static_cast<std::int64_t>(i)) && update.size(i) <= largest_update.size(i));
    }
    if (!fits) {
      return unexpected_operand(instruction, n + 1 + k,
                                fmt::format("updates that fit into {}", describe(largest_update)));
    }
    types.push_back(operand.element_type());
    update_types.push_back(update.element_type());
    results.push_back(operand);
  }
  // (C9) the computation combines an element of each array with one of each update.
  BP_TRY(check_combiner(instruction.called(0), update_types, types));
  return tuple_unless_one(std::move(results));
}

Result<Shape> infer_sort(const Instruction &instruction) {
  const Shape &first = operand_shape(instruction, 0);
  BP_TRY(single_dimension(instruction, first.rank()));
  std::vector<Shape> results, scalars;
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    const Shape &operand = operand_shape(instruction, i);
    // (C1) all operands have the same sizes.
    if (!sizes_agree(operand, first)) {
      return unexpected_operand(instruction, i, fmt::format("the sizes of {}", describe(first)));
    }
    results.push_back(operand);
    scalars.insert(scalars.end(), 2, Shape::scalar(operand.element_type()));
  }
  // (C2) the comparator takes two scalars of each operand and returns pred[].
  BP_ASSIGN(Signature comparator, signature_of(instruction.called(0)));
  std::vector<const Shape *> arguments;
  for (const Shape &scalar : scalars) {
    arguments.push_back(&scalar);
  }
  BP_TRY(check_parameters(instruction.called(0), comparator, arguments));
  if (!same(*comparator.result, Shape::scalar(ElementType::Pred), CompareLayout::No)) {
    return invalid_input("{} returns {}, expected pred[]", instruction.called(0).name(), describe(*comparator.result));
  }
  return tuple_unless_one(std::move(results));
}

Result<Shape> infer_topk(const Instruction &instruction) {
  const Shape &operand = operand_shape(instruction, 0);
  std::int64_t k = instruction.number(AttributeKey::K);
  if (operand.rank() == 0 || is_complex(operand.element_type())) {
    return unexpected_operand(instruction, 0, "at least one dimension, and elements of an ordered type, not complex");
  }
  std::vector<Dimension> sizes = dimensions(operand);
  // (C1) the dimension has at least k elements.
  if (k < 0 || (sizes.back().size != unbounded && k > sizes.back().size)) {
    return invalid_input("k is {}, expected at least 0 and at most {}", k, sizes.back().size);
  }
  sizes.back() = {k, false};
  BP_ASSIGN(Shape values, make_array(operand.element_type(), sizes));
  BP_ASSIGN(Shape positions, make_array(ElementType::S32, sizes));
  return Shape::tuple({std::move(values), std::move(positions)});
}

}  // namespace bp::ir
