#include "core/passes/fusion/partial_reduction.h"

#include <algorithm>

#include "core/interpreter/interpreter.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

// The bits of an op's identity element, as a float or an integer of the type's width.
using IdentityBits = std::optional<std::uint64_t>;

IdentityBits identity_of_float(Opcode opcode, ElementType type) {
  const bool is_f64 = type == ElementType::F64, is_f32 = type == ElementType::F32;
  const bool is_bf16 = type == ElementType::BF16, is_f16 = type == ElementType::F16;
  if (!is_f64 && !is_f32 && !is_bf16 && !is_f16) {
    return std::nullopt;
  }
  const unsigned fraction = is_f64 ? 52 : is_f32 ? 23 : is_bf16 ? 7 : 10;
  const std::uint64_t sign = std::uint64_t{1} << (ir::bit_width(type) - 1);
  const std::uint64_t infinity = (sign - 1) >> fraction << fraction;
  const std::uint64_t one = (infinity >> 1) >> fraction << fraction;
  switch (opcode) {
    case Opcode::Add: return sign;  // -0
    case Opcode::Multiply: return one;
    case Opcode::Maximum: return sign | infinity;
    case Opcode::Minimum: return infinity;
    default: return std::nullopt;
  }
}

IdentityBits identity_of_integer(Opcode opcode, ElementType type) {
  const bool is_pred = type == ElementType::Pred, is_signed = ir::is_signed(type);
  const std::uint64_t sign = std::uint64_t{1} << (ir::bit_width(type) - 1), ones = sign | (sign - 1);
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Or:
    case Opcode::Xor: return 0;
    case Opcode::Multiply: return 1;
    case Opcode::Maximum: return is_signed ? sign : 0;
    case Opcode::Minimum: return is_pred ? 1 : is_signed ? ones ^ sign : ones;
    case Opcode::And: return is_pred ? 1 : ones;
    default: return std::nullopt;
  }
}

IdentityBits identity_of(Opcode opcode, ElementType type) {
  if (ir::is_floating(type)) {
    return identity_of_float(opcode, type);
  }
  return type == ElementType::Pred || ir::is_integer(type) ? identity_of_integer(opcode, type) : std::nullopt;
}

std::span<const Shape> arrays(const Shape &shape) {
  return shape.is_tuple() ? shape.elements() : std::span(&shape, 1);
}

// Whether all arrays are plain, elements fill whole bytes, and the types of the elements are those of the combined
// values.
bool has_plain_values(Instruction reduction, std::size_t count) {
  const std::span<const Shape> results = arrays(reduction.shape()),
                               combined = arrays(reduction.called(0).root().shape());
  if (results.size() != count || combined.size() != count) {
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Shape &of_one = reduction.operand(i).shape();
    const ElementType type = of_one.element_type();
    if (!is_plain(of_one) || !is_plain(results[i]) || ir::bit_width(type) % 8 != 0 ||
        combined[i].element_type() != type) {
      return false;
    }
  }
  return true;
}

// Whether combining the start values with themselves gives the start values, so that it does not matter how often they
// are combined.
bool may_repeat_start(Instruction reduction, std::size_t count) {
  std::vector<ir::Literal> start;
  for (std::size_t i = count; i < 2 * count; ++i) {
    if (reduction.operand(i).opcode() != Opcode::Constant) {
      return false;
    }
    start.push_back(reduction.operand(i).literal());
  }
  std::vector<ir::Literal> twice = start;
  twice.insert(twice.end(), start.begin(), start.end());
  interpreter::Options options;
  options.threads = 1;
  const Result<ir::Literal> combined = interpreter::evaluate(reduction.called(0), twice, options);
  return combined.ok() && combined->identical(count == 1 ? start[0] : ir::Literal::tuple(start));
}

}  // namespace

std::optional<PartialReduction> partial_reduction(ArrayBuilder &b, Instruction reduction) {
  const std::size_t count = reduction.operand_count() / 2;
  if (!has_plain_values(reduction, count)) {
    return std::nullopt;
  }
  const std::vector<InstructionId> given(reduction.operands().begin(), reduction.operands().end());
  const auto middle = given.begin() + static_cast<std::ptrdiff_t>(count);
  const Opcode opcode = count == 1 ? combining_op(reduction.called(0)) : Opcode::Invalid;
  const ElementType given_type = b.type(given[0]);
  const bool is_wide_sum =
      compute_type(given_type) != given_type && (opcode == Opcode::Add || opcode == Opcode::Multiply);
  const ElementType type = is_wide_sum ? ElementType::F32 : given_type;
  if (const auto identity = identity_of(opcode, type)) {
    const InstructionId start = b.bits(type, *identity);
    const ir::ComputationId function =
        is_wide_sum ? ir::add_scalar_computation(b.module(), opcode, type, "combine_parts") : reduction.calls()[0];
    return PartialReduction{{b.cast(given[0], type)}, {start}, {b.cast(given[1], type)}, function};
  }
  if (is_wide_sum || !may_repeat_start(reduction, count)) {
    return std::nullopt;
  }
  return PartialReduction{{given.begin(), middle}, {middle, given.end()}, {middle, given.end()}, reduction.calls()[0]};
}

std::vector<InstructionId> arrays_of(ArrayBuilder &b, InstructionId value) {
  if (!b.shape(value).is_tuple()) {
    return {value};
  }
  std::vector<InstructionId> elements;
  for (std::size_t i = 0, count = b.shape(value).elements().size(); i < count; ++i) {
    elements.push_back(b.get_tuple_element(value, static_cast<std::int64_t>(i)));
  }
  return elements;
}

}  // namespace bp::passes
