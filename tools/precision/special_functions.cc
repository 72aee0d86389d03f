#include "tools/precision/special_functions.h"

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

namespace bp::precision {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Double has enough digits; by default Boost.Math would use the extended format, which is slow.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
constexpr InDouble in_double;

// I1(x) e^-x sqrt(2 pi x) = 1 - 3 / 8x - 15 / 128x^2 - ..., a divergent series: its terms shrink at first, each by a
// factor of k / 2x.
template <class T>
T scaled_bessel_of_large(const T &x) {
  T sum = 1, term = 1;
  for (int k = 1; k < 60; ++k) {
    term *= -T(4 - (2 * k - 1) * (2 * k - 1)) / (8 * k * x);
    sum += term;
    if (fabs(term) < std::numeric_limits<T>::epsilon()) {
      break;
    }
  }
  return sum / sqrt(2 * boost::math::constants::pi<T>() * x);
}

}  // namespace

double erf_inverse(double x) {
  return x == 0              ? x
         : std::fabs(x) < 1  ? boost::math::erf_inv(x, in_double)
         : std::fabs(x) == 1 ? std::copysign(infinity, x)
                             : NAN;
}

double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);  // std::lgamma writes the sign to a variable shared by all threads
}

// For negative numbers two terms of less than 2^7 cancel each other.
double digamma(double x) {
  if (std::isinf(x)) {
    return x > 0 ? x : NAN;
  }
  if (x > 0) {
    return boost::math::digamma(x, in_double);
  }
  if (x == std::floor(x) || std::isnan(x)) {
    return NAN;
  }
  const auto result = static_cast<double>(boost::math::digamma(static_cast<long double>(x)));
  using Quad = boost::multiprecision::cpp_bin_float_quad;
  return std::fabs(result) > 0x1p-8 ? result : boost::math::digamma(Quad(x)).convert_to<double>();
}

double bessel_i1e(double x) {
  const double magnitude = std::fabs(x);
  if (std::isnan(x)) {
    return x;
  }
  if (std::isinf(x)) {
    return std::copysign(0.0, x);
  }
  return std::copysign(magnitude < 200 ? boost::math::cyl_bessel_i(1, magnitude, in_double) * std::exp(-magnitude)
                                       : scaled_bessel_of_large(magnitude),
                       x);
}

Number exact_erfc(const Number &x) {
  return x > 1000 ? Number(0) : boost::math::erfc(x);
}

Number exact_erf_inverse(const Number &x) {
  return boost::math::erf_inv(x);
}

Number exact_log_gamma(const Number &x) {
  return boost::math::lgamma(x);
}

Number exact_digamma(const Number &x) {
  return boost::math::digamma(x);
}

// Half of a subnormal argument may lie exactly between two results: then the second term of the series decides.
Number exact_bessel_i1e(const Number &x) {
  const Number magnitude = abs(x);
  const Number result = magnitude < 0x1p-100 ? Number((magnitude - magnitude * magnitude) / 2)
                        : magnitude < 200    ? Number(boost::math::cyl_bessel_i(1, magnitude) * exp(-magnitude))
                                             : scaled_bessel_of_large(magnitude);
  return x < 0 ? Number(-result) : result;
}

}  // namespace bp::precision
