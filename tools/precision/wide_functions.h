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
  // The C library's function for arguments that are zero, infinite or NaN in a part, as C99 annex G wants it; null
  // where it has none.
  std::complex<long double> (*of_specials)(std::complex<long double> z) = nullptr;
};
// Every function of complex numbers that HLO has.
std::span<const WideFunction> complex_functions();

// How far a result is from the exact one, in units in the last place: of each part, and of the larger part. Infinity
// where one is special and the other is not.
struct Distance {
  double of_parts = 0, of_norm = 0;
};

// From the definition. The parts of the arguments are finite, and not zero: on which side of a cut a zero is, no
// definition tells.
Distance distance_of_complex(const WideFunction &function, const WideInput &input, std::complex<double> found,
                             ir::ElementType part_type);
// From the C library, also by the signs of zeros.
Distance distance_of_special(const WideFunction &function, std::complex<double> z, std::complex<double> found,
                             ir::ElementType part_type);
// The same of a function of f64; `near` tells where it is special.
double distance_of_real(std::string_view name, double x, double y, double near, double found);

}  // namespace bp::precision
