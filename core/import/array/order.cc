// Arrays in order: sorted ones, running sums, and the places of elements that are true.
#include "core/import/array/order.h"

#include <algorithm>
#include <limits>

#include "core/import/array/support.h"

namespace bp::import::array {

using ir::AttributeKey;
using ir::InstructionId;

Array indices_along(const Array &x, std::int64_t dimension, ElementType type) {
  return x.is_valid() ? x.builder().iota(type, x.sizes(), dimension) : x;
}

Arrays sort(const Arrays &arrays, std::int64_t dimension, const Less &less) {
  if (arrays.empty() || !arrays[0].is_present()) {
    return arrays;
  }
  GraphBuilder &builder = arrays[0].builder();
  std::vector<Shape> scalars;
  for (const Array &array : arrays) {
    scalars.insert(scalars.end(), 2, Shape::scalar(array.type()));
  }
  const ir::ComputationId computation = builder.computation("less", scalars, less);
  const Array sorted = builder.add(
      Opcode::Sort, arrays,
      [&](ir::Module &m, InstructionId id) { m.set_numbers(id, AttributeKey::Dimensions, {dimension}); },
      std::span(&computation, 1));
  if (arrays.size() == 1) {
    return {sorted};
  }
  Arrays results;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    results.push_back(builder.element(sorted, static_cast<std::int64_t>(i)));
  }
  return results;
}

// As windows that begin before the array and end at the element, which backends compute in one pass.
Array running_combination(Opcode opcode, double initial, const Array &x, std::int64_t dimension, bool is_reverse) {
  const std::int64_t size = x.size(dimension);
  if (!x.is_valid() || x.count() == 0) {
    return x;
  }
  const Array wide = convert(x, compute_type(x.type()));
  std::vector<ir::WindowDimension> window(x.rank());
  ir::WindowDimension &along = window[static_cast<std::size_t>(dimension)];
  along.size = size;
  (is_reverse ? along.pad_high : along.pad_low) = size - 1;
  return convert(reduce_window(opcode, number(initial, wide), wide, window), x.type());
}

TrueElements true_elements(const Array &mask) {
  const std::int64_t size = mask.size(0);
  const ElementType type = size < std::numeric_limits<std::int32_t>::max() ? ElementType::S32 : ElementType::S64;
  const Array numbers = select(mask, indices_along(mask, 0, type), static_cast<double>(size));
  const Integers all = {0};
  return {sort({numbers}, 0, [](GraphBuilder &, const Arrays &pair) { return pair[0] < pair[1]; })[0],
          reduce_sum(convert(mask, ElementType::S32), all, KeepSizes::No)};
}

namespace {

// Returns the value that TopK puts behind all others.
Array last_in_order(const Array &x, bool is_largest) {
  if (!ir::is_floating(x.type())) {
    return is_largest ? lowest(x) : highest(x);
  }
  // The last NaN: the sign, which is in the last byte, says at which end it is.
  ir::Literal nan = *ir::Literal::zeros(Shape::scalar(x.type()));
  std::ranges::fill(nan.mutable_bytes(), std::byte{0xff});
  nan.mutable_bytes().back() = is_largest ? std::byte{0xff} : std::byte{0x7f};
  return x.builder().constant(std::move(nan));
}

}  // namespace

TopElements top_k(const Array &x, std::int64_t dimension, std::int64_t k, bool is_largest) {
  if (!x.is_valid()) {
    return {x, x};
  }
  Integers exchanged = dimensions_from(0, x.rank());
  std::swap(exchanged[static_cast<std::size_t>(dimension)], exchanged.back());
  // Zeros of both signs are equal, and the first one comes first: TopK would put 0 before -0.
  const Array added = ir::is_floating(x.type()) ? x + 0 : x;
  const Array ordered = filled_to_bounds(added, last_in_order(added, is_largest));
  const Array top =
      x.builder().add(Opcode::TopK, {transpose(ordered, exchanged)}, [&](ir::Module &m, ir::InstructionId id) {
        m.set_number(id, ir::AttributeKey::K, k);
        m.set_number(id, ir::AttributeKey::Largest, is_largest);
      });
  return {transpose(x.builder().element(top, 0), exchanged), transpose(x.builder().element(top, 1), exchanged)};
}

}  // namespace bp::import::array
