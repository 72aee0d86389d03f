// Ops that bring many elements together: reductions, windows, sorts, contractions.
#include <algorithm>

#include "tools/debugging/random_scope.h"

namespace bp::debugging {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;
using Numbers = std::vector<std::int64_t>;

Opcode random_combiner(Scope &s, ElementType type) {
  if (type == ElementType::Pred) {
    return s.random.of(std::vector{Opcode::And, Opcode::Or, Opcode::Xor});
  }
  if (ir::is_complex(type)) {
    return s.random.of(std::vector{Opcode::Add, Opcode::Multiply});
  }
  return s.random.of(std::vector{Opcode::Add, Opcode::Add, Opcode::Maximum, Opcode::Minimum, Opcode::Multiply});
}

// The initial value that changes nothing, where that is a number that is easily said.
Id initial_value(Scope &s, Opcode combiner, ElementType type) {
  return combiner == Opcode::Add        ? s.b.constant(type, 0)
         : combiner == Opcode::Multiply ? s.b.constant(type, 1)
                                        : s.value(Shape::scalar(type));
}

void add_reduce(Scope &s) {
  const ElementType type = s.random_type();
  const Id x = s.value(type, 1);
  Numbers dimensions;
  for (std::size_t d = 0; d < s.shape(x).rank(); ++d) {
    if (s.random.chance(2)) {
      dimensions.push_back(static_cast<std::int64_t>(d));
    }
  }
  const Opcode combiner = random_combiner(s, type);
  const Id initial = initial_value(s, combiner, type);
  const ir::ComputationId computation = ir::add_scalar_computation(s.b.module(), combiner, type, "combine");
  s.add(
      Opcode::Reduce, std::vector{x, initial},
      [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); },
      std::span(&computation, 1));
}

std::vector<ir::WindowDimension> random_window(Scope &s, std::span<const std::int64_t> sizes) {
  std::vector<ir::WindowDimension> window;
  for (std::int64_t size : sizes) {
    ir::WindowDimension dimension;
    if (s.random.chance(2)) {
      dimension.size = s.random.between(1, std::max<std::int64_t>(1, std::min<std::int64_t>(size, 3)));
      dimension.stride = s.random.between(1, 2);
      dimension.pad_low = s.random.between(0, 1);
      dimension.pad_high = s.random.between(0, 1);
      dimension.lhs_dilate = s.random.chance(6) ? 2 : 1;
      dimension.rhs_dilate = s.random.chance(6) ? 2 : 1;
    }
    window.push_back(dimension);
  }
  return window;
}

void add_reduce_window(Scope &s) {
  const ElementType type = s.random_type();
  const Id x = s.value(type, 1);
  const auto window = random_window(s, s.shape(x).sizes());
  const Opcode combiner = random_combiner(s, type);
  const Id initial = initial_value(s, combiner, type);
  const ir::ComputationId computation = ir::add_scalar_computation(s.b.module(), combiner, type, "combine");
  s.add(
      Opcode::ReduceWindow, std::vector{x, initial}, [&](ir::Module &m, Id id) { m.set_window(id, window); },
      std::span(&computation, 1));
}

// Sorts one array, or two by the first; stable, so that only one result is right.
void add_sort(Scope &s) {
  const ElementType type = s.random_type();
  if (ir::is_complex(type)) {
    return;
  }
  const Id keys = s.value(type, 1);
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
    if (ir::is_floating(type)) {  // NaN has a place
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

void add_dot(Scope &s) {
  const ElementType type = s.random_type();
  if (type == ElementType::Pred) {
    return;
  }
  const Id lhs = s.value(type, 1);
  const Shape left = s.shape(lhs);
  // Each dimension of lhs is batch, contracting or free; rhs has its batch and contracting ones in another order.
  Numbers lhs_batch, lhs_contracting, rhs_batch, rhs_contracting, sizes;
  for (std::size_t d = 0; d < left.rank(); ++d) {
    const auto dimension = static_cast<std::int64_t>(d);
    const std::int64_t role = s.random.below(3);
    if (role < 2) {
      (role == 0 ? lhs_batch : lhs_contracting).push_back(dimension);
    }
  }
  for (std::int64_t d : lhs_batch) {
    rhs_batch.push_back(std::ssize(sizes));
    sizes.push_back(left.size(static_cast<std::size_t>(d)));
  }
  const bool has_free = s.random.chance(2);
  if (has_free) {
    sizes.push_back(s.random.of(s.palette.sizes));
  }
  for (std::int64_t d : lhs_contracting) {
    rhs_contracting.push_back(std::ssize(sizes));
    sizes.push_back(left.size(static_cast<std::size_t>(d)));
  }
  const Id rhs = s.value(Shape::array(type, sizes));
  s.add(Opcode::Dot, std::vector{lhs, rhs}, [&](ir::Module &m, Id id) {
    m.set_numbers(id, AttributeKey::LhsBatchDims, lhs_batch);
    m.set_numbers(id, AttributeKey::LhsContractingDims, lhs_contracting);
    m.set_numbers(id, AttributeKey::RhsBatchDims, rhs_batch);
    m.set_numbers(id, AttributeKey::RhsContractingDims, rhs_contracting);
  });
}

void add_convolution(Scope &s) {
  const ElementType type = s.random_type();
  if (type == ElementType::Pred) {
    return;
  }
  const std::int64_t spatial = s.random.between(0, 2);
  auto size = [&] { return s.random.of(s.palette.sizes); };
  const std::int64_t features = size(), groups = features % 2 == 0 && s.random.chance(3) ? 2 : 1;
  Numbers data{size(), features}, filter{groups * s.random.between(1, 3), features / groups};
  for (std::int64_t i = 0; i < spatial; ++i) {
    data.push_back(size());
    filter.push_back(s.random.between(1, 3));
  }
  const Id lhs = s.value(Shape::array(type, data)), rhs = s.value(Shape::array(type, filter));
  std::vector<ir::WindowDimension> window = random_window(s, std::span(data).subspan(2));
  for (std::size_t i = 0; i < window.size(); ++i) {
    window[i].size = filter[i + 2];
    window[i].reversal = s.random.chance(6) ? 1 : 0;
  }
  // As decode_dim_labels() reads them: batch and feature of the data, the filter's and the result's, then spatial ones.
  Numbers labels{0, 1, 1, 0, 0, 1};
  for (int operand = 0; operand < 3; ++operand) {
    for (std::int64_t i = 0; i < spatial; ++i) {
      labels.push_back(i + 2);
    }
  }
  s.add(Opcode::Convolution, std::vector{lhs, rhs}, [&](ir::Module &m, Id id) {
    m.set_window(id, window);
    m.set_numbers(id, AttributeKey::DimLabels, labels);
    if (groups != 1) {
      m.set_number(id, AttributeKey::FeatureGroupCount, groups);
    }
  });
}

}  // namespace

void add_reduction(Scope &s) {
  constexpr void (*kinds[])(Scope &) = {add_reduce, add_reduce, add_reduce_window, add_sort};
  s.random.of(kinds)(s);
}

void add_contraction(Scope &s) {
  constexpr void (*kinds[])(Scope &) = {add_dot, add_dot, add_convolution};
  s.random.of(kinds)(s);
}

}  // namespace bp::debugging
