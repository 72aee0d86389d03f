// Functions of bf16, computed in f32 by range reduction and a short polynomial. Relative error below 2^-18 of the exact
// value, before it is rounded to bf16 (8 bits).
#pragma once

#include <cmath>
#include <limits>

namespace bp::npu {

// e^x - 1 for |x| <= 0.35, as x (1 + x/2 (1 + x/3 (...))).
inline float small_expm1(float x) {
  float sum = 1;
  for (int n = 7; n >= 2; --n) {
    sum = 1 + x / static_cast<float>(n) * sum;
  }
  return x * sum;
}

// e^x as 2^n (1 + expm1(r)), where x = n ln 2 + r.
inline float exponential(float x) {
  if (std::isnan(x)) {
    return x;
  }
  if (x > 89 || x < -104) {
    return x > 0 ? std::numeric_limits<float>::infinity() : 0.0f;
  }
  const float n = std::nearbyint(x * 1.44269504f);
  const float r = (x - n * 0.693145752f) - n * 1.42860677e-6f;  // ln 2 in two parts, the first with few bits
  return std::ldexp(1 + small_expm1(r), static_cast<int>(n));
}

inline float exponential_minus_one(float x) {
  return std::fabs(x) <= 0.35f ? small_expm1(x) : exponential(x) - 1;
}

// log((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 + ...) for |s| <= 0.18.
inline float log_of_ratio(float s) {
  const float square = s * s;
  return 2 * s * (1 + square * (1 / 3.0f + square * (1 / 5.0f + square * (1 / 7.0f + square / 9))));
}

inline float logarithm(float x) {
  if (!(x > 0) || std::isinf(x)) {
    return x == 0 ? -std::numeric_limits<float>::infinity() : x > 0 ? x : std::numeric_limits<float>::quiet_NaN();
  }
  int exponent;
  float mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678f) {
    mantissa *= 2;
    --exponent;
  }
  return log_of_ratio((mantissa - 1) / (mantissa + 1)) + static_cast<float>(exponent) * 0.693147181f;
}

inline float logarithm_of_one_plus(float x) {
  return std::fabs(x) <= 0.35f ? log_of_ratio(x / (2 + x)) : logarithm(1 + x);
}

inline float hyperbolic_tangent(float x) {
  if (std::isnan(x)) {
    return x;
  }
  const float power = exponential_minus_one(2 * std::fmin(std::fabs(x), 10.0f));
  return std::copysign(power / (power + 2), x);
}

inline float logistic(float x) {
  const float power = exponential(-std::fabs(x));
  return (x < 0 ? power : 1) / (1 + power);
}

// The Taylor series near 0, otherwise formula 7.1.26 of Abramowitz and Stegun, whose absolute error is 1.5e-7.
inline float error_function(float x) {
  const float magnitude = std::fabs(x), square = x * x;
  if (magnitude <= 0.5f) {
    return x * 1.12837917f *
           (1 -
            square * (1 / 3.0f - square * (1 / 10.0f - square * (1 / 42.0f - square * (1 / 216.0f - square / 1320)))));
  }
  const float t = 1 / (1 + 0.3275911f * magnitude);
  const float sum =
      t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
  return std::isnan(x) ? x : std::copysign(1 - sum * exponential(-square), x);
}

}  // namespace bp::npu
