// Functions of complex numbers that the C library does not have, or not with all digits: each part is within one unit
// in the last place of f64, also where the terms of its formula cancel. Arguments are f64 values in the extended
// format, whose exponent range avoids overflow of intermediate results. For zeros, infinities and NaN, the result is
// that of the formula next to each function, evaluated as in C99 annex G.
#pragma once

#include <complex>

namespace bp::interpreter {

using Extended = std::complex<long double>;

Extended multiply_precisely(Extended x, Extended y);
Extended divide_precisely(Extended x, Extended y);
Extended exponential_minus_one(Extended z);
Extended log_plus_one(Extended z);
Extended logistic(Extended z);  // 1 / (1 + e^-z)
// e^(y log x). Any number to the power of 0 is 1, and so is 1 to any power; powers of 0 are defined for positive real
// exponents only; a positive real number to a real power is real, also if either is infinite.
Extended power(Extended x, Extended y);
// The angle of x + iy, continued to complex x and y: -i log((x + iy) / sqrt(x^2 + y^2)).
Extended complex_atan2(Extended y, Extended x);

}  // namespace bp::interpreter
