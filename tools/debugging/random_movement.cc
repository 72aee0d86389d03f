// Ops that move elements, or choose them by indices.
#include <algorithm>
#include <numeric>

#include "tools/debugging/random_scope.h"

namespace bp::debugging {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;
using Numbers = std::vector<std::int64_t>;

std::int64_t rank_of(Scope &s, Id id) {
  return static_cast<std::int64_t>(s.shape(id).rank());
}
std::int64_t size_of(Scope &s, Id id, std::int64_t dimension) {
  return s.shape(id).size(static_cast<std::size_t>(dimension));
}

// Some of the dimensions, in ascending order.
Numbers some_dimensions(Scope &s, std::int64_t rank) {
  Numbers chosen;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (s.random.chance(2)) {
      chosen.push_back(d);
    }
  }
  return chosen;
}

Numbers permutation(Scope &s, std::int64_t rank) {
  Numbers order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = rank; i > 1; --i) {
    std::swap(order[static_cast<std::size_t>(i - 1)], order[static_cast<std::size_t>(s.random.below(i))]);
  }
  return order;
}

void add_broadcast(Scope &s) {
  const Id x = s.any_value();
  const Shape from = s.shape(x);
  Numbers sizes(from.sizes().begin(), from.sizes().end()), dimensions(sizes.size());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  for (std::int64_t more = s.random.between(1, 2); more > 0 && sizes.size() < 5; --more) {
    const std::int64_t at = s.random.below(std::ssize(sizes) + 1);
    sizes.insert(sizes.begin() + at, s.random.of(s.palette.sizes));
    for (std::int64_t &d : dimensions) {
      d += d >= at ? 1 : 0;
    }
  }
  const Shape shape = Shape::array(from.element_type(), sizes);
  if (shape.element_count() <= 2 * s.palette.max_elements) {
    s.keep(s.b.broadcast(x, shape, dimensions));
  }
}

void add_reshape(Scope &s) {
  const Id x = s.any_value();
  std::int64_t count = s.shape(x).element_count();
  Numbers sizes;
  for (std::int64_t factor : {2, 3, 2, 4, 5}) {
    if (count > 0 && count % factor == 0 && s.random.chance(2)) {
      sizes.push_back(factor);
      count /= factor;
    }
  }
  if (count != 1 || s.random.chance(3)) {
    sizes.insert(sizes.begin() + s.random.below(std::ssize(sizes) + 1), count);
  }
  s.keep(s.b.reshape(x, sizes));
}

void add_transpose(Scope &s) {
  const Id x = s.value(s.random_type(), 2);
  s.keep(s.b.transpose(x, permutation(s, rank_of(s, x))));
}

void add_reverse(Scope &s) {
  const Id x = s.value(s.random_type(), 1);
  const Numbers dimensions = some_dimensions(s, rank_of(s, x));
  s.add(Opcode::Reverse, std::vector{x},
        [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); });
}

void add_slice(Scope &s) {
  const Id x = s.value(s.random_type(), 1);
  std::vector<ir::SliceRange> ranges;
  const Shape shape = s.shape(x);
  for (std::int64_t size : shape.sizes()) {
    const std::int64_t start = s.random.below(size + 1), limit = s.random.between(start, size);
    ranges.push_back(s.random.chance(2) ? ir::SliceRange{0, size, 1}
                                        : ir::SliceRange{start, limit, s.random.between(1, 3)});
  }
  s.add(Opcode::Slice, std::vector{x}, [&](ir::Module &m, Id id) { m.set_slice_ranges(id, ranges); });
}

void add_pad(Scope &s) {
  const Id x = s.value(s.random_type(), 1);
  std::vector<ir::PaddingDimension> padding;
  for (std::int64_t d = 0; d < rank_of(s, x); ++d) {
    padding.push_back(s.random.chance(2) ? ir::PaddingDimension{}
                                         : ir::PaddingDimension{s.random.between(-1, 2), s.random.between(-1, 2),
                                                                s.random.chance(3) ? s.random.between(0, 2) : 0});
  }
  const Id value = s.value(Shape::scalar(s.shape(x).element_type()));
  s.add(Opcode::Pad, std::vector{x, value}, [&](ir::Module &m, Id id) { m.set_padding(id, padding); });
}

void add_concatenate(Scope &s) {
  const Id x = s.value(s.random_type(), 1);
  const std::int64_t dimension = s.random.below(rank_of(s, x));
  std::vector<Id> parts{x};
  for (std::int64_t more = s.random.between(0, 2); more > 0; --more) {
    Shape shape = s.shape(x);
    if (s.random.chance(2)) {
      shape.set_size(static_cast<std::size_t>(dimension), s.random.of(s.palette.sizes));
    }
    parts.push_back(s.value(shape));
  }
  s.add(Opcode::Concatenate, parts,
        [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, {dimension}); });
}

// The shape of a box within a value.
Shape box_in(Scope &s, Id x) {
  Shape box = s.shape(x);
  for (std::size_t d = 0; d < box.rank(); ++d) {
    if (s.random.chance(2)) {
      box.set_size(d, s.random.between(std::min<std::int64_t>(box.size(d), 1), box.size(d)));
    }
  }
  return box;
}

void add_dynamic_slice(Scope &s) {
  const Id x = s.value(s.random_type(), 1);
  const Shape box = box_in(s, x);
  std::vector<Id> operands{x};
  for (std::size_t d = 0; d < box.rank(); ++d) {
    operands.push_back(s.index_scalar());
  }
  s.add(Opcode::DynamicSlice, operands,
        [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::DynamicSliceSizes, box.sizes()); });
}

void add_dynamic_update_slice(Scope &s) {
  const Id x = s.value(s.random_type(), 1);
  std::vector<Id> operands{x, s.value(box_in(s, x))};
  for (std::int64_t d = 0; d < rank_of(s, x); ++d) {
    operands.push_back(s.index_scalar());
  }
  s.add(Opcode::DynamicUpdateSlice, operands);
}

// Rows or boxes at indices along some dimensions, as frameworks write them: indices[n, k], the result's first dimension
// is n.
struct Indexing {
  Id operand, indices;
  Numbers indexed, window, window_sizes;  // of the operand's dimensions, ascending; sizes of all
};

Indexing random_indexing(Scope &s) {
  Indexing result;
  result.operand = s.value(s.random_type(), 1);
  const std::int64_t rank = rank_of(s, result.operand);
  result.indexed = some_dimensions(s, rank);
  if (result.indexed.empty()) {
    result.indexed.push_back(s.random.below(rank));
  }
  for (std::int64_t d = 0; d < rank; ++d) {
    const bool is_indexed = std::ranges::binary_search(result.indexed, d);
    result.window_sizes.push_back(is_indexed ? std::min<std::int64_t>(size_of(s, result.operand, d), 1)
                                             : size_of(s, result.operand, d));
    if (!is_indexed) {
      result.window.push_back(d);
    }
  }
  const ElementType type =
      s.random.of(std::vector{ElementType::S32, ElementType::S32, ElementType::U8, ElementType::S64});
  result.indices = s.value(Shape::array(type, {s.random.of(s.palette.sizes), std::ssize(result.indexed)}));
  return result;
}

void add_gather(Scope &s) {
  const Indexing at = random_indexing(s);
  Numbers offsets(at.window.size());
  std::iota(offsets.begin(), offsets.end(), 1);
  s.add(Opcode::Gather, std::vector{at.operand, at.indices}, [&](ir::Module &m, Id id) {
    m.set_numbers(id, AttributeKey::OffsetDims, offsets);
    m.set_numbers(id, AttributeKey::CollapsedSliceDims, at.indexed);
    m.set_numbers(id, AttributeKey::StartIndexMap, at.indexed);
    m.set_number(id, AttributeKey::IndexVectorDim, 1);
    m.set_numbers(id, AttributeKey::SliceSizes, at.window_sizes);
  });
}

void add_scatter(Scope &s) {
  const Indexing at = random_indexing(s);
  const ElementType type = s.shape(at.operand).element_type();
  Numbers sizes{size_of(s, at.indices, 0)}, windows(at.window.size());
  for (std::int64_t d : at.window) {
    sizes.push_back(size_of(s, at.operand, d));
  }
  std::iota(windows.begin(), windows.end(), 1);
  const Id updates = s.value(Shape::array(type, sizes));
  const ir::ComputationId combiner =
      ir::add_scalar_computation(s.b.module(), s.random.chance(2) ? Opcode::Add : Opcode::Multiply, type, "combine");
  s.add(
      Opcode::Scatter, std::vector{at.operand, at.indices, updates},
      [&](ir::Module &m, Id id) {
        m.set_numbers(id, AttributeKey::UpdateWindowDims, windows);
        m.set_numbers(id, AttributeKey::InsertedWindowDims, at.indexed);
        m.set_numbers(id, AttributeKey::ScatterDimsToOperandDims, at.indexed);
        m.set_number(id, AttributeKey::IndexVectorDim, 1);
      },
      std::span(&combiner, 1));
}

}  // namespace

void add_movement(Scope &s) {
  constexpr void (*kinds[])(Scope &) = {add_broadcast,
                                        add_broadcast,
                                        add_reshape,
                                        add_reshape,
                                        add_transpose,
                                        add_transpose,
                                        add_reverse,
                                        add_slice,
                                        add_slice,
                                        add_pad,
                                        add_concatenate,
                                        add_dynamic_slice,
                                        add_dynamic_update_slice,
                                        add_gather,
                                        add_scatter};
  s.random.of(kinds)(s);
}

}  // namespace bp::debugging
