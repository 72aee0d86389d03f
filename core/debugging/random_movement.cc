// Ops that move elements.
#include "core/debugging/random_scope.h"

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

void add_broadcast(Scope &s) {
  const Id x = s.any_value();
  const Shape from = s.shape(x);
  Numbers sizes(from.sizes().begin(), from.sizes().end()), dimensions = iota(std::ssize(sizes));
  for (std::int64_t more = s.random.between(1, 2); more > 0 && sizes.size() < 9; --more) {
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
  // Matrices of several tiles each way, with a rest, are few among arrays of any rank.
  if (s.palette.only_parameters && s.palette.max_elements >= 1 << 12 && s.random.chance(3)) {
    const Id x = s.b.parameter(Shape::array(s.random_type(), {s.random.between(33, 63), s.random.between(33, 63)}));
    return s.keep(s.b.transpose(x, Numbers{1, 0}));
  }
  const Id x = s.value(s.random_type(), 2);
  s.keep(s.b.transpose(x, permutation(s.random, rank_of(s, x))));
}

void add_reverse(Scope &s) {
  const Id x = s.value(s.random_type(), 1);
  const Numbers dimensions = some_dimensions(s.random, rank_of(s, x));
  s.add(Opcode::Reverse, std::vector{x},
        [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); });
}

// A number from `low` to `high`; for a program of one instruction, sometimes up to `most`.
std::int64_t few_or_many(Scope &s, std::int64_t low, std::int64_t high, std::int64_t most) {
  return s.random.between(low, s.palette.only_parameters && s.random.chance(4) ? most : high);
}

void add_slice(Scope &s) {
  const Id x = s.value(s.random_type(), 1);
  std::vector<ir::SliceRange> ranges;
  const Shape shape = s.shape(x);
  for (std::int64_t size : shape.sizes()) {
    const std::int64_t start = s.random.below(size + 1), limit = s.random.between(start, size);
    ranges.push_back(s.random.chance(2) ? ir::SliceRange{0, size, 1}
                                        : ir::SliceRange{start, limit, few_or_many(s, 1, 3, 20)});
  }
  s.add(Opcode::Slice, std::vector{x}, [&](ir::Module &m, Id id) { m.set_slice_ranges(id, ranges); });
}

void add_pad(Scope &s) {
  const Id x = s.value(s.random_type(), 1);
  std::vector<ir::PaddingDimension> padding;
  for (std::int64_t d = 0; d < rank_of(s, x); ++d) {
    padding.push_back(s.random.chance(2) ? ir::PaddingDimension{}
                                         : ir::PaddingDimension{few_or_many(s, -2, 3, 40), few_or_many(s, -2, 3, 40),
                                                                s.random.chance(3) ? few_or_many(s, 0, 2, 9) : 0});
  }
  const Id value = s.value(Shape::scalar(s.shape(x).element_type()));
  s.add(Opcode::Pad, std::vector{x, value}, [&](ir::Module &m, Id id) { m.set_padding(id, padding); });
}

void add_concatenate(Scope &s) {
  const Id x = s.value(s.random_type(), 1);
  const std::int64_t dimension = s.random.below(rank_of(s, x));
  std::vector<Id> parts{x};
  const bool are_many = s.palette.only_parameters && s.random.chance(8);
  for (std::int64_t more = are_many ? s.random.between(8, 40) : s.random.between(0, 2); more > 0; --more) {
    Shape shape = s.shape(x);
    if (s.random.chance(2)) {
      shape.set_size(static_cast<std::size_t>(dimension), s.random.of(s.palette.sizes));
    }
    parts.push_back(s.value(shape));
  }
  s.add(Opcode::Concatenate, parts,
        [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, {dimension}); });
}

// Returns the shape of a slice of a value.
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
  const bool is_long = s.has_long_positions();
  const Id x = is_long ? s.long_array() : s.value(s.random_type(), 1);
  const Shape box = box_in(s, x);
  std::vector<Id> operands{x};
  const ElementType of_start = is_long ? ElementType::U8 : s.index_type();
  for (std::size_t d = 0; d < box.rank(); ++d) {
    operands.push_back(s.index_scalar(of_start));
  }
  s.add(Opcode::DynamicSlice, operands,
        [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::DynamicSliceSizes, box.sizes()); });
}

void add_dynamic_update_slice(Scope &s) {
  const bool is_long = s.has_long_positions();
  const Id x = is_long ? s.long_array() : s.value(s.random_type(), 1);
  std::vector<Id> operands{x, s.value(box_in(s, x))};
  const ElementType of_start = is_long ? ElementType::U8 : s.index_type();
  for (std::int64_t d = 0; d < rank_of(s, x); ++d) {
    operands.push_back(s.index_scalar(of_start));
  }
  s.add(Opcode::DynamicUpdateSlice, operands);
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
                                        add_dynamic_update_slice};
  s.random.of(kinds)(s);
}

}  // namespace bp::debugging
