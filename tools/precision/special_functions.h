// chlo's functions of one float, in double and with a hundred digits. At special arguments they return what chlo
// defines: see core/import/stablehlo/formula_*.cc.
#pragma once

#include "conformance/check/exact_functions.h"

namespace bp::precision {

using conformance::Number;

double erf_inverse(double x);
double log_gamma(double x);
double digamma(double x);
double bessel_i1e(double x);

Number exact_erfc(const Number &x);
Number exact_erf_inverse(const Number &x);
Number exact_log_gamma(const Number &x);
Number exact_digamma(const Number &x);
Number exact_bessel_i1e(const Number &x);

}  // namespace bp::precision
