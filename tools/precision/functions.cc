// The references are the C library's and Boost.Math's functions of double, which has far more digits than f32 and
// narrower types need.
#include "tools/precision/functions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/import/stablehlo/stablehlo.h"
#include "core/passes/pipeline.h"
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

// Templates of programs; `of_one`: one operand and one result of the same type.
constexpr std::string_view of_one = "ENTRY e {{ x = {from}[{count}] parameter(0)  ROOT r = {to}[{count}] {name}(x) }}",
                           predicate =
                               "ENTRY e {{ x = {from}[{count}] parameter(0)  p = pred[{count}] {name}(x)  "
                               "ROOT r = {to}[{count}] convert(p) }}",
                           of_two =
                               "ENTRY e {{ x = {from}[{count}] parameter(0)  y = {from}[{count}] parameter(1)  "
                               "ROOT r = {to}[{count}] {name}(x, y) }}",
                           chlo =
                               "func.func @main(%x: tensor<{count}x{from}>) -> tensor<{count}x{to}> {{ "
                               "%0 = {name} %x : tensor<{count}x{from}> -> tensor<{count}x{to}>\n"
                               "return %0 : tensor<{count}x{to}> }}";

// Relative error bounds of the references. For sums, products, quotients and square roots of f32, rounding to double
// and then to f32 gives the same result as one rounding, because double has more than twice the digits.
constexpr double exact = 0;
// The manual of the GNU C library gives at most 5 ulp in double. The formulas above add two.
constexpr double c_library = 0x1p-49;
// Boost.Math reports errors of a few ulp in its own tests.
constexpr double boost_math = 0x1p-44;

struct Row {
  std::string_view name;
  std::string_view program;
  int budget;
  double error;
  double (*unary)(double x);
  double (*binary)(double x, double y) = nullptr;
  Number (*many_digits)(const Number &x) = nullptr;  // for ops of HLO: conformance::find_exact_function
};
constexpr Row rows[] = {
    {"abs", of_one, 0, exact, std::fabs},
    {"negate", of_one, 0, exact, [](double x) { return -x; }},
    {"sign", of_one, 0, exact, sign},
    {"ceil", of_one, 0, exact, std::ceil},
    {"floor", of_one, 0, exact, std::floor},
    {"round-nearest-afz", of_one, 0, exact, std::round},
    {"round-nearest-even", of_one, 0, exact, std::nearbyint},
    {"is-finite", predicate, 0, exact, [](double x) -> double { return std::isfinite(x); }},
    {"real", of_one, 0, exact, [](double x) { return x; }},
    {"imag", of_one, 0, exact, [](double) -> double { return 0; }},
    {"sqrt", of_one, 0, exact, std::sqrt},
    {"chlo.square", chlo, 0, exact, square},
    {"rsqrt", of_one, 1, c_library, rsqrt},
    {"cbrt", of_one, 1, c_library, std::cbrt},
    {"exponential", of_one, 1, c_library, std::exp},
    {"exponential-minus-one", of_one, 1, c_library, std::expm1},
    {"log", of_one, 1, c_library, std::log},
    {"log-plus-one", of_one, 1, c_library, std::log1p},
    {"logistic", of_one, 1, c_library, logistic},
    {"sine", of_one, 1, c_library, std::sin},
    {"cosine", of_one, 1, c_library, std::cos},
    {"tan", of_one, 1, c_library, std::tan},
    {"asin", of_one, 1, c_library, std::asin},
    {"acos", of_one, 1, c_library, std::acos},
    {"atan", of_one, 1, c_library, std::atan},
    {"sinh", of_one, 1, c_library, std::sinh},
    {"cosh", of_one, 1, c_library, std::cosh},
    {"tanh", of_one, 1, c_library, std::tanh},
    {"asinh", of_one, 1, c_library, std::asinh},
    {"acosh", of_one, 1, c_library, std::acosh},
    {"atanh", of_one, 1, c_library, std::atanh},
    {"erf", of_one, 1, c_library, std::erf},
    {"chlo.erfc", chlo, 2, c_library, std::erfc, nullptr, exact_erfc},
    {"chlo.erf_inv", chlo, 2, boost_math, erf_inverse, nullptr, exact_erf_inverse},
    {"chlo.lgamma", chlo, 2, c_library, log_gamma, nullptr, exact_log_gamma},
    {"chlo.digamma", chlo, 2, boost_math, digamma, nullptr, exact_digamma},
    {"chlo.bessel_i1e", chlo, 2, boost_math, bessel_i1e, nullptr, exact_bessel_i1e},
    {"add", of_two, 0, exact, nullptr, [](double x, double y) { return x + y; }},
    {"subtract", of_two, 0, exact, nullptr, [](double x, double y) { return x - y; }},
    {"multiply", of_two, 0, exact, nullptr, [](double x, double y) { return x * y; }},
    {"divide", of_two, 0, exact, nullptr, [](double x, double y) { return x / y; }},
    {"remainder", of_two, 0, exact, nullptr, std::fmod},
    {"maximum", of_two, 0, exact, nullptr, maximum},
    {"minimum", of_two, 0, exact, nullptr, minimum},
    {"power", of_two, 1, c_library, nullptr, std::pow},
    {"atan2", of_two, 1, c_library, nullptr, std::atan2},
};

// Ops whose result is not a float, or not a single function. Other tests compare all bits of their results.
constexpr std::array not_measured = {Opcode::Convert, Opcode::Compare, Opcode::Complex, Opcode::ReducePrecision,
                                     Opcode::StochasticConvert};

bool is_measured(const ir::OpInfo &op) {
  const bool takes_floats = op.types == ir::TypeSet::Float || op.types == ir::TypeSet::FloatOrComplex ||
                            op.types == ir::TypeSet::Real || op.types == ir::TypeSet::Numeric ||
                            op.types == ir::TypeSet::AnyArray;
  return takes_floats && op.has(ir::Trait::Elementwise) && op.max_operands <= 2 &&
         std::ranges::count(not_measured, op.opcode) == 0;
}

Function function_of(const Row &row) {
  Function result;
  result.name = row.name;
  result.program = row.program;
  result.operands = row.binary != nullptr ? 2 : 1;
  result.budget = row.budget;
  result.error = row.error;
  result.unary = row.unary;
  result.binary = row.binary;
  result.exact_unary = row.many_digits;
  const auto op = std::ranges::find(ir::ops(), row.name, &ir::OpInfo::text);
  if (row.error != exact && op != ir::ops().end()) {
    const conformance::ExactFunction &many_digits = *conformance::find_exact_function(op->opcode);
    result.exact_unary = many_digits.unary;
    result.exact_binary = many_digits.binary;
  }
  return result;
}

}  // namespace

Result<std::vector<Function>> functions() {
  for (const ir::OpInfo &op : ir::ops()) {
    if (is_measured(op) && std::ranges::count(rows, op.text, &Row::name) == 0) {
      return make_error(ErrorCode::Internal,
                        "{}: no expected function is known, add a row for it to tools/precision/functions.cc", op.text);
    }
  }
  std::vector<Function> result;
  std::ranges::transform(rows, std::back_inserter(result), function_of);
  return result;
}

Function conversion() {
  Function result = function_of({"convert", of_one, 0, exact, [](double x) { return x; }});
  result.is_monotone = true;
  return result;
}

Result<ir::Module> Function::module(ir::ElementType from, ir::ElementType to, std::int64_t count) const {
  const std::string text =
      fmt::format(fmt::runtime(program), fmt::arg("name", name), fmt::arg("from", ir::to_string(from)),
                  fmt::arg("to", ir::to_string(to)), fmt::arg("count", count));
  return import::stablehlo::is_stablehlo(text) ? import::stablehlo::read(text) : text::parse_module(text);
}

Status expand_functions(ir::Module &module) {
  passes::PipelineOptions options;
  options.context.has_f64 = false;
  return passes::run_passes(module, {passes::complex_expansion, passes::function_expansion}, options);
}

}  // namespace bp::precision
