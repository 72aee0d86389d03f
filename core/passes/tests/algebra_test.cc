// Each identity is tried on each type that it names: the interpreter computes both sides for special and random values.
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <random>
#include <set>

#include "core/interpreter/interpreter.h"
#include "core/passes/simplification/algebra.h"
#include "core/text/parser.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::InstructionId;
using ir::Literal;
using ir::Shape;

constexpr std::int64_t special_count = 24, element_count = special_count * special_count + 200;

template <class T>
constexpr bool is_float =
    std::is_floating_point_v<T> || (std::is_class_v<T> && requires(T value) { static_cast<double>(value); });

ElementType element_type_of(char variable, ElementType type) {
  return variable == 'p' ? ElementType::Pred : type;
}

template <class T>
T special(std::size_t i) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double values[special_count] = {
      0,     -0.0,   1,      -1,    2,        -2,        0.5,
      3,     -7,     8,      100,   -128,     127,       0.25,
      1e-40, -1e-40, 1e30,   65504, infinity, -infinity, std::numeric_limits<double>::quiet_NaN(),
      1e-3,  -1e5,   1.0 / 3};
  if constexpr (requires(T value) { value.real(); }) {
    using Part = typename T::value_type;
    return T(static_cast<Part>(values[i]), static_cast<Part>(values[(i * 7 + 3) % special_count]));
  } else if constexpr (is_float<T>) {
    return T(values[i]);
  } else {
    // Small integers and integers next to the limits.
    const auto small = static_cast<std::int64_t>(i) - special_count / 2;
    const std::uint64_t limit = ~std::uint64_t{0} << (i % 2 == 0 ? 63 : 8 * sizeof(T) - 1);
    return T(i % 3 == 0 ? static_cast<std::int64_t>(limit + static_cast<std::uint64_t>(small / 3)) : small);
  }
}

template <class T>
T random_value(std::mt19937_64 &engine) {
  if constexpr (std::is_same_v<T, bool>) {
    return (engine() & 1) != 0;
  } else if constexpr (std::is_trivially_copyable_v<T> && !std::is_class_v<T> && !std::is_integral_v<T>) {
    return static_cast<T>(
        std::ldexp(static_cast<double>(engine() >> 11) - 0x1p52, static_cast<int>(engine() % 80) - 92));
  } else if constexpr (requires(T value) { value.real(); }) {
    return T(random_value<typename T::value_type>(engine), random_value<typename T::value_type>(engine));
  } else if constexpr (is_float<T>) {
    return T(random_value<double>(engine));
  } else {
    return T(static_cast<std::int64_t>(engine()));
  }
}

// Returns all pairs of special values for two variables, then random ones.
Literal values_of(std::size_t variable, ElementType type) {
  Literal literal = Literal::zeros(Shape::array(type, {element_count})).value();
  std::mt19937_64 engine(variable);
  ir::visit_element_type(type, [&]<class T>() {
    auto elements = literal.mutable_elements<T>();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const std::size_t at = variable == 0 ? i % special_count : variable == 1 ? i / special_count : i * 5;
      elements[i] = i < special_count * special_count ? special<T>(at % special_count) : random_value<T>(engine);
    }
  });
  return literal;
}

template <class T>
bool is_nan(const T &value) {
  if constexpr (requires { value.real(); }) {
    return std::isnan(value.real()) || std::isnan(value.imag());
  } else if constexpr (is_float<T>) {
    return std::isnan(static_cast<double>(value));
  } else {
    return false;
  }
}

// Returns the first element that differs; NaNs are equal to each other.
std::optional<std::size_t> first_difference(const Literal &a, const Literal &b) {
  return ir::visit_element_type(a.shape().element_type(), [&]<class T>() -> std::optional<std::size_t> {
    auto x = a.elements<T>(), y = b.elements<T>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::memcmp(&x[i], &y[i], sizeof(T)) != 0 && !(is_nan(x[i]) && is_nan(y[i]))) {
        return i;
      }
    }
    return std::nullopt;
  });
}

void collect_variables(const Term &term, std::set<std::uint8_t> &variables) {
  if (term.kind == Term::Kind::Variable) {
    variables.insert(term.variable);
  }
  for (const Term &operand : term.operands) {
    collect_variables(operand, variables);
  }
}

// Whether a term is defined for this type: the type has its numbers, and complex numbers of the type exist.
bool has_meaning(const Term &term, ElementType type) {
  if (term.opcode == ir::Opcode::Complex && ir::is_floating(type) && ir::bit_width(type) < 32) {
    return false;
  }
  if (term.kind == Term::Kind::Variable || term.kind == Term::Kind::Operation) {
    return std::ranges::all_of(term.operands, [&](const Term &operand) { return has_meaning(operand, type); });
  }
  return value_of(term, term.kind == Term::Kind::Boolean ? ElementType::Pred : type).is_valid();
}

// Returns whether the rule applied to its own pattern, in this type and with these numbers as c and d.
bool try_rule(const Rule &rule, ElementType type, double c, double d, bool is_exact) {
  if (!has_meaning(rule.pattern(), type)) {
    return false;
  }
  std::set<std::uint8_t> variables;
  collect_variables(rule.pattern(), variables);
  ir::Module module;
  ir::Builder builder(module, module.add_computation("main"));
  Bindings bindings;
  bindings.fill(ir::no_instruction);
  std::vector<Literal> arguments;
  for (std::uint8_t variable : variables) {
    const char name = variable_names[variable];
    const ElementType own = element_type_of(name, type);
    const Shape shape = Shape::array(own, {element_count});
    if (name == 'c' || name == 'd') {
      bindings[variable] = builder.broadcast(builder.constant(own, name == 'c' ? c : d), shape);
    } else {
      bindings[variable] = builder.parameter(shape);
      arguments.push_back(values_of(arguments.size(), own));
    }
  }
  Shape shape = Shape::array(rule.pattern().opcode == ir::Opcode::Compare ? ElementType::Pred : type, {element_count});
  if (rule.pattern().operands[0].opcode == ir::Opcode::Compare && rule.pattern().opcode == ir::Opcode::Not) {
    shape.set_element_type(ElementType::Pred);
  }
  const Simplify keep = [](InstructionId id) { return id; };
  const InstructionId before = build(rule.pattern(), shape, bindings, builder, keep);
  builder.finish(before);
  ir::Module original = module;
  const InstructionId after = rule.apply(module.instruction(before), builder, keep);
  if (after == ir::no_instruction) {
    return false;
  }
  module.set_root(builder.computation(), after);
  Literal expected = interpreter::interpret(original, arguments).value();
  Result<Literal> found = interpreter::interpret(module, arguments);
  INFO((found.ok() ? "" : found.error().to_string()));
  REQUIRE(found.ok());
  REQUIRE(same(found->shape(), expected.shape(), ir::CompareLayout::Yes));
  auto difference = first_difference(*found, expected);
  if (is_exact) {
    INFO("at element " << difference.value_or(0) << ", c = " << c << ", d = " << d);
    CHECK(!difference);
  }
  return true;
}

void try_rules(std::span<const Identity> identities, bool is_exact) {
  for (const Identity &identity : identities) {
    const Rule rule(identity);
    std::set<std::uint8_t> variables;
    collect_variables(rule.pattern(), variables);
    const bool has_c = variables.contains(variable_names.find('c')),
               has_d = variables.contains(variable_names.find('d'));
    int applied = 0;
    for (const ir::ElementTypeInfo &row : ir::element_types()) {
      if (!is_among(row.type, identity.types)) {
        continue;
      }
      for (double c : {0.0, -0.0, 1.0, 2.0, 3.0, 8.0, -8.0, 0.25, 100.0, -1.0, 1e30, 1e-39}) {
        for (double d : {0.0, 1.0, -3.0, 100.0}) {
          if ((has_c || c == 0) && (has_d || d == 0)) {
            INFO(identity.rule << " in " << row.text);
            applied += try_rule(rule, row.type, c, d, is_exact) ? 1 : 0;
          }
        }
      }
    }
    INFO(identity.rule);
    CHECK((applied > 0 || identity.rule.find("convert") != std::string_view::npos));
  }
}

TEST_CASE("exact identities hold to the bit") {
  try_rules(exact_identities(), true);
}

TEST_CASE("inexact identities can be applied") {
  try_rules(inexact_identities(), false);
}

TEST_CASE("rules that cannot be read say where") {
  CHECK(read_rule("x + => y").error().message() == "rule 'x + => y': found '=> y', expected a term");
  CHECK(read_rule("x + y").error().message() == "rule 'x + y': found '', expected =>");
  CHECK(read_rule("f(x) => x").error().message() == "rule 'f(x) => x': found '(x) => x', expected a term");
  CHECK(read_rule("abs(x => x").error().message() == "rule 'abs(x => x': found '=> x', expected )");
  CHECK(read_rule("-x => y )").error().message() == "rule '-x => y )': found ')', expected the end");
}

}  // namespace
}  // namespace bp::passes
