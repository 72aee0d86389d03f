#include "conformance/coverage/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <functional>
#include <utility>

#include "core/ir/builder.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::coverage {
namespace {

using Key = ir::AttributeKey;
using Numbers = std::vector<std::int64_t>;
using ir::ElementType;
using ir::Opcode;
using Id = ir::InstructionId;

constexpr Pattern pattern_table[] = {
    {"dense-layer",
     "x = $[13,13] parameter(0)  w = $[13,13] parameter(1)  b = $[13] parameter(2)  "
     "d = $[13,13] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "c = $[13,13] broadcast(b), dimensions={1}  s = $[13,13] add(d, c)  "
     "z = $[] constant(0)  n = $[13,13] broadcast(z), dimensions={}  ROOT r = $[13,13] maximum(s, n)"},
    {"dense-layer-clamped",
     "x = $[13,13] parameter(0)  w = $[13,13] parameter(1)  b = $[13] parameter(2)  "
     "d = $[13,13] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={1}  "
     "c = $[13,13] broadcast(b), dimensions={1}  s = $[13,13] add(c, d)  "
     "z = $[] constant(0)  k = $[] constant(6)  ROOT r = $[13,13] clamp(z, s, k)"},
    {"dense-layer-with-sigmoid",
     "x = $[13,13] parameter(0)  w = $[13,13] parameter(1)  b = $[13] parameter(2)  "
     "d = $[13,13] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "c = $[13,13] broadcast(b), dimensions={1}  s = $[13,13] add(d, c)  "
     "g = $[13,13] logistic(s)  ROOT r = $[13,13] multiply(s, g)"},
    {"scaled-product-plus-scaled",
     "x = $[13,13] parameter(0)  y = $[13,13] parameter(1)  c = $[13,13] parameter(2)  "
     "d = $[13,13] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}  "
     "k = $[] constant(0.5)  a = $[13,13] broadcast(k), dimensions={}  p = $[13,13] multiply(a, d)  "
     "l = $[] constant(2)  b = $[13,13] broadcast(l), dimensions={}  q = $[13,13] multiply(b, c)  "
     "ROOT r = $[13,13] add(p, q)"},
    {"batched-product-with-residue",
     "x = $[5,5,5] parameter(0)  y = $[5,5,5] parameter(1)  e = $[5,5,5] parameter(2)  "
     "d = $[5,5,5] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
     "rhs_contracting_dims={1}  ROOT r = $[5,5,5] add(d, e)"},
    {"convolution-layer",
     "x = $[3,5,5,3] parameter(0)  w = $[3,3,3,3] parameter(1)  b = $[3] parameter(2)  "
     "d = $[3,3,3,3] convolution(x, w), window={size=3x3}, dim_labels=b01f_01io->b01f  "
     "c = $[3,3,3,3] broadcast(b), dimensions={3}  s = $[3,3,3,3] add(d, c)  "
     "z = $[] constant(0)  n = $[3,3,3,3] broadcast(z), dimensions={}  ROOT r = $[3,3,3,3] maximum(s, n)"},
    {"convolution-with-normalization",
     "x = $[3,3,5,5] parameter(0)  w = $[3,3,3,3] parameter(1)  g = $[3] parameter(2)  b = $[3] parameter(3)  "
     "d = $[3,3,3,3] convolution(x, w), window={size=3x3}, dim_labels=bf01_oi01->bf01  "
     "f = $[3,3,3,3] broadcast(g), dimensions={1}  p = $[3,3,3,3] multiply(d, f)  "
     "c = $[3,3,3,3] broadcast(b), dimensions={1}  ROOT r = $[3,3,3,3] add(p, c)"},
    {"softmax",
     "x = $[67,67] parameter(0)  z = $[] constant(0)  l = $[] constant(-inf)  "
     "m = $[67] reduce(x, l), dimensions={1}, to_apply=most  c = $[67,67] broadcast(m), dimensions={0}  "
     "d = $[67,67] subtract(x, c)  e = $[67,67] exponential(d)  "
     "s = $[67] reduce(e, z), dimensions={1}, to_apply=sum  b = $[67,67] broadcast(s), dimensions={0}  "
     "ROOT r = $[67,67] divide(e, b)"},
    {"logarithm-of-softmax",
     "x = $[67,67] parameter(0)  z = $[] constant(0)  l = $[] constant(-inf)  "
     "m = $[67] reduce(x, l), dimensions={1}, to_apply=most  c = $[67,67] broadcast(m), dimensions={0}  "
     "d = $[67,67] subtract(x, c)  e = $[67,67] exponential(d)  "
     "s = $[67] reduce(e, z), dimensions={1}, to_apply=sum  g = $[67] log(s)  "
     "b = $[67,67] broadcast(g), dimensions={0}  ROOT r = $[67,67] subtract(d, b)"},
    {"layer-normalization",
     "x = $[67,67] parameter(0)  g = $[67] parameter(1)  h = $[67] parameter(2)  z = $[] constant(0)  "
     "k = $[] constant(67)  n = $[67] broadcast(k), dimensions={}  "
     "s = $[67] reduce(x, z), dimensions={1}, to_apply=sum  m = $[67] divide(s, n)  "
     "c = $[67,67] broadcast(m), dimensions={0}  d = $[67,67] subtract(x, c)  q = $[67,67] multiply(d, d)  "
     "t = $[67] reduce(q, z), dimensions={1}, to_apply=sum  v = $[67] divide(t, n)  "
     "e = $[] constant(0.001)  f = $[67] broadcast(e), dimensions={}  u = $[67] add(v, f)  o = $[67] rsqrt(u)  "
     "p = $[67,67] broadcast(o), dimensions={0}  a = $[67,67] multiply(d, p)  "
     "gg = $[67,67] broadcast(g), dimensions={1}  hh = $[67,67] broadcast(h), dimensions={1}  "
     "y = $[67,67] multiply(a, gg)  ROOT r = $[67,67] add(y, hh)"},
    {"root-mean-square-normalization",
     "x = $[67,67] parameter(0)  g = $[67] parameter(1)  z = $[] constant(0)  k = $[] constant(67)  "
     "n = $[67] broadcast(k), dimensions={}  q = $[67,67] multiply(x, x)  "
     "t = $[67] reduce(q, z), dimensions={1}, to_apply=sum  v = $[67] divide(t, n)  e = $[] constant(0.001)  "
     "f = $[67] broadcast(e), dimensions={}  u = $[67] add(v, f)  o = $[67] rsqrt(u)  "
     "p = $[67,67] broadcast(o), dimensions={0}  a = $[67,67] multiply(x, p)  "
     "b = $[67,67] broadcast(g), dimensions={1}  ROOT r = $[67,67] multiply(a, b)"},
    {"attention",
     "q = $[13,13] parameter(0)  k = $[13,13] parameter(1)  v = $[13,13] parameter(2)  z = $[] constant(0)  "
     "l = $[] constant(-inf)  h = $[] constant(0.25)  hh = $[13,13] broadcast(h), dimensions={}  "
     "a = $[13,13] dot(q, k), lhs_contracting_dims={1}, rhs_contracting_dims={1}  x = $[13,13] multiply(a, hh)  "
     "m = $[13] reduce(x, l), dimensions={1}, to_apply=most  c = $[13,13] broadcast(m), dimensions={0}  "
     "d = $[13,13] subtract(x, c)  e = $[13,13] exponential(d)  "
     "s = $[13] reduce(e, z), dimensions={1}, to_apply=sum  b = $[13,13] broadcast(s), dimensions={0}  "
     "p = $[13,13] divide(e, b)  "
     "ROOT r = $[13,13] dot(p, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"error-linear-unit",
     "x = $[13,13] parameter(0)  k = $[] constant(0.5)  h = $[13,13] broadcast(k), dimensions={}  "
     "w = $[] constant(0.70710678)  i = $[13,13] broadcast(w), dimensions={}  y = $[13,13] multiply(x, i)  "
     "f = $[13,13] erf(y)  u = $[] constant(1)  o = $[13,13] broadcast(u), dimensions={}  g = $[13,13] add(f, o)  "
     "p = $[13,13] multiply(x, h)  ROOT r = $[13,13] multiply(p, g)"},
    {"average-of-windows",
     "x = $[1,13,13,3] parameter(0)  z = $[] constant(0)  "
     "s = $[1,11,11,3] reduce-window(x, z), window={size=1x3x3x1}, to_apply=sum  k = $[] constant(9)  "
     "n = $[1,11,11,3] broadcast(k), dimensions={}  ROOT r = $[1,11,11,3] divide(s, n)"},
    {"largest-of-windows",
     "x = $[1,13,13,3] parameter(0)  l = $[] constant(-inf)  "
     "m = $[1,6,6,3] reduce-window(x, l), window={size=1x2x2x1 stride=1x2x2x1}, to_apply=most  "
     "z = $[] constant(0)  n = $[1,6,6,3] broadcast(z), dimensions={}  ROOT r = $[1,6,6,3] maximum(m, n)"},
    {"leaky-unit",
     "x = $[13,13] parameter(0)  z = $[] constant(0)  n = $[13,13] broadcast(z), dimensions={}  "
     "p = pred[13,13] compare(x, n), direction=GT  k = $[] constant(0.125)  s = $[13,13] broadcast(k), dimensions={}  "
     "y = $[13,13] multiply(x, s)  ROOT r = $[13,13] select(p, x, y)"},
};

constexpr std::string_view functions = R"(
sum { a = $[] parameter(0)  b = $[] parameter(1)  ROOT r = $[] add(a, b) }
most { a = $[] parameter(0)  b = $[] parameter(1)  ROOT r = $[] maximum(a, b) }
)";

// Ops that take the same operands, and are easily mistaken for each other.
constexpr Opcode siblings[][2] = {
    {Opcode::Add, Opcode::Subtract},    {Opcode::Maximum, Opcode::Minimum},
    {Opcode::Multiply, Opcode::Divide}, {Opcode::Exponential, Opcode::ExponentialMinusOne},
    {Opcode::Log, Opcode::LogPlusOne},  {Opcode::Rsqrt, Opcode::Sqrt},
    {Opcode::Logistic, Opcode::Tanh},   {Opcode::Erf, Opcode::Tanh},
    {Opcode::Subtract, Opcode::Add},    {Opcode::Divide, Opcode::Multiply}};

ir::Literal scalar(ElementType type, double number) {
  ir::Module module;
  ir::Builder b(module, module.add_computation("scalar"));
  return module.instruction(b.constant(type, number)).literal();
}

// Collects the variants of one pattern.
class Variation {
 public:
  explicit Variation(const ir::Module &pattern) : pattern_(pattern) {}

  std::vector<std::vector<ir::Module>> take() {
    using Change = void (Variation::*)(Id);
    const auto ids = pattern_.entry().instruction_ids();
    std::vector<std::vector<ir::Module>> by_change;
    for (const Change change : {&Variation::change_constant, &Variation::change_dimensions, &Variation::change_op,
                                &Variation::exchange_operands, &Variation::share_operands, &Variation::return_too}) {
      for (const Id id : std::vector<Id>(ids.begin(), ids.end())) {
        (this->*change)(id);
      }
      if (!variants_.empty()) {
        by_change.push_back(std::exchange(variants_, {}));
      }
    }
    return by_change;
  }

 private:
  // Keeps the pattern with this change, unless that is no program, or one with a result of another shape.
  void keep(const std::function<void(ir::Module &)> &change) {
    ir::Module changed = pattern_;
    change(changed);
    if (ir::verify(changed).ok()) {
      variants_.push_back(std::move(changed));
    }
  }

  void change_constant(Id id) {
    const ir::Instruction i = pattern_.instruction(id);
    if (i.opcode() != Opcode::Constant || !ir::is_floating(i.shape().element_type())) {
      return;
    }
    for (const double number : {0.0, -0.0, 1.0, -1.0, 0.0625}) {
      const ir::Literal literal = scalar(i.shape().element_type(), number);
      if (!literal.identical(i.literal())) {
        keep([&](ir::Module &module) { module.set_literal(id, literal); });
      }
    }
  }

  // Each of a list of dimensions becomes each other one.
  void change_dimensions(Id id) {
    const ir::Instruction i = pattern_.instruction(id);
    const std::size_t rank = i.opcode() == Opcode::Broadcast ? i.shape().rank()
                             : i.operand_count() > 0         ? i.operand(0).shape().rank()
                                                             : 0;
    for (const Key key : {Key::Dimensions, Key::LhsContractingDims, Key::RhsContractingDims, Key::LhsBatchDims}) {
      const Numbers before(i.numbers(key).begin(), i.numbers(key).end());
      for (std::size_t at = 0; at < before.size(); ++at) {
        for (std::int64_t other = 0; other < static_cast<std::int64_t>(rank); ++other) {
          Numbers numbers = before;
          numbers[at] = other;
          if (other != before[at]) {
            keep([&](ir::Module &module) { module.set_numbers(id, key, numbers); });
          }
        }
      }
    }
  }

  void change_op(Id id) {
    for (const auto &[from, to] : siblings) {
      if (pattern_.instruction(id).opcode() == from) {
        keep([&, to = to](ir::Module &module) { module.set_opcode(id, to); });
      }
    }
    if (pattern_.instruction(id).opcode() == Opcode::Compare) {
      keep([&](ir::Module &module) {
        module.set_number(id, Key::Direction, static_cast<std::int64_t>(ir::ComparisonDirection::Lt));
      });
    }
  }

  void exchange_operands(Id id) {
    const auto operands = pattern_.instruction(id).operands();
    for (std::size_t k = 1; k < operands.size(); ++k) {
      std::vector<Id> exchanged(operands.begin(), operands.end());
      std::swap(exchanged[k - 1], exchanged[k]);
      if (exchanged[k - 1] != exchanged[k]) {
        keep([&](ir::Module &module) { module.set_operands(id, exchanged); });
      }
    }
  }

  // Two operands become one value.
  void share_operands(Id id) {
    const auto operands = pattern_.instruction(id).operands();
    for (std::size_t k = 1; k < operands.size(); ++k) {
      std::vector<Id> shared(operands.begin(), operands.end());
      shared[k] = shared[k - 1];
      if (operands[k] != operands[k - 1]) {
        keep([&](ir::Module &module) { module.set_operands(id, shared); });
      }
    }
  }

  // A value inside the pattern becomes a result, too.
  void return_too(Id id) {
    const ir::Instruction i = pattern_.instruction(id);
    const Id root = pattern_.entry().root().id();
    if (i.opcode() != Opcode::Parameter && i.opcode() != Opcode::Constant && i.opcode() != Opcode::Broadcast &&
        id != root) {
      keep([&](ir::Module &module) {
        ir::Builder b(module, module.entry().id());
        module.set_root(module.entry().id(), b.tuple(std::vector{root, id}));
      });
    }
  }

  const ir::Module &pattern_;
  std::vector<ir::Module> variants_;
};

}  // namespace

std::span<const Pattern> patterns() {
  return pattern_table;
}

const Pattern *find_pattern(std::string_view name) {
  const auto found = std::ranges::find(pattern_table, name, &Pattern::name);
  return found == std::end(pattern_table) ? nullptr : &*found;
}

Result<ir::Module> program_of(const Pattern &pattern, ElementType type) {
  const std::string text = fmt::format("HloModule pattern\n{}ENTRY main {{ {} }}\n", functions, pattern.text);
  BP_ASSIGN(ir::Module module, text::parse_module(boost::replace_all_copy(text, "$", ir::to_string(type))));
  BP_TRY(ir::verify(module));
  return module;
}

std::vector<std::vector<ir::Module>> variants_of(const ir::Module &pattern) {
  return Variation(pattern).take();
}

ir::Module as_fusion(ir::Module program) {
  const ir::Computation fused = program.entry();
  const std::vector<Id> parameters(fused.parameter_ids().begin(), fused.parameter_ids().end());
  const ir::Shape result = fused.root().shape();
  const ir::ComputationId calls[] = {fused.id()};
  const ir::ComputationId entry = program.add_computation("fusion");
  ir::Builder b(program, entry);
  std::vector<Id> operands;
  for (const Id parameter : parameters) {
    operands.push_back(b.parameter(program.instruction(parameter).shape()));
  }
  const auto set_kind = [](ir::Module &module, Id id) {
    module.set_number(id, Key::Kind, static_cast<std::int64_t>(ir::FusionKind::Input));
  };
  const Id root = b.try_add(Opcode::Fusion, operands, set_kind, calls, result).value();
  program.set_root(entry, root);
  program.set_entry(entry);
  program.header() = {};
  return program;
}

}  // namespace bp::coverage
