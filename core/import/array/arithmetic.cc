// Arithmetic on arrays, reductions and contractions.
#include <algorithm>
#include <limits>

#include "core/import/array/support.h"

namespace bp::import::array {

using ir::AttributeKey;
using ir::ComputationId;
using ir::InstructionId;

// --- Arithmetic ---

Array apply(Opcode opcode, const Array &x) {
  return x.is_valid() ? x.builder().add(opcode, {x}) : x;
}

namespace {

// Broadcasts the operands to each other, and calls `then` with them.
template <class Then>
Array with_equal_sizes(const Array &x, const Array &y, Then &&then) {
  GraphBuilder *builder = builder_of({x, y});
  if (!x.is_valid() || !y.is_valid()) {
    return builder == nullptr ? Array() : builder->fail("an operand is missing");
  }
  const auto sizes = broadcast_sizes(x.shape().sizes(), y.shape().sizes());
  if (!sizes) {
    return builder->fail("{} and {} cannot be broadcast to each other", ir::to_string(x.shape()),
                         ir::to_string(y.shape()));
  }
  return then(broadcast_to(x, *sizes), broadcast_to(y, *sizes));
}

}  // namespace

Array apply(Opcode opcode, const Array &x, const Array &y) {
  return with_equal_sizes(x, y, [&](const Array &a, const Array &b) { return a.builder().add(opcode, {a, b}); });
}

Array compare(ir::ComparisonDirection direction, const Array &x, const Array &y) {
  return with_equal_sizes(x, y, [&](const Array &a, const Array &b) {
    return a.builder().add(Opcode::Compare, {a, b}, [&](ir::Module &m, InstructionId id) {
      m.set_number(id, AttributeKey::Direction, static_cast<std::int64_t>(direction));
    });
  });
}

Array select(const Array &condition, const Array &x, const Array &y) {
  return with_equal_sizes(x, y, [&](const Array &a, const Array &b) {
    return with_equal_sizes(condition, a, [&](const Array &c, const Array &a2) {
      return a.builder().add(Opcode::Select, {c, a2, broadcast_to(b, a2.shape().sizes())});
    });
  });
}

Array number(double value, const Array &like) {
  return like.is_valid() ? like.builder().scalar(like.type(), value) : like;
}

namespace {
// Returns the lowest or the highest value of a type.
double extreme(ElementType type, bool highest) {
  if (type == ElementType::Pred) {
    return highest ? 1 : 0;
  }
  if (ir::is_floating(type)) {
    return highest ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  }
  return highest ? 0x1p64 : -0x1p64;  // saturates at the limit of the type
}

}  // namespace

Array lowest(const Array &like) {
  return number(extreme(like.type(), false), like);
}

Array highest(const Array &like) {
  return number(extreme(like.type(), true), like);
}

#define BP_BINARY(symbol, opcode)                         \
  Array operator symbol(const Array &x, const Array &y) { \
    return apply(Opcode::opcode, x, y);                   \
  }                                                       \
  Array operator symbol(const Array &x, double y) {       \
    return apply(Opcode::opcode, x, number(y, x));        \
  }                                                       \
  Array operator symbol(double x, const Array &y) {       \
    return apply(Opcode::opcode, number(x, y), y);        \
  }
BP_BINARY(+, Add)
BP_BINARY(-, Subtract)
BP_BINARY(*, Multiply)
BP_BINARY(/, Divide)
#undef BP_BINARY

#define BP_COMPARISON(symbol, direction)                                 \
  Array operator symbol(const Array &x, const Array &y) {                \
    return compare(ir::ComparisonDirection::direction, x, y);            \
  }                                                                      \
  Array operator symbol(const Array &x, double y) {                      \
    return compare(ir::ComparisonDirection::direction, x, number(y, x)); \
  }
BP_COMPARISON(<, Lt)
BP_COMPARISON(>, Gt)
BP_COMPARISON(<=, Le)
BP_COMPARISON(>=, Ge)
BP_COMPARISON(==, Eq)
BP_COMPARISON(!=, Ne)
#undef BP_COMPARISON

Array operator-(const Array &x) {
  return apply(Opcode::Negate, x);
}
Array operator&&(const Array &x, const Array &y) {
  return apply(Opcode::And, x, y);
}
Array operator||(const Array &x, const Array &y) {
  return apply(Opcode::Or, x, y);
}
Array logical_not(const Array &x) {
  return apply(Opcode::Not, x);
}
Array select(const Array &condition, const Array &x, double y) {
  return select(condition, x, number(y, x));
}
Array select(const Array &condition, double x, const Array &y) {
  return select(condition, number(x, y), y);
}

Array abs(const Array &x) {
  return ir::is_unsigned(x.type()) ? x : apply(Opcode::Abs, x);
}
Array exp(const Array &x) {
  return apply(Opcode::Exponential, x);
}
Array log(const Array &x) {
  return apply(Opcode::Log, x);
}
Array sqrt(const Array &x) {
  return apply(Opcode::Sqrt, x);
}
Array rsqrt(const Array &x) {
  return apply(Opcode::Rsqrt, x);
}
Array tanh(const Array &x) {
  return apply(Opcode::Tanh, x);
}
Array erf(const Array &x) {
  return apply(Opcode::Erf, x);
}
Array logistic(const Array &x) {
  return apply(Opcode::Logistic, x);
}
Array floor(const Array &x) {
  return apply(Opcode::Floor, x);
}
Array ceil(const Array &x) {
  return apply(Opcode::Ceil, x);
}
Array round_even(const Array &x) {
  return apply(Opcode::RoundNearestEven, x);
}
Array sine(const Array &x) {
  return apply(Opcode::Sine, x);
}
Array cosine(const Array &x) {
  return apply(Opcode::Cosine, x);
}
Array maximum(const Array &x, const Array &y) {
  return apply(Opcode::Maximum, x, y);
}
Array maximum(const Array &x, double y) {
  return maximum(x, number(y, x));
}
Array minimum(const Array &x, const Array &y) {
  return apply(Opcode::Minimum, x, y);
}
Array minimum(const Array &x, double y) {
  return minimum(x, number(y, x));
}
Array power(const Array &x, const Array &y) {
  return apply(Opcode::Power, x, y);
}
Array remainder(const Array &x, const Array &y) {
  return apply(Opcode::Remainder, x, y);
}
Array clamp(const Array &low, const Array &x, const Array &high) {
  return minimum(maximum(x, low), high);
}
Array is_nan(const Array &x) {
  return x != x;
}

// --- Reductions ---

Array reduce(Opcode opcode, double initial, const Array &x, Span dimensions, KeepSizes keep) {
  if (!x.is_valid()) {
    return x;
  }
  GraphBuilder &builder = x.builder();
  const bool is_wide = opcode == Opcode::Add || opcode == Opcode::Multiply;
  const Array wide = is_wide ? convert(x, compute_type(x.type())) : x;
  const ComputationId combiner = builder.scalar_computation(opcode, wide.type());
  Array result = wide;
  if (!dimensions.empty()) {
    result = builder.add(
        Opcode::Reduce, {wide, builder.scalar(wide.type(), initial)},
        [&](ir::Module &m, InstructionId id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); },
        std::span(&combiner, 1));
  }
  result = convert(result, x.type());
  if (keep == KeepSizes::No || !result.is_valid()) {
    return result;
  }
  Integers kept(dimensions.begin(), dimensions.end());
  std::ranges::sort(kept);
  for (const std::int64_t dimension : kept) {
    result = expand_dimension(result, dimension);
  }
  return result;
}

Array reduce_sum(const Array &x, Span dimensions, KeepSizes keep) {
  return reduce(Opcode::Add, 0, x, dimensions, keep);
}

Array reduce_mean(const Array &x, Span dimensions, KeepSizes keep) {
  double count = 1;
  Array sum = reduce_sum(convert(x, compute_type(x.type())), dimensions, keep);
  for (const std::int64_t dimension : dimensions) {
    if (x.is_bounded(dimension)) {
      sum = sum / convert(run_time_size(x, dimension), sum.type());
    } else {
      count *= static_cast<double>(x.size(dimension));
    }
  }
  return convert(sum / count, x.type());
}

Array reduce_product(const Array &x, Span dimensions, KeepSizes keep) {
  return reduce(Opcode::Multiply, 1, x, dimensions, keep);
}

Array reduce_max(const Array &x, Span dimensions, KeepSizes keep) {
  return reduce(Opcode::Maximum, extreme(x.type(), false), x, dimensions, keep);
}

Array reduce_min(const Array &x, Span dimensions, KeepSizes keep) {
  return reduce(Opcode::Minimum, extreme(x.type(), true), x, dimensions, keep);
}

Array reduce_window(Opcode opcode, const Array &initial, const Array &x, std::span<const ir::WindowDimension> window) {
  if (!x.is_valid()) {
    return x;
  }
  const ComputationId combiner = x.builder().scalar_computation(opcode, x.type());
  return x.builder().add(
      Opcode::ReduceWindow, {x, initial}, [&](ir::Module &m, InstructionId id) { m.set_window(id, window); },
      std::span(&combiner, 1));
}

// --- Contractions ---

Array dot(const Array &x, const Array &y, const DotDimensions &dimensions) {
  GraphBuilder *builder = builder_of({x, y});
  if (builder == nullptr) {
    return {};
  }
  return builder->add(Opcode::Dot, {x, y}, [&](ir::Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::LhsBatchDims, dimensions.lhs_batch);
    m.set_numbers(id, AttributeKey::RhsBatchDims, dimensions.rhs_batch);
    m.set_numbers(id, AttributeKey::LhsContractingDims, dimensions.lhs_contracting);
    m.set_numbers(id, AttributeKey::RhsContractingDims, dimensions.rhs_contracting);
  });
}

Array widened(const Array &contraction, ElementType type) {
  if (contraction.is_valid()) {
    Shape shape = contraction.shape();
    shape.set_element_type(type);
    contraction.builder().module().set_shape(contraction.id(), shape);
  }
  return contraction;
}

Array matmul(const Array &x, const Array &y) {
  GraphBuilder *builder = builder_of({x, y});
  if (!x.is_valid() || !y.is_valid()) {
    return builder == nullptr ? Array() : builder->fail("an operand is missing");
  }
  if (x.rank() == 0 || y.rank() == 0) {
    return builder->fail("a scalar is multiplied, expected matrices or vectors");
  }
  const Arrays matrices =
      with_common_sizes({x.rank() == 1 ? expand_dimension(x, 0) : x, y.rank() == 1 ? expand_dimension(y, 1) : y}, 2);
  const Array &a = matrices[0], &b = matrices[1];
  const Integers a_sizes = a.sizes(), b_sizes = b.sizes();
  const auto batch = broadcast_sizes(Span(a_sizes).first(a_sizes.size() - 2), Span(b_sizes).first(b_sizes.size() - 2));
  if (!batch || a.size(-1) != b.size(-2)) {
    return builder->fail("{} and {} cannot be multiplied as matrices", ir::to_string(x.shape()),
                         ir::to_string(y.shape()));
  }
  Array result;
  const auto rank = static_cast<std::int64_t>(batch->size());
  if (b.rank() == 2) {
    result = dot(a, b, {{}, {}, {static_cast<std::int64_t>(a.rank()) - 1}, {0}});
  } else {
    const auto with_batch = [&](const Array &array) {
      Integers sizes = *batch;
      sizes.push_back(array.size(-2));
      sizes.push_back(array.size(-1));
      return broadcast_to(array, sizes);
    };
    const Integers batches = dimensions_from(0, batch->size());
    result = dot(with_batch(a), with_batch(b), {batches, batches, {rank + 1}, {rank}});
  }
  Integers sizes = *batch;
  if (x.rank() > 1) {
    sizes.push_back(a.size(-2));
  }
  if (y.rank() > 1) {
    sizes.push_back(b.size(-1));
  }
  return reshape(result, sizes);
}

}  // namespace bp::import::array
