// Ops that are whole algorithms: transforms, linear algebra, normalization, random bits, topk, scan, map, shuffle.
#include <algorithm>
#include <functional>

#include "core/debugging/random_scope.h"

namespace bp::debugging {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;
using Numbers = std::vector<std::int64_t>;

// Returns one of these types, preferably one that the program uses.
ElementType type_among(Scope &s, std::initializer_list<ElementType> types) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    if (const ElementType type = s.random_type(); std::ranges::find(types, type) != types.end()) {
      return type;
    }
  }
  return s.random.of(types);
}

Id parts_by(Scope &s, Id x, const std::function<Id(Id)> &change) {
  return ir::is_complex(s.shape(x).element_type())
             ? s.b.add(Opcode::Complex, {change(s.b.add(Opcode::Real, {x})), change(s.b.add(Opcode::Imag, {x}))})
             : change(x);
}
// Limits values to -1 to 1: near the largest numbers, one formula may overflow and another not.
Id tame(Scope &s, Id x) {
  return parts_by(s, x, [&](Id part) { return s.b.add(Opcode::Tanh, {part}); });
}
// Avoids zero: where one formula gives zero, another gives almost zero, of either sign, and results must not depend on
// that.
Id away_from_zero(Scope &s, Id x) {
  return parts_by(s, x, [&](Id part) {
    const Shape shape = s.shape(part);
    return s.b.add(Opcode::Add, {part, s.b.broadcast(s.b.constant(shape.element_type(), 0.25), shape)});
  });
}

void add_fft(Scope &s) {
  using enum ElementType;
  const auto kind = static_cast<ir::FftType>(s.random.below(4));
  const bool is_real = kind == ir::FftType::Rfft;
  const Id x = s.value(is_real ? type_among(s, {F32, F64}) : type_among(s, {C64, C128}), 1);
  const Shape shape = s.shape(x);
  const auto most = std::min<std::int64_t>(3, static_cast<std::int64_t>(shape.rank()));
  Numbers lengths;
  for (std::int64_t count = s.random.between(1, most), i = count; i > 0; --i) {
    lengths.push_back(shape.size(shape.rank() - static_cast<std::size_t>(i)));
  }
  if (kind == ir::FftType::Irfft) {  // the last dimension has only the first half of the full transform
    lengths.back() = 2 * (lengths.back() - 1) + s.random.below(2);
  }
  auto transformed = s.b.try_add(Opcode::Fft, std::vector{tame(s, x)}, [&](ir::Module &m, Id id) {
    m.set_number(id, AttributeKey::FftType, static_cast<std::int64_t>(kind));
    m.set_numbers(id, AttributeKey::FftLength, lengths);
  });
  if (transformed.ok()) {
    s.keep(away_from_zero(s, *transformed));
  }
}

// Returns matrices with a dominant diagonal, so that nothing is ill-conditioned: x + n times the identity.
Id dominant(Scope &s, Id x) {
  const Shape shape = s.shape(x);
  const auto rank = static_cast<std::int64_t>(shape.rank());
  const Shape numbers = Shape::array(ElementType::S32, shape.sizes());
  const Id is_diagonal =
      s.b.compare(ir::ComparisonDirection::Eq, s.b.iota(numbers, rank - 2), s.b.iota(numbers, rank - 1));
  const Id much = s.b.broadcast(
      s.b.constant(shape.element_type(), 2 * static_cast<double>(shape.size(shape.rank() - 1) + 1)), shape);
  const Id nothing = s.b.broadcast(s.b.constant(shape.element_type(), 0), shape);
  return s.b.add(Opcode::Add, {x, s.b.add(Opcode::Select, {is_diagonal, much, nothing})});
}

Id random_matrix(Scope &s) {
  using enum ElementType;
  Numbers sizes;
  if (s.random.chance(2)) {
    sizes.push_back(s.random.of(s.palette.sizes));
  }
  const std::int64_t n = s.random.between(1, 5);
  sizes.insert(sizes.end(), {n, n});
  return s.value(Shape::array(type_among(s, {F32, F64, C64, C128}), sizes));
}

// Adds the factorization of a Hermitian matrix; the other triangle of the result is not used.
void add_cholesky(Scope &s) {
  const Id x = tame(s, random_matrix(s));
  const Shape shape = s.shape(x);
  const auto rank = static_cast<std::int64_t>(shape.rank());
  Numbers transposed = iota(rank);
  std::swap(transposed[shape.rank() - 2], transposed[shape.rank() - 1]);
  Id other = s.b.transpose(x, transposed);
  if (ir::is_complex(shape.element_type())) {
    other = s.b.add(Opcode::Complex,
                    {s.b.add(Opcode::Real, {other}), s.b.add(Opcode::Negate, {s.b.add(Opcode::Imag, {other})})});
  }
  const bool lower = s.random.chance(2);
  auto factor = s.b.try_add(Opcode::Cholesky, std::vector{dominant(s, s.b.add(Opcode::Add, {x, other}))},
                            [&](ir::Module &m, Id id) { m.set_number(id, AttributeKey::Lower, lower ? 1 : 0); });
  if (factor.ok()) {
    const Shape numbers = Shape::array(ElementType::S32, shape.sizes());
    const Id is_in = s.b.compare(lower ? ir::ComparisonDirection::Ge : ir::ComparisonDirection::Le,
                                 s.b.iota(numbers, rank - 2), s.b.iota(numbers, rank - 1));
    s.keep(s.b.add(Opcode::Select, {is_in, *factor, s.b.broadcast(s.b.constant(shape.element_type(), 0), shape)}));
  }
}

void add_triangular_solve(Scope &s) {
  const Id x = tame(s, random_matrix(s));
  Shape right = s.shape(x);
  const bool is_left = s.random.chance(2);
  right.set_size(right.rank() - (is_left ? 1 : 2), s.random.of(s.palette.sizes));
  const Id matrix = dominant(s, x), sides = tame(s, s.value(right));
  s.add(Opcode::TriangularSolve, std::vector{matrix, sides}, [&](ir::Module &m, Id id) {
    m.set_number(id, AttributeKey::LeftSide, is_left ? 1 : 0);
    m.set_number(id, AttributeKey::Lower, s.random.below(2));
    m.set_number(id, AttributeKey::UnitDiagonal, s.random.chance(4) ? 1 : 0);
    m.set_number(id, AttributeKey::TransposeA, s.random.between(1, 3));
  });
}

void add_batch_norm(Scope &s) {
  const Id x = tame(s, s.value(type_among(s, {ElementType::F32, ElementType::F64, ElementType::BF16}), 2));
  const Shape shape = s.shape(x);
  const std::int64_t feature = s.random.below(static_cast<std::int64_t>(shape.rank()));
  const Shape features = Shape::array(shape.element_type(), {shape.size(static_cast<std::size_t>(feature))});
  const Opcode opcode =
      s.random.of(std::vector{Opcode::BatchNormTraining, Opcode::BatchNormInference, Opcode::BatchNormGrad});
  const auto of_features = [&] { return tame(s, s.value(features)); };
  std::vector<Id> operands{x, of_features()};
  if (opcode != Opcode::BatchNormGrad) {
    operands.push_back(of_features());
  }
  if (opcode != Opcode::BatchNormTraining) {  // the mean, and a variance
    operands.push_back(of_features());
    operands.push_back(s.b.add(Opcode::Abs, {of_features()}));
  }
  if (opcode == Opcode::BatchNormGrad) {
    operands.push_back(tame(s, s.value(shape)));
  }
  auto normalized = s.b.try_add(opcode, operands, [&](ir::Module &m, Id id) {
    m.set_real(id, AttributeKey::Epsilon, 0.25);
    m.set_number(id, AttributeKey::FeatureIndex, feature);
  });
  if (!normalized.ok()) {
    return;
  }
  const bool is_tuple = s.shape(*normalized).is_tuple();
  for (std::int64_t i = 0; i < (is_tuple ? 3 : 1); ++i) {
    s.keep(away_from_zero(s, is_tuple ? s.b.get_tuple_element(*normalized, i) : *normalized));
  }
}

void add_random_bits(Scope &s) {
  using enum ElementType;
  const bool is_philox = s.random.chance(2);
  const Shape state = Shape::array(U64, {is_philox ? 3 : 2});
  const Shape bits = s.random_shape(s.random.of(std::vector{U8, U16, U32, U64, S32}));
  const Id from = s.value(state);
  s.add(
      Opcode::RngBitGenerator, std::vector{from},
      [&](ir::Module &m, Id id) {
        m.set_number(id, AttributeKey::RngAlgorithm,
                     static_cast<std::int64_t>(is_philox ? ir::RngAlgorithm::Philox : ir::RngAlgorithm::ThreeFry));
      },
      {}, Shape::tuple({state, bits}));
}

void add_topk(Scope &s) {
  const ElementType type = s.random_type();
  if (ir::is_complex(type)) {
    return;
  }
  const Id x = s.value(type, 1);
  const std::int64_t k = s.random.between(0, s.sizes(x).back());
  s.add(Opcode::TopK, std::vector{x}, [&](ir::Module &m, Id id) {
    m.set_number(id, AttributeKey::K, k);
    m.set_number(id, AttributeKey::Largest, s.random.below(2));
  });
}

// Adds a scan, which carries the result of a combiner over the slices.
void add_scan(Scope &s) {
  const ElementType type = s.random_type();
  const Id x = s.value(type, 1);
  const Shape shape = s.shape(x);
  const std::int64_t along = s.random.below(static_cast<std::int64_t>(shape.rank()));
  Numbers sizes(shape.sizes().begin(), shape.sizes().end());
  sizes.erase(sizes.begin() + along);
  const Shape slice = Shape::array(type, sizes);
  ir::Module &module = s.b.module();
  const ir::ComputationId step = module.add_computation("step");
  ir::Builder b(module, step);
  const Id element = b.parameter(slice), carry = b.parameter(slice);
  const Id next = b.add(random_combiner(s, type), {carry, element});
  const std::vector<Id> results{s.random.chance(2) ? next : carry, next};
  module.set_root(step, b.tuple(results));
  s.add(
      Opcode::Scan, std::vector{x, s.value(slice)},
      [&](ir::Module &m, Id id) {
        m.set_numbers(id, AttributeKey::Dimensions, {along});
        m.set_number(id, AttributeKey::NumCarries, 1);
        m.set_number(id, AttributeKey::IsReverse, s.random.below(2));
      },
      std::span(&step, 1));
}

void add_map(Scope &s) {
  const ElementType type = s.random_type();
  const Id x = s.value(type, 1), y = s.value(s.shape(x));
  const Numbers dimensions = iota(static_cast<std::int64_t>(s.shape(x).rank()));
  const ir::ComputationId applied = combining_computation(s, random_combiner(s, type), type);
  s.add(
      Opcode::Map, std::vector{x, y},
      [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); }, std::span(&applied, 1));
}

void add_complex(Scope &s) {
  const Id real = s.value(type_among(s, {ElementType::F32, ElementType::F64}));
  s.add(Opcode::Complex, std::vector{real, s.value(s.shape(real))});
}

}  // namespace

void add_algorithm(Scope &s) {
  constexpr void (*kinds[])(Scope &) = {add_fft,        add_cholesky,    add_triangular_solve,
                                        add_batch_norm, add_random_bits, add_topk,
                                        add_scan,       add_map,         add_complex};
  s.random.of(kinds)(s);
}

}  // namespace bp::debugging
