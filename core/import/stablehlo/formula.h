// Arithmetic on whole arrays, written like arithmetic on numbers, for functions that HLO has no instruction for. All
// floats are computed in f64: narrower types then have more than enough precision, and one approximation serves all
// types. Only results in f64 show the error of the approximations, which is a few units in the last place.
#pragma once

#include <map>

#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {

class Formula;

// An array in a formula; its element type is pred if it is the result of a comparison.
struct Number {
  Formula *formula;
  InstructionId id;
};

class Formula {
 public:
  // Makes a formula for arrays of the shape of `example`, computed in f64. Fails if it is not an array of floats of
  // known sizes.
  static Result<Formula> make(Lowering &lowering, const Operation &operation, InstructionId example);

  Number input(InstructionId id);  // converted to f64
  Number constant(double value);
  // Converts to the element type of the example.
  InstructionId output(Number number);

  Number apply(Opcode opcode, std::initializer_list<Number> operands);
  Number compare(ir::ComparisonDirection direction, Number a, Number b);
  Number convert(Number x, ir::ElementType type);

 private:
  Formula(Lowering &lowering, const Operation &operation, const Shape &shape)
      : lowering_(&lowering), operation_(&operation), shape_(shape) {}
  InstructionId add(Opcode opcode, ir::ElementType type, std::span<const InstructionId> operands);

  Lowering *lowering_;
  const Operation *operation_;
  Shape shape_;                                       // shape of the example
  std::map<std::uint64_t, InstructionId> constants_;  // by their bits
};

inline Number operator+(Number a, Number b) {
  return a.formula->apply(Opcode::Add, {a, b});
}
inline Number operator-(Number a, Number b) {
  return a.formula->apply(Opcode::Subtract, {a, b});
}
inline Number operator*(Number a, Number b) {
  return a.formula->apply(Opcode::Multiply, {a, b});
}
inline Number operator/(Number a, Number b) {
  return a.formula->apply(Opcode::Divide, {a, b});
}
inline Number operator-(Number a) {
  return a.formula->apply(Opcode::Negate, {a});
}
inline Number operator+(Number a, double b) {
  return a + a.formula->constant(b);
}
inline Number operator-(Number a, double b) {
  return a - a.formula->constant(b);
}
inline Number operator*(Number a, double b) {
  return a * a.formula->constant(b);
}
inline Number operator/(Number a, double b) {
  return a / a.formula->constant(b);
}
inline Number operator+(double a, Number b) {
  return b.formula->constant(a) + b;
}
inline Number operator-(double a, Number b) {
  return b.formula->constant(a) - b;
}
inline Number operator*(double a, Number b) {
  return b.formula->constant(a) * b;
}
inline Number operator/(double a, Number b) {
  return b.formula->constant(a) / b;
}
inline Number operator<(Number a, Number b) {
  return a.formula->compare(ir::ComparisonDirection::Lt, a, b);
}
inline Number operator>(Number a, Number b) {
  return b < a;
}
inline Number operator<(Number a, double b) {
  return a < a.formula->constant(b);
}
inline Number operator>(Number a, double b) {
  return a.formula->constant(b) < a;
}
inline Number operator==(Number a, double b) {
  return a.formula->compare(ir::ComparisonDirection::Eq, a, a.formula->constant(b));
}
inline Number operator==(Number a, Number b) {
  return a.formula->compare(ir::ComparisonDirection::Eq, a, b);
}
inline Number operator&&(Number a, Number b) {
  return a.formula->apply(Opcode::And, {a, b});
}
inline Number operator!(Number a) {
  return a.formula->apply(Opcode::Not, {a});
}

inline Number select(Number condition, Number a, Number b) {
  return a.formula->apply(Opcode::Select, {condition, a, b});
}
inline Number select(Number condition, double a, Number b) {
  return select(condition, b.formula->constant(a), b);
}
inline Number select(Number condition, Number a, double b) {
  return select(condition, a, a.formula->constant(b));
}
inline Number abs(Number x) {
  return x.formula->apply(Opcode::Abs, {x});
}
inline Number exp(Number x) {
  return x.formula->apply(Opcode::Exponential, {x});
}
inline Number floor(Number x) {
  return x.formula->apply(Opcode::Floor, {x});
}
inline Number log(Number x) {
  return x.formula->apply(Opcode::Log, {x});
}
inline Number min(Number a, Number b) {
  return a.formula->apply(Opcode::Minimum, {a, b});
}
inline Number min(Number a, double b) {
  return min(a, a.formula->constant(b));
}
inline Number pow(Number a, Number b) {
  return a.formula->apply(Opcode::Power, {a, b});
}
inline Number sin(Number x) {
  return x.formula->apply(Opcode::Sine, {x});
}
inline Number sqrt(Number x) {
  return x.formula->apply(Opcode::Sqrt, {x});
}
inline Number tan(Number x) {
  return x.formula->apply(Opcode::Tan, {x});
}
inline Number erf(Number x) {
  return x.formula->apply(Opcode::Erf, {x});
}
// Rounds to the 24 bits of an f32, so that the square of the result is exact in f64.
Number to_single(Number x);

// Returns c[0] + c[1] x + c[2] x^2 + ...
Number polynomial(Number x, std::span<const double> coefficients);
// A quotient of two polynomials.
struct Rational {
  std::span<const double> numerator, denominator;
};
Number rational(Number x, const Rational &approximation);

// --- The functions ---

Number log_gamma(Number x);
Number digamma(Number x);
Number zeta(Number s, Number q);  // sum of (q + k)^-s over k = 0, 1, ...
Number polygamma(Number n, Number x);
Number erf_inverse(Number x);
Number erf_complement(Number x);
Number bessel_i1e(Number x);  // I1(x) e^-|x|

}  // namespace bp::import::stablehlo
