// Algebraic identities as text, read once and then matched against instructions: "x + -0 => x".
//
// A rule is `pattern => replacement`, or `pattern => replacement if condition`. Terms are written as in C (+ - * / % & | ^
// ! == != < <= > >=) and with the names of ops: maximum(x, y). In them
//   x y z p     stand for any value, the same one wherever they occur
//   c d         for a number that is in every element: a scalar constant or a broadcast one
//   0 -0 1 0.5  for that number, to the bit: a rule about -0 does not hold for 0
//   true false  for the constants of pred; `lowest` and `highest` for the least and greatest value of a type, infinities
//               included; `ones` for all bits set
// What follows from constants alone is computed when the replacement is made. Operands of commutative ops match in
// either order.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "core/ir/builder.h"

namespace bp::passes {

// The types that x, or the first variable of a rule, may have. No rule holds for f8e8m0fnu, which has neither sign nor 0.
enum class Types : unsigned {
  None = 0,
  Pred = 1,
  Signed = 2,
  Unsigned = 4,
  Float = 8,
  Complex = 16,
  Integer = Signed | Unsigned,
  Bits = Integer | Pred,
  Real = Integer | Float,
  WithSign = Signed | Float,
  Ordered = Real | Pred,
  Number = Real | Complex,
  Any = Number | Pred,
};

bool is_among(ir::ElementType type, Types types);

// One row of a table of rules.
struct Identity {
  std::string_view rule;
  Types types;
  std::string_view because;
};

// The tables of algebraic-simplification.
std::span<const Identity> exact_identities();
std::span<const Identity> inexact_identities();

struct Term {
  enum class Kind : std::uint8_t { Variable, Number, Boolean, Lowest, Highest, Ones, Operation };
  Kind kind = Kind::Variable;
  std::uint8_t variable = 0;  // index into `variable_names`
  std::uint8_t exchange = 0;  // the bit that says whether a commutative operation's operands are exchanged
  ir::Opcode opcode = ir::Opcode::Invalid;
  ir::ComparisonDirection direction = ir::ComparisonDirection::Eq;
  double number = 0;
  std::vector<Term> operands;
};

inline constexpr std::string_view variable_names = "xyzpcd";
// The instruction each variable stands for.
using Bindings = std::array<ir::InstructionId, variable_names.size()>;

// What an operation that was made for a replacement simplifies to; perhaps itself.
using Simplify = std::function<ir::InstructionId(ir::InstructionId)>;

class Rule {
 public:
  // An identity that cannot be read is a bug of its table.
  explicit Rule(const Identity &identity);

  const Identity &identity() const { return identity_; }
  const Term &pattern() const { return pattern_; }
  // What may be put in place of the instruction, made with the builder; no_instruction if the rule does not apply.
  ir::InstructionId apply(const ir::Instruction &instruction, ir::Builder &builder, const Simplify &simplify) const;

 private:
  using Condition = bool (*)(const ir::Instruction &, const Bindings &);

  bool has_types(const ir::Instruction &instruction, const Bindings &bindings) const;

  Identity identity_;
  Term pattern_, replacement_;
  Condition condition_ = nullptr;
  unsigned arrangements_ = 1;  // of the operands of commutative operations in the pattern
};

// The value of a term that is a number; invalid if the type has no such value.
ir::Literal value_of(const Term &term, ir::ElementType type);
// The value in every element of a constant, or of a broadcast one; invalid if there is none.
ir::Literal splat_of(const ir::Instruction &instruction);

// Instructions that compute a term of this shape.
ir::InstructionId build(const Term &term, const ir::Shape &shape, const Bindings &bindings, ir::Builder &builder,
                        const Simplify &simplify);

// Reads a rule's text; the condition's name is empty if there is none. InvalidInput says where it goes wrong.
struct RuleText {
  Term pattern, replacement;
  std::string_view condition;
  unsigned commutative = 0;  // commutative operations in the pattern
};
Result<RuleText> read_rule(std::string_view text);

}  // namespace bp::passes
