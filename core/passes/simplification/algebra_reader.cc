// Parses rules: precedence climbing over a few kinds of tokens.
#include <charconv>
#include <optional>

#include "core/passes/simplification/algebra.h"

namespace bp::passes {
namespace {

using ir::ComparisonDirection;
using ir::Opcode;

struct BinaryOperator {
  std::string_view text;
  int precedence;
  Opcode opcode;
  ComparisonDirection direction = ComparisonDirection::Eq;
};
// Longer operators come before those that are their prefixes.
constexpr BinaryOperator binary_operators[] = {
    {"==", 4, Opcode::Compare, ComparisonDirection::Eq},
    {"!=", 4, Opcode::Compare, ComparisonDirection::Ne},
    {"<=", 5, Opcode::Compare, ComparisonDirection::Le},
    {">=", 5, Opcode::Compare, ComparisonDirection::Ge},
    {"<", 5, Opcode::Compare, ComparisonDirection::Lt},
    {">", 5, Opcode::Compare, ComparisonDirection::Gt},
    {"|", 1, Opcode::Or},
    {"^", 2, Opcode::Xor},
    {"&", 3, Opcode::And},
    {"+", 6, Opcode::Add},
    {"-", 6, Opcode::Subtract},
    {"*", 7, Opcode::Multiply},
    {"/", 7, Opcode::Divide},
    {"%", 7, Opcode::Remainder},
};

constexpr std::pair<std::string_view, Term::Kind> named_constants[] = {
    {"lowest", Term::Kind::Lowest}, {"highest", Term::Kind::Highest}, {"ones", Term::Kind::Ones}};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), rest_(text) {}

  Result<RuleText> rule() {
    RuleText rule;
    BP_ASSIGN(rule.pattern, term(0));
    rule.commutative = commutative_;
    if (!take("=>")) {
      return error("=>");
    }
    BP_ASSIGN(rule.replacement, term(0));
    if (take("if")) {
      rule.condition = word();
    }
    skip_spaces();
    return rest_.empty() ? Result<RuleText>(std::move(rule)) : error("the end");
  }

 private:
  Error error(std::string_view expected) const {
    return make_error(ErrorCode::InvalidInput, "rule '{}': found '{}', expected {}", text_, rest_, expected);
  }

  void skip_spaces() {
    while (rest_.starts_with(' ')) {
      rest_.remove_prefix(1);
    }
  }

  bool take(std::string_view token) {
    skip_spaces();
    if (!rest_.starts_with(token)) {
      return false;
    }
    rest_.remove_prefix(token.size());
    return true;
  }

  // Words consist of letters, digits, and hyphens between letters.
  std::string_view word() {
    skip_spaces();
    std::size_t end = 0;
    while (end < rest_.size() && (is_letter(rest_[end]) || (rest_[end] == '-' && end != 0 && end + 1 < rest_.size() &&
                                                            is_letter(rest_[end + 1])))) {
      ++end;
    }
    std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }

  const BinaryOperator *binary_operator(int min_precedence) {
    skip_spaces();
    for (const BinaryOperator &candidate : binary_operators) {
      if (candidate.precedence >= min_precedence && rest_.starts_with(candidate.text) && !rest_.starts_with("=>")) {
        rest_.remove_prefix(candidate.text.size());
        return &candidate;
      }
    }
    return nullptr;
  }

  Term operation(Opcode opcode, std::vector<Term> operands) {
    Term term;
    term.kind = Term::Kind::Operation;
    term.opcode = opcode;
    if (ir::info(opcode).has(ir::Trait::Commutative)) {
      term.exchange = static_cast<std::uint8_t>(1u << commutative_++);
    }
    term.operands = std::move(operands);
    return term;
  }

  Result<Term> term(int min_precedence) {
    BP_ASSIGN(Term left, unary());
    while (const BinaryOperator *found = binary_operator(min_precedence)) {
      BP_ASSIGN(Term right, term(found->precedence + 1));
      left = operation(found->opcode, {std::move(left), std::move(right)});
      left.direction = found->direction;
    }
    return left;
  }

  Result<Term> unary() {
    if (take("!")) {
      BP_ASSIGN(Term operand, unary());
      return operation(Opcode::Not, {std::move(operand)});
    }
    if (take("-")) {
      BP_ASSIGN(Term operand, unary());
      if (operand.kind == Term::Kind::Number) {
        operand.number = -operand.number;
        return operand;
      }
      return operation(Opcode::Negate, {std::move(operand)});
    }
    return primary();
  }

  Result<Term> primary() {
    if (take("(")) {
      BP_ASSIGN(Term inner, term(0));
      return take(")") ? Result<Term>(std::move(inner)) : error(")");
    }
    Term result;
    skip_spaces();
    if (auto [end, failure] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), result.number);
        failure == std::errc()) {
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      result.kind = Term::Kind::Number;
      return result;
    }
    std::string_view name = word();
    if (std::size_t variable = variable_names.find(name); name.size() == 1 && variable != std::string_view::npos) {
      result.variable = static_cast<std::uint8_t>(variable);
      return result;
    }
    if (name == "true" || name == "false") {
      result.kind = Term::Kind::Boolean;
      result.number = name == "true" ? 1 : 0;
      return result;
    }
    for (auto [text, kind] : named_constants) {
      if (name == text) {
        result.kind = kind;
        return result;
      }
    }
    std::optional<Opcode> opcode = ir::opcode_from_string(name);
    if (!opcode || !take("(")) {
      return error("a term");
    }
    std::vector<Term> operands;
    do {
      BP_ASSIGN(Term operand, term(0));
      operands.push_back(std::move(operand));
    } while (take(","));
    return take(")") ? Result<Term>(operation(*opcode, std::move(operands))) : error(")");
  }

  std::string_view text_, rest_;
  unsigned commutative_ = 0;
};

}  // namespace

Result<RuleText> read_rule(std::string_view text) {
  return Reader(text).rule();
}

}  // namespace bp::passes
