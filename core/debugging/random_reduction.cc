// Ops that combine many elements: reductions, windows, sorts.
#include <algorithm>
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

void add_reduce(Scope &s) {
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

// Reduces two arrays at once, each with a combiner of its own.
void add_reduction_of_two(Scope &s) {
  const ElementType types[] = {s.random_type(), s.random_type()};
  std::vector<Id> operands, initials, sides[2];
  std::vector<Opcode> combiners;
  for (ElementType type : types) {
    operands.push_back(operands.empty() ? s.value(type, 1) : s.value(Shape::array(type, s.sizes(operands[0]))));
    combiners.push_back(random_combiner(s, type));
    initials.push_back(initial_value(s, combiners.back(), type));
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
      s.random.of(std::vector{ir::ComparisonDirection::Ge, ir::ComparisonDirection::Gt, ir::ComparisonDirection::Le});
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

// Sorts one array, or two by the keys of the first; stable, so that only one result is right.
void add_sort(Scope &s) {
  const ElementType type = s.random_type();
  if (ir::is_complex(type)) {
    return;
  }
  const Id keys = with_one_nan(s, s.value(type, 1));
  std::vector<Id> operands{keys};
  if (s.random.chance(2)) {
    Shape shape = s.shape(keys);
    shape.set_element_type(s.random_type());
    operands.push_back(s.value(shape));
  }
  ir::Module &module = s.b.module();
  const ir::ComputationId compare = module.add_computation("compare");
  ir::Builder b(module, compare);
  std::vector<Id> parameters;
  for (Id operand : operands) {
    const ElementType element = s.shape(operand).element_type();
    parameters.push_back(b.parameter(Shape::scalar(element)));
    parameters.push_back(b.parameter(Shape::scalar(element)));
  }
  const auto direction = s.random.chance(2) ? ir::ComparisonDirection::Lt : ir::ComparisonDirection::Gt;
  module.set_root(compare, b.add(Opcode::Compare, {parameters[0], parameters[1]}, [&](ir::Module &m, Id id) {
    m.set_number(id, AttributeKey::Direction, static_cast<std::int64_t>(direction));
    if (ir::is_floating(type)) {  // gives NaNs a defined position
      m.set_number(id, AttributeKey::ComparisonType, static_cast<std::int64_t>(ir::ComparisonType::TotalOrder));
    }
  }));
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
