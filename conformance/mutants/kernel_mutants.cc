// Faults of kernels, added to the plugin `kernels`: f32 on host memory.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>

#include "conformance/mutants/kernel_faults.h"
#include "conformance/mutants/mutant.h"
#include "plugin_api/cpp/module_view.h"

namespace bp::conformance {
namespace {

float up(float x, int steps) {
  for (int i = 0; i < steps; ++i) {
    x = std::nextafter(x, std::numeric_limits<float>::infinity());
  }
  return x;
}

bool is_subnormal(float x) {
  return x != 0 && std::fabs(x) < std::numeric_limits<float>::min();
}

void look_at(float x) {
  static volatile float sink;
  sink = x;
  static_cast<void>(sink);
}

bool is_tiled_sum(plugin::Instruction instruction) {
  return instruction.op() == BP_OP_ADD && instruction.result().shape().dtype() == BP_DTYPE_F32 &&
         instruction.result().shape().tile_count() > 0 && instruction.operand(0).shape().tile_count() > 0 &&
         instruction.operand(1).shape().tile_count() > 0;
}

// Adds arrays in tiles as if there were no gaps between their elements.
Fault tiles_as_rows() {
  return {.kernels_find =
              [](const auto &next, auto &, const bp_module_t *module, std::uint32_t instr, const bp_diag_t *) {
                const bool is_tiled = is_tiled_sum(plugin::ModuleView(module).instruction(instr));
                return is_tiled || next() != nullptr ? layers::Interposer::kernel() : nullptr;
              },
          .kernels_kernel =
              [](const auto &next, auto &, const bp_call_t *call, const bp_diag_t *) {
                const Kernel kernel(call);
                if (!is_tiled_sum(kernel.instruction)) {
                  return next();
                }
                for (std::int64_t i = 0; i < kernel.count; ++i) {
                  kernel.out[i] = kernel.in(0)[i] + kernel.in(1)[i];
                }
                return bp_status{BP_OK};
              }};
}

// Whether it is a product of matrices but for the order in which the result is stored.
bool is_product_by_columns(plugin::Instruction instruction) {
  if (instruction.op() != BP_OP_DOT) {
    return false;
  }
  const plugin::Shape lhs = instruction.operand(0).shape(), rhs = instruction.operand(1).shape(),
                      result = instruction.result().shape();
  return result.dtype() == BP_DTYPE_F32 && result.rank() == 2 && !result.is_row_major() && result.tile_count() == 0 &&
         lhs.rank() == 2 && lhs.is_row_major() && rhs.rank() == 2 && rhs.is_row_major() &&
         lhs.dtype() == BP_DTYPE_F32 && instruction.integer(BP_ATTR_LHS_CONTRACTING_DIMS, 0) == 1 &&
         instruction.integer(BP_ATTR_RHS_CONTRACTING_DIMS, 1) == 0;
}

// Stores products of matrices by rows, in any case.
Fault result_by_rows() {
  return {.kernels_find =
              [](const auto &next, auto &, const bp_module_t *module, std::uint32_t instr, const bp_diag_t *) {
                const bool is_taken = is_product_by_columns(plugin::ModuleView(module).instruction(instr));
                return is_taken || next() != nullptr ? layers::Interposer::kernel() : nullptr;
              },
          .kernels_kernel =
              [](const auto &next, auto &, const bp_call_t *call, const bp_diag_t *) {
                const Kernel kernel(call);
                if (!is_product_by_columns(kernel.instruction)) {
                  return next();
                }
                const std::int64_t depth = kernel.instruction.operand(0).shape().dim(1),
                                   columns = kernel.instruction.operand(1).shape().dim(1);
                for (std::int64_t i = 0; i < kernel.count; ++i) {
                  kernel.out[i] = 0;
                  for (std::int64_t k = 0; k < depth; ++k) {
                    kernel.out[i] += kernel.in(0)[i / columns * depth + k] * kernel.in(1)[k * columns + i % columns];
                  }
                }
                return bp_status{BP_OK};
              }};
}

constexpr Mutant kernel_table[] = {
    {"tiles-as-rows", "elements", "a sum of arrays in tiles leaves out as many elements as there are gaps", "kernels",
     "ops/add/f32/*", tiles_as_rows},
    {"result-by-rows", "elements", "products of matrices are stored by rows, whatever the layout of the result",
     "kernels", "ops/dot/f32/*", result_by_rows},
    // --- which elements are written ---
    {"tail-lost", "elements", "the last element of the result is zero", "kernels", "ops/multiply/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.count > 1) {
           k.out[k.count - 1] = 0;
         }
       });
     }},
    {"vector-tail-lost", "elements", "the elements past the last full vector of 8 are zero", "kernels",
     "ops/multiply/f32/*",
     [] {
       return after([](const Kernel &k) {
         for (std::int64_t i = k.count - k.count % 8; i < k.count; ++i) {
           k.out[i] = 0;
         }
       });
     }},
    {"first-lost", "elements", "the first element of the result is zero", "kernels", "ops/multiply/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.count > 0) {
           k.out[0] = 0;
         }
       });
     }},
    {"scalar-wrong", "elements", "scalar results are doubled", "kernels", "ops/multiply/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.instruction.result(0).shape().rank() == 0) {
           k.out[0] *= 2;
         }
       });
     }},
    {"one-wrong", "elements", "results that are arrays of one element are negated", "kernels", "ops/multiply/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.instruction.result(0).shape().rank() > 0 && k.count == 1) {
           k.out[0] = -k.out[0];
         }
       });
     }},
    {"large-refused", "elements", "kernels fail for arrays of more than 1,000 elements", "kernels",
     "ops/multiply/f32/*",
     [] {
       return at_kernel([](const auto &next, const bp_call_t *call, const bp_diag_t *diag) -> bp_status {
         if (Kernel(call).count > 1000) {
           diag->report(diag, BP_INTERNAL, call->instr, "too large");
           return BP_INTERNAL;
         }
         return next(call);
       });
     }},
    {"power-of-two-only", "elements", "elements past the largest power of two are copies of the first ones", "kernels",
     "ops/multiply/f32/*",
     [] {
       return after([](const Kernel &k) {
         std::int64_t p = 1;
         while (2 * p <= k.count) {
           p *= 2;
         }
         for (std::int64_t i = p; i < k.count; ++i) {
           k.out[i] = k.out[i - p];
         }
       });
     }},
    {"8-bit-index", "elements", "the index of an element is truncated to 8 bits", "kernels", "ops/multiply/f32/*",
     [] {
       return after([](const Kernel &k) {
         for (std::int64_t i = 256; i < k.count; ++i) {
           k.out[i] = k.out[i & 255];
         }
       });
     }},
    {"16-bit-index", "elements", "the index of an element is truncated to 16 bits", "kernels", "ops/multiply/f32/*",
     [] {
       return after([](const Kernel &k) {
         for (std::int64_t i = 65536; i < k.count; ++i) {
           k.out[i] = k.out[i & 65535];
         }
       });
     }},
    {"reversed", "elements", "the elements of the result are in reverse order", "kernels", "ops/multiply/f32/*",
     [] { return after([](const Kernel &k) { std::reverse(k.out, k.out + k.count); }); }},
    {"operands-swapped", "elements", "subtract computes b - a", "kernels", "ops/subtract/f32/*",
     [] {
       return with_operands([](std::uint16_t op, auto &operands) {
         if (op == BP_OP_SUBTRACT || op == BP_OP_DIVIDE) {
           std::swap(operands[0], operands[1]);
         }
       });
     }},
    {"first-operand-twice", "elements", "the first operand is used for the second one too", "kernels",
     "ops/multiply/f32/*",
     [] {
       return with_operands([](std::uint16_t op, auto &operands) {
         if (operands.size() == 2 && op != BP_OP_DOT) {
           operands[1] = operands[0];
         }
       });
     }},
    // --- values ---
    {"nan-to-zero", "values", "NaN becomes 0", "kernels", "ops/multiply/f32/*",
     [] { return each([](float x) { return std::isnan(x) ? 0 : x; }); }},
    {"minus-zero-lost", "values", "-0 becomes 0", "kernels", "ops/multiply/f32/*",
     [] { return each([](float x) { return x == 0 ? 0.0f : x; }); }},
    {"infinity-clamped", "values", "infinity becomes the largest finite number", "kernels", "ops/multiply/f32/*",
     [] {
       return each([](float x) { return std::isinf(x) ? std::copysign(std::numeric_limits<float>::max(), x) : x; });
     }},
    {"subnormal-results-flushed", "values", "subnormal results become 0", "kernels", "ops/multiply/f32/*",
     [] { return each([](float x) { return is_subnormal(x) ? std::copysign(0.0f, x) : x; }); }},
    {"subnormal-operands-flushed", "values", "subnormal operands are taken for 0", "kernels", "ops/multiply/f32/*",
     [] {
       return with_operands([](std::uint16_t, auto &operands) {
         for (auto &operand : operands) {
           for (float &x : operand) {
             if (is_subnormal(x)) {
               x = std::copysign(0.0f, x);
             }
           }
         }
       });
     }},
    {"infinity-minus-infinity", "values", "inf - inf is 0", "kernels", "ops/subtract/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_SUBTRACT)) {
           for (std::int64_t i = 0; i < k.count; ++i) {
             if (std::isinf(k.in(0)[i]) && k.in(0)[i] == k.in(1)[i]) {
               k.out[i] = 0;
             }
           }
         }
       });
     }},
    {"zero-times-infinity", "values", "0 * inf is 0", "kernels", "ops/multiply/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_MULTIPLY)) {
           for (std::int64_t i = 0; i < k.count; ++i) {
             if (k.in(0)[i] == 0 || k.in(1)[i] == 0) {
               k.out[i] = 0;
             }
           }
         }
       });
     }},
    {"division-by-zero", "values", "x / 0 is 0", "kernels", "ops/divide/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_DIVIDE)) {
           for (std::int64_t i = 0; i < k.count; ++i) {
             if (k.in(1)[i] == 0) {
               k.out[i] = 0;
             }
           }
         }
       });
     }},
    {"maximum-drops-nan", "values", "the maximum of a number and a NaN is the number", "kernels", "ops/maximum/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_MAXIMUM)) {
           for (std::int64_t i = 0; i < k.count; ++i) {
             if (std::isnan(k.in(0)[i]) != std::isnan(k.in(1)[i])) {
               k.out[i] = std::fmax(k.in(0)[i], k.in(1)[i]);
             }
           }
         }
       });
     }},
    {"minimum-of-zeros", "values", "minimum(0, -0) is 0", "kernels", "ops/minimum/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_MINIMUM)) {
           for (std::int64_t i = 0; i < k.count; ++i) {
             if (k.out[i] == 0) {
               k.out[i] = 0;
             }
           }
         }
       });
     }},
    {"root-of-negative", "values", "sqrt of a negative number is 0", "kernels", "ops/sqrt/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_SQRT)) {
           for (std::int64_t i = 0; i < k.count; ++i) {
             if (k.in(0)[i] < 0) {
               k.out[i] = 0;
             }
           }
         }
       });
     }},
    {"negate-by-subtraction", "values", "-x is computed as 0 - x, so that -(0) is 0", "kernels", "ops/negate/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_NEGATE)) {
           for (std::int64_t i = 0; i < k.count; ++i) {
             k.out[i] = 0 - k.in(0)[i];
           }
         }
       });
     }},
    {"overflow-wraps", "values", "a product that overflows becomes the infinity of the other sign", "kernels",
     "ops/multiply/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_MULTIPLY)) {
           for (std::int64_t i = 0; i < k.count; ++i) {
             if (std::isinf(k.out[i]) && std::isfinite(k.in(0)[i]) && std::isfinite(k.in(1)[i])) {
               k.out[i] = -k.out[i];
             }
           }
         }
       });
     }},
    // --- rounding ---
    {"one-ulp-off", "rounding", "divide is one unit in the last place too high", "kernels", "ops/divide/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_DIVIDE)) {
           for (std::int64_t i = 0; i < k.count; ++i) {
             k.out[i] = up(k.out[i], 1);
           }
         }
       });
     }},
    {"two-ulp-off", "rounding", "sqrt is two units in the last place too high", "kernels", "ops/sqrt/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_SQRT)) {
           for (std::int64_t i = 0; i < k.count; ++i) {
             k.out[i] = up(k.out[i], 2);
           }
         }
       });
     }},
    {"rounds-to-zero", "rounding", "add rounds towards zero", "kernels", "ops/add/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (!k.is(BP_OP_ADD)) {
           return;
         }
         for (std::int64_t i = 0; i < k.count; ++i) {
           const double exact = double(k.in(0)[i]) + double(k.in(1)[i]);
           if (std::isfinite(k.out[i]) && std::fabs(double(k.out[i])) > std::fabs(exact)) {
             k.out[i] = std::nextafter(k.out[i], 0.0f);
           }
         }
       });
     }},
    {"ties-away", "rounding", "multiply rounds ties away from zero", "kernels", "ops/multiply/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (!k.is(BP_OP_MULTIPLY)) {
           return;
         }
         for (std::int64_t i = 0; i < k.count; ++i) {
           const double exact = double(k.in(0)[i]) * double(k.in(1)[i]), found = double(k.out[i]);
           const float beyond =
               std::nextafter(k.out[i], std::copysign(std::numeric_limits<float>::infinity(), k.out[i]));
           if (std::isfinite(beyond) && std::fabs(exact) > std::fabs(found) &&
               double(beyond) - exact == exact - found) {
             k.out[i] = beyond;
           }
         }
       });
     }},
    {"half-precision", "rounding", "results are rounded to 8 significant bits", "kernels", "ops/multiply/f32/*",
     [] {
       return each([](float x) {
         int exponent = 0;
         return std::isfinite(x) ? std::ldexp(std::round(std::ldexp(std::frexp(x, &exponent), 8)), exponent - 8) : x;
       });
     }},
    {"reciprocal-division", "rounding", "a / b is computed as a * (1 / b)", "kernels", "ops/divide/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_DIVIDE)) {
           for (std::int64_t i = 0; i < k.count; ++i) {
             if (std::isfinite(k.out[i])) {
               k.out[i] = k.in(0)[i] * (1 / k.in(1)[i]);
             }
           }
         }
       });
     }},
    // --- dot ---
    {"dot-drops-last-term", "dot", "dot takes the last element of its left operand for 0", "kernels", "ops/dot/f32/*",
     [] {
       return with_operands([](std::uint16_t op, auto &operands) {
         if (op == BP_OP_DOT && !operands[0].empty()) {
           operands[0].back() = 0;
         }
       });
     }},
    {"dot-accumulates-narrow", "dot", "the results of dot are 0.4% too large, as if sums were kept in bf16", "kernels",
     "ops/dot/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_DOT)) {
           for (std::int64_t i = 0; i < k.count; ++i) {
             k.out[i] *= 1.004f;
           }
         }
       });
     }},
    {"dot-keeps-old", "dot", "dot adds its result to the previous content of the buffer", "kernels", "buffers/*",
     [] {
       return at_kernel([](const auto &next, const bp_call_t *call, const bp_diag_t *) {
         const Kernel k(call);
         if (!k.is(BP_OP_DOT)) {
           return next(call);
         }
         const std::vector<float> before(k.out, k.out + k.count);
         const bp_status status = next(call);
         for (std::int64_t i = 0; i < k.count; ++i) {
           k.out[i] += before[std::size_t(i)];
         }
         return status;
       });
     }},
    // --- memory ---
    {"writes-past-end", "memory", "one element past the end of the result is written", "kernels", "buffers/*/end",
     [] { return after([](const Kernel &k) { k.out[k.count] = 1; }); }},
    {"writes-before-start", "memory", "one element before the start of the result is written", "kernels",
     "buffers/*/start", [] { return after([](const Kernel &k) { k.out[-1] = 1; }); }},
    {"reads-past-end", "memory", "sixteen elements past the end of an operand are read", "kernels", "buffers/*/end",
     [] {
       return after([](const Kernel &k) {
         for (int i = 0; i < 16; ++i) {
           look_at(k.in(0)[k.instruction.operand(0).shape().element_count() + i]);
         }
       });
     }},
    {"operand-modified", "memory", "the first operand is modified", "kernels", "contract/BP-KERNEL-01/watched",
     [] {
       return after([](const Kernel &k) {
         if (k.in(0) != k.out && k.count > 0) {
           const_cast<float *>(k.in(0))[0] += 1;
         }
       });
     }},
    {"result-not-written", "memory", "kernels write nothing", "kernels", "ops/multiply/f32/*",
     [] { return at_kernel([](const auto &, const bp_call_t *, const bp_diag_t *) -> bp_status { return BP_OK; }); }},
    {"in-place-wrong", "memory",
     "if the result shares memory with an operand, half of the operand is overwritten before it is read", "kernels",
     "claims/in_place_f32/*",
     [] {
       return at_kernel([](const auto &next, const bp_call_t *call, const bp_diag_t *) {
         const Kernel k(call);
         if (k.in(0) == k.out) {
           std::fill(k.out, k.out + k.count / 2, 0.0f);
         }
         return next(call);
       });
     }},
    // --- state ---
    {"wrong-second-time", "state", "every call after the first returns the result of the first", "kernels",
     "ops/multiply/f32/*",
     [] {
       auto first = std::make_shared<std::vector<float>>();
       return after([first](const Kernel &k) {
         if (first->size() == std::size_t(k.count)) {
           std::copy(first->begin(), first->end(), k.out);
         } else {
           first->assign(k.out, k.out + k.count);
         }
       });
     }},
    {"static-scratch", "state", "all calls share one scratch buffer", "kernels", "concurrency/*",
     [] {
       auto scratch = std::make_shared<std::vector<float>>(1 << 21);
       return after([scratch](const Kernel &k) {
         std::copy(k.out, k.out + k.count, scratch->begin());
         std::this_thread::sleep_for(std::chrono::microseconds(200));
         std::copy(scratch->begin(), scratch->begin() + k.count, k.out);
       });
     }},
    // --- the answers of find() ---
    {"find-alternates", "claims", "every second call of find() returns null", "kernels", "contract/BP-FIND-01/watched",
     [] {
       auto count = std::make_shared<std::atomic<int>>(0);
       return at_find(
           [count](const auto &next, plugin::ModuleView, std::uint32_t) { return (*count)++ % 2 == 0 && next(); });
     }},
    {"find-looks-at-neighbours", "claims", "find() returns null for modules with an even number of instructions",
     "kernels", "claims/*/local",
     [] {
       return at_find([](const auto &next, plugin::ModuleView module, std::uint32_t) {
         return module.image()->instrs.count % 2 != 0 && next();
       });
     }},
    {"find-then-unsupported", "claims", "the kernel of add returns BP_UNSUPPORTED", "kernels",
     "contract/BP-FIND-03/watched",
     [] {
       return at_kernel([](const auto &next, const bp_call_t *call, const bp_diag_t *diag) -> bp_status {
         if (!Kernel(call).is(BP_OP_ADD)) {
           return next(call);
         }
         diag->report(diag, BP_UNSUPPORTED, call->instr, "after all, no");
         return BP_UNSUPPORTED;
       });
     }},
    {"claims-f16-wrongly", "claims", "find() accepts additions of f16, and the kernel copies an operand", "kernels",
     "ops/add/f16/*",
     [] {
       Fault fault = at_find([](const auto &next, plugin::ModuleView module, std::uint32_t instr) {
         const plugin::Instruction i = module.instruction(instr);
         return next() || (i.op() == BP_OP_ADD && i.result(0).shape().dtype() == BP_DTYPE_F16);
       });
       fault.kernels_kernel = [](const auto &next, auto &, const bp_call_t *call, const bp_diag_t *) -> bp_status {
         const Kernel k(call);
         if (k.instruction.result(0).shape().dtype() != BP_DTYPE_F16) {
           return next();
         }
         std::memcpy(k.out, k.in(0), k.instruction.result(0).size());
         return BP_OK;
       };
       return fault;
     }},
    {"claims-integers-as-floats", "claims", "find() accepts additions of s32, and the kernel adds the bits as f32",
     "kernels", "ops/add/s32/*",
     [] {
       Fault fault = at_find([](const auto &next, plugin::ModuleView module, std::uint32_t instr) {
         const plugin::Instruction i = module.instruction(instr);
         return next() || (i.op() == BP_OP_ADD && i.result(0).shape().dtype() == BP_DTYPE_S32 &&
                           i.operand(0).shape().index() == i.result(0).shape().index());
       });
       fault.kernels_kernel = [](const auto &next, auto &, const bp_call_t *call, const bp_diag_t *) -> bp_status {
         const Kernel k(call);
         if (k.instruction.result(0).shape().dtype() != BP_DTYPE_S32) {
           return next();
         }
         for (std::int64_t i = 0; i < k.count; ++i) {
           k.out[i] = k.in(0)[i] + k.in(1)[i];
         }
         return BP_OK;
       };
       return fault;
     }},
    {"ignores-layout", "claims", "find() accepts transposes of f32 with any layouts, and the kernel copies the bytes",
     "kernels", "ops/transpose/f32/*",
     [] {
       const auto is_mixed = [](plugin::Instruction i) {
         return i.op() == BP_OP_TRANSPOSE && i.result(0).shape().dtype() == BP_DTYPE_F32;
       };
       Fault fault = at_find([is_mixed](const auto &next, plugin::ModuleView module, std::uint32_t instr) {
         return next() || is_mixed(module.instruction(instr));
       });
       fault.kernels_kernel = [is_mixed](const auto &next, auto &, const bp_call_t *call,
                                         const bp_diag_t *) -> bp_status {
         const Kernel k(call);
         if (!is_mixed(k.instruction)) {
           return next();
         }
         std::memcpy(k.out, k.in(0), k.instruction.result(0).size());
         return BP_OK;
       };
       return fault;
     }},
    // --- misbehaviour ---
    {"crashes", "conduct", "sqrt writes to address 8", "kernels", "ops/sqrt/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_SQRT)) {
           *reinterpret_cast<volatile int *>(8) = 1;
         }
       });
     }},
    {"hangs", "conduct", "dot never returns", "kernels", "ops/dot/f32/*",
     [] {
       return after([](const Kernel &k) {
         while (k.is(BP_OP_DOT)) {
           std::this_thread::sleep_for(std::chrono::seconds(1));
         }
       });
     }},
    {"exits", "conduct", "minimum ends the process with exit status 0", "kernels", "ops/minimum/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.is(BP_OP_MINIMUM)) {
           std::_Exit(0);
         }
       });
     }},
    {"aborts", "conduct", "kernels abort the process for arrays of more than 100 elements", "kernels",
     "ops/multiply/f32/*",
     [] {
       return after([](const Kernel &k) {
         if (k.count > 100) {
           std::abort();
         }
       });
     }},
    {"throws", "conduct", "multiply throws an exception", "kernels", "ops/multiply/f32/*",
     [] {
       return at_kernel([](const auto &next, const bp_call_t *call, const bp_diag_t *) -> bp_status {
         if (!Kernel(call).is(BP_OP_MULTIPLY)) {
           return next(call);
         }
         throw std::runtime_error("thrown");
       });
     }},
    {"unknown-status", "conduct", "kernels return a status that does not exist", "kernels",
     "contract/bp_status/watched",
     [] {
       return at_kernel([](const auto &next, const bp_call_t *call, const bp_diag_t *) -> bp_status {
         next(call);
         return 77;
       });
     }},
    {"floating-point-environment", "conduct", "kernels leave flush-to-zero switched on", "kernels",
     "contract/BP-LAW-04/watched",
     [] {
       return after([](const Kernel &) {
#if defined(__x86_64__)
         __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
       });
     }},
};

}  // namespace

const std::span<const Mutant> kernel_mutants = kernel_table;

}  // namespace bp::conformance
