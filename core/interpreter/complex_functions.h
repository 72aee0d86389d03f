// The functions of complex numbers that the C library does not have, or not with all digits: each part within a unit in
// the last place of f64, also where the terms of its formula cancel. Arguments are f64 held in the extended format,
// whose exponents let nothing overflow on the way. At zeros, infinities and NaN they are what C99 annex G makes of the
// formula beside each.
#pragma once

#include <complex>

namespace bp::interpreter {

using Extended = std::complex<long double>;

Extended multiply_precisely(Extended x, Extended y);
Extended divide_precisely(Extended x, Extended y);
Extended exponential_minus_one(Extended z);
Extended log_plus_one(Extended z);
Extended logistic(Extended z);  // 1 / (1 + e^-z)
// e^(y log x). Any number to 0 is 1, and 1 to any; 0 has a value to positive real numbers only; a positive real number
// to a real power is real, also where one is infinite.
Extended power(Extended x, Extended y);
// The angle of x + iy continued to complex x and y: -i log((x + iy) / sqrt(x^2 + y^2)).
Extended complex_atan2(Extended y, Extended x);

}  // namespace bp::interpreter
