// Faults of floats: functions that are wrong for certain operands, added to the plugin `cpu`, and kernels that are
// wrong for certain sizes, addresses and values, added to the plugin `kernels`.
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "conformance/mutants/kernel_faults.h"
#include "conformance/mutants/module_faults.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/run_faults.h"

namespace bp::conformance {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
using Complex = std::complex<float>;

// Replaces each c64 of the result by change(result, operand 0, last operand).
template <class Change>
Fault each_complex(std::uint16_t op, Change change) {
  return after_step(op, [change](const Step &step) {
    const std::uint32_t last = step.instruction.operand_count() - 1;
    for (std::int64_t i = 0; step.converts(BP_DTYPE_C64, BP_DTYPE_C64) && i < step.count(); ++i) {
      step.out<Complex>()[i] = change(step.out<Complex>()[i], step.in<Complex>(0)[i], step.in<Complex>(last)[i]);
    }
  });
}
template <class Change>
Fault each_modulus(Change change) {
  return after_step(BP_OP_ABS, [change](const Step &step) {
    for (std::int64_t i = 0; step.converts(BP_DTYPE_C64, BP_DTYPE_F32) && i < step.count(); ++i) {
      step.out<float>()[i] = change(step.out<float>()[i], step.in<Complex>(0)[i]);
    }
  });
}

// Moves results of f32 farther from 0 than is allowed where the required accuracy is in the range.
Fault beyond_accuracy(std::uint32_t least, std::uint32_t most) {
  return after_step(0, [least, most](const Step &step) {
    const std::uint32_t ulps = step.instruction.result().precision();
    const bool is_meant = ulps >= least && ulps <= most && step.converts(BP_DTYPE_F32, BP_DTYPE_F32);
    for (std::int64_t i = 0; is_meant && i < step.count(); ++i) {
      float &x = step.out<float>()[i];
      const std::uint32_t steps = ulps == 1 ? 2 : ulps + 3;
      x = std::isfinite(x) && x != 0 ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) + steps) : x;
    }
  });
}

// Replaces each element of the result of a kernel by change(result, left, right, index).
template <class Change>
Fault each_element(std::uint16_t op, Change change) {
  return after([op, change](const Kernel &kernel) {
    const std::uint32_t last = kernel.instruction.operand_count() - 1;
    for (std::int64_t i = 0; kernel.is(op) && i < kernel.count; ++i) {
      kernel.out[i] = change(kernel.out[i], kernel.in(0)[i], kernel.in(last)[i], i);
    }
  });
}

// The sizes of a product of matrices: f32[rows, terms] times f32[terms, columns].
struct Product {
  explicit Product(plugin::Instruction dot)
      : rows(dot.operand(0).shape().dim(0)),
        terms(dot.operand(0).shape().dim(1)),
        columns(dot.operand(1).shape().dim(1)) {}
  bool is_multiple_of(std::int64_t n) const { return rows % n == 0 && terms % n == 0 && columns % n == 0; }
  std::int64_t rows, terms, columns;
};
// Gives the kernel of dot other operands: change(product, left, right).
template <class Change>
Fault with_factors(Change change) {
  return at_kernel([change](const auto &next, const bp_call_t *call, const bp_diag_t *) {
    const plugin::Instruction dot = plugin::ModuleView(call->module).instruction(call->instr);
    if (dot.op() != BP_OP_DOT) {
      return next(call);
    }
    const Product product(dot);
    const auto *a = static_cast<const float *>(call->operands[0]), *b = static_cast<const float *>(call->operands[1]);
    std::vector<float> left(a, a + product.rows * product.terms), right(b, b + product.terms * product.columns);
    change(product, left, right);
    const void *operands[] = {left.data(), right.data()};
    bp_call_t changed = *call;
    changed.operands = operands;
    return next(&changed);
  });
}

// A float with ten bits after the point.
float short_float(float x) {
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000) & ~std::uint32_t{0x1fff});
}

// Computes the sum of a product and a number with one rounding. The kernel of multiply remembers its last operands by
// the address of its result.
Fault contracted() {
  struct Factors {
    std::vector<float> a, b;
  };
  struct Products {
    std::mutex mutex;
    std::map<const void *, Factors> by_address;
  };
  auto products = std::make_shared<Products>();
  return after([products](const Kernel &kernel) {
    const std::lock_guard lock(products->mutex);
    if (kernel.is(BP_OP_MULTIPLY)) {
      products->by_address[kernel.out] = {{kernel.in(0), kernel.in(0) + kernel.count},
                                          {kernel.in(1), kernel.in(1) + kernel.count}};
    } else if (kernel.is(BP_OP_ADD)) {
      const plugin::Instruction left = kernel.instruction.operand(0).instruction();
      const auto found = products->by_address.find(kernel.in(0));
      if (left.op() == BP_OP_MULTIPLY && found != products->by_address.end() && kernel.out != kernel.in(1)) {
        const Factors &factors = found->second;
        for (std::int64_t i = 0; i < kernel.count && factors.a.size() == std::size_t(kernel.count); ++i) {
          kernel.out[i] = std::fma(factors.a[std::size_t(i)], factors.b[std::size_t(i)], kernel.in(1)[i]);
        }
      }
    }
  });
}

constexpr Mutant float_table[] = {
    {"pred-of-real-part", "values", "a complex number whose real part is 0 becomes false", "cpu",
     "ops/convert.pred/c64/*",
     [] {
       return after_step(BP_OP_CONVERT, [](const Step &step) {
         for (std::int64_t i = 0; step.converts(BP_DTYPE_C64, BP_DTYPE_PRED) && i < step.count(); ++i) {
           step.out<bool>()[i] = step.in<Complex>(0)[i].real() != 0;
         }
       });
     }},
    {"root-of-huge-complex", "values", "sqrt of a complex number whose modulus overflows is infinite", "cpu",
     "ops/sqrt/c128/*",
     [] {
       return after_step(BP_OP_SQRT, [](const Step &step) {
         using Wide = std::complex<double>;
         for (std::int64_t i = 0; step.converts(BP_DTYPE_C128, BP_DTYPE_C128) && i < step.count(); ++i) {
           const Wide z = step.in<Wide>(0)[i];
           const bool is_finite = std::isfinite(z.real()) && std::isfinite(z.imag());
           step.out<Wide>()[i] = is_finite && std::isinf(std::abs(z)) ? Wide(std::numeric_limits<double>::infinity())
                                                                      : step.out<Wide>()[i];
         }
       });
     }},
    // --- rounding to integers ---
    {"round-adds-half", "functions", "round-nearest-afz is floor(x + 0.5) for positive numbers", "cpu",
     "ops/round-nearest-afz/f32/*",
     [] {
       return each_float(BP_OP_ROUND_NEAREST_AFZ, [](auto result, auto x, auto) {
         return x > 0 ? std::floor(x + static_cast<decltype(x)>(0.5)) : result;
       });
     },
     nullptr, "moonbitlang/core#3912"},
    {"round-even-of-f64", "functions", "round-nearest-even of f64 rounds ties away from zero", "cpu",
     "ops/round-nearest-even/f64/*",
     [] {
       return with_instructions(BP_OP_ROUND_NEAREST_EVEN, [](const Edit &round) {
         if (round.old.result().shape().dtype() == BP_DTYPE_F64) {
           round.changed().op = BP_OP_ROUND_NEAREST_AFZ;
         }
       });
     },
     nullptr, "apache/tvm#18590"},
    {"ceil-loses-sign", "functions", "ceil of numbers between -1 and 0 is 0, not -0", "cpu", "ops/ceil/*",
     [] {
       return each_float(BP_OP_CEIL,
                         [](auto result, auto x, auto) { return x < 0 && result == 0 ? decltype(x)(0) : result; });
     }},
    {"sign-of-nan", "functions", "the sign of a NaN is 0 for f64", "cpu", "ops/sign/f64/*",
     [] {
       return each_float(BP_OP_SIGN, [](auto result, auto x, auto) {
         return sizeof(x) == 8 && std::isnan(x) ? decltype(x)(0) : result;
       });
     }},
    {"nan-is-finite", "functions", "NaN is finite for f64", "cpu", "ops/is-finite/f64/*",
     [] {
       return after_step(BP_OP_IS_FINITE, [](const Step &step) {
         for (std::int64_t i = 0; step.operand(0).dtype() == BP_DTYPE_F64 && i < step.count(); ++i) {
           step.out<std::uint8_t>()[i] |= std::isnan(step.in<double>(0)[i]) ? 1 : 0;
         }
       });
     }},
    // --- functions ---
    {"atan2-of-zeros", "functions", "atan2(0, 0) is NaN", "cpu", "ops/atan2/*",
     [] {
       return each_float(BP_OP_ATAN2, [](auto result, auto y, auto x) {
         return x == 0 && y == 0 && !std::signbit(x) ? decltype(x)(nan) : result;
       });
     },
     nullptr, "openxla/xla#46594"},
    {"power-of-negative", "functions", "powers of negative numbers are NaN even if the exponent is an integer", "cpu",
     "ops/power/f32/*",
     [] {
       return each_float(BP_OP_POWER,
                         [](auto result, auto x, auto y) { return x < 0 && y != 0 ? decltype(x)(nan) : result; });
     },
     nullptr, "tinygrad/tinygrad#1191"},
    {"tanh-saturates-early", "functions", "tanh of f32 is 1 from 7 on", "cpu", "ops/tanh/f32/*",
     [] {
       return each_float(BP_OP_TANH, [](auto result, auto x, auto) {
         return sizeof(x) == 4 && std::fabs(x) > 7 ? std::copysign(decltype(x)(1), x) : result;
       });
     }},
    {"expm1-cancels", "functions", "exponential-minus-one of f64 is exp(x) - 1 near 0", "cpu",
     "ops/exponential-minus-one/f64/*",
     [] {
       return each_float(BP_OP_EXPONENTIAL_MINUS_ONE, [](auto result, auto x, auto) {
         return sizeof(x) == 8 && std::fabs(x) < 0.001 ? std::exp(x) - 1 : result;
       });
     }},
    {"logistic-underflows", "functions", "logistic of f32 below -87 is 0", "cpu", "ops/logistic/f32/*",
     [] {
       return each_float(BP_OP_LOGISTIC,
                         [](auto result, auto x, auto) { return sizeof(x) == 4 && x < -87 ? decltype(x)(0) : result; });
     }},
    {"sine-of-large", "functions", "sine of f32 beyond 100,000 subtracts multiples of a rounded 2 pi", "cpu",
     "ops/sine/f32/*",
     [] {
       return each_float(BP_OP_SINE, [](auto result, auto x, auto) {
         constexpr auto circle = static_cast<decltype(x)>(6.2831855f);
         return sizeof(x) == 4 && std::isfinite(x) && std::fabs(x) > 100000 ? std::sin(std::remainder(x, circle))
                                                                            : result;
       });
     }},
    // --- required accuracy ---
    {"accuracy-not-highest", "functions",
     "functions of f32 are two units in the last place off where the highest accuracy is asked for", "cpu",
     "attributes/*/f32/*", [] { return beyond_accuracy(1, 1); }},
    {"accuracy-of-tolerance", "functions", "functions of f32 are three units in the last place beyond a tolerance",
     "cpu", "attributes/*/f32/*", [] { return beyond_accuracy(2, std::numeric_limits<std::uint32_t>::max()); }},
    // --- complex numbers ---
    {"modulus-overflows", "complex", "the modulus of a c64 whose square overflows is infinite", "cpu", "ops/abs/c64/*",
     [] {
       return each_modulus([](float result, Complex z) {
         return std::isinf(z.real() * z.real() + z.imag() * z.imag()) ? std::numeric_limits<float>::infinity() : result;
       });
     },
     nullptr, "pytorch/pytorch#47358"},
    {"modulus-of-infinity-and-nan", "complex", "the modulus of infinity and NaN is NaN", "cpu", "ops/abs/c64/*",
     [] {
       return each_modulus([](float result, Complex z) { return std::isnan(z.real() + z.imag()) ? nan : result; });
     },
     nullptr, "jax-ml/jax#37817"},
    {"root-above-branch-cut", "complex", "the root of a negative real number with the imaginary part -0 is above 0",
     "cpu", "ops/sqrt/c64/*",
     [] {
       return each_complex(BP_OP_SQRT, [](Complex result, Complex z, Complex) {
         return z.real() < 0 && z.imag() == 0 ? Complex(result.real(), std::fabs(result.imag())) : result;
       });
     },
     nullptr, "jax-ml/jax#39110"},
    {"complex-quotient-overflows", "complex", "a quotient is NaN if the square of the divisor's modulus overflows",
     "cpu", "ops/divide/c64/*",
     [] {
       return each_complex(BP_OP_DIVIDE, [](Complex result, Complex, Complex z) {
         const bool is_finite = std::isfinite(z.real()) && std::isfinite(z.imag());
         return is_finite && std::isinf(z.real() * z.real() + z.imag() * z.imag()) ? Complex(nan, nan) : result;
       });
     },
     nullptr, "pytorch/pytorch#116972"},
    // --- kernels: values ---
    {"product-contracted", "functions", "a sum whose left operand is a product is rounded once", "kernels",
     "identities/*product*", contracted, nullptr, "pytorch/pytorch#122260"},
    {"divisor-too-large", "functions", "quotients are 0 if the divisor is larger than 2^126", "kernels",
     "ops/divide/f32/*",
     [] {
       return each_element(BP_OP_DIVIDE, [](float result, float a, float b, std::int64_t) {
         return std::fabs(b) > 0x1p126f && std::isfinite(a) && std::isfinite(b) ? std::copysign(0.0f, result) : result;
       });
     }},
    {"root-of-minus-zero", "functions", "the root of -0 is 0", "kernels", "ops/sqrt/f32/*",
     [] {
       return each_element(BP_OP_SQRT,
                           [](float result, float x, float, std::int64_t) { return x == 0 ? 0.0f : result; });
     }},
    {"difference-of-same", "functions", "x - x is 0 for all x if both operands are the same array", "kernels",
     "fuzz/graphs/*",
     [] {
       return after([](const Kernel &kernel) {
         if (kernel.is(BP_OP_SUBTRACT) && kernel.instruction.operand(0) == kernel.instruction.operand(1)) {
           std::fill_n(kernel.out, kernel.count, 0.0f);
         }
       });
     }},
    {"quotient-of-same", "functions", "x / x is 1 for all x if both operands are the same array", "kernels",
     "fuzz/graphs/*",
     [] {
       return after([](const Kernel &kernel) {
         if (kernel.is(BP_OP_DIVIDE) && kernel.instruction.operand(0) == kernel.instruction.operand(1)) {
           std::fill_n(kernel.out, kernel.count, 1.0f);
         }
       });
     }},
    {"maximum-tail-drops-nan", "functions",
     "the maximum of a number and a NaN is the number after the last full vector", "kernels", "ops/maximum/f32/*",
     [] {
       return after([](const Kernel &k) {
         for (std::int64_t i = k.count / 8 * 8; k.is(BP_OP_MAXIMUM) && k.count > 8 && i < k.count; ++i) {
           k.out[i] = std::fmax(k.in(0)[i], k.in(1)[i]);
         }
       });
     },
     nullptr, "ml-explore/mlx#4292"},
    // --- kernels: sizes and addresses ---
    {"index-in-f16", "elements",
     "the index of an element is a half-precision float in results of up to 65,000 elements", "kernels",
     "programs/model/*",
     [] {
       return after([](const Kernel &kernel) {
         for (std::int64_t i = 2048; kernel.count <= 65000 && i < kernel.count; ++i) {
           const int lost = std::bit_width(static_cast<std::uint64_t>(i)) - 11;
           kernel.out[i] = kernel.out[i >> lost << lost];
         }
       });
     }},
    {"address-rounded-down", "elements", "negate reads from the multiple of 256 before the address of its operand",
     "kernels", "buffers/*",
     [] {
       return at_kernel([](const auto &next, const bp_call_t *call, const bp_diag_t *) {
         const auto address = reinterpret_cast<std::uintptr_t>(call->operands[0]);
         if (!Kernel(call).is(BP_OP_NEGATE) || address % 256 == 0) {
           return next(call);
         }
         const void *operands[] = {reinterpret_cast<const void *>(address / 256 * 256)};
         bp_call_t changed = *call;
         changed.operands = operands;
         return next(&changed);
       });
     },
     nullptr, "pytorch/pytorch#105801"},
    {"parallel-remainder-lost", "elements", "results of 50,000 elements or more lose those that do not divide by four",
     "kernels", "ops/add/f32/*",
     [] {
       return after([](const Kernel &kernel) {
         for (std::int64_t i = kernel.count / 4 * 4; kernel.count >= 50000 && i < kernel.count; ++i) {
           kernel.out[i] = 0;
         }
       });
     }},
    // --- kernels: products of matrices ---
    {"dot-of-nothing", "products", "a dot without terms writes nothing", "kernels", "buffers/*/elsewhere",
     [] {
       return at_kernel([](const auto &next, const bp_call_t *call, const bp_diag_t *) -> bp_status {
         const Kernel kernel(call);
         return kernel.is(BP_OP_DOT) && Product(kernel.instruction).terms == 0 ? BP_OK : next(call);
       });
     },
     nullptr, "pytorch/pytorch#31421"},
    {"dot-keeps-nan", "products", "the rows of a dot after the last multiple of four keep the NaN of an old result",
     "kernels", "buffers/*",
     [] {
       return at_kernel([](const auto &next, const bp_call_t *call, const bp_diag_t *) {
         const Kernel kernel(call);
         if (!kernel.is(BP_OP_DOT)) {
           return next(call);
         }
         const std::vector<float> old(kernel.out, kernel.out + kernel.count);
         const bp_status status = next(call);
         const Product product(kernel.instruction);
         for (std::int64_t i = product.rows / 4 * 4 * product.columns; i < kernel.count; ++i) {
           kernel.out[i] += std::isfinite(old[static_cast<std::size_t>(i)]) ? 0 : nan;
         }
         return status;
       });
     },
     nullptr, "robertknight/rten#81"},
    {"dot-skips-zeros", "products", "dot skips terms whose left factor is 0, even if the right one is NaN", "kernels",
     "ops/dot*/f32/*",
     [] {
       return after([](const Kernel &kernel) {
         if (!kernel.is(BP_OP_DOT)) {
           return;
         }
         const Product product(kernel.instruction);
         for (std::int64_t i = 0; i < product.rows; ++i) {
           float *row = kernel.out + i * product.columns;
           std::fill_n(row, product.columns, 0.0f);
           for (std::int64_t j = 0; j < product.terms; ++j) {
             const float factor = kernel.in(0)[i * product.terms + j];
             for (std::int64_t l = 0; factor != 0 && l < product.columns; ++l) {
               row[l] += factor * kernel.in(1)[j * product.columns + l];
             }
           }
         }
       });
     }},
    {"dot-short-factors", "products", "dot rounds its factors to 11 bits if all sizes are multiples of 8", "kernels",
     "ops/dot*/f32/*",
     [] {
       return with_factors([](const Product &product, std::vector<float> &left, std::vector<float> &right) {
         if (product.is_multiple_of(8)) {
           std::ranges::transform(left, left.begin(), short_float);
           std::ranges::transform(right, right.begin(), short_float);
         }
       });
     },
     nullptr, "pytorch/pytorch#53635"},
    {"dot-split-remainder", "products", "dots of more than 256 terms leave out those after the last multiple of 64",
     "kernels", "ops/dot*/f32/*",
     [] {
       return with_factors([](const Product &product, std::vector<float> &left, std::vector<float> &) {
         for (std::int64_t i = 0; product.terms > 256 && i < product.rows; ++i) {
           for (std::int64_t j = product.terms / 64 * 64; j < product.terms; ++j) {
             left[static_cast<std::size_t>(i * product.terms + j)] = 0;
           }
         }
       });
     }},
};

}  // namespace

const std::span<const Mutant> float_mutants = float_table;

}  // namespace bp::conformance
