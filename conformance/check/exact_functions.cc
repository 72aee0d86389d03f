#include "conformance/check/exact_functions.h"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/acosh.hpp>
#include <boost/math/special_functions/asinh.hpp>
#include <boost/math/special_functions/atanh.hpp>
#include <boost/math/special_functions/cbrt.hpp>
#include <boost/math/special_functions/erf.hpp>

namespace bp::conformance {
namespace {

using ir::Opcode;

constexpr std::array functions = {
    ExactFunction{Opcode::Abs, [](const Number &x) -> Number { return abs(x); }},
    ExactFunction{Opcode::Negate, [](const Number &x) -> Number { return -x; }},
    ExactFunction{Opcode::Sqrt, [](const Number &x) -> Number { return sqrt(x); }},
    ExactFunction{Opcode::Rsqrt, [](const Number &x) -> Number { return 1 / sqrt(x); }},
    ExactFunction{Opcode::Cbrt, [](const Number &x) -> Number { return boost::math::cbrt(x); }},
    ExactFunction{Opcode::Exponential, [](const Number &x) -> Number { return exp(x); }},
    ExactFunction{Opcode::ExponentialMinusOne, [](const Number &x) -> Number { return expm1(x); }},
    ExactFunction{Opcode::Log, [](const Number &x) -> Number { return log(x); }},
    ExactFunction{Opcode::LogPlusOne, [](const Number &x) -> Number { return log1p(x); }},
    ExactFunction{Opcode::Logistic, [](const Number &x) -> Number { return 1 / (1 + exp(-x)); }},
    ExactFunction{Opcode::Sine, [](const Number &x) -> Number { return sin(x); }},
    ExactFunction{Opcode::Cosine, [](const Number &x) -> Number { return cos(x); }},
    ExactFunction{Opcode::Tan, [](const Number &x) -> Number { return tan(x); }},
    ExactFunction{Opcode::Asin, [](const Number &x) -> Number { return asin(x); }},
    ExactFunction{Opcode::Acos, [](const Number &x) -> Number { return acos(x); }},
    ExactFunction{Opcode::Atan, [](const Number &x) -> Number { return atan(x); }},
    ExactFunction{Opcode::Sinh, [](const Number &x) -> Number { return sinh(x); }},
    ExactFunction{Opcode::Cosh, [](const Number &x) -> Number { return cosh(x); }},
    ExactFunction{Opcode::Tanh, [](const Number &x) -> Number { return tanh(x); }},
    ExactFunction{Opcode::Asinh, [](const Number &x) -> Number { return boost::math::asinh(x); }},
    ExactFunction{Opcode::Acosh, [](const Number &x) -> Number { return boost::math::acosh(x); }},
    ExactFunction{Opcode::Atanh, [](const Number &x) -> Number { return boost::math::atanh(x); }},
    ExactFunction{Opcode::Erf, [](const Number &x) -> Number { return boost::math::erf(x); }},
    ExactFunction{Opcode::Add, nullptr, [](const Number &x, const Number &y) -> Number { return x + y; }},
    ExactFunction{Opcode::Subtract, nullptr, [](const Number &x, const Number &y) -> Number { return x - y; }},
    ExactFunction{Opcode::Multiply, nullptr, [](const Number &x, const Number &y) -> Number { return x * y; }},
    ExactFunction{Opcode::Divide, nullptr, [](const Number &x, const Number &y) -> Number { return x / y; }},
    ExactFunction{Opcode::Power, nullptr, [](const Number &x, const Number &y) -> Number { return pow(x, y); }},
    ExactFunction{Opcode::Atan2, nullptr, [](const Number &y, const Number &x) -> Number { return atan2(y, x); }},
};

}  // namespace

const ExactFunction *find_exact_function(ir::Opcode opcode) {
  const auto found = std::ranges::find(functions, opcode, &ExactFunction::opcode);
  return found == functions.end() ? nullptr : &*found;
}

}  // namespace bp::conformance
