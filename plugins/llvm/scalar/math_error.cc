// The error function.
#include <utility>

#include "plugins/llvm/scalar/math.h"
#include "plugins/llvm/scalar/math_exponential.h"

namespace bp::emit {

namespace {

// erf(x) / x - 1 in z = x^2 on [0, 1], weight x / erf(x): 2^-62.7.
constexpr double erf_f64_coefficients[] = {0.1283791670955126,      -0.3761263890318375,     0.11283791670954857,
                                           -0.026866170645072882,   0.005223977624780771,    -0.0008548326978737141,
                                           0.00012055331036725262,  -1.4925593502864818e-05, 1.6460972754425743e-06,
                                           -1.6350024576650064e-07, 1.4657875606221849e-08,  -1.1365649995766196e-09,
                                           5.945235421723004e-11};
// erf(x) / x - 1 in z - 0.75 for z = x^2 in [0, 1.2^2]: 2^-30.8.
constexpr double erf_f32_coefficients[] = {-0.100108802,  -0.24458842,     0.066918917,    -0.0151311727,
                                           0.00284692761, -0.000455338537, 6.40547951e-05, -7.97953089e-06};
// (1 + 2x) exp(x^2) erfc(x) in u = (x-2) / (x+2) for x in [1, 6], weight erfc(x): 2^-59.
constexpr double erfc_f64_coefficients[] = {1.2769783815525293,     -0.09276382658574013,   -0.16603039761564914,
                                            0.16405128002807504,    -0.054220000982397605,  -0.008034014682174696,
                                            0.008722654590139958,   0.0012713290590921555,  -0.001456841601554016,
                                            -0.0004542251616708527, 0.00020673360142882584, 0.000150311827197695,
                                            -3.75371007427395e-06,  -3.391760162540902e-05, -7.343936054652296e-06};
// -log(erfc(x)) on [1.2, 4], weight erfc(x): 2^-32.0.
constexpr double erfc_f32_coefficients[] = {0.000219825903, 1.12795126,    0.635953665,     0.105913498,
                                            -0.0238574948,  0.00377638382, -0.000367515109, 1.63499135e-05};

Expression erf_f32(const Expression &x) {
  Expression magnitude = abs(x);
  Expression small = fma(magnitude, polynomial(fma(x, x, -0.75), erf_f32_coefficients), magnitude);
  Expression bounded = select(magnitude > 4, 4, magnitude);
  // The rounding error of the exponent would cost a tenth of a unit near 1.2, which is too much.
  auto [constant, slopes] = std::pair(erfc_f32_coefficients[0], std::span(erfc_f32_coefficients).subspan(1));
  Expression slope = polynomial(bounded, slopes);
  Expression exponent = fma(bounded, slope, constant);
  Expression lost = fma(bounded, slope, -exponent) + constant;
  Expression rounded = x.with(emit_exp(x.builder(), (-exponent).value()));
  Expression complement = fma(-rounded, lost, rounded);
  return copy_sign(select(magnitude < 1.2, small, select(is_nan(x), x, -complement + 1)), x);
}

Expression erf_f64(const Expression &x) {
  Expression magnitude = abs(x);
  Expression small = fma(magnitude, polynomial(x * x, erf_f64_coefficients), magnitude);
  Expression bounded = select(magnitude > 6, 6, magnitude);
  Expression square = bounded * bounded;
  Expression decay = exp_f64(-square, -fma(bounded, bounded, -square));
  Expression u = (bounded - 2) / (bounded + 2);
  Expression complement = decay * polynomial(u, erfc_f64_coefficients) / (bounded * 2 + 1);
  return copy_sign(select(magnitude < 1, small, select(is_nan(x), x, -complement + 1)), x);
}

}  // namespace

llvm::Value *emit_erf(llvm::IRBuilderBase &builder, llvm::Value *value) {
  Expression x(builder, value);
  return (x.is_f64() ? erf_f64(x) : erf_f32(x)).value();
}

}  // namespace bp::emit
