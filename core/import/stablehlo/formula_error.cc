// The complementary and the inverse error function. Coefficients: see formula_gamma.cc.
#include <limits>

#include "core/import/stablehlo/formula.h"

namespace bp::import::stablehlo {
namespace {

// Approximates erf_inverse(x) / x, as a function of 0.64 - x^2, for |x| <= 0.8; error 3e-18.
constexpr double central_numerator[] = {1.132742253046029,  8.931283878359043, 26.763830882821168, 38.15122302725304,
                                        26.492822640290246, 8.204329795513491, 0.8808710964907,    0.01463495349303762};
constexpr double central_denominator[] = {1.0,
                                          8.492850439438431,
                                          27.920146390870407,
                                          44.84724477525587,
                                          36.58835210541582,
                                          14.306035305066713,
                                          2.2521384141378054,
                                          0.09036817957896834};
// Approximates erf_inverse(x) / s with s = sqrt(-log(1 - x^2)), as a function of s - 1, for 1 <= s <= 2.5; error
// 1.2e-17.
constexpr double middle_numerator[] = {0.8963303955015786,   -0.3716166038401293,   0.5725954602416978,
                                       -0.08492821378337545, 0.10518502304575389,   0.002514627412958075,
                                       0.009419822044792452, 0.0007362235529277719, 0.0004274025623539812};
constexpr double middle_denominator[] = {1.0,
                                         -0.43623832710409877,
                                         0.6394518109641696,
                                         -0.10238782018354818,
                                         0.11380889867889038,
                                         0.0023735359582219887,
                                         0.009642345864458049,
                                         0.0007877315633614721,
                                         0.0004247685828295189};
// Approximates erf_inverse(x) / s, as a function of s - 2.5, for 2.5 <= s <= 6.1, the largest value of s for x < 1;
// error 3.3e-18.
constexpr double tail_numerator[] = {0.9334758227628576,     0.8617367173360042,    0.8316502320867408,
                                     0.46253676191654347,    0.2435389077927288,    0.0934454818466016,
                                     0.03154198546595554,    0.00813373452888151,   0.0016696235623668448,
                                     0.00021504910494518837, 1.2574585303132975e-05};
constexpr double tail_denominator[] = {1.0,
                                       0.8978094619810494,
                                       0.8723390398846134,
                                       0.47805465613278925,
                                       0.2523546843713058,
                                       0.09591955370866607,
                                       0.03233467272735185,
                                       0.008283400987379471,
                                       0.0016903661787723984,
                                       0.00021527347035335287,
                                       1.2572107799375721e-05};

// Approximates erfc(x) e^(x^2) for 0.5 <= x <= 3; error 3.3e-18.
constexpr double erfc_near_numerator[] = {1.000000000058549,     1.4654571366173328,   1.0781107888769428,
                                          0.4754308692321576,    0.13089871451488788,  0.021251939818148415,
                                          0.0016038026880114045, -9.85555346195529e-10};
constexpr double erfc_near_denominator[] = {1.0,
                                            2.593836304668897,
                                            3.0049416305948116,
                                            2.024560912095959,
                                            0.8616498865244859,
                                            0.23341776207761472,
                                            0.03766935685154862,
                                            0.0028425984883918213};
// Approximates x erfc(x) e^(x^2), as a function of 1/x^2, for x >= 3; error 4.8e-18.
constexpr double erfc_far_numerator[] = {0.5641895835477563, 15.353204985248137, 143.72181530580235, 565.1598638927522,
                                         908.0482247424555,  476.8654254192978,  35.65526007062235};
constexpr double erfc_far_denominator[] = {1.0,
                                           27.712847299844807,
                                           267.8467086478386,
                                           1116.7334959785442,
                                           2012.3543786117064,
                                           1363.727233492794,
                                           227.903422057678};

}  // namespace

Number erf_inverse(Number x) {
  const double infinity = std::numeric_limits<double>::infinity();
  Number square = x * x;
  Number inner = x * rational(0.64 - square, {central_numerator, central_denominator});
  Number magnitude = abs(x);
  Number s = sqrt(-log((1 - magnitude) * (1 + magnitude)));
  Number outer = s * select(s < 2.5, rational(s - 1, {middle_numerator, middle_denominator}),
                            rational(s - 2.5, {tail_numerator, tail_denominator}));
  outer = select(magnitude == 1, infinity, outer);
  return select(magnitude < 0.8, inner, select(x < 0, -outer, outer));
}

// e^(-x^2) is computed as a product of two factors, the first from an exact square: the error of x^2 itself grows with
// x.
Number erf_complement(Number x) {
  Number z = min(abs(x), 30);
  Number high = to_single(z);
  Number decay = exp(-(high * high)) * exp((high - z) * (high + z));
  Number inverse = 1 / z;
  Number scaled = select(z < 3, rational(z, {erfc_near_numerator, erfc_near_denominator}),
                         inverse * rational(inverse * inverse, {erfc_far_numerator, erfc_far_denominator}));
  Number tail = decay * scaled;
  return select(z < 0.5, 1 - erf(x), select(x < 0, 2 - tail, tail));
}

}  // namespace bp::import::stablehlo
