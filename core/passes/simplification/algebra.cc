#include "core/passes/simplification/algebra.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "core/interpreter/interpreter.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::Instruction;
using ir::InstructionId;
using ir::Literal;
using ir::Opcode;
using ir::Shape;

constexpr std::uint8_t first_number = 4;  // c and d in variable_names
static_assert(variable_names[first_number] == 'c');

template <class T>
constexpr bool is_complex_number = false;
template <class T>
constexpr bool is_complex_number<std::complex<T>> = true;

template <class T>
constexpr bool is_narrow_float = false;
template <ir::FloatFormat format>
constexpr bool is_narrow_float<ir::NarrowFloat<format>> = true;

// Returns the number in a type, if the type has exactly this value; the sign of a zero counts.
template <class T>
std::optional<T> exactly(double number, ElementType type) {
  if constexpr (std::is_same_v<T, bool>) {
    return number == 0 || number == 1 ? std::optional(number == 1) : std::nullopt;
  } else if constexpr (is_complex_number<T>) {
    auto part = exactly<typename T::value_type>(number, type);
    return part ? std::optional(T(*part)) : std::nullopt;
  } else if constexpr (std::is_floating_point_v<T> || is_narrow_float<T>) {
    const T value(static_cast<std::conditional_t<std::is_same_v<T, float>, float, double>>(number));
    const auto back = static_cast<double>(value);
    return back == number && std::signbit(back) == std::signbit(number) ? std::optional(value) : std::nullopt;
  } else {
    // Rules have only small numbers.
    const bool is_signed = ir::is_signed(type);
    const double limit = std::ldexp(1.0, std::min(ir::bit_width(type) - (is_signed ? 1 : 0), 30));
    const bool holds = number == std::trunc(number) && number < limit && number >= (is_signed ? -limit : 0);
    return holds ? std::optional(T(static_cast<std::int64_t>(number))) : std::nullopt;
  }
}

// Returns the limits, or all bits set, for integers and pred, and an infinity for floats.
template <class T>
std::optional<T> extreme(Term::Kind kind, ElementType type) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool is_lowest = kind == Term::Kind::Lowest, is_ones = kind == Term::Kind::Ones;
  if constexpr (std::is_same_v<T, bool>) {
    return !is_lowest;
  } else if constexpr (is_complex_number<T>) {
    return std::nullopt;
  } else if constexpr (std::is_floating_point_v<T> || is_narrow_float<T>) {
    return is_ones ? std::nullopt : exactly<T>(is_lowest ? -infinity : infinity, type);
  } else {
    const auto sign = static_cast<std::int64_t>(std::uint64_t{1} << (ir::bit_width(type) - 1));
    if (!ir::is_signed(type)) {
      return T(is_lowest ? std::int64_t{0} : std::int64_t{-1});
    }
    return T(is_ones ? std::int64_t{-1} : is_lowest ? sign : ~sign);
  }
}

bool may_be_constant(const Instruction &instruction) {
  return instruction.opcode() == Opcode::Constant ||
         (instruction.opcode() == Opcode::Broadcast && instruction.operand(0).opcode() == Opcode::Constant);
}

bool holds_number(const Term &term, const Instruction &instruction) {
  if (!may_be_constant(instruction)) {
    return false;
  }
  Literal wanted = value_of(term, instruction.shape().element_type()), found = splat_of(instruction);
  return wanted.is_valid() && found.is_valid() && std::ranges::equal(wanted.bytes(), found.bytes());
}

// Bit i of `arrangement` says whether the operands of the i-th commutative operation are exchanged.
bool match_term(const Term &term, const Instruction &instruction, unsigned arrangement, Bindings &bindings) {
  switch (term.kind) {
    case Term::Kind::Variable: {
      InstructionId &bound = bindings[term.variable];
      if (bound == ir::no_instruction && (term.variable < first_number || splat_of(instruction).is_valid())) {
        bound = instruction.id();
      }
      return bound == instruction.id();
    }
    case Term::Kind::Operation: break;
    default: return holds_number(term, instruction);
  }
  if (instruction.opcode() != term.opcode || instruction.operand_count() != term.operands.size()) {
    return false;
  }
  if (term.opcode == Opcode::Compare) {
    using ir::ComparisonType;
    const bool is_total =
        instruction.enumerator(ir::AttributeKey::ComparisonType, ComparisonType::Float) == ComparisonType::TotalOrder;
    if (instruction.number(ir::AttributeKey::Direction) != static_cast<std::int64_t>(term.direction) ||
        (is_total && ir::is_floating(instruction.operand(0).shape().element_type()))) {
      return false;
    }
  }
  const std::size_t exchanged = (arrangement & term.exchange) != 0 ? 1 : 0;
  for (std::size_t i = 0; i < term.operands.size(); ++i) {
    if (!match_term(term.operands[i], instruction.operand(i ^ exchanged), arrangement, bindings)) {
      return false;
    }
  }
  return true;
}

// Whether the term is computed from numbers alone.
bool is_constant(const Term &term) {
  switch (term.kind) {
    case Term::Kind::Variable: return term.variable >= first_number;
    case Term::Kind::Operation: return std::ranges::all_of(term.operands, is_constant);
    default: return true;
  }
}

const Shape *shape_of_variable(const Term &term, const Bindings &bindings, const ir::Module &module) {
  return term.kind == Term::Kind::Variable ? &module.instruction(bindings[term.variable]).shape() : nullptr;
}

// Returns the shape that an operand has in an operation of this shape.
Shape operand_shape(const Term &operation, std::size_t i, const Shape &shape, const Bindings &bindings,
                    const ir::Module &module) {
  Shape result = shape;
  const bool is_flag = operation.opcode == Opcode::Select && i == 0;
  const Shape *own = shape_of_variable(operation.operands[i], bindings, module);
  const bool may_be_scalar = is_flag || (operation.opcode == Opcode::Clamp && i != 1);
  if (own != nullptr && (operation.opcode == Opcode::Convert || operation.opcode == Opcode::BitcastConvert ||
                         (may_be_scalar && own->is_scalar()))) {
    return *own;
  }
  if (is_flag) {
    result.set_element_type(ElementType::Pred);
  }
  if (operation.opcode == Opcode::Compare) {
    for (const Term &operand : operation.operands) {
      if (const Shape *compared = shape_of_variable(operand, bindings, module)) {
        result.set_element_type(compared->element_type());
      }
    }
  }
  return result;
}

// Whether the term can be built in this shape.
bool fits(const Term &term, const Shape &shape, const Bindings &bindings, const ir::Module &module) {
  if (const Shape *own = shape_of_variable(term, bindings, module)) {
    return *own == shape;
  }
  if (term.kind != Term::Kind::Operation) {
    return value_of(term, shape.element_type()).is_valid();
  }
  for (std::size_t i = 0; i < term.operands.size(); ++i) {
    if (!fits(term.operands[i], operand_shape(term, i, shape, bindings, module), bindings, module)) {
      return false;
    }
  }
  return true;
}

void set_direction(ir::Module &module, InstructionId id, const Term &term) {
  if (term.opcode == Opcode::Compare) {
    module.set_number(id, ir::AttributeKey::Direction, static_cast<std::int64_t>(term.direction));
  }
}

Literal evaluate(const Term &term, ElementType type, const Bindings &bindings, const ir::Module &module) {
  if (term.kind == Term::Kind::Variable) {
    return splat_of(module.instruction(bindings[term.variable]));
  }
  if (term.kind != Term::Kind::Operation) {
    return value_of(term, type);
  }
  ir::Module scratch;
  ir::Builder builder(scratch, scratch.add_computation("constant"));
  std::vector<Literal> values;
  std::vector<InstructionId> operands;
  for (const Term &operand : term.operands) {
    values.push_back(evaluate(operand, type, bindings, module));
    operands.push_back(builder.constant(values.back()));
  }
  InstructionId id =
      builder.try_add(term.opcode, operands, [&](ir::Module &m, InstructionId added) { set_direction(m, added, term); })
          .value();
  interpreter::Options options;
  options.threads = 1;
  return interpreter::evaluate_instruction(scratch.instruction(id), values, options).value();
}

double number_in(const Instruction &instruction) {
  Literal value = splat_of(instruction);
  return ir::visit_element_type(value.shape().element_type(), [&]<class T>() -> double {
    const T &element = value.elements<T>()[0];
    if constexpr (is_complex_number<T>) {
      return std::numeric_limits<double>::quiet_NaN();
    } else if constexpr (!std::is_arithmetic_v<T> && !is_narrow_float<T>) {
      return static_cast<double>(static_cast<std::int64_t>(element));
    } else {
      return static_cast<double>(element);
    }
  });
}

Instruction bound(const Instruction &instruction, const Bindings &bindings, char name) {
  return instruction.module().instruction(bindings[variable_names.find(name)]);
}

bool is_power_of_two(double number) {
  int exponent;
  return std::isfinite(number) && std::fabs(std::frexp(number, &exponent)) == 0.5;
}

// Whether c is a power of two whose reciprocal is also a normal number: multiplying by it rounds like dividing by it.
bool is_invertible(const Instruction &instruction, const Bindings &bindings) {
  const Instruction c = bound(instruction, bindings, 'c');
  const ElementType type = c.shape().element_type();
  const double number = number_in(c);
  if (!is_power_of_two(number)) {
    return false;
  }
  return ir::visit_element_type(type, [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>) {
      return std::isnormal(static_cast<T>(number)) && std::isnormal(static_cast<T>(1 / number));
    } else if constexpr (is_narrow_float<T>) {
      return exactly<T>(1 / number, type).has_value();
    } else {
      return false;
    }
  });
}

bool is_unsigned_power_of_two(const Instruction &instruction, const Bindings &bindings) {
  const Literal value = splat_of(bound(instruction, bindings, 'c'));
  auto bytes = value.bytes();
  return std::accumulate(bytes.begin(), bytes.end(), 0, [](int ones, std::byte byte) {
           return ones + std::popcount(static_cast<unsigned char>(byte));
         }) == 1;
}

// Whether each value of one type is a value of the other, and converting further from there gives the same as
// converting directly: from float to integer saturates, between integers wraps around.
bool is_lossless(ElementType from, ElementType middle, ElementType to) {
  if (from == ElementType::Pred) {
    return !ir::is_complex(middle) && middle != ElementType::F8E8M0FNU;  // it has no 0
  }
  const int room = ir::bit_width(middle) - ir::bit_width(from);
  if (ir::is_floating(from)) {
    // Not between narrow types, because devices without such a conversion do it by way of f32.
    const bool is_narrow_pair = from != to && ir::is_floating(to) && ir::bit_width(to) < 32 && ir::bit_width(from) < 32;
    return !is_narrow_pair && (middle == ElementType::F32 || middle == ElementType::F64) && room > 0;
  }
  if (ir::is_integer(from) && ir::is_integer(middle)) {
    return ir::is_signed(from) ? ir::is_signed(middle) && room >= 0 : room >= (ir::is_signed(middle) ? 1 : 0);
  }
  const int digits = middle == ElementType::F32 ? 24 : middle == ElementType::F64 ? 53 : 0;
  return ir::is_integer(from) && ir::bit_width(from) <= digits && !ir::is_integer(to);
}

bool loses_nothing_inside(const Instruction &instruction, const Bindings &bindings) {
  return is_lossless(bound(instruction, bindings, 'x').shape().element_type(),
                     instruction.operand(0).shape().element_type(), instruction.shape().element_type());
}

// Pred is excluded because it keeps only whether its byte is zero.
bool has_one_width(const Instruction &instruction, const Bindings &bindings) {
  return instruction.operand(0).shape().element_type() != ElementType::Pred &&
         same_sizes(bound(instruction, bindings, 'x').shape(), instruction.shape()) &&
         same_sizes(instruction.operand(0).shape(), instruction.shape());
}

bool is_narrower_than_f64(const Instruction &instruction, const Bindings &) {
  return ir::bit_width(instruction.shape().element_type()) < 64;
}

bool shifts_all_out(const Instruction &instruction, const Bindings &bindings) {
  const double distance = number_in(bound(instruction, bindings, 'c'));
  return distance < 0 || distance >= ir::bit_width(instruction.shape().element_type());
}

struct NamedCondition {
  std::string_view name;
  bool (*holds)(const Instruction &, const Bindings &);
};
constexpr NamedCondition conditions[] = {
    {"invertible", is_invertible},
    {"power-of-two", is_unsigned_power_of_two},
    {"lossless-inside", loses_nothing_inside},
    {"of-one-width", has_one_width},
    {"narrower-than-f64", is_narrower_than_f64},
    {"oversized", shifts_all_out},
};

}  // namespace

bool is_among(ElementType type, Types types) {
  const Types own = [type] {
    switch (ir::info(type).type_class) {
      case ir::TypeClass::Pred: return Types::Pred;
      case ir::TypeClass::Signed: return Types::Signed;
      case ir::TypeClass::Unsigned: return Types::Unsigned;
      case ir::TypeClass::Float: return type == ElementType::F8E8M0FNU ? Types::None : Types::Float;
      case ir::TypeClass::Complex: return Types::Complex;
      default: return Types::None;
    }
  }();
  return (static_cast<unsigned>(own) & static_cast<unsigned>(types)) != 0;
}

Literal value_of(const Term &term, ElementType type) {
  if (term.kind == Term::Kind::Boolean && type != ElementType::Pred) {
    return {};
  }
  return ir::visit_element_type(type, [&]<class T>() {
    const bool is_number = term.kind == Term::Kind::Number || term.kind == Term::Kind::Boolean;
    std::optional<T> value = is_number ? exactly<T>(term.number, type) : extreme<T>(term.kind, type);
    return value ? Literal::scalar(type, *value) : Literal();
  });
}

Literal splat_of(const Instruction &instruction) {
  if (instruction.opcode() == Opcode::Broadcast) {
    const Instruction source = instruction.operand(0);
    return source.opcode() == Opcode::Constant && source.shape().is_scalar() ? source.literal() : Literal();
  }
  const Shape &shape = instruction.shape();
  constexpr std::int64_t max_elements = 4096;  // because each user of the constant compares its elements
  if (instruction.opcode() != Opcode::Constant || !shape.is_array() || shape.element_count() == 0 ||
      shape.element_count() > max_elements) {
    return {};
  }
  const Literal &literal = instruction.literal();
  if (shape.is_scalar()) {
    return literal;
  }
  const auto width = static_cast<std::size_t>(ir::byte_width(shape.element_type()));
  auto bytes = literal.bytes();
  if (std::memcmp(bytes.data(), bytes.data() + width, bytes.size() - width) != 0) {
    return {};
  }
  Literal scalar = Literal::zeros(Shape::scalar(shape.element_type())).value();
  std::memcpy(scalar.mutable_bytes().data(), bytes.data(), width);
  return scalar;
}

InstructionId build(const Term &term, const Shape &shape, const Bindings &bindings, ir::Builder &builder,
                    const Simplify &simplify) {
  if (term.kind == Term::Kind::Variable) {
    return bindings[term.variable];
  }
  if (is_constant(term)) {
    InstructionId scalar = builder.constant(evaluate(term, shape.element_type(), bindings, builder.module()));
    return shape.is_scalar() ? scalar : builder.broadcast(scalar, shape);
  }
  std::vector<InstructionId> operands;
  for (std::size_t i = 0; i < term.operands.size(); ++i) {
    Shape wanted = operand_shape(term, i, shape, bindings, builder.module());
    operands.push_back(build(term.operands[i], wanted, bindings, builder, simplify));
  }
  const bool is_written = ir::info(term.opcode).has(ir::Trait::ExplicitShape);
  if (is_written && builder.shape(operands[0]) == shape) {
    return operands[0];  // a conversion from a type to itself
  }
  InstructionId id =
      builder
          .try_add(
              term.opcode, operands, [&](ir::Module &m, InstructionId added) { set_direction(m, added, term); }, {},
              is_written ? shape : Shape())
          .value();
  return simplify(id);
}

Rule::Rule(const Identity &identity) : identity_(identity) {
  RuleText text = read_rule(identity.rule).value();
  pattern_ = std::move(text.pattern);
  replacement_ = std::move(text.replacement);
  arrangements_ = 1u << text.commutative;
  if (!text.condition.empty()) {
    auto found = std::ranges::find(conditions, text.condition, &NamedCondition::name);
    BP_CHECK(found != std::end(conditions));
    condition_ = found->holds;
  }
}

bool Rule::has_types(const Instruction &instruction, const Bindings &bindings) const {
  auto first = std::ranges::find_if(bindings, [](InstructionId id) { return id != ir::no_instruction; });
  const Shape &shape = instruction.module().instruction(*first).shape();
  return shape.is_array() && is_among(shape.element_type(), identity_.types);
}

InstructionId Rule::apply(const Instruction &instruction, ir::Builder &builder, const Simplify &simplify) const {
  if (!is_plain(instruction.shape())) {
    return ir::no_instruction;
  }
  for (unsigned arrangement = 0; arrangement < arrangements_; ++arrangement) {
    Bindings bindings;
    bindings.fill(ir::no_instruction);
    if (match_term(pattern_, instruction, arrangement, bindings) && has_types(instruction, bindings) &&
        (condition_ == nullptr || condition_(instruction, bindings)) &&
        fits(replacement_, instruction.shape(), bindings, instruction.module())) {
      return build(replacement_, Shape(instruction.shape()), bindings, builder, simplify);
    }
  }
  return ir::no_instruction;
}

}  // namespace bp::passes
