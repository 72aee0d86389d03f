// Faults of reductions, windows, products and solvers, added to the plugin `cpu`: they show only for certain sizes,
// types and attributes.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "conformance/mutants/module_faults.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/run_faults.h"

namespace bp::conformance {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::size_t window_numbers = 7;  // size, stride, pad low, pad high, lhs dilate, rhs dilate, reversal

// Whether the computation that an instruction calls returns the result of an op.
bool combines_by(plugin::Instruction instruction, std::uint16_t op) {
  return instruction.called().root().instruction().op() == op;
}

// Calls change(window) for the seven numbers of each dimension of a convolution's window.
template <class Change>
void change_window(const Edit &edit, Change change) {
  edit.change_numbers(BP_ATTR_WINDOW, [&](Numbers &numbers) {
    for (std::size_t i = 0; i + window_numbers <= numbers.size(); i += window_numbers) {
      change(std::span(numbers).subspan(i, window_numbers));
    }
  });
}

// The number of an element in memory.
std::int64_t place(plugin::Shape shape, std::span<const std::int64_t> index) {
  std::int64_t at = 0, stride = 1;
  for (const std::int64_t d : shape.minor_to_major()) {
    at += index[static_cast<std::size_t>(d)] * stride;
    stride *= shape.dim(static_cast<std::uint32_t>(d));
  }
  return at;
}

// Moves the elements of a result along one dimension: index i gets what index from(i) had.
template <class From>
void permute(const Step &step, std::uint32_t dimension, From from) {
  const plugin::Shape shape = step.result();
  const std::int64_t size = shape.element_bits() / 8;
  const std::vector<char> old(step.out(), step.out() + step.count() * size);
  Numbers index(shape.rank(), 0), source;
  for (std::int64_t n = 0; n < step.count(); ++n) {
    source = index;
    source[dimension] = from(index[dimension]);
    std::memcpy(step.out() + place(shape, index) * size, old.data() + place(shape, source) * size, std::size_t(size));
    for (std::size_t d = shape.rank(); d-- > 0 && ++index[d] == shape.dim(static_cast<std::uint32_t>(d));) {
      index[d] = 0;
    }
  }
}

// Sorts the dimensions of the right operand that are paired with those of the left, where the sizes permit it.
void sort_pairs(const Edit &dot, std::uint16_t left_key, std::uint16_t right_key) {
  const auto left = dot.old.integers(left_key), right = dot.old.integers(right_key);
  Numbers sorted(right.begin(), right.end());
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (dot.old.operand(0).shape().dim(static_cast<std::uint32_t>(left[i])) !=
        dot.old.operand(1).shape().dim(static_cast<std::uint32_t>(sorted[i]))) {
      return;
    }
  }
  if (!sorted.empty()) {
    dot.set_numbers(right_key, sorted);
  }
}

// Computes s8[m,k] times s8[k,n] as a processor does that multiplies u8 by s8, and keeps the sums of pairs in s16.
void multiply_bytes(const Step &step) {
  if (step.operand(0).dtype() != BP_DTYPE_S8 || step.operand(1).dtype() != BP_DTYPE_S8 ||
      step.result().dtype() != BP_DTYPE_S32 || !step.is_row_major() || step.operand(0).rank() != 2 ||
      step.operand(1).rank() != 2 || step.instruction.integer(BP_ATTR_LHS_CONTRACTING_DIMS, 0) != 1 ||
      step.instruction.integer(BP_ATTR_RHS_CONTRACTING_DIMS, 1) != 0) {
    return;
  }
  const std::int64_t m = step.operand(0).dim(0), k = step.operand(0).dim(1), n = step.operand(1).dim(1);
  const auto *a = step.in<std::int8_t>(0), *b = step.in<std::int8_t>(1);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t l = 0; l < n; ++l) {
      std::int32_t sum = 0;
      for (std::int64_t j = 0; j < k; j += 2) {
        std::int32_t pair = 0;
        for (std::int64_t t = j; t < std::min(j + 2, k); ++t) {
          pair += (a[i * k + t] + 128) * b[t * n + l];
          sum -= 128 * b[t * n + l];
        }
        sum += std::clamp(pair, -32768, 32767);
      }
      step.out<std::int32_t>()[i * n + l] = sum;
    }
  }
}

// Takes the padding of a window for zeros.
void pad_with_zeros(const Step &step) {
  const auto window = step.instruction.integers(BP_ATTR_WINDOW);
  const plugin::Shape shape = step.result();
  if (step.instruction.result_count() != 1 || shape.dtype() != BP_DTYPE_F32 ||
      window.size() != shape.rank() * window_numbers || !combines_by(step.instruction, BP_OP_MAXIMUM)) {
    return;
  }
  Numbers index(shape.rank(), 0);
  for (std::int64_t n = 0; n < step.count(); ++n) {
    bool is_padded = false;
    for (std::uint32_t d = 0; d < shape.rank(); ++d) {
      const auto at = window.subspan(d * window_numbers, window_numbers);
      const std::int64_t first = index[d] * at[1] - at[2], last = first + (at[0] - 1) * at[5];
      is_padded |= first < 0 || last > (step.operand(0).dim(d) - 1) * at[4];
    }
    float &value = step.out<float>()[place(shape, index)];
    value = is_padded && value < 0 ? 0 : value;
    for (std::size_t d = shape.rank(); d-- > 0 && ++index[d] == shape.dim(static_cast<std::uint32_t>(d));) {
      index[d] = 0;
    }
  }
}

constexpr Mutant contraction_table[] = {
    // --- reductions ---
    {"maximum-of-minus-zeros", "reductions", "the maximum of more than 8,192 zeros with a minus sign is -infinity",
     "cpu", "ops/reduce*/f32/*",
     [] {
       return with_whole_reductions(after_step(BP_OP_REDUCE, [](const Step &step) {
         const std::int64_t count = step.operand(0).element_count();
         if (step.converts(BP_DTYPE_F32, BP_DTYPE_F32) && step.count() == 1 && count > 8192 &&
             combines_by(step.instruction, BP_OP_MAXIMUM) &&
             std::all_of(step.in<float>(0), step.in<float>(0) + count,
                         [](float x) { return x == 0 && std::signbit(x); })) {
           step.out<float>()[0] = -std::numeric_limits<float>::infinity();
         }
       }));
     },
     nullptr, "openxla/xla#5544"},
    {"maximum-of-nothing", "reductions", "a maximum over rows starts from the least finite number", "cpu",
     "ops/reduce*/f32/*",
     [] {
       return after_step(BP_OP_REDUCE, [](const Step &step) {
         constexpr float least = std::numeric_limits<float>::lowest();
         const bool is_maximum =
             step.converts(BP_DTYPE_F32, BP_DTYPE_F32) && combines_by(step.instruction, BP_OP_MAXIMUM);
         for (std::int64_t i = 0; is_maximum && i < step.count(); ++i) {
           step.out<float>()[i] = step.out<float>()[i] < least ? least : step.out<float>()[i];
         }
       });
     }},
    {"maximum-skips-last-nan", "reductions", "a maximum over an array skips a NaN after the last full vector of 8",
     "cpu", "ops/reduce*/f32/*",
     [] {
       return after_step(BP_OP_REDUCE, [](const Step &step) {
         const std::int64_t count = step.operand(0).element_count();
         if (!step.converts(BP_DTYPE_F32, BP_DTYPE_F32) || step.count() != 1 || count < 8 ||
             !combines_by(step.instruction, BP_OP_MAXIMUM)) {
           return;
         }
         const float *x = step.in<float>(0), *tail = x + count / 8 * 8;
         float largest = std::fmax(step.in<float>(1)[0], *std::max_element(x, tail));
         const bool is_early = std::any_of(x, tail, [](float y) { return std::isnan(y); });
         std::for_each(tail, x + count, [&](float y) { largest = std::fmax(largest, y); });
         step.out<float>()[0] = is_early ? step.out<float>()[0] : largest;
       });
     }},
    {"argmax-last-of-ties", "reductions", "a reduction to the largest element and its index takes the last of equals",
     "cpu", "programs/reductions.mlir:*",
     [] {
       return with_compares_called_by(BP_OP_REDUCE, [](const Edit &reduce, const Edit &compare) {
         if (reduce.old.result_count() == 2) {
           replace_direction(compare, BP_COMPARISON_DIRECTION_GT, BP_COMPARISON_DIRECTION_GE);
         }
       });
     },
     nullptr, "pytorch/pytorch#22853"},
    {"argmax-skips-nan", "reductions", "a reduction to the largest element and its index does not notice a NaN", "cpu",
     "programs/sort.mlir:*",
     [] {
       return with_compares_called_by(BP_OP_REDUCE, [](const Edit &reduce, const Edit &compare) {
         if (reduce.old.result_count() == 2 && compare.old.operand(0) == compare.old.operand(1)) {
           replace_direction(compare, BP_COMPARISON_DIRECTION_NE, BP_COMPARISON_DIRECTION_GT);
         }
       });
     },
     nullptr, "ml-explore/mlx#4274"},
    {"sums-carry-lost", "reductions", "sums of s32 from the beginning of an array start again after 1,024 elements",
     "cpu", "programs/window.mlir:*",
     [] {
       return after_step(BP_OP_REDUCE_WINDOW, [](const Step &step) {
         const auto window = step.instruction.integers(BP_ATTR_WINDOW);
         if (!step.converts(BP_DTYPE_S32, BP_DTYPE_S32) || step.result().rank() != 1 || window.size() != 7 ||
             window[0] < step.count() || window[2] != window[0] - 1 || !combines_by(step.instruction, BP_OP_ADD)) {
           return;
         }
         auto *sums = step.out<std::int32_t>();
         for (std::int64_t block = (step.count() - 1) / 1024; block > 0; --block) {
           for (std::int64_t i = block * 1024; i < std::min(step.count(), (block + 1) * 1024); ++i) {
             sums[i] -= sums[block * 1024 - 1];
           }
         }
       });
     },
     nullptr, "pytorch/pytorch#143486"},
    {"window-padded-with-zeros", "reductions", "the maximum of negative numbers in a window with padding is 0", "cpu",
     "ops/reduce-window*/f32/*", [] { return after_step(BP_OP_REDUCE_WINDOW, pad_with_zeros); }, nullptr,
     "apache/mxnet#2753"},
    {"pool-gradient-to-last", "reductions", "select-and-scatter selects the last of equal elements", "cpu",
     "ops/select-and-scatter/*",
     [] {
       return with_compares_called_by(BP_OP_SELECT_AND_SCATTER, [](const Edit &, const Edit &compare) {
         replace_direction(compare, BP_COMPARISON_DIRECTION_GE, BP_COMPARISON_DIRECTION_GT);
       });
     }},
    // --- convolutions ---
    {"depthwise-ignores-dilation", "convolutions", "a convolution of feature groups ignores the window's dilation",
     "cpu", "attributes/convolution/*",
     [] {
       return with_instructions(BP_OP_CONVOLUTION, [](const Edit &convolution) {
         if (convolution.old.integer(BP_ATTR_FEATURE_GROUP_COUNT, 1) > 1) {
           change_window(convolution, [](std::span<std::int64_t> window) {
             window[3] -= (window[0] - 1) * (window[5] - 1);
             window[5] = 1;
           });
         }
       });
     },
     nullptr, "Tencent/ncnn#315"},
    {"depthwise-multiplier-order", "convolutions",
     "the features of a depthwise convolution are ordered by filter before they are ordered by group", "cpu",
     "attributes/convolution/*",
     [] {
       return after_step(BP_OP_CONVOLUTION, [](const Step &step) {
         const std::int64_t groups = step.instruction.integer(BP_ATTR_FEATURE_GROUP_COUNT, 1);
         const auto labels = step.instruction.integers(BP_ATTR_DIM_LABELS);
         const auto feature = static_cast<std::uint32_t>(labels[5]);
         const std::int64_t filters = step.result().dim(feature) / groups;
         if (groups > 1 && filters > 1 && step.operand(0).dim(static_cast<std::uint32_t>(labels[1])) == groups &&
             step.result().element_bits() % 8 == 0) {
           permute(step, feature, [&](std::int64_t i) { return i % groups * filters + i / groups; });
         }
       });
     },
     nullptr, "alibaba/MNN#532"},
    {"strided-narrow-image", "convolutions",
     "a convolution with a stride loses the last column of images with less than 17 columns and more than 16 features",
     "cpu", "attributes/convolution/*",
     [] {
       return after_step(BP_OP_CONVOLUTION, [](const Step &step) {
         const auto labels = step.instruction.integers(BP_ATTR_DIM_LABELS);
         const auto window = step.instruction.integers(BP_ATTR_WINDOW);
         const std::size_t dimensions = window.size() / window_numbers;
         if (dimensions == 0 || step.result().element_bits() % 8 != 0) {
           return;
         }
         const auto column = static_cast<std::uint32_t>(labels[5 + 3 * dimensions]);
         const std::int64_t columns = step.operand(0).dim(static_cast<std::uint32_t>(labels[5 + dimensions]));
         const std::int64_t features = step.operand(0).dim(static_cast<std::uint32_t>(labels[1]));
         if (window[window.size() - window_numbers + 1] > 1 && columns < 17 && features > 16) {
           const std::int64_t last = step.result().dim(column) - 1;
           permute(step, column, [&](std::int64_t i) { return std::min(i, std::max<std::int64_t>(last - 1, 0)); });
         }
       });
     },
     nullptr, "fujitsu/oneDNN#43"},
    {"pointwise-padding-swapped", "convolutions",
     "a convolution with a window of size 1 swaps the edges of its padding", "cpu", "attributes/convolution/*",
     [] {
       return with_instructions(BP_OP_CONVOLUTION, [](const Edit &convolution) {
         bool is_pointwise = true;
         change_window(convolution, [&](std::span<std::int64_t> window) { is_pointwise &= window[0] == 1; });
         if (is_pointwise) {
           change_window(convolution, [](std::span<std::int64_t> window) { std::swap(window[2], window[3]); });
         }
       });
     }},
    // --- products ---
    {"dot-batches-sorted", "products", "a dot pairs its batch dimensions in ascending order", "cpu", "attributes/dot/*",
     [] {
       return with_instructions(
           BP_OP_DOT, [](const Edit &dot) { sort_pairs(dot, BP_ATTR_LHS_BATCH_DIMS, BP_ATTR_RHS_BATCH_DIMS); });
     }},
    {"dot-terms-sorted", "products", "a dot pairs its contracted dimensions in ascending order", "cpu",
     "attributes/dot/*",
     [] {
       return with_instructions(BP_OP_DOT, [](const Edit &dot) {
         sort_pairs(dot, BP_ATTR_LHS_CONTRACTING_DIMS, BP_ATTR_RHS_CONTRACTING_DIMS);
       });
     }},
    {"dot-bytes-saturate", "products", "sums of two products of s8 saturate at 16 bits", "cpu", "ops/dot*/s8/*",
     [] { return after_step(BP_OP_DOT, multiply_bytes); }, nullptr, "uxlfoundation/oneDNN#717"},
    // --- solvers and transforms ---
    {"inverse-transform-of-odd-length", "solvers", "an inverse Fourier transform of odd length is not divided by it",
     "cpu", "ops/fft*/c64/*",
     [] {
       return after_step(BP_OP_FFT, [](const Step &step) {
         const auto lengths = step.instruction.integers(BP_ATTR_FFT_LENGTH);
         if (step.result().dtype() == BP_DTYPE_C64 &&
             step.instruction.integer(BP_ATTR_FFT_TYPE, 0) == BP_FFT_TYPE_IFFT && !lengths.empty() &&
             lengths.back() % 2 == 1) {
           for (std::int64_t i = 0; i < step.count(); ++i) {
             step.out<std::complex<float>>()[i] *= static_cast<float>(lengths.back());
           }
         }
       });
     }},
};

}  // namespace

const std::span<const Mutant> contraction_mutants = contraction_table;

}  // namespace bp::conformance
