// Functions of f64, c64 and c128 compared with their definitions, which are evaluated literally with enough digits that
// cancellation loses nothing that matters: 640 bits where all numbers are of ordinary size, thousands of bits
// otherwise.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <string_view>

#include "core/ir/element_type.h"

namespace bp::precision {

// The arguments of a function. For c64 both parts are values of float.
struct WideInput {
  std::complex<double> x, y;  // y: for functions of two arguments
};

struct WideFunction {
  std::string_view name;  // name of the op
  int operands;
  bool is_defined_at_zeros;  // the definition gives the result for zero parts: no branch cut lies on an axis
  // The C library's function for arguments with a part that is zero, infinite or NaN, as specified by C99 annex G;
  // nullptr where it has none.
  std::complex<long double> (*of_specials)(std::complex<long double> z) = nullptr;
  // That function for functions of two arguments.
  std::complex<long double> (*of_specials_of_two)(std::complex<long double> x, std::complex<long double> y) = nullptr;
};
// Returns all functions of complex numbers that HLO has.
std::span<const WideFunction> complex_functions();

// Distance of a result from the exact one in units in the last place: of each part, and of the larger part. Infinity
// where only one of them is special.
struct Distance {
  double part_ulps = 0, norm_ulps = 0;
};

// Whether the definition determines the result, for finite numbers. Which side of a branch cut a zero lies on is
// determined only for products, quotients and powers.
bool has_definition(const WideFunction &function, const WideInput &input);
// Returns the distance from the definition. With `is_magnified`, the error of a power is divided by 1 + |y log x|, the
// factor by which the exponent magnifies the error of a logarithm; where that leaves no digit, only results that are
// certainly zero or infinite count.
Distance distance_of_complex(const WideFunction &function, const WideInput &input, std::complex<double> found,
                             ir::ElementType part_type, bool is_magnified);
// Returns the distance from the C library's result, including the signs of zeros; nothing where it has no such
// function.
std::optional<Distance> distance_of_special(const WideFunction &function, const WideInput &input,
                                            std::complex<double> found, ir::ElementType part_type);
// Returns the distance for a function of f64; `near`, an approximate result, is used where the result is special.
double distance_of_real(std::string_view name, double x, double y, double near, double found);

}  // namespace bp::precision
