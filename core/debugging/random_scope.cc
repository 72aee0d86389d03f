#include "core/debugging/random_scope.h"

#include <numeric>

#include "core/debugging/draws.h"
#include "core/ir/float_spacing.h"
#include "core/ir/shape_inference_rules.h"

namespace bp::debugging {

using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;

bool takes(ir::TypeSet set, ElementType type) {
  const bool integer = ir::is_integer(type), floating = ir::is_floating(type), complex = ir::is_complex(type);
  switch (set) {
    case ir::TypeSet::AnyShape:
    case ir::TypeSet::AnyArray: return true;
    case ir::TypeSet::Numeric: return integer || floating || complex;
    case ir::TypeSet::Real: return integer || floating;
    case ir::TypeSet::Integer: return integer;
    case ir::TypeSet::IntegerOrPred: return integer || type == ElementType::Pred;
    case ir::TypeSet::Float: return floating;
    case ir::TypeSet::FloatOrComplex: return floating || complex;
  }
  return false;
}

std::int64_t long_size(Random &random, std::int64_t max) {
  std::int64_t limit = 128;
  for (std::int64_t steps = random.below(12); steps > 0 && 2 * limit <= max; --steps) {
    limit *= 2;
  }
  return std::max<std::int64_t>(std::min(limit + random.between(-1, 2), max), 1);
}

std::vector<std::int64_t> iota(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<std::int64_t> permutation(Random &random, std::int64_t count) {
  std::vector<std::int64_t> order = iota(count);
  for (std::int64_t i = count; i > 1; --i) {
    std::swap(order[static_cast<std::size_t>(i - 1)], order[static_cast<std::size_t>(random.below(i))]);
  }
  return order;
}

std::vector<std::int64_t> some_dimensions(Random &random, std::int64_t rank) {
  std::vector<std::int64_t> chosen;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (random.chance(2)) {
      chosen.push_back(d);
    }
  }
  return chosen;
}

std::vector<ir::WindowDimension> random_window(Scope &s, std::span<const std::int64_t> sizes, bool may_dilate) {
  std::vector<ir::WindowDimension> window;
  constexpr std::int64_t too_many = std::int64_t{1} << 40;
  std::int64_t operations = 1;  // where a dimension is empty, windows may lie in its padding
  for (const std::int64_t size : sizes) {
    operations = std::min(operations * std::max<std::int64_t>(size, 1), too_many);
  }
  for (std::int64_t size : sizes) {
    ir::WindowDimension dimension;
    if (s.palette.only_parameters && size > 4 && s.random.chance(8)) {  // all elements up to one, or from one on
      dimension.size = size;
      (s.random.chance(2) ? dimension.pad_low : dimension.pad_high) = size - 1;
    } else if (s.random.chance(2)) {
      const std::int64_t most = s.palette.only_parameters && s.random.chance(3) ? 17 : 4;
      dimension.size = s.random.between(1, std::max<std::int64_t>(1, std::min<std::int64_t>(size, most)));
      dimension.stride = s.random.between(1, s.palette.only_parameters && s.random.chance(3) ? 8 : 3);
      const std::int64_t least = size >= 2 ? -1 : 0;  // padding takes away no more than there is
      const std::int64_t most_padding = most > 4 ? dimension.size + 1 : 2;
      dimension.pad_low = s.random.between(least, most_padding);
      dimension.pad_high = s.random.between(least, most_padding);
      const std::int64_t most_dilated = most > 4 && s.random.chance(2) ? 6 : 3;
      dimension.lhs_dilate = s.random.chance(4) ? s.random.between(2, most_dilated) : 1;
      dimension.rhs_dilate = s.random.chance(4) ? s.random.between(2, most_dilated) : 1;
    }
    if (!may_dilate) {
      dimension.lhs_dilate = dimension.rhs_dilate = 1;
    }
    const auto windows = ir::shape_rules::window_output_size(size, dimension);
    if (windows.ok()) {
      const std::int64_t others = std::max<std::int64_t>(operations / std::max<std::int64_t>(size, 1), 1);
      const std::int64_t here = std::max<std::int64_t>(*windows * dimension.size, 1);
      if (here > max_operations / others) {
        dimension = {};
      } else {
        operations = others * here;
      }
    }
    window.push_back(dimension);
  }
  return window;
}

Opcode random_combiner(Scope &s, ElementType type) {
  if (type == ElementType::Pred) {
    return s.random.of(std::vector{Opcode::And, Opcode::Or, Opcode::Xor});
  }
  if (ir::is_complex(type)) {
    return s.random.of(std::vector{Opcode::Add, Opcode::Multiply});
  }
  if (s.palette.only_parameters && ir::is_integer(type) && s.random.chance(4)) {
    return s.random.of(std::vector{Opcode::And, Opcode::Or, Opcode::Xor});
  }
  return s.random.of(std::vector{Opcode::Add, Opcode::Add, Opcode::Maximum, Opcode::Minimum, Opcode::Multiply});
}

ir::ComputationId combining_computation(Scope &s, Opcode combiner, ElementType type) {
  return ir::add_scalar_computation(s.b.module(), combiner, type, "combine");
}

bool depends_on_order(const Scope &scope, ElementType type, std::int64_t terms) {
  const bool is_narrow = ir::is_floating(type) && ir::bit_width(type) < 32;
  return scope.palette.only_parameters && is_narrow && terms > std::int64_t{2} << ir::spacing_of(type).mantissa_bits;
}

Id initial_value(Scope &s, Opcode combiner, ElementType type) {
  return combiner == Opcode::Add        ? s.b.constant(type, 0)
         : combiner == Opcode::Multiply ? s.b.constant(type, 1)
                                        : s.value(Shape::scalar(type));
}

Shape Scope::random_shape(ElementType type, std::int64_t min_rank) {
  const std::int64_t max_rank = palette.only_parameters && random.chance(8) ? random.between(6, 9) : 4;
  const std::int64_t rank = std::max(min_rank, random.below(5) == 0 ? 0 : random.between(1, max_rank));
  std::vector<std::int64_t> sizes;
  std::int64_t count = 1;
  for (std::int64_t i = 0; i < rank; ++i) {
    std::int64_t size = random.chance(40) ? 0 : random.of(palette.sizes);
    size = count * size > palette.max_elements ? 1 : size;
    count *= std::max<std::int64_t>(size, 1);
    sizes.push_back(size);
  }
  return Shape::array(type, sizes);
}

Shape with_any_layout(Random &random, Shape shape) {
  ir::Layout layout = shape.layout();
  const std::vector<std::int64_t> order = permutation(random, static_cast<std::int64_t>(shape.rank()));
  std::ranges::copy(order, layout.minor_to_major.begin());
  shape.set_layout(std::move(layout));
  return shape;
}

Id Scope::fresh(const Shape &shape) {
  if (is_entry_ && palette.only_parameters) {
    return b.parameter(random.chance(3) ? with_any_layout(random, shape) : shape);
  }
  if (is_entry_ && !random.chance(4)) {
    return b.parameter(random.chance(8) ? with_any_layout(random, shape) : shape);
  }
  if (shape.element_type() != ElementType::Pred && shape.rank() > 0 && shape.element_count() > 0 && random.chance(3)) {
    return b.iota(shape, random.below(static_cast<std::int64_t>(shape.rank())));
  }
  if (shape.rank() > 0 && random.chance(2)) {
    return b.broadcast(fresh(Shape::scalar(shape.element_type())), shape);
  }
  // Uses values with special algebraic properties, or any.
  if (shape.rank() == 0 && !random.chance(3)) {
    constexpr double known[] = {0, 1, -1, 2, -0.0, 0.5};
    return b.constant(shape.element_type(), random.of(known));
  }
  ir::Module holder;
  ir::Builder parameters(holder, holder.add_computation("main"));
  parameters.finish(parameters.parameter(shape));
  auto drawn =
      draw_arguments(holder, static_cast<std::uint64_t>(random.below(1 << 30)), static_cast<int>(random.below(4)));
  return b.constant(std::move(drawn.value()[0]));
}

Id Scope::value(Shape wanted) {
  if (wanted.is_tuple()) {
    std::vector<Id> elements;
    for (const Shape &element : wanted.elements()) {
      elements.push_back(value(element));
    }
    return b.tuple(elements);
  }
  std::vector<Id> fitting, of_type;
  for (Id id : values_) {
    const Shape &there = b.shape(id);
    if (there.element_type() == wanted.element_type()) {
      (std::ranges::equal(there.sizes(), wanted.sizes()) ? fitting : of_type).push_back(id);
    }
  }
  if (!fitting.empty() && (palette.only_parameters ? random.chance(6) : !random.chance(12))) {
    // Prefers later values, so that chains arise.
    const auto count = static_cast<std::int64_t>(fitting.size());
    return fitting[static_cast<std::size_t>(std::max(random.below(count), random.below(count)))];
  }
  Id made = ir::no_instruction;
  if (!of_type.empty() && !palette.only_parameters && random.chance(2)) {
    const Id from = random.of(of_type);
    if (shape(from).rank() == 0) {
      made = b.broadcast(from, wanted);
    } else if (shape(from).element_count() == wanted.element_count()) {
      made = b.reshape(from, wanted.sizes());
    } else if (shape(from).rank() == 1 && wanted.rank() > 1) {
      for (std::size_t d = 0; d < wanted.rank() && made == ir::no_instruction; ++d) {
        if (wanted.size(d) == shape(from).size(0)) {
          made = b.broadcast(from, wanted, std::vector<std::int64_t>{static_cast<std::int64_t>(d)});
        }
      }
    }
  }
  if (made == ir::no_instruction) {
    made = fresh(wanted);
  }
  values_.push_back(made);
  return made;
}

Id Scope::value(ElementType type, std::int64_t min_rank) {
  std::vector<Id> fitting;
  for (Id id : values_) {
    const Shape &there = b.shape(id);
    if (there.element_type() == type && static_cast<std::int64_t>(there.rank()) >= min_rank) {
      fitting.push_back(id);
    }
  }
  return fitting.empty() || random.chance(palette.only_parameters ? 2 : 8) ? value(random_shape(type, min_rank))
                                                                           : random.of(fitting);
}

Id Scope::index_scalar(ElementType type) {
  return palette.only_parameters || random.chance(2)
             ? value(Shape::scalar(type))
             : b.constant(type, static_cast<double>(random.between(0, 5)) - (type == ElementType::S32 ? 1 : 0));
}

ElementType Scope::index_type() {
  using enum ElementType;
  return palette.only_parameters ? random.of(std::vector{S32, S32, S64, U32, U64, S8, U8, U16}) : S32;
}

bool Scope::has_long_positions() {
  return palette.only_parameters && palette.max_elements >= 1 << 9 && random.chance(6);
}

Id Scope::long_array() {
  std::vector<std::int64_t> sizes{random.between(160, 256)};
  if (random.chance(2)) {
    sizes.insert(sizes.begin() + random.below(2), 2);
  }
  return b.parameter(Shape::array(random_type(), sizes));
}

void Scope::keep(Id id) {
  const Shape made = shape(id);
  if (made.is_array() && made.is_static() && made.element_count() <= 4 * palette.max_elements) {
    values_.push_back(id);
  } else if (made.is_tuple()) {
    for (std::size_t i = 0; i < made.elements().size(); ++i) {
      if (!random.chance(5)) {
        keep(b.get_tuple_element(id, static_cast<std::int64_t>(i)));
      }
    }
  }
}

}  // namespace bp::debugging
