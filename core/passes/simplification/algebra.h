// Algebraic identities as text, parsed once and then matched against instructions: "x + -0 => x".
//
// A rule is `pattern => replacement`, or `pattern => replacement if condition`. Terms are written as in C (+ - * / % &
// | ^ ! == != < <= > >=) and with the names of ops: maximum(x, y). In them
//   x y z p     match any value, but the same one wherever they occur
//   c d         match a value whose elements are all the same number: a scalar constant or a broadcast one
//   0 -0 1 0.5  match that number, bit by bit: a rule about -0 does not apply to 0
//   true false  match the constants of pred; `lowest` and `highest` the minimum and maximum of a type, including
//               infinities; `ones` all bits set
// Parts that depend on constants only are computed when the replacement is built. Operands of commutative ops match in
// either order.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "core/ir/builder.h"

namespace bp::passes {

// Types that x, or the first variable of a rule, may have. No rule applies to f8e8m0fnu, which has neither a sign nor
// 0.
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

// Rules of the algebraic-simplification pass.
std::span<const Identity> exact_identities();
std::span<const Identity> inexact_identities();

struct Term {
  enum class Kind : std::uint8_t { Variable, Number, Boolean, Lowest, Highest, Ones, Operation };
  Kind kind = Kind::Variable;
  std::uint8_t variable = 0;  // index into `variable_names`
  std::uint8_t exchange = 0;  // bit that says whether the operands of a commutative operation are exchanged
  ir::Opcode opcode = ir::Opcode::Invalid;
  ir::ComparisonDirection direction = ir::ComparisonDirection::Eq;
  double number = 0;
  std::vector<Term> operands;
};

inline constexpr std::string_view variable_names = "xyzpcd";
// Instructions that the variables are bound to.
using Bindings = std::array<ir::InstructionId, variable_names.size()>;

// Simplifies an operation that was added for a replacement; may return the operation itself.
using Simplify = std::function<ir::InstructionId(ir::InstructionId)>;

class Rule {
 public:
  // `identity` must be a valid rule; an invalid one is a bug in its table.
  explicit Rule(const Identity &identity);

  const Identity &identity() const { return identity_; }
  const Term &pattern() const { return pattern_; }
  // Returns a replacement of the instruction, added with the builder; no_instruction if the rule does not apply.
  ir::InstructionId apply(const ir::Instruction &instruction, ir::Builder &builder, const Simplify &simplify) const;

 private:
  using Condition = bool (*)(const ir::Instruction &, const Bindings &);

  bool has_types(const ir::Instruction &instruction, const Bindings &bindings) const;

  Identity identity_;
  Term pattern_, replacement_;
  Condition condition_ = nullptr;
  unsigned arrangements_ = 1;  // number of ways to order the operands of commutative operations in the pattern
};

// Returns the value of a term that is a number; an invalid literal if the type has no such value.
ir::Literal value_of(const Term &term, ir::ElementType type);
// Returns the value of all elements of a constant or of a broadcast constant; an invalid literal if there is none.
ir::Literal splat_of(const ir::Instruction &instruction);

// Adds instructions that compute a term in this shape.
ir::InstructionId build(const Term &term, const ir::Shape &shape, const Bindings &bindings, ir::Builder &builder,
                        const Simplify &simplify);

// Parsed text of a rule; the name of the condition is empty if there is none. Invalid text is an InvalidInput error
// that says where.
struct RuleText {
  Term pattern, replacement;
  std::string_view condition;
  unsigned commutative = 0;  // number of commutative operations in the pattern
};
Result<RuleText> read_rule(std::string_view text);

}  // namespace bp::passes
