// The modified Bessel function of the first kind of order one, exponentially scaled. Coefficients: see
// formula_gamma.cc.
#include "core/import/stablehlo/formula.h"

namespace bp::import::stablehlo {
namespace {

// Approximates bessel_i1e(x) / x for 0 <= x <= 8; error 2e-17.
constexpr double bessel_near_numerator[] = {0.5,
                                            0.037515482339368224,
                                            0.05225222441208736,
                                            0.003706209357337868,
                                            0.001428114379352663,
                                            8.644398112854523e-05,
                                            1.3361593712793133e-05,
                                            5.518417118195582e-07,
                                            3.4598439124320754e-08,
                                            2.4636603981052496e-10,
                                            -2.82196854105085e-13};
constexpr double bessel_near_denominator[] = {1.0,
                                              1.075030964678733,
                                              0.554535413503007,
                                              0.1817201459590111,
                                              0.042167439316492784,
                                              0.007298219871941631,
                                              0.0009639855155717806,
                                              9.726756807429614e-05,
                                              7.3150974043365744e-06,
                                              3.8155088601695507e-07,
                                              1.114860527817419e-08};
// Approximates bessel_i1e(x) sqrt(x), as a function of 1/8 - 1/x, for x >= 8; error 1.2e-17.
constexpr double bessel_far_numerator[] = {0.3794122666101514, -4.5085668385096875, 105.62009270092108,
                                           -278.3247180931002, 8858.363910372842,   60646.2355724582,
                                           558364.662772934,   9730702.307938809,   78154747.86490436,
                                           117280889.25225076, 35927583.10793945};
constexpr double bessel_far_denominator[] = {1.0,
                                             -12.31499092388167,
                                             283.8876687093591,
                                             -858.852144947328,
                                             23777.416213483255,
                                             149304.36410848022,
                                             1412231.5867516736,
                                             25056782.99294849,
                                             195401790.56352696,
                                             229206674.946746,
                                             25080503.21086377};

}  // namespace

// An odd function.
Number bessel_i1e(Number x) {
  Number z = abs(x);
  Number near = x * rational(z, {bessel_near_numerator, bessel_near_denominator});
  Number far = rational(0.125 - 1 / z, {bessel_far_numerator, bessel_far_denominator}) / sqrt(z);
  return select(z < 8, near, select(x < 0, -far, far));
}

}  // namespace bp::import::stablehlo
