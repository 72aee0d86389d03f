// Operators that read or write elements at indices that are computed. Indices outside of an array are an error in ONNX:
// those that are known now are refused, others read the nearest element and write nothing.
#include <algorithm>
#include <numeric>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

using ir::AttributeKey;

// Returns the numbers from `first` to `last` - 1 without those of `left_out`.
Integers numbers_between(std::int64_t first, std::int64_t last, Span left_out = {}) {
  Integers numbers;
  for (std::int64_t number = first; number < last; ++number) {
    if (std::ranges::find(left_out, number) == left_out.end()) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

std::int64_t rank_of(const Array &x) {
  return static_cast<std::int64_t>(x.rank());
}

// Whether an array can have these sizes; keeps an error otherwise.
bool check_rank(const Node &node, const Integers &sizes) {
  if (sizes.size() > ir::max_rank) {
    node.fail("the result has {} dimensions, expected at most {}", sizes.size(), ir::max_rank);
  }
  return !node.builder().has_failed();
}

// Whether the sizes of the array that indices point into are known, except for that of one dimension; keeps an error
// otherwise.
bool check_known(const Node &node, const Array &x, std::int64_t open = -1) {
  for (std::int64_t i = 0; i < rank_of(x); ++i) {
    if (i != open && x.is_bounded(i)) {
      node.unsupported(
          fmt::format("the indices are into {}, expected a known size of dimension {}", ir::to_string(x.shape()), i));
    }
  }
  return !node.builder().has_failed();
}

// Returns an array without elements.
Values nothing_of(const Node &node, const Array &x, const Integers &sizes) {
  return {node.builder().filled(x.type(), sizes, 0)};
}

// Counts negative indices from the end of dimensions of these sizes: one size, or one per number of the last dimension.
// `whole`: the array, if it is its dimension `axis` whose size only a run tells.
Array wrapped(const Node &node, const Array &indices, const Integers &sizes, const Array &whole = {},
              std::int64_t axis = 0) {
  if (!ir::is_integer(indices.type())) {
    node.fail("the indices are {}, expected integers", ir::to_string(indices.shape()));
  }
  const auto known = indices.integers();
  for (std::size_t i = 0; known && !sizes.empty() && i < known->size(); ++i) {
    const std::int64_t index = (*known)[i], size = sizes[i % sizes.size()];
    if (index < -size || index >= size) {
      node.fail("the index {} is outside of a dimension of size {}", index, size);
      return indices;
    }
  }
  const bool is_negative = !known || std::ranges::any_of(*known, [](std::int64_t index) { return index < 0; });
  if (ir::is_unsigned(indices.type()) || !is_negative || !indices.is_valid()) {
    return indices;
  }
  Array added = sizes.size() == 1 ? number(static_cast<double>(sizes[0]), indices)
                                  : node.builder().integers(sizes, indices.type());
  if (whole) {
    added = convert(run_time_size(whole, axis), indices.type());
  }
  const Array result = select(indices < 0, indices + added, indices);
  const auto value = result.literal();
  return value ? node.builder().constant(*value) : result;
}

// --- Scatter ---

// The dimensions of a scatter, by the names of HLO.
struct ScatterDimensions {
  Integers window = {}, inserted = {}, to_operand = {}, batch = {}, indices_batch = {};
  std::int64_t index_vector = 0;
};

// The op by which a scatter combines elements with updates; nothing if the updates replace them.
std::optional<Opcode> combiner_of(const Node &node) {
  const std::string_view reduction = node.text("reduction", "none");
  constexpr std::pair<std::string_view, Opcode> names[] = {
      {"add", Opcode::Add}, {"mul", Opcode::Multiply}, {"max", Opcode::Maximum}, {"min", Opcode::Minimum}};
  const auto found = std::ranges::find(names, reduction, &std::pair<std::string_view, Opcode>::first);
  if (found != std::end(names)) {
    return found->second;
  }
  if (reduction != "none") {
    node.fail("reduction is \"{}\", expected none, add, mul, max or min", reduction);
  }
  return std::nullopt;
}

// Returns a computation of two scalars that is the second one.
ir::ComputationId replacement(GraphBuilder &builder, ElementType type) {
  const std::string name = fmt::format("replace.{}", ir::to_string(type));
  for (const ir::ComputationId id : builder.module().computation_ids()) {
    if (builder.module().computation(id).name() == name) {
      return id;
    }
  }
  const Shape scalars[] = {Shape::scalar(type), Shape::scalar(type)};
  return builder.computation(name, scalars, [](GraphBuilder &, const Arrays &parameters) { return parameters[1]; });
}

Array scatter(const Array &x, const Array &indices, const Array &updates, std::optional<Opcode> combiner,
              const ScatterDimensions &dimensions) {
  if (!x.is_valid() || updates.count() == 0) {
    return x;
  }
  GraphBuilder &builder = x.builder();
  const bool is_wide = combiner == Opcode::Add || combiner == Opcode::Multiply;
  const ElementType type = is_wide ? compute_type(x.type()) : x.type();
  const ir::ComputationId computation =
      combiner ? builder.scalar_computation(*combiner, type) : replacement(builder, type);
  const auto set = [&](ir::Module &m, ir::InstructionId id) {
    m.set_numbers(id, AttributeKey::UpdateWindowDims, dimensions.window);
    m.set_numbers(id, AttributeKey::InsertedWindowDims, dimensions.inserted);
    m.set_numbers(id, AttributeKey::ScatterDimsToOperandDims, dimensions.to_operand);
    m.set_numbers(id, AttributeKey::InputBatchingDims, dimensions.batch);
    m.set_numbers(id, AttributeKey::ScatterIndicesBatchingDims, dimensions.indices_batch);
    m.set_number(id, AttributeKey::IndexVectorDim, dimensions.index_vector);
    if (!combiner) {  // the models are expected to name no element twice
      m.set_number(id, AttributeKey::UniqueIndices, 1);
    }
  };
  if (updates.type() != x.type()) {
    return builder.fail("the updates have elements of {}, expected {}", ir::to_string(updates.type()),
                        ir::to_string(x.type()));
  }
  const Array result = builder.add(Opcode::Scatter, {convert(x, type), indices, convert(updates, type)}, set,
                                   std::span(&computation, 1));
  return convert(result, x.type());
}

// Checks that `indices` has the rank of `x`, and at most its sizes along the other dimensions than `axis`.
bool check_elements(const Node &node, const Array &x, const Array &indices, std::int64_t axis) {
  bool fits = indices.rank() == x.rank();
  for (std::int64_t i = 0; fits && i < rank_of(x); ++i) {
    fits = i == axis || indices.size(i) <= x.size(i);
  }
  if (!fits) {
    node.fail("the indices are {}, expected the rank of {} and no larger sizes", ir::to_string(indices.shape()),
              ir::to_string(x.shape()));
  }
  return !node.builder().has_failed();
}

// Returns the part of `x` that the indices of GatherElements and ScatterElements can reach.
Array reachable_part(Array x, const Array &indices, std::int64_t axis) {
  for (std::int64_t i = 0; i < rank_of(x); ++i) {
    x = i == axis ? x : slice(x, i, 0, indices.size(i));
  }
  return x;
}

// The sizes of the dimensions of `x` that the numbers of an index tuple are for, which follow `batch` ones.
std::optional<Integers> indexed_sizes(const Node &node, const Array &x, const Array &indices, std::int64_t batch) {
  const std::int64_t count = indices.size(-1);
  if (indices.rank() == 0 || batch < 0 || batch >= std::min(rank_of(x), rank_of(indices)) || count < 1 ||
      count > rank_of(x) - batch) {
    node.fail("the tuples of {} cannot be indices into {} after {} dimensions of the batch",
              ir::to_string(indices.shape()), ir::to_string(x.shape()), batch);
  }
  if (node.builder().has_failed()) {
    return {};
  }
  const Integers sizes = x.sizes();
  return Integers(sizes.begin() + batch, sizes.begin() + batch + count);
}

// Returns the index in [0, size) that is equal to the number modulo `size`.
Array circular(const Array &index, std::int64_t size) {
  const Array rest = remainder(index, number(static_cast<double>(size), index));
  return select(rest < 0, rest + static_cast<double>(size), rest);
}

// Writes updates from where each element of the batch says.
Array scatter_sequences(const Array &cache, const Array &update, const Array &begin, std::int64_t axis,
                        bool is_circular) {
  const std::int64_t rank = rank_of(cache), batch = cache.size(0), count = update.size(axis);
  ScatterDimensions dimensions{.to_operand = {axis}, .batch = {0}, .indices_batch = {0}};
  if (!is_circular) {
    dimensions.window = numbers_between(1, rank);
    dimensions.index_vector = 1;
    return scatter(cache, reshape(begin, {batch, 1}), update, std::nullopt, dimensions);
  }
  const Integers left_out = {axis};
  dimensions.window = numbers_between(1, rank, left_out);
  dimensions.inserted = {axis};
  dimensions.index_vector = 2;
  const Integers sizes = {batch, count}, first = {0};
  const Array steps = cache.builder().iota(begin.type(), sizes, 1);
  return scatter(cache, circular(broadcast_in(begin, sizes, first) + steps, cache.size(axis)), update, std::nullopt,
                 dimensions);
}

}  // namespace

// --- Reading ---

Values lower_gather(const Node &node) {
  const Array x = node.input(0), indices = node.input(1);
  const std::int64_t axis = node.dimension(node.integer("axis", 0), x.rank());
  Integers sizes = x.sizes();
  if (node.builder().has_failed()) {
    return {};
  }
  sizes.erase(sizes.begin() + axis);
  const Integers inserted = indices.sizes();
  sizes.insert(sizes.begin() + axis, inserted.begin(), inserted.end());
  const Array positions = wrapped(node, indices, {x.size(axis)}, x.is_bounded(axis) ? x : Array(), axis);
  if (!check_rank(node, sizes)) {
    return {};
  }
  if (ir::product(sizes) == 0) {
    Array nothing = node.builder().filled(x.type(), sizes, 0);
    const auto copy_size = [&](const Array &from, std::int64_t i, std::int64_t to) {
      nothing = from.is_bounded(i) ? with_run_time_size(nothing, to, run_time_size(from, i)) : nothing;
    };
    for (std::int64_t i = 0; i < rank_of(x); ++i) {
      i == axis ? void() : copy_size(x, i, i < axis ? i : i - 1 + rank_of(indices));
    }
    for (std::int64_t i = 0; i < rank_of(indices); ++i) {
      copy_size(indices, i, axis + i);
    }
    return {nothing};
  }
  if (const auto known = positions.integers()) {
    const Array taken = take(x, Span(*known), axis);
    return {reshape(taken, sizes)};
  }
  return {take(x, positions, axis)};
}

Values lower_gather_elements(const Node &node) {
  const Array x = node.input(0), indices = node.input(1);
  const std::int64_t axis = node.dimension(node.integer("axis", 0), x.rank());
  if (!check_elements(node, x, indices, axis) || !check_known(node, x, axis)) {
    return {};
  }
  const Array positions = wrapped(node, indices, {x.size(axis)}, x.is_bounded() ? x : Array(), axis);
  if (indices.count() == 0) {
    return nothing_of(node, x, indices.sizes());
  }
  const Integers only = {axis}, others = numbers_between(0, rank_of(x), only);
  const Array part = reachable_part(x, indices, axis);
  return {node.builder().add(Opcode::Gather, {part, positions}, [&](ir::Module &m, ir::InstructionId id) {
    m.set_numbers(id, AttributeKey::OffsetDims, {});
    m.set_numbers(id, AttributeKey::CollapsedSliceDims, {axis});
    m.set_numbers(id, AttributeKey::StartIndexMap, {axis});
    m.set_numbers(id, AttributeKey::OperandBatchingDims, others);
    m.set_numbers(id, AttributeKey::StartIndicesBatchingDims, others);
    m.set_number(id, AttributeKey::IndexVectorDim, rank_of(x));
    m.set_numbers(id, AttributeKey::SliceSizes, Integers(x.rank(), 1));
  })};
}

Values lower_gather_nd(const Node &node) {
  const Array x = node.input(0), indices = node.input(1);
  const std::int64_t batch = node.integer("batch_dims", 0);
  const auto indexed = indexed_sizes(node, x, indices, batch);
  if (!indexed || !check_known(node, x)) {
    return {};
  }
  const std::int64_t first = rank_of(indices) - 1, whole = batch + indices.size(-1);
  Integers slice_sizes = x.sizes(), sizes = indices.sizes();
  sizes.pop_back();
  sizes.insert(sizes.end(), slice_sizes.begin() + whole, slice_sizes.end());
  std::fill_n(slice_sizes.begin(), whole, 1);
  const Array positions = wrapped(node, indices, *indexed);
  if (!check_rank(node, sizes)) {
    return {};
  }
  if (ir::product(sizes) == 0) {
    return nothing_of(node, x, sizes);
  }
  return {node.builder().add(Opcode::Gather, {x, positions}, [&](ir::Module &m, ir::InstructionId id) {
    m.set_numbers(id, AttributeKey::OffsetDims, numbers_between(first, static_cast<std::int64_t>(sizes.size())));
    m.set_numbers(id, AttributeKey::CollapsedSliceDims, numbers_between(batch, whole));
    m.set_numbers(id, AttributeKey::StartIndexMap, numbers_between(batch, whole));
    m.set_numbers(id, AttributeKey::OperandBatchingDims, numbers_between(0, batch));
    m.set_numbers(id, AttributeKey::StartIndicesBatchingDims, numbers_between(0, batch));
    m.set_number(id, AttributeKey::IndexVectorDim, first);
    m.set_numbers(id, AttributeKey::SliceSizes, slice_sizes);
  })};
}

Values lower_one_hot(const Node &node) {
  GraphBuilder &builder = node.builder();
  Array indices = node.input(0);
  const Array values = node.input(2);
  const std::int64_t depth = node.known_integer(1);
  const std::int64_t axis = node.dimension(node.integer("axis", -1), indices.rank() + 1);
  Integers sizes = indices.sizes();
  sizes.insert(sizes.begin() + axis, depth);
  if (depth < 0 || values.count() != 2) {
    return node.fail("depth is {} and values {}, expected a size and two values", depth, ir::to_string(values.shape()));
  }
  if (!check_rank(node, sizes)) {
    return {};
  }
  // All types of numbers may be indices. Those of u64 are compared as such, because they are not negative.
  const bool is_short = ir::is_integer(indices.type()) && depth <= INT32_MAX &&
                        (ir::bit_width(indices.type()) < 32 || indices.type() == ElementType::S32);
  if (indices.type() != ElementType::U64) {
    indices = convert(indices, is_short ? ElementType::S32 : ElementType::S64);
    indices = select(indices < 0, indices + static_cast<double>(depth), indices);
  }
  const Integers only = {axis};
  const Array is_on = builder.iota(indices.type(), sizes, axis) ==
                      broadcast_in(indices, sizes, numbers_between(0, static_cast<std::int64_t>(sizes.size()), only));
  const Array pair = reshape(values, {2});
  return {select(is_on, reshape(slice(pair, 0, 1, 2), {}), reshape(slice(pair, 0, 0, 1), {}))};
}

// --- Writing ---

Values lower_scatter_elements(const Node &node) {
  const Array x = node.input(0), indices = node.input(1), updates = node.input(2);
  const std::int64_t axis = node.dimension(node.integer("axis", 0), x.rank());
  const std::optional<Opcode> combiner = combiner_of(node);
  if (!check_elements(node, x, indices, axis) || !check_known(node, x, axis)) {
    return {};
  }
  if (updates.sizes() != indices.sizes()) {
    return node.fail("the updates are {}, expected the sizes of {}", ir::to_string(updates.shape()),
                     ir::to_string(indices.shape()));
  }
  const Array positions = wrapped(node, indices, {x.size(axis)}, x.is_bounded() ? x : Array(), axis);
  if (updates.count() == 0) {
    return {x};
  }
  const Integers only = {axis}, others = numbers_between(0, rank_of(x), only);
  const Array part = reachable_part(x, indices, axis);
  const ScatterDimensions dimensions{
      .inserted = {axis}, .to_operand = {axis}, .batch = others, .indices_batch = others, .index_vector = rank_of(x)};
  const Array result = scatter(part, positions, updates, combiner, dimensions);
  if (part.id() == x.id()) {
    return {result};
  }
  return {dynamic_update_slice(x, result, Arrays(x.rank(), node.builder().scalar(ElementType::S32, 0)))};
}

Values lower_scatter_nd(const Node &node) {
  const Array x = node.input(0), indices = node.input(1), updates = node.input(2);
  const std::optional<Opcode> combiner = combiner_of(node);
  const auto indexed = indexed_sizes(node, x, indices, 0);
  if (!indexed || !check_known(node, x)) {
    return {};
  }
  const std::int64_t first = rank_of(indices) - 1, count = indices.size(-1);
  Integers sizes = indices.sizes();
  sizes.pop_back();
  const Integers whole = x.sizes();
  sizes.insert(sizes.end(), whole.begin() + count, whole.end());
  if (updates.sizes() != sizes) {
    return node.fail("the updates are {}, expected the sizes [{}]", ir::to_string(updates.shape()),
                     fmt::join(sizes, ","));
  }
  const ScatterDimensions dimensions{.window = numbers_between(first, rank_of(updates)),
                                     .inserted = numbers_between(0, count),
                                     .to_operand = numbers_between(0, count),
                                     .index_vector = first};
  return {scatter(x, wrapped(node, indices, *indexed), updates, combiner, dimensions)};
}

Values lower_tensor_scatter(const Node &node) {
  const Array cache = node.input(0), update = node.input(1), begin = node.optional_input(2);
  const std::int64_t axis = node.dimension(node.integer("axis", -2), cache.rank());
  const std::string_view mode = node.text("mode", "linear");
  if (mode != "linear" && mode != "circular") {
    return node.fail("mode is \"{}\", expected linear or circular", mode);
  }
  bool fits = axis > 0 && cache.rank() == update.rank() && cache.type() == update.type() &&
              update.size(axis) <= cache.size(axis);
  for (std::int64_t i = 0; fits && i < rank_of(cache); ++i) {
    fits = i == axis || cache.size(i) == update.size(i);
  }
  if (!fits) {
    return node.fail("{} cannot be written into {} along dimension {}", ir::to_string(update.shape()),
                     ir::to_string(cache.shape()), axis);
  }
  const std::int64_t batch = cache.size(0);
  if (!begin.is_present() || update.count() == 0) {
    return {concatenate({update, slice(cache, axis, update.size(axis), cache.size(axis))}, axis)};
  }
  if (begin.rank() != 1 || begin.size(0) != batch) {
    return node.fail("write_indices is {}, expected one index for each of the batch, {}", ir::to_string(begin.shape()),
                     batch);
  }
  if (batch == 1 && mode == "linear") {
    Arrays starts(cache.rank(), node.builder().scalar(begin.type(), 0));
    starts[static_cast<std::size_t>(axis)] = reshape(begin, {});
    return {dynamic_update_slice(cache, update, starts)};
  }
  return {scatter_sequences(cache, update, begin, axis, mode == "circular")};
}

}  // namespace bp::import::onnx
