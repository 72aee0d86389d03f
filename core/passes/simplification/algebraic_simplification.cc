// Replaces terms by algebraically equal, simpler ones; the identities are data, one line each. A computation is visited
// once, operands before users, and replacements are simplified immediately, so that one pass finds all; the work on
// each instruction is bounded, so the pass is linear.
//
// "Exact" identities give the same bits as the interpreter for every value of the types that a rule names, except that
// a NaN may be a different NaN. A test tries each rule on each type. Inexact identities change roundings, or the
// results for zeros, infinities and NaN; they are used only if PassContext::allow_inexact_algebra is set.
#include <algorithm>

#include "core/passes/pass.h"
#include "core/passes/rewrite.h"
#include "core/passes/simplification/algebra.h"

namespace bp::passes {
namespace {

using enum Types;

constexpr Identity exact[] = {
    // Sums. For floats, -0 is the identity element: -0 + 0 is 0.
    {"x + -0 => x", Ordered, "-0 is neutral; integers have one zero; + of pred is or"},
    {"x - 0 => x", Number, "0 is neutral on the right, also to -0"},
    {"0 - x => -x", Integer, "definition"},
    {"-0 - x => -x", Float, "-0 - 0 is -0, and -0 - -0 is 0"},
    {"x - x => 0", Integer, "inverse; of floats, inf - inf is NaN"},
    {"x + -y => x - y", Number, "definition of the difference"},
    {"x - -y => x + y", Number, "definition of the difference"},
    {"-(-x) => x", Number, "inverse of the inverse"},
    {"-(x - y) => y - x", Integer, "of floats, -(1 - 1) is -0"},
    {"(x + c) + d => x + (c + d)", Integer, "associative, also where it wraps"},
    {"(x - c) + d => x + (d - c)", Integer, "associative"},
    {"(x + c) - d => x + (c - d)", Integer, "associative"},
    {"(x - c) - d => x - (c + d)", Integer, "associative"},
    {"c - (x + d) => (c - d) - x", Integer, "associative"},
    {"c - (d - x) => x + (c - d)", Integer, "associative"},
    {"(x + y) - y => x", Integer, "inverse"},
    {"(x - y) + y => x", Integer, "inverse"},
    {"x - (x - y) => y", Integer, "inverse"},
    {"x - (x + y) => -y", Integer, "inverse"},

    // Products and quotients
    {"x * 1 => x", Ordered, "1 is neutral; * of pred is and"},
    {"x * 0 => 0", Bits, "of floats, inf * 0 is NaN and -1 * 0 is -0"},
    {"x * -1 => -x", Real, "only the sign changes"},
    {"-x * -y => x * y", Real, "signs cancel"},
    {"-x / -y => x / y", Float, "signs cancel; of integers, -MIN is MIN"},
    {"(x * c) * d => x * (c * d)", Integer, "associative, also where it wraps"},
    {"x / 1 => x", Real, "1 is neutral on the right"},
    {"x / -1 => -x", Real, "only the sign changes; MIN / -1 is MIN"},
    {"x / c => x * (1 / c) if invertible", Float, "both round x times the same power of two"},
    {"x / c => shift-right-logical(x, popcnt(c - 1)) if power-of-two", Unsigned,
     "c - 1 has as many ones as c has zeros"},
    {"x % c => x & (c - 1) if power-of-two", Unsigned, "c divides all higher bits"},
    {"x % 1 => 0", Integer, "1 divides all"},
    {"0 % x => 0", Integer, "all divide 0, and 0 % 0 is 0"},
    {"power(x, 0) => 1", Real, "also of 0 and NaN"},
    {"power(x, 1) => x", Real, "definition"},
    {"power(1, x) => 1", Real, "also to NaN"},
    {"power(x, 2) => x * x", Integer, "definition"},
    {"power(x, 2) => x * x if narrower-than-f64", Float, "f64 holds the square: both round it once"},

    // Signs
    {"abs(abs(x)) => abs(x)", Real, "idempotent"},
    {"abs(-x) => abs(x)", WithSign, "even; abs(MIN) is MIN"},
    {"abs(x) => x", Unsigned, "not negative"},
    {"abs(x * x) => x * x", Float, "not negative"},
    {"abs(x) * abs(x) => x * x", Real, "signs cancel, also where it wraps"},
    {"abs(exponential(x)) => exponential(x)", Float, "not negative"},
    {"abs(logistic(x)) => logistic(x)", Float, "not negative"},
    {"sign(sign(x)) => sign(x)", Real, "idempotent"},
    {"cosine(-x) => cosine(x)", Float, "even"},
    {"cosine(abs(x)) => cosine(x)", Float, "even"},
    {"cosh(-x) => cosh(x)", Float, "even"},
    {"cosh(abs(x)) => cosh(x)", Float, "even"},

    // Rounding to integers
    {"floor(floor(x)) => floor(x)", Float, "idempotent"},
    {"ceil(ceil(x)) => ceil(x)", Float, "idempotent"},
    {"round-nearest-afz(round-nearest-afz(x)) => round-nearest-afz(x)", Float, "idempotent"},
    {"round-nearest-even(round-nearest-even(x)) => round-nearest-even(x)", Float, "idempotent"},

    // Minimum and maximum. NaN wins over all other values; +0 is larger than -0.
    {"maximum(x, x) => x", Ordered, "idempotent"},
    {"minimum(x, x) => x", Ordered, "idempotent"},
    {"maximum(maximum(x, y), y) => maximum(x, y)", Ordered, "associative, idempotent"},
    {"minimum(minimum(x, y), y) => minimum(x, y)", Ordered, "associative, idempotent"},
    {"minimum(maximum(x, y), y) => y", Bits, "absorbing; of floats, x may be NaN"},
    {"maximum(minimum(x, y), y) => y", Bits, "absorbing; of floats, x may be NaN"},
    {"maximum(x, lowest) => x", Ordered, "nothing is less"},
    {"minimum(x, highest) => x", Ordered, "nothing is greater"},
    {"maximum(x, highest) => highest", Bits, "nothing is greater; of floats, x may be NaN"},
    {"minimum(x, lowest) => lowest", Bits, "nothing is less; of floats, x may be NaN"},
    {"maximum(maximum(x, c), d) => maximum(x, maximum(c, d))", Ordered, "associative"},
    {"minimum(minimum(x, c), d) => minimum(x, minimum(c, d))", Ordered, "associative"},
    {"maximum(abs(x), 0) => abs(x)", Float, "not negative; of integers, abs(MIN) is"},
    {"clamp(y, clamp(y, x, z), z) => clamp(y, x, z)", Ordered, "idempotent"},

    // Bits
    {"x & x => x", Bits, "idempotent"},
    {"x | x => x", Bits, "idempotent"},
    {"x ^ x => 0", Bits, "inverse"},
    {"x & 0 => 0", Bits, "absorbing"},
    {"x | 0 => x", Bits, "neutral"},
    {"x ^ 0 => x", Bits, "neutral"},
    {"x & ones => x", Bits, "neutral"},
    {"x | ones => ones", Bits, "absorbing"},
    {"x ^ ones => !x", Bits, "definition of the complement"},
    {"!!x => x", Bits, "complement of the complement"},
    {"x & !x => 0", Bits, "complement"},
    {"x | !x => ones", Bits, "complement"},
    {"x ^ !x => ones", Bits, "complement"},
    {"(x & y) & y => x & y", Bits, "associative, idempotent"},
    {"(x | y) | y => x | y", Bits, "associative, idempotent"},
    {"(x ^ y) ^ y => x", Bits, "associative, inverse"},
    {"x & (x | y) => x", Bits, "absorption"},
    {"x | (x & y) => x", Bits, "absorption"},
    {"(x & c) & d => x & (c & d)", Bits, "associative"},
    {"(x | c) | d => x | (c | d)", Bits, "associative"},
    {"(x ^ c) ^ d => x ^ (c ^ d)", Bits, "associative"},
    {"shift-left(x, 0) => x", Integer, "definition"},
    {"shift-right-logical(x, 0) => x", Integer, "definition"},
    {"shift-right-arithmetic(x, 0) => x", Integer, "definition"},
    {"shift-left(0, x) => 0", Integer, "there is nothing but zeros"},
    {"shift-right-logical(0, x) => 0", Integer, "there is nothing but zeros"},
    {"shift-right-arithmetic(0, x) => 0", Integer, "there is nothing but zeros"},
    {"shift-left(x, c) => 0 if oversized", Integer, "all bits leave"},
    {"shift-right-logical(x, c) => 0 if oversized", Integer, "all bits leave"},

    // Selection
    {"select(true, x, y) => x", Any, "definition"},
    {"select(false, x, y) => y", Any, "definition"},
    {"select(p, x, x) => x", Any, "either way"},
    {"select(!p, x, y) => select(p, y, x)", Any, "definition of the complement"},
    {"select(p, select(p, x, y), z) => select(p, x, z)", Any, "where p, p"},
    {"select(p, x, select(p, y, z)) => select(p, x, z)", Any, "where not p, not p"},
    {"select(x, true, false) => x", Pred, "definition"},
    {"select(x, false, true) => !x", Pred, "definition"},
    {"select(x, y, false) => x & y", Pred, "definition"},
    {"select(x, true, y) => x | y", Pred, "definition"},
    {"select(x > y, x, y) => maximum(x, y)", Integer, "definition; of floats, NaN compares false"},
    {"select(x >= y, x, y) => maximum(x, y)", Integer, "definition"},
    {"select(x < y, y, x) => maximum(x, y)", Integer, "definition"},
    {"select(x <= y, y, x) => maximum(x, y)", Integer, "definition"},
    {"select(x < y, x, y) => minimum(x, y)", Integer, "definition"},
    {"select(x <= y, x, y) => minimum(x, y)", Integer, "definition"},
    {"select(x > y, y, x) => minimum(x, y)", Integer, "definition"},
    {"select(x >= y, y, x) => minimum(x, y)", Integer, "definition"},
    {"select(x == y, x, y) => y", Integer, "equal values are the same; of floats, 0 equals -0"},
    {"select(x != y, x, y) => x", Integer, "equal values are the same"},

    // Comparisons. With NaN, all except != are false.
    {"x == x => true", Bits, "reflexive"},
    {"x <= x => true", Bits, "reflexive"},
    {"x >= x => true", Bits, "reflexive"},
    {"x != x => false", Bits, "reflexive; of floats it asks for NaN"},
    {"x < x => false", Ordered, "irreflexive, also of NaN"},
    {"x > x => false", Ordered, "irreflexive, also of NaN"},
    {"!(x == y) => x != y", Any, "complement, also of NaN"},
    {"!(x != y) => x == y", Any, "complement, also of NaN"},
    {"!(x < y) => x >= y", Bits, "total order"},
    {"!(x <= y) => x > y", Bits, "total order"},
    {"!(x > y) => x <= y", Bits, "total order"},
    {"!(x >= y) => x < y", Bits, "total order"},
    {"x == true => x", Pred, "definition"},
    {"x != false => x", Pred, "definition"},
    {"x == false => !x", Pred, "definition"},
    {"x != true => !x", Pred, "definition"},
    {"true == x => x", Pred, "definition"},
    {"false != x => x", Pred, "definition"},
    {"false == x => !x", Pred, "definition"},
    {"true != x => !x", Pred, "definition"},
    {"x < lowest => false", Ordered, "nothing is less"},
    {"x >= lowest => true", Bits, "nothing is less"},
    {"x > highest => false", Ordered, "nothing is greater"},
    {"x <= highest => true", Bits, "nothing is greater"},
    {"lowest > x => false", Ordered, "nothing is less"},
    {"lowest <= x => true", Bits, "nothing is less"},
    {"highest < x => false", Ordered, "nothing is greater"},
    {"highest >= x => true", Bits, "nothing is greater"},
    {"x + c == d => x == d - c", Integer, "adding is one to one"},
    {"x + c != d => x != d - c", Integer, "adding is one to one"},
    {"x - c == d => x == d + c", Integer, "adding is one to one"},
    {"x - c != d => x != d + c", Integer, "adding is one to one"},

    // Conversions
    {"convert(convert(x)) => convert(x) if lossless-inside", Ordered, "the value is the same in between"},
    {"bitcast-convert(bitcast-convert(x)) => bitcast-convert(x) if of-one-width", Any, "the bits are the same"},
    {"real(complex(x, y)) => x", Float, "definition"},
    {"imag(complex(x, y)) => y", Float, "definition"},
    {"complex(real(x), imag(x)) => x", Complex, "definition"},
    {"real(x) => x", Float, "a real number is its real part"},
    {"imag(x) => 0", Float, "a real number has no other"},
};

constexpr Identity inexact[] = {
    {"x + 0 => x", Float, "-0 + 0 is 0"},
    {"0 - x => -x", Float, "0 - 0 is 0"},
    {"x - x => 0", Float, "inf - inf is NaN"},
    {"x * 0 => 0", Float, "inf * 0 is NaN, -1 * 0 is -0"},
    {"x / x => 1", Float, "0 / 0 is NaN"},
    {"0 / x => 0", Float, "0 / 0 is NaN, 0 / -1 is -0"},
    {"-(x - y) => y - x", Float, "-(1 - 1) is -0"},
    {"(x + c) + d => x + (c + d)", Float, "rounds once instead of twice"},
    {"(x - c) + d => x + (d - c)", Float, "rounds once instead of twice"},
    {"(x * c) * d => x * (c * d)", Float, "rounds once instead of twice"},
    {"(x + y) - y => x", Float, "x + y may round"},
    {"(x - y) + y => x", Float, "x - y may round"},
    {"(x * y) / y => x", Float, "x * y may round or overflow"},
    {"x / c => x * (1 / c)", Float, "1 / c rounds"},
    {"x / sqrt(y) => x * rsqrt(y)", Float, "another rounding"},
    {"1 / sqrt(x) => rsqrt(x)", Float, "rounds once instead of twice"},
    {"sqrt(x) * sqrt(x) => x", Float, "sqrt(-1) is NaN"},
    {"sqrt(x * x) => abs(x)", Float, "x * x may round or overflow"},
    {"power(x, 2) => x * x", Float, "another rounding in f64"},
    {"power(x, -1) => 1 / x", Float, "another rounding"},
    {"power(x, 0.5) => sqrt(x)", Float, "power(-inf, 0.5) is inf"},
    {"power(x, -0.5) => rsqrt(x)", Float, "another rounding"},
    {"exponential(log(x)) => x", Float, "log(-1) is NaN, and both round"},
    {"log(exponential(x)) => x", Float, "exponential(1000) is inf, and both round"},
    {"exponential(x) * exponential(y) => exponential(x + y)", Float, "rounds less often"},
    {"log(x) + log(y) => log(x * y)", Float, "rounds less often, but x * y may overflow"},
    {"exponential(x) - 1 => exponential-minus-one(x)", Float, "without cancellation"},
    {"log(x + 1) => log-plus-one(x)", Float, "without cancellation"},
    {"1 / (1 + exponential(-x)) => logistic(x)", Float, "rounds once"},
    {"x * y + x * z => x * (y + z)", Float, "rounds less often"},
    {"select(x > y, x, y) => maximum(x, y)", Float, "if one is NaN, this is y"},
    {"select(x < y, x, y) => minimum(x, y)", Float, "if one is NaN, this is y"},
    {"x == x => true", Float, "NaN differs from itself"},
    {"x != x => false", Float, "NaN differs from itself"},
};

// Rules of a table by the op that they replace, in order.
using RuleIndex = std::vector<std::vector<Rule>>;

RuleIndex make_index(std::span<const Identity> identities) {
  RuleIndex index;
  for (const Identity &identity : identities) {
    Rule rule(identity);
    auto opcode = static_cast<std::size_t>(rule.pattern().opcode);
    index.resize(std::max(index.size(), opcode + 1));
    index[opcode].push_back(std::move(rule));
  }
  return index;
}

class AlgebraicSimplifier {
 public:
  AlgebraicSimplifier(ir::Module &module, const ir::Instruction &instruction, bool allow_inexact)
      : module_(module), builder_(module, instruction.parent().id()), allow_inexact_(allow_inexact) {
    builder_.copy_origin_from(instruction);
  }

  ir::InstructionId simplify(ir::InstructionId id) {
    static const RuleIndex exact_rules = make_index(exact), inexact_rules = make_index(inexact);
    ir::InstructionId better = apply(exact_rules, id);
    if (better == ir::no_instruction && allow_inexact_) {
      better = apply(inexact_rules, id);
    }
    return better == ir::no_instruction ? id : simplify(better);
  }

 private:
  ir::InstructionId apply(const RuleIndex &rules, ir::InstructionId id) {
    ir::Instruction instruction = module_.instruction(id);
    const auto opcode = static_cast<std::size_t>(instruction.opcode());
    if (opcode >= rules.size() || left_ == 0) {
      return ir::no_instruction;
    }
    for (const Rule &rule : rules[opcode]) {
      ir::InstructionId better =
          rule.apply(instruction, builder_, [this](ir::InstructionId made) { return simplify(made); });
      if (better != ir::no_instruction && better != id) {
        --left_;
        return better;
      }
    }
    return ir::no_instruction;
  }

  ir::Module &module_;
  ir::Builder builder_;
  bool allow_inexact_;
  int left_ = 16;  // replacements left for one instruction; more than are ever needed, but ends cycles of rules
};

}  // namespace

std::span<const Identity> exact_identities() {
  return exact;
}

std::span<const Identity> inexact_identities() {
  return inexact;
}

Result<bool> algebraic_simplification(ir::Module &module, const PassContext &context) {
  return rewrite_all(module, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    return AlgebraicSimplifier(module, instruction, context.allow_inexact_algebra).simplify(instruction.id());
  });
}

}  // namespace bp::passes
