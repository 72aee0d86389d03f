// Types and sizes of arrays, and the movement of their elements.
#include <algorithm>
#include <limits>

#include "core/import/array/support.h"
#include "core/ir/size_formulas.h"

namespace bp::import::array {

using ir::AttributeKey;
using ir::InstructionId;

// --- Types ---

Array convert(const Array &x, ElementType type) {
  if (!x.is_valid() || x.type() == type) {
    return x;
  }
  Shape shape = x.shape();
  shape.set_element_type(type);
  return x.builder().add(Opcode::Convert, {x}, {}, {}, shape);
}

ElementType compute_type(ElementType type) {
  return ir::is_floating(type) && ir::bit_width(type) < 32 ? ElementType::F32 : type;
}

// --- Sizes ---

std::optional<Integers> broadcast_sizes(Span a, Span b) {
  Integers result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      return {};
    }
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

Array broadcast_in(const Array &x, Span sizes, Span dimensions) {
  if (!x.is_valid()) {
    return x;
  }
  if (!check_sizes(x.builder(), sizes)) {
    return {&x.builder(), ir::no_instruction};
  }
  Shape shape = Shape::array(x.type(), sizes);
  for (std::size_t i = 0; i < dimensions.size() && i < x.rank(); ++i) {
    shape.set_dynamic(static_cast<std::size_t>(dimensions[i]), x.shape().is_dynamic(i));
  }
  return x.builder().add(
      Opcode::Broadcast, {x},
      [&](ir::Module &m, InstructionId id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); }, {}, shape);
}

Array broadcast_to(const Array &x, Span sizes) {
  if (!x.is_valid()) {
    return x;
  }
  const Integers own = x.sizes();
  if (std::ranges::equal(own, sizes)) {
    return x;
  }
  if (own.size() > sizes.size()) {
    return x.builder().fail("{} cannot be repeated to {}: it has more dimensions", ir::to_string(x.shape()),
                            to_string(sizes));
  }
  Integers removed, dimensions;
  const std::size_t added = sizes.size() - own.size();
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] == sizes[added + i]) {
      dimensions.push_back(static_cast<std::int64_t>(added + i));
    } else if (own[i] == 1 && !x.shape().is_dynamic(i)) {
      removed.push_back(static_cast<std::int64_t>(i));
    } else {
      return x.builder().fail("{} cannot be repeated to {}: the size {} is {} there, expected 1 or the same",
                              ir::to_string(x.shape()), to_string(sizes), own[i], sizes[added + i]);
    }
  }
  return broadcast_in(squeeze(x, removed), sizes, dimensions);
}

namespace {

Array reshape_to(const Array &x, const Shape &shape) {
  return ir::same(x.shape(), shape, ir::CompareLayout::No) ? x : x.builder().add(Opcode::Reshape, {x}, {}, {}, shape);
}

// Marks the dimensions of a result whose sizes only a run tells, as those of the operand; false if there is no choice.
bool mark_bounded(const Shape &from, Shape &to, Span candidates) {
  for (const ir::size_formulas::ReshapeGroup &group : ir::size_formulas::common_groups(from, to)) {
    std::size_t bounded = 0, places = 0, named = 0, place = 0;
    for (std::size_t i = group.from_begin; i < group.from_end; ++i) {
      bounded += from.is_dynamic(i) ? 1 : 0;
    }
    for (std::size_t i = group.to_begin; i < group.to_end; ++i) {
      const bool is_named = std::ranges::find(candidates, static_cast<std::int64_t>(i)) != candidates.end();
      if (is_named || (to.size(i) != 1 && named == 0)) {
        place = i;
      }
      named += is_named ? 1 : 0;
      places += to.size(i) != 1 ? 1 : 0;
    }
    if (bounded > 1 || (bounded == 1 && named != 1 && (named > 1 || places != 1))) {
      return false;
    }
    if (bounded == 1) {
      to.set_dynamic(place, true);
    }
  }
  return true;
}

}  // namespace

Array reshape(const Array &x, Span sizes, Span bounded) {
  if (!x.is_valid() || std::ranges::equal(x.sizes(), sizes)) {
    return x;
  }
  if (!check_sizes(x.builder(), sizes)) {
    return {&x.builder(), ir::no_instruction};
  }
  if (ir::product(sizes) != x.count()) {
    return x.builder().fail("{} cannot become {}: it has another number of elements", ir::to_string(x.shape()),
                            to_string(sizes));
  }
  Shape shape = Shape::array(x.type(), sizes);
  if (x.is_bounded() && !mark_bounded(x.shape(), shape, bounded)) {
    return x.builder().fail(unsupported("{} cannot become {}: it is not known which of the sizes there a run tells",
                                        ir::to_string(x.shape()), to_string(sizes)));
  }
  return reshape_to(x, shape);
}

Array reshape(const Array &x, std::initializer_list<std::int64_t> sizes) {
  return reshape(x, Span(sizes.begin(), sizes.size()));
}

Array transpose(const Array &x, Span permutation) {
  if (!x.is_valid() || std::ranges::equal(permutation, dimensions_from(0, x.rank()))) {
    return x;
  }
  return x.builder().add(Opcode::Transpose, {x}, [&](ir::Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::Dimensions, permutation);
  });
}

Array transpose(const Array &x, std::initializer_list<std::int64_t> permutation) {
  return transpose(x, Span(permutation.begin(), permutation.size()));
}

Array expand_dimension(const Array &x, std::int64_t dimension) {
  Integers sizes = x.sizes();
  const auto rank = static_cast<std::int64_t>(sizes.size());
  dimension = std::clamp<std::int64_t>(dimension < 0 ? dimension + rank + 1 : dimension, 0, rank);
  sizes.insert(sizes.begin() + dimension, 1);
  if (!x.is_valid() || !check_sizes(x.builder(), sizes)) {
    return {builder_of({x}), ir::no_instruction};
  }
  if (x.is_bounded()) {  // a reshape would not know which of several sizes a run tells
    Integers kept = dimensions_from(0, sizes.size());
    kept.erase(kept.begin() + dimension);
    return broadcast_in(x, sizes, kept);
  }
  return reshape_to(x, Shape::array(x.type(), sizes));
}

Array squeeze(const Array &x, Span dimensions) {
  if (!x.is_valid() || dimensions.empty()) {
    return x;
  }
  Integers sizes;
  std::vector<bool> is_bounded;
  bool fits = true;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (std::ranges::find(dimensions, static_cast<std::int64_t>(i)) == dimensions.end()) {
      sizes.push_back(x.shape().size(i));
      is_bounded.push_back(x.shape().is_dynamic(i));
    } else {
      fits = fits && x.shape().size(i) == 1 && !x.shape().is_dynamic(i);
    }
  }
  if (!fits) {
    return x.builder().fail("dimensions {} of {} are removed, expected that their sizes are 1", to_string(dimensions),
                            ir::to_string(x.shape()));
  }
  if (!has_one_open_size(x)) {
    Arrays in_run;
    for (std::size_t i = 0; i < x.rank(); ++i) {
      if (std::ranges::find(dimensions, static_cast<std::int64_t>(i)) == dimensions.end()) {
        in_run.push_back(run_time_size(x, static_cast<std::int64_t>(i)));
      }
    }
    return reshape_in_run(x, sizes, in_run);
  }
  Shape shape = Shape::array(x.type(), sizes);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    shape.set_dynamic(i, is_bounded[i]);
  }
  return reshape_to(x, shape);
}

Array flatten(const Array &x, std::int64_t first, std::int64_t last) {
  Integers sizes = x.sizes();
  const auto rank = static_cast<std::int64_t>(sizes.size());
  first = std::clamp<std::int64_t>(first, 0, rank);
  last = std::clamp<std::int64_t>(last, first, rank);
  const std::int64_t joined =
      ir::product(Span(sizes).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
  sizes.erase(sizes.begin() + first, sizes.begin() + last);
  sizes.insert(sizes.begin() + first, joined);
  return reshape(x, sizes);
}

// --- Sizes that only a run tells ---

Array run_time_size(const Array &x, std::int64_t dimension) {
  if (!x.is_valid()) {
    return x;
  }
  dimension = dimension < 0 ? dimension + static_cast<std::int64_t>(x.rank()) : dimension;
  if (!x.is_bounded(dimension)) {
    return x.builder().scalar(ElementType::S32, static_cast<double>(x.size(dimension)));
  }
  return x.builder().add(Opcode::GetDimensionSize, {x}, [&](ir::Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::Dimensions, {dimension});
  });
}

Array with_run_time_size(const Array &x, std::int64_t dimension, const Array &size) {
  if (!x.is_valid()) {
    return x;
  }
  if (x.size(dimension) > std::numeric_limits<std::int32_t>::max()) {
    return x.builder().fail(unsupported("a run tells a size of up to {}, expected at most {}", x.size(dimension),
                                        std::numeric_limits<std::int32_t>::max()));
  }
  dimension = dimension < 0 ? dimension + static_cast<std::int64_t>(x.rank()) : dimension;
  return x.builder().add(
      Opcode::SetDimensionSize, {x, convert(size, ElementType::S32)},
      [&](ir::Module &m, InstructionId id) { m.set_numbers(id, AttributeKey::Dimensions, {dimension}); });
}

Array filled_to_bounds(const Array &x, const Array &value) {
  if (!x.is_bounded()) {
    return x;
  }
  const Arrays starts(x.rank(), x.builder().scalar(ElementType::S32, 0));
  return dynamic_update_slice(broadcast_to(value, x.sizes()), x, starts);
}

Array with_bounds(const Array &x, const Shape &shape) {
  if (!x.is_valid() || ir::same(x.shape(), shape, ir::CompareLayout::No)) {
    return x;
  }
  std::vector<ir::PaddingDimension> padding(x.rank());
  for (std::size_t i = 0; i < x.rank(); ++i) {
    padding[i].high = shape.size(i) - x.shape().size(i);
  }
  const Array zero = number(0, x);
  Array result = pad(filled_to_bounds(x, zero), zero, padding);
  for (std::size_t i = 0; i < x.rank(); ++i) {
    const auto dimension = static_cast<std::int64_t>(i);
    result = shape.is_dynamic(i) ? with_run_time_size(result, dimension, run_time_size(x, dimension)) : result;
  }
  return result;
}

// --- Movement ---

Array slice(const Array &x, std::int64_t dimension, std::int64_t begin, std::int64_t end, std::int64_t stride) {
  if (!x.is_valid()) {
    return x;
  }
  std::vector<ir::SliceRange> ranges;
  for (const std::int64_t size : x.sizes()) {
    ranges.push_back({0, size, 1});
  }
  dimension = dimension < 0 ? dimension + static_cast<std::int64_t>(x.rank()) : dimension;
  if (dimension < 0 || dimension >= static_cast<std::int64_t>(x.rank())) {
    return x.builder().fail("{} has no dimension {}", ir::to_string(x.shape()), dimension);
  }
  if (begin == 0 && end == x.size(dimension) && stride == 1) {
    return x;
  }
  ranges[static_cast<std::size_t>(dimension)] = {begin, end, stride};
  return x.builder().add(Opcode::Slice, {x}, [&](ir::Module &m, InstructionId id) { m.set_slice_ranges(id, ranges); });
}

Array concatenate(const Arrays &parts, std::int64_t dimension) {
  if (parts.size() == 1) {
    return parts[0];
  }
  for (const Array &part : parts) {
    if (part.is_present()) {
      return part.builder().add(Opcode::Concatenate, parts, [&](ir::Module &m, InstructionId id) {
        m.set_numbers(id, AttributeKey::Dimensions, {dimension});
      });
    }
  }
  return {};
}

Array reverse(const Array &x, Span dimensions) {
  if (!x.is_valid() || dimensions.empty()) {
    return x;
  }
  return x.builder().add(Opcode::Reverse, {x}, [&](ir::Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::Dimensions, dimensions);
  });
}

Array pad(const Array &x, const Array &value, std::span<const ir::PaddingDimension> padding) {
  if (!x.is_valid()) {
    return x;
  }
  return x.builder().add(Opcode::Pad, {x, value}, [&](ir::Module &m, InstructionId id) { m.set_padding(id, padding); });
}

Array take(const Array &x, const Array &indices, std::int64_t dimension) {
  if (!x.is_valid() || !indices.is_valid()) {
    return x.is_valid() ? indices : x;
  }
  const auto rank = static_cast<std::int64_t>(x.rank());
  const auto index_rank = static_cast<std::int64_t>(indices.rank());
  Integers offset_dims = dimensions_from(0, static_cast<std::size_t>(dimension));
  for (std::int64_t i = dimension + 1; i < rank; ++i) {
    offset_dims.push_back(i - 1 + index_rank);
  }
  Integers sizes = x.sizes();
  sizes[static_cast<std::size_t>(dimension)] = 1;
  return x.builder().add(Opcode::Gather, {x, indices}, [&](ir::Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::OffsetDims, offset_dims);
    m.set_numbers(id, AttributeKey::CollapsedSliceDims, {dimension});
    m.set_numbers(id, AttributeKey::StartIndexMap, {dimension});
    m.set_number(id, AttributeKey::IndexVectorDim, index_rank);
    m.set_numbers(id, AttributeKey::SliceSizes, sizes);
  });
}

Array take(const Array &x, Span indices, std::int64_t dimension) {
  if (!x.is_valid() || indices.empty()) {
    return slice(x, dimension, 0, 0);
  }
  const std::int64_t step = indices.size() == 1 ? 1 : indices[1] - indices[0];
  bool is_even = step > 0;
  for (std::size_t i = 1; i < indices.size(); ++i) {
    is_even = is_even && indices[i] - indices[i - 1] == step;
  }
  return is_even ? slice(x, dimension, indices.front(), indices.back() + 1, step)
                 : take(x, x.builder().integers(indices), dimension);
}

Array dynamic_slice(const Array &x, const Arrays &starts, Span sizes) {
  if (!x.is_valid()) {
    return x;
  }
  Arrays operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return x.builder().add(Opcode::DynamicSlice, operands, [&](ir::Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::DynamicSliceSizes, sizes);
  });
}

Array dynamic_update_slice(const Array &x, const Array &update, const Arrays &starts) {
  if (!x.is_valid()) {
    return x;
  }
  Arrays operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return x.builder().add(Opcode::DynamicUpdateSlice, operands);
}

}  // namespace bp::import::array
