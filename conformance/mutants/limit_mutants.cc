// Faults that only appear beyond what most programs have: long arrays, large windows and strides, many operands,
// unusual orders of magnitude, results in other layouts, tiles. Added to the plugins `cpu`, `kernels` and `npu`.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "conformance/mutants/kernel_faults.h"
#include "conformance/mutants/module_faults.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/run_faults.h"

namespace bp::conformance {
namespace {

using Dimensions = std::vector<std::int64_t>;

constexpr std::size_t numbers_of_window = 7;

// Changes the windows of an op's dimensions: change(window), of seven numbers.
template <class Change>
Fault with_windows(std::uint16_t op, Change change) {
  return with_instructions(op, [change](const Edit &edit) {
    edit.change_numbers(BP_ATTR_WINDOW, [change](Dimensions &numbers) {
      for (std::size_t at = 0; at < numbers.size(); at += numbers_of_window) {
        change(std::span(numbers).subspan(at, numbers_of_window));
      }
    });
  });
}

// Replaces results by change(result, operands...), elements of type T.
template <class T, class Change>
Fault each_of_type(std::uint16_t op, std::uint16_t dtype, Change change) {
  return after_step(op, [=](const Step &step) {
    const std::uint32_t last = step.instruction.operand_count() - 1;
    for (std::int64_t i = 0; step.result().dtype() == dtype && i < step.count(); ++i) {
      step.out<T>()[i] = change(step.out<T>()[i], step.in<T>(0)[i], step.in<T>(last)[i]);
    }
  });
}

// Elements from `first` on become zeros.
void lose_from(const Step &step, std::int64_t first) {
  const std::int64_t size = step.result().element_bits() / 8;
  if (step.is_row_major() && first < step.count()) {
    std::memset(step.out() + first * size, 0, static_cast<std::size_t>((step.count() - first) * size));
  }
}

bool is_gathered_as_signed(const Step &step) {
  return step.operand(1).dtype() == BP_DTYPE_U16 || step.operand(1).dtype() == BP_DTYPE_U32;
}

constexpr Mutant limit_table[] = {
    // --- orders of magnitude ---
    {"cosh-overflows-early", "magnitudes", "cosh is infinite where exp overflows, which is too early", "cpu",
     "ops/cosh/f32/*",
     [] {
       return each_float(BP_OP_COSH, [](auto result, auto x, auto) {
         using T = decltype(x);
         return std::isinf(std::exp(std::fabs(x))) ? std::numeric_limits<T>::infinity() : T(result);
       });
     }},
    {"sine-of-large-numbers", "magnitudes", "the sine of numbers above 128 is reduced with too few digits of pi", "cpu",
     "ops/sine/f32/*",
     [] {
       return each_of_type<float>(BP_OP_SINE, BP_DTYPE_F32, [](float result, float x, float) {
         constexpr float turn = 6.2831853f;
         return std::fabs(x) > 128 && std::fabs(x) < 1e4f ? std::sin(x - turn * std::floor(x / turn)) : result;
       });
     }},
    {"remainder-of-large-quotient", "magnitudes", "a remainder is 0 if the quotient does not fit into 64 bits", "cpu",
     "ops/remainder/f64/*",
     [] {
       return each_of_type<double>(BP_OP_REMAINDER, BP_DTYPE_F64, [](double result, double x, double y) {
         return std::isfinite(x / y) && std::fabs(x / y) > 0x1p63 ? 0.0 : result;
       });
     }},
    {"complex-power-of-large", "magnitudes", "a complex power of a number above 2^16 is off by a hundredth", "cpu",
     "ops/power/c64/*",
     [] {
       using Number = std::complex<float>;
       return each_of_type<Number>(BP_OP_POWER, BP_DTYPE_C64, [](Number result, Number x, Number) {
         return std::fabs(x.real()) > 0x1p16f && std::isfinite(x.real()) ? result * 1.01f : result;
       });
     }},
    {"least-s64-over-minus-one", "magnitudes", "the smallest s64 divided by -1 is 0", "cpu", "ops/divide/s64/*",
     [] {
       return each_of_type<std::int64_t>(
           BP_OP_DIVIDE, BP_DTYPE_S64, [](std::int64_t result, std::int64_t x, std::int64_t y) {
             return x == std::numeric_limits<std::int64_t>::min() && y == -1 ? std::int64_t{0} : result;
           });
     }},
    {"maximum-of-f64-zeros", "magnitudes", "the maximum of 0 and -0 is the second one, in f64", "cpu",
     "ops/maximum/f64/*",
     [] {
       return each_of_type<double>(BP_OP_MAXIMUM, BP_DTYPE_F64,
                                   [](double result, double x, double y) { return x == y ? y : result; });
     }},
    {"atan2-of-f64-zero", "magnitudes", "the angle of a point on the negative zero is that of the positive one, in f64",
     "cpu", "ops/atan2/f64/*",
     [] {
       return each_of_type<double>(BP_OP_ATAN2, BP_DTYPE_F64,
                                   [](double result, double y, double x) { return x == 0 && y == 0 ? y : result; });
     }},
    // --- sizes ---
    {"reduce-of-256", "sizes", "a reduction of several arrays ends after 256 elements of a dimension", "cpu",
     "attributes/reduce/*",
     [] {
       return after_step(BP_OP_REDUCE, [](const Step &step) {
         const auto reduced = step.instruction.integers(BP_ATTR_DIMENSIONS);
         if (step.instruction.result_count() > 1 && std::ranges::any_of(reduced, [&](std::int64_t d) {
               return step.operand(0).dim(static_cast<std::uint32_t>(d)) > 256;
             })) {
           lose_from(step, 0);
         }
       });
     }},
    {"reduce-tail-of-piece", "sizes",
     "a reduction in pieces of 4,096 leaves out the rest of the last one after whole vectors of 64, if it has one",
     "cpu", "ops/reduce*/s32/*",
     [] {
       return with_whole_reductions(after_step(BP_OP_REDUCE, [](const Step &step) {
         const std::int64_t count = step.operand(0).element_count(), last = count % 4096, rest = last % 64;
         if (step.converts(BP_DTYPE_S32, BP_DTYPE_S32) && step.count() == 1 && count > 4096 && last > 64 && rest > 0) {
           step.out<std::int32_t>()[0] = step.in<std::int32_t>(0)[0];
         }
       }));
     }},
    {"iota-of-16-bits", "sizes", "an iota counts from 0 again after 65,536 elements", "cpu", "ops/iota/f32/*",
     [] {
       return after_step(BP_OP_IOTA, [](const Step &step) {
         for (std::int64_t i = 1 << 16; step.result().dtype() == BP_DTYPE_F32 && i < step.count(); ++i) {
           step.out<float>()[i] = step.out<float>()[i - (1 << 16)];
         }
       });
     }},
    {"stride-of-four", "sizes", "strides of more than 3 elements of a slice are taken for 3", "cpu",
     "attributes/slice/*",
     [] {
       return with_instructions(BP_OP_SLICE, [](const Edit &slice) {
         slice.change_numbers(BP_ATTR_SLICE, [](Dimensions &numbers) {
           for (std::size_t i = 2; i < numbers.size(); i += 3) {
             numbers[i] = std::min<std::int64_t>(numbers[i], 3);
           }
         });
       });
     }},
    {"padding-of-16", "sizes", "a pad shifts elements by 16 at the most", "cpu", "attributes/pad/*",
     [] {
       return with_instructions(BP_OP_PAD, [](const Edit &pad) {
         pad.change_numbers(BP_ATTR_PADDING, [](Dimensions &numbers) {
           for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
             const std::int64_t surplus = std::max<std::int64_t>(numbers[i] - 16, 0);
             numbers[i] -= surplus;
             numbers[i + 1] += surplus;
           }
         });
       });
     }},
    {"convolution-stride-of-four", "sizes", "strides of more than 3 elements of a convolution are taken for 3", "cpu",
     "attributes/convolution/*",
     [] {
       return with_windows(BP_OP_CONVOLUTION,
                           [](std::span<std::int64_t> window) { window[1] = std::min<std::int64_t>(window[1], 3); });
     }},
    {"convolution-padding-of-three", "sizes", "low padding of a convolution is 3 elements at the most", "cpu",
     "attributes/convolution/*",
     [] {
       return with_windows(BP_OP_CONVOLUTION,
                           [](std::span<std::int64_t> window) { window[2] = std::min<std::int64_t>(window[2], 3); });
     }},
    {"dot-last-column", "sizes", "the last column of a product of matrices of more than 8 by 16 is zero", "kernels",
     "ops/dot*/f32/*",
     [] {
       return after([](const Kernel &kernel) {
         if (kernel.is(BP_OP_DOT)) {
           const plugin::Shape shape = kernel.instruction.result(0).shape();
           const std::int64_t rows = shape.dim(0), columns = shape.dim(1);
           for (std::int64_t row = 0; rows > 8 && columns > 16 && row < rows; ++row) {
             kernel.out[(row + 1) * columns - 1] = 0;
           }
         }
       });
     }},
    // --- operands ---
    {"concatenate-of-17", "operands", "a concatenate of more than 16 arrays leaves out the rest", "cpu",
     "attributes/concatenate/*",
     [] {
       return with_instructions(BP_OP_CONCATENATE, [](const Edit &concatenate) {
         const auto ids = concatenate.old.operand_ids();
         std::vector<std::uint32_t> values(ids.begin(), ids.end());
         for (std::size_t i = 16; i < values.size(); ++i) {
           const bool is_as_long =
               concatenate.old.operand(0).shape().index() == concatenate.old.operand(std::uint32_t(i)).shape().index();
           values[i] = is_as_long ? values[0] : values[i];
         }
         concatenate.set_operands(values);
       });
     }},
    {"scatter-first-updates-twice", "operands", "a scatter of several arrays takes the first updates for all", "cpu",
     "attributes/scatter/*",
     [] {
       return with_instructions(BP_OP_SCATTER, [](const Edit &scatter) {
         const auto ids = scatter.old.operand_ids();
         std::vector<std::uint32_t> values(ids.begin(), ids.end());
         const std::size_t arrays = values.size() / 2;
         for (std::size_t i = 1; i < arrays; ++i) {
           values[arrays + 1 + i] = values[arrays + 1];
         }
         scatter.set_operands(values);
       });
     }},
    {"scatter-roles-swapped", "operands", "a scatter calls its function with the update first", "cpu",
     "attributes/scatter/*",
     [] {
       return with_instructions(BP_OP_SCATTER, [](const Edit &scatter) {
         for (const plugin::Instruction instruction : scatter.old.called(0).instructions()) {
           if (instruction.op() == BP_OP_SUBTRACT) {
             scatter.of(instruction).set_operands({instruction.operand_ids()[1], instruction.operand_ids()[0]});
           }
         }
       });
     }},
    {"sort-third-stays", "operands", "a sort leaves the third and later arrays as they were", "cpu",
     "attributes/sort/*",
     [] {
       return after_step(BP_OP_SORT, [](const Step &step) {
         for (std::uint32_t i = 2; i < step.instruction.result_count(); ++i) {
           const std::int64_t bytes = step.count() * step.result(i).element_bits() / 8;
           std::memcpy(step.out(i), step.in(i), static_cast<std::size_t>(bytes));
         }
       });
     }},
    {"gather-sign-of-indices", "operands", "indices of a gather of type u16 and u32 have a sign", "cpu",
     "attributes/gather/*",
     [] {
       return before_step(BP_OP_GATHER, [](const Step &step, ChangedInputs &inputs) {
         if (!step.is_input(1) || !is_gathered_as_signed(step)) {
           return;
         }
         with_integer(step.operand(1).dtype(), [&](auto type) {
           using T = decltype(type);
           auto *index = inputs.operand<T>(step.instruction, 1);
           for (std::int64_t i = 0; i < step.operand(1).element_count(); ++i) {
             index[i] = static_cast<std::make_signed_t<T>>(index[i]) < 0 ? T(0) : index[i];
           }
         });
       });
     }},
    // --- layouts ---
    {"tiles-begin-slices", "layouts", "a slice of an array in tiles begins at the start of a tile", "npu",
     "attributes/slice/*",
     [] {
       return with_instructions(BP_OP_SLICE, [](const Edit &slice) {
         const plugin::Shape from = slice.old.operand(0).shape();
         if (from.tile_count() == 0) {
           return;
         }
         slice.change_numbers(BP_ATTR_SLICE, [&](Dimensions &numbers) {
           const std::int64_t minor = from.minor_to_major()[0], tile = from.tile(0).back();
           const auto start = static_cast<std::size_t>(3 * minor);
           const std::int64_t moved = numbers[start] % tile;
           numbers[start] -= moved;
           numbers[start + 1] -= moved;
         });
       });
     }},
    {"gather-result-row-major", "layouts", "a gather stores its result row by row in any layout", "cpu",
     "attributes/gather/*",
     [] {
       return at_compiled_module([](const bp_module_t *module, host::ImagePools &pools) {
         for (const plugin::Instruction i : plugin::ModuleView(module).instructions()) {
           if (i.op() != BP_OP_GATHER || i.result().shape().is_row_major() || i.result().shape().tile_count() != 0) {
             continue;
           }
           bp_shape_t shape = pools.shapes[i.result().shape().index()];
           Dimensions layout;
           for (std::int64_t d = shape.rank; d-- > 0;) {
             layout.push_back(d);
           }
           layout.push_back(0);  // tiles
           shape.layout = pools.add_numbers(layout).begin;
           pools.values[i.result_id()].shape = host::size_of(pools.shapes);
           pools.shapes.push_back(shape);
         }
       });
     }},
};

}  // namespace

const std::span<const Mutant> limit_mutants = limit_table;

}  // namespace bp::conformance
