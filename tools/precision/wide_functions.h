// Functions of f64, c64 and c128 beside their definitions, taken literally with so many digits that nothing which
// cancels is missed: 640 bits where all numbers are of ordinary size, else thousands.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <string_view>

#include "core/ir/element_type.h"

namespace bp::precision {

// The arguments of a function. For c64 the parts are floats.
struct WideInput {
  std::complex<double> x, y;  // y: of functions of two
};

struct WideFunction {
  std::string_view name;  // of the op
  int operands;
  bool is_defined_at_zeros;  // the definition tells the result where a part is zero: no cut runs along an axis
  // The C library's function for arguments that are zero, infinite or NaN in a part, as C99 annex G wants it; null
  // where it has none.
  std::complex<long double> (*of_specials)(std::complex<long double> z) = nullptr;
  // The same of functions of two.
  std::complex<long double> (*of_specials_of_two)(std::complex<long double> x, std::complex<long double> y) = nullptr;
};
// Every function of complex numbers that HLO has.
std::span<const WideFunction> complex_functions();

// How far a result is from the exact one, in units in the last place: of each part, and of the larger part. Infinity
// where one is special and the other is not.
struct Distance {
  double of_parts = 0, of_norm = 0;
};

// Whether the definition tells the result: of finite numbers. On which side of a cut a zero is, it tells of products,
// quotients and powers only.
bool has_definition(const WideFunction &function, const WideInput &input);
// From the definition. With `is_magnified` the error of a power is taken over 1 + |y log x|, by which the exponent
// magnifies that of a logarithm; where that leaves no digit, only results that are surely zero or infinite count.
Distance distance_of_complex(const WideFunction &function, const WideInput &input, std::complex<double> found,
                             ir::ElementType part_type, bool is_magnified);
// From the C library, also by the signs of zeros; nothing where it has no such function.
std::optional<Distance> distance_of_special(const WideFunction &function, const WideInput &input,
                                            std::complex<double> found, ir::ElementType part_type);
// The same of a function of f64; `near` tells where it is special.
double distance_of_real(std::string_view name, double x, double y, double near, double found);

}  // namespace bp::precision
