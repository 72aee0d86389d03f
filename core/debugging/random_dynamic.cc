// Dynamic dimensions: a value gets a size at run time, ops work on it, and what comes out is static again: a reduction, or
// the size.
#include "core/debugging/random_scope.h"

namespace bp::debugging {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using Id = ir::InstructionId;

// Ops that leave the dimensions as they are.
Id work_on(Scope &s, Id x, ElementType type) {
  const auto none = [](ir::Module &, Id) {};
  Result<Id> made = x;
  switch (s.random.below(4)) {
    case 0: made = s.b.try_add(Opcode::Negate, std::vector{x}, none); break;
    case 1:
      made = s.b.try_add(type == ElementType::Pred ? Opcode::And : Opcode::Multiply, std::vector{x, x}, none);
      break;
    case 2: {
      const auto rank = static_cast<std::int64_t>(s.shape(x).rank());
      const std::vector<std::int64_t> order = permutation(s.random, rank);
      made = s.b.try_add(Opcode::Transpose, std::vector{x},
                         [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, order); });
      break;
    }
    default: made = s.b.try_add(Opcode::Copy, std::vector{x}, none, {}, s.shape(x)); break;
  }
  return made.ok() ? *made : x;
}

}  // namespace

void add_dynamic(Scope &s) {
  const ElementType type = s.random_type();
  const Id x = s.value(type, 1);
  const auto rank = static_cast<std::int64_t>(s.shape(x).rank());
  Id dynamic = x;
  for (std::int64_t d : some_dimensions(s.random, rank)) {
    const Id bound = s.b.constant(ElementType::S32, static_cast<double>(s.shape(x).size(static_cast<std::size_t>(d))));
    const Id size = s.b.add(Opcode::Clamp, {s.b.constant(ElementType::S32, 0), s.index_scalar(), bound});
    auto made = s.b.try_add(Opcode::SetDimensionSize, std::vector{dynamic, size},
                            [&](ir::Module &m, Id id) { m.set_number(id, AttributeKey::Dimensions, d); });
    dynamic = made.ok() ? *made : dynamic;
  }
  for (std::int64_t steps = s.random.below(3); steps > 0; --steps) {
    dynamic = work_on(s, dynamic, type);
  }
  if (s.random.chance(3)) {
    const std::int64_t asked = s.random.below(rank);
    return s.add(Opcode::GetDimensionSize, std::vector{dynamic},
                 [&](ir::Module &m, Id id) { m.set_number(id, AttributeKey::Dimensions, asked); });
  }
  std::vector<std::int64_t> reduced;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (s.shape(dynamic).is_dynamic(static_cast<std::size_t>(d)) || s.random.chance(2)) {
      reduced.push_back(d);
    }
  }
  const Opcode combiner = random_combiner(s, type);
  const Id initial = initial_value(s, combiner, type);
  const ir::ComputationId computation = combining_computation(s, combiner, type);
  s.add(
      Opcode::Reduce, std::vector{dynamic, initial},
      [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, reduced); }, std::span(&computation, 1));
}

}  // namespace bp::debugging
