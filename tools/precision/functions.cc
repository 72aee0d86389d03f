// References are those of the C library and Boost.Math in double: f32 and narrower are rounded from far fewer digits.
#include "tools/precision/functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/import/stablehlo/stablehlo.h"
#include "core/text/parser.h"
#include "tools/precision/special_functions.h"

namespace bp::precision {
namespace {

using ir::Opcode;

double sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;
}
double rsqrt(double x) {
  return 1 / std::sqrt(x);
}
double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}
double square(double x) {
  return x * x;
}
double maximum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? NAN : x == y ? (std::signbit(x) ? y : x) : std::max(x, y);
}
double minimum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? NAN : x == y ? (std::signbit(x) ? x : y) : std::min(x, y);
}
// One operand and one result of the same type.
constexpr std::string_view plain = "ENTRY e {{ x = {from}[{count}] parameter(0)  ROOT r = {to}[{count}] {name}(x) }}",
                           predicate =
                               "ENTRY e {{ x = {from}[{count}] parameter(0)  p = pred[{count}] {name}(x)  "
                               "ROOT r = {to}[{count}] convert(p) }}",
                           binary =
                               "ENTRY e {{ x = {from}[{count}] parameter(0)  y = {from}[{count}] parameter(1)  "
                               "ROOT r = {to}[{count}] {name}(x, y) }}",
                           chlo =
                               "func.func @main(%x: tensor<{count}x{from}>) -> tensor<{count}x{to}> {{ "
                               "%0 = {name} %x : tensor<{count}x{from}> -> tensor<{count}x{to}>\n"
                               "return %0 : tensor<{count}x{to}> }}";

struct Reference {
  Opcode opcode;
  double (*unary)(double x);
  double (*binary)(double x, double y) = nullptr;
  std::string_view program = plain;
};
// Sums, products and quotients of narrower floats in double round to what the exact ones would.
constexpr std::array references = {
    Reference{Opcode::Abs, std::fabs},
    Reference{Opcode::Negate, [](double x) { return -x; }},
    Reference{Opcode::Sign, sign},
    Reference{Opcode::Ceil, std::ceil},
    Reference{Opcode::Floor, std::floor},
    Reference{Opcode::RoundNearestAfz, std::round},
    Reference{Opcode::RoundNearestEven, std::nearbyint},
    Reference{Opcode::Exponential, std::exp},
    Reference{Opcode::ExponentialMinusOne, std::expm1},
    Reference{Opcode::Log, std::log},
    Reference{Opcode::LogPlusOne, std::log1p},
    Reference{Opcode::Sqrt, std::sqrt},
    Reference{Opcode::Rsqrt, rsqrt},
    Reference{Opcode::Cbrt, std::cbrt},
    Reference{Opcode::Sine, std::sin},
    Reference{Opcode::Cosine, std::cos},
    Reference{Opcode::Tan, std::tan},
    Reference{Opcode::Sinh, std::sinh},
    Reference{Opcode::Cosh, std::cosh},
    Reference{Opcode::Tanh, std::tanh},
    Reference{Opcode::Asin, std::asin},
    Reference{Opcode::Acos, std::acos},
    Reference{Opcode::Atan, std::atan},
    Reference{Opcode::Asinh, std::asinh},
    Reference{Opcode::Acosh, std::acosh},
    Reference{Opcode::Atanh, std::atanh},
    Reference{Opcode::Erf, std::erf},
    Reference{Opcode::Logistic, logistic},
    Reference{Opcode::IsFinite, [](double x) -> double { return std::isfinite(x); }, nullptr, predicate},
    Reference{Opcode::Real, [](double x) { return x; }},
    Reference{Opcode::Imag, [](double) -> double { return 0; }},
    Reference{Opcode::Add, nullptr, [](double x, double y) { return x + y; }, binary},
    Reference{Opcode::Subtract, nullptr, [](double x, double y) { return x - y; }, binary},
    Reference{Opcode::Multiply, nullptr, [](double x, double y) { return x * y; }, binary},
    Reference{Opcode::Divide, nullptr, [](double x, double y) { return x / y; }, binary},
    Reference{Opcode::Remainder, nullptr, std::fmod, binary},
    Reference{Opcode::Power, nullptr, std::pow, binary},
    Reference{Opcode::Atan2, nullptr, std::atan2, binary},
    Reference{Opcode::Maximum, nullptr, maximum, binary},
    Reference{Opcode::Minimum, nullptr, minimum, binary},
};

// Ops whose result is no float, or not one function: tests of their own compare all bits.
constexpr std::array not_measured = {Opcode::Convert, Opcode::Compare, Opcode::Complex, Opcode::ReducePrecision,
                                     Opcode::StochasticConvert};

// Rounded once by the processor or by nothing at all.
bool is_exact(Opcode opcode) {
  constexpr std::array inexact_in_double = {Opcode::Add, Opcode::Subtract, Opcode::Multiply, Opcode::Divide,
                                            Opcode::Abs, Opcode::Negate,   Opcode::Sqrt};
  return conformance::find_exact_function(opcode) == nullptr || std::ranges::count(inexact_in_double, opcode) != 0;
}

bool is_measured(const ir::OpInfo &op) {
  const bool takes_floats = op.types == ir::TypeSet::Float || op.types == ir::TypeSet::FloatOrComplex ||
                            op.types == ir::TypeSet::Real || op.types == ir::TypeSet::Numeric ||
                            op.types == ir::TypeSet::AnyArray;
  return takes_floats && op.has(ir::Trait::Elementwise) && op.max_operands <= 2 &&
         std::ranges::count(not_measured, op.opcode) == 0;
}

Function special(std::string_view name, int budget, double (*function)(double), Number (*exact)(const Number &)) {
  Function result;
  result.name = name;
  result.program = chlo;
  result.budget = budget;
  result.unary = function;
  result.exact_unary = exact;
  return result;
}

}  // namespace

Result<std::vector<Function>> functions() {
  std::vector<Function> result;
  for (const ir::OpInfo &op : ir::ops()) {
    if (!is_measured(op)) {
      continue;
    }
    const auto reference = std::ranges::find(references, op.opcode, &Reference::opcode);
    if (reference == references.end()) {
      return make_error(ErrorCode::Internal, "{}: what it should give is not known to tools/precision/functions.cc",
                        op.text);
    }
    Function function;
    function.name = op.text;
    function.program = reference->program;
    function.operands = op.max_operands;
    function.unary = reference->unary;
    function.binary = reference->binary;
    function.budget = is_exact(op.opcode) ? 0 : 1;
    if (!is_exact(op.opcode)) {
      const conformance::ExactFunction &exact = *conformance::find_exact_function(op.opcode);
      function.exact_unary = exact.unary;
      function.exact_binary = exact.binary;
    }
    result.push_back(std::move(function));
  }
  result.push_back(special("chlo.square", 0, square, nullptr));
  result.push_back(special("chlo.erfc", 2, std::erfc, exact_erfc));
  result.push_back(special("chlo.erf_inv", 2, erf_inverse, exact_erf_inverse));
  result.push_back(special("chlo.lgamma", 2, log_gamma, exact_log_gamma));
  result.push_back(special("chlo.digamma", 2, digamma, exact_digamma));
  result.push_back(special("chlo.bessel_i1e", 2, bessel_i1e, exact_bessel_i1e));
  return result;
}

Function conversion() {
  Function result;
  result.name = ir::to_string(Opcode::Convert);
  result.program = plain;
  result.budget = 0;
  result.unary = [](double x) { return x; };
  return result;
}

Result<ir::Module> Function::module(ir::ElementType from, ir::ElementType to, std::int64_t count) const {
  const std::string text =
      fmt::format(fmt::runtime(program), fmt::arg("name", name), fmt::arg("from", ir::to_string(from)),
                  fmt::arg("to", ir::to_string(to)), fmt::arg("count", count));
  return import::stablehlo::is_stablehlo(text) ? import::stablehlo::read(text) : text::parse_module(text);
}

}  // namespace bp::precision
