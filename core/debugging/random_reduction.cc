// Ops that combine many elements: reductions, windows, sorts.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/debugging/random_scope.h"

namespace bp::debugging {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;
using Numbers = std::vector<std::int64_t>;

void add_reduce_window(Scope &s) {
  const ElementType type = s.random_type();
  const Id x = s.value(type, 1);
  const auto window = random_window(s, s.sizes(x));
  const Opcode combiner = random_combiner(s, type);
  const Id initial = initial_value(s, combiner, type);
  const ir::ComputationId computation = combining_computation(s, combiner, type);
  s.add(
      Opcode::ReduceWindow, std::vector{x, initial}, [&](ir::Module &m, Id id) { m.set_window(id, window); },
      std::span(&computation, 1));
}

// Finds the extreme elements and their positions: each result of the function depends on all of its parameters.
void add_search(Scope &s) {
  const ElementType type = s.random_type();
  if (!ir::is_integer(type) || ir::bit_width(type) > 32) {
    return;
  }
  const Id x = s.value(type, 1);
  const Shape shape = s.shape(x);
  const Id positions = s.value(Shape::array(ElementType::S32, shape.sizes()));
  const bool is_largest = s.random.chance(2);
  const int bits = ir::bit_width(type) - (ir::is_signed(type) ? 1 : 0);
  const double least = ir::is_signed(type) ? -std::ldexp(1.0, bits) : 0, most = std::ldexp(1.0, bits) - 1;
  const std::vector<Id> operands{x, positions, s.b.constant(type, is_largest ? least : most),
                                 s.b.constant(ElementType::S32, std::numeric_limits<std::int32_t>::max())};
  const ir::ComputationId combine = s.b.module().add_computation("combine");
  ir::Builder b(s.b.module(), combine);
  std::vector<Id> values, places;
  for (int side = 0; side < 2; ++side) {
    values.push_back(b.parameter(Shape::scalar(type)));
    places.push_back(b.parameter(Shape::scalar(ElementType::S32)));
  }
  using enum ir::ComparisonDirection;
  const Id is_better = b.compare(is_largest ? Gt : Lt, values[0], values[1]);
  const Id is_first = b.add(Opcode::And, {b.compare(Eq, values[0], values[1]), b.compare(Lt, places[0], places[1])});
  const Id keeps = b.add(Opcode::Or, {is_better, is_first});
  const std::vector<Id> chosen{b.add(Opcode::Select, {keeps, values[0], values[1]}),
                               b.add(Opcode::Select, {keeps, places[0], places[1]})};
  s.b.module().set_root(combine, b.tuple(chosen));
  const Numbers dimensions = some_dimensions(s.random, static_cast<std::int64_t>(shape.rank()));
  s.add(
      Opcode::Reduce, operands, [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); },
      std::span(&combine, 1));
}

// Reduces some dimensions, or windows.
void add_reduction_by(Scope &s, std::span<const Id> operands, ir::ComputationId combine) {
  const Shape reduced = s.shape(operands[0]);
  if (s.random.chance(2)) {
    const Numbers dimensions = some_dimensions(s.random, static_cast<std::int64_t>(reduced.rank()));
    return s.add(
        Opcode::Reduce, operands,
        [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); }, std::span(&combine, 1));
  }
  const auto window = random_window(s, reduced.sizes());
  s.add(
      Opcode::ReduceWindow, operands, [&](ir::Module &m, Id id) { m.set_window(id, window); }, std::span(&combine, 1));
}

// Composes functions x -> (2 * half + 1) * x + summand of integers, from one side or the other: a monoid in which the
// order counts, so that elements have to be combined in theirs. Odd factors lose no bit, however many there are.
void add_composition(Scope &s) {
  const ElementType type = s.random_type();
  if (!ir::is_integer(type)) {
    return;
  }
  const Id halves = s.value(type, 1);
  const Id summands = s.value(Shape::array(type, s.sizes(halves)));
  const std::vector<Id> operands{halves, summands, s.b.constant(type, 0), s.b.constant(type, 0)};
  const ir::ComputationId combine = s.b.module().add_computation("combine");
  ir::Builder b(s.b.module(), combine);
  std::vector<Id> half, summand;
  for (int side = 0; side < 2; ++side) {
    half.push_back(b.parameter(Shape::scalar(type)));
    summand.push_back(b.parameter(Shape::scalar(type)));
  }
  const auto outer = static_cast<std::size_t>(s.random.below(2)), inner = 1 - outer;
  const auto twice = [&](Id x) { return b.add(Opcode::Add, {x, x}); };
  const auto sum = [&](Id x, Id y) { return b.add(Opcode::Add, {x, y}); };
  const auto product = [&](Id x, Id y) { return b.add(Opcode::Multiply, {x, y}); };
  const Id scaled = sum(twice(product(half[outer], summand[inner])), summand[inner]);
  const std::vector<Id> composed{sum(twice(product(half[0], half[1])), sum(half[0], half[1])),
                                 sum(scaled, summand[outer])};
  s.b.module().set_root(combine, b.tuple(composed));
  add_reduction_by(s, operands, combine);
}

// Reduces two arrays at once, each with a combiner of its own; sometimes integers and their positions.
void add_reduction_of_two(Scope &s) {
  if (s.palette.only_parameters && s.random.chance(3)) {
    return s.random.chance(2) ? add_search(s) : add_composition(s);
  }
  const bool is_other = s.palette.only_parameters && s.random.chance(2);
  const ElementType types[] = {s.random_type(), is_other ? ElementType::S32 : s.random_type()};
  std::vector<Id> operands, initials, sides[2];
  std::vector<Opcode> combiners;
  for (ElementType type : types) {
    operands.push_back(operands.empty() ? s.value(type, 1) : s.value(Shape::array(type, s.sizes(operands[0]))));
    combiners.push_back(random_combiner(s, type));
    initials.push_back(initial_value(s, combiners.back(), type));
  }
  const std::int64_t elements = s.shape(operands[0]).element_count();
  if (std::ranges::any_of(types, [&](ElementType type) { return depends_on_order(s, type, elements); })) {
    return;
  }
  operands.insert(operands.end(), initials.begin(), initials.end());
  const ir::ComputationId combine = s.b.module().add_computation("combine");
  ir::Builder b(s.b.module(), combine);
  for (std::vector<Id> &side : sides) {
    for (ElementType type : types) {
      side.push_back(b.parameter(Shape::scalar(type)));
    }
  }
  const std::vector<Id> combined{b.add(combiners[0], {sides[0][0], sides[1][0]}),
                                 b.add(combiners[1], {sides[0][1], sides[1][1]})};
  s.b.module().set_root(combine, b.tuple(combined));
  add_reduction_by(s, operands, combine);
}

void add_reduce(Scope &s) {
  if (s.palette.only_parameters && s.random.chance(4)) {
    return add_reduction_of_two(s);
  }
  const ElementType type = s.random_type();
  const Id x = s.value(type, 1);
  const Numbers dimensions = some_dimensions(s.random, static_cast<std::int64_t>(s.shape(x).rank()));
  const Opcode combiner = random_combiner(s, type);
  const Id initial = initial_value(s, combiner, type);
  const ir::ComputationId computation = combining_computation(s, combiner, type);
  s.add(
      Opcode::Reduce, std::vector{x, initial},
      [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); },
      std::span(&computation, 1));
}

// Adds a pooling op and its gradient.
void add_select_and_scatter(Scope &s) {
  const ElementType type = s.random_type();
  if (ir::is_complex(type) || type == ElementType::Pred) {
    return;
  }
  const Id x = s.value(type, 1), initial = s.b.constant(type, 0);
  const auto window = random_window(s, s.sizes(x), false);
  const auto set_window = [&](ir::Module &m, Id id) { m.set_window(id, window); };
  const ir::ComputationId combine = combining_computation(s, Opcode::Add, type);
  const ir::ComparisonDirection direction =
      s.random.of(std::vector{ir::ComparisonDirection::Ge, ir::ComparisonDirection::Gt, ir::ComparisonDirection::Le,
                              ir::ComparisonDirection::Lt});
  const ir::ComputationId select = s.b.module().add_computation("compare");
  ir::Builder b(s.b.module(), select);
  const Id there = b.parameter(Shape::scalar(type)), next = b.parameter(Shape::scalar(type));
  s.b.module().set_root(select, b.compare(direction, there, next));
  auto pooled = s.b.try_add(Opcode::ReduceWindow, std::vector{x, initial}, set_window, std::span(&combine, 1));
  if (pooled.ok()) {
    const ir::ComputationId calls[] = {select, combine};
    s.add(Opcode::SelectAndScatter, std::vector{x, s.value(s.shape(*pooled)), initial}, set_window, calls);
  }
}

// A total order distinguishes NaNs, but an op may return any of them; so all are replaced by one.
Id with_one_nan(Scope &s, Id x) {
  const Shape shape = s.shape(x);
  if (!ir::is_floating(shape.element_type())) {
    return x;
  }
  const Id nan = s.b.broadcast(s.b.constant(shape.element_type(), std::numeric_limits<double>::quiet_NaN()), shape);
  return s.b.add(Opcode::Select, {s.b.compare(ir::ComparisonDirection::Ne, x, x), nan, x});
}

// Whether the element a comes before b.
Id comes_before(ir::Builder &b, ir::ComparisonDirection direction, Id x, Id y) {
  const ElementType type = b.shape(x).element_type();
  return b.add(Opcode::Compare, {x, y}, [&](ir::Module &m, Id id) {
    m.set_number(id, AttributeKey::Direction, static_cast<std::int64_t>(direction));
    if (ir::is_floating(type)) {  // gives NaNs a defined position
      m.set_number(id, AttributeKey::ComparisonType, static_cast<std::int64_t>(ir::ComparisonType::TotalOrder));
    }
  });
}

// Sorts one array or several by the keys of one of them, or of two; stable, so that only one result is right.
void add_sort(Scope &s) {
  using enum ElementType;
  const ElementType type = s.random_type();
  if (ir::is_complex(type)) {
    return;
  }
  const bool are_many = s.palette.only_parameters && s.random.chance(3);
  const Id keys = with_one_nan(s, s.value(type, 1));
  std::vector<Id> operands{keys};
  for (std::int64_t more = are_many ? s.random.between(2, 4) : s.random.below(2); more > 0; --more) {
    Shape shape = s.shape(keys);
    shape.set_element_type(are_many && s.random.chance(2) ? s.random.of(std::vector{S32, F32, U8, BF16})
                                                          : s.random_type());
    operands.push_back(s.value(shape));
  }
  ir::Module &module = s.b.module();
  const std::size_t major = are_many ? static_cast<std::size_t>(s.random.below(std::ssize(operands))) : 0;
  const std::size_t minor = are_many && s.random.chance(2) ? (major + 1) % operands.size() : major;
  for (const std::size_t key : {major, minor}) {
    if (ir::is_complex(s.shape(operands[key]).element_type())) {
      return;
    }
    operands[key] = are_many && key > 0 ? with_one_nan(s, operands[key]) : operands[key];
  }
  const ir::ComputationId compare = module.add_computation("compare");
  ir::Builder b(module, compare);
  std::vector<Id> parameters;
  for (Id operand : operands) {
    const ElementType element = s.shape(operand).element_type();
    parameters.push_back(b.parameter(Shape::scalar(element)));
    parameters.push_back(b.parameter(Shape::scalar(element)));
  }
  using enum ir::ComparisonDirection;
  const auto direction = s.random.chance(2) ? Lt : Gt;
  Id before = comes_before(b, direction, parameters[2 * major], parameters[2 * major + 1]);
  if (minor != major) {
    const Id are_equal = comes_before(b, Eq, parameters[2 * major], parameters[2 * major + 1]);
    const Id next = comes_before(b, s.random.chance(2) ? Lt : Gt, parameters[2 * minor], parameters[2 * minor + 1]);
    before = b.add(Opcode::Or, {before, b.add(Opcode::And, {are_equal, next})});
  }
  module.set_root(compare, before);
  const std::int64_t dimension = s.random.below(static_cast<std::int64_t>(s.shape(keys).rank()));
  s.add(
      Opcode::Sort, operands,
      [&](ir::Module &m, Id id) {
        m.set_numbers(id, AttributeKey::Dimensions, {dimension});
        m.set_number(id, AttributeKey::IsStable, 1);
      },
      std::span(&compare, 1));
}

}  // namespace

void add_reduction(Scope &s) {
  constexpr void (*kinds[])(Scope &) = {
      add_reduce, add_reduce, add_reduce_window, add_reduction_of_two, add_select_and_scatter, add_sort};
  s.random.of(kinds)(s);
}

}  // namespace bp::debugging
