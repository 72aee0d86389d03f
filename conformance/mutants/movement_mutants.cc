// Faults of operations that move elements, and of those that choose what to do by numbers known only at run time, added
// to the plugin `cpu`.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/mutants/module_faults.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/run_faults.h"

namespace bp::conformance {
namespace {

using Sizes = std::vector<std::int64_t>;

// The size of an element, or 0 if elements share bytes.
std::int64_t bytes_of(plugin::Shape shape) {
  return shape.element_bits() % 8 == 0 ? shape.element_bits() / 8 : 0;
}

// Calls body(index) for each index of an array, in row-major order.
template <class Body>
void each_index(std::span<const std::int64_t> sizes, Body body) {
  Sizes index(sizes.size(), 0);
  for (std::int64_t left = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>()); left > 0;
       --left) {
    body(index);
    for (std::size_t d = sizes.size(); d-- > 0 && ++index[d] == sizes[d];) {
      index[d] = 0;
    }
  }
}

// Changes the starts of a dynamic slice that are inputs: change(start, size of the dimension) returns the new start.
template <class Change>
Fault with_starts(std::uint16_t op, std::uint32_t first, Change change) {
  return before_step(op, [first, change](const Step &step, ChangedInputs &inputs) {
    for (std::uint32_t i = first; i < step.instruction.operand_count(); ++i) {
      if (step.operand(i).rank() == 0 && step.is_input(i)) {
        with_integer(step.operand(i).dtype(), [&](auto type) {
          auto &start = *inputs.operand<decltype(type)>(step.instruction, i);
          start = static_cast<decltype(type)>(change(start, step.operand(0).dim(i - first)));
        });
      }
    }
  });
}

// Changes the indices of a gather or scatter that are inputs: change(vectors), each vector as long as `map`.
template <class T>
using Indices = std::vector<std::span<T>>;
template <class Change>
Fault with_indices(std::uint16_t op, std::uint16_t map_key, std::uint16_t batching_key, Change change) {
  return before_step(op, [=](const Step &step, ChangedInputs &inputs) {
    const std::uint32_t number = op == BP_OP_GATHER ? 1 : (step.instruction.operand_count() - 1) / 2;
    const plugin::Shape shape = step.operand(number);
    const auto vector_dimension = step.instruction.integer(BP_ATTR_INDEX_VECTOR_DIM, 0);
    const auto map = step.instruction.integers(map_key);
    if (!step.is_input(number) || !shape.is_row_major() || map.empty() || shape.element_count() == 0 ||
        vector_dimension + 1 < shape.rank() || !step.instruction.integers(batching_key).empty()) {
      return;
    }
    with_integer(shape.dtype(), [&](auto type) {
      using T = decltype(type);
      T *first = inputs.operand<T>(step.instruction, number);
      Indices<T> vectors;
      for (T *at = first; at != first + shape.element_count(); at += map.size()) {
        vectors.emplace_back(at, map.size());
      }
      change(step, map, vectors);
    });
  });
}

// Drops all updates but the last for the same index.
void lose_duplicates(const auto &, auto, auto &vectors) {
  using T = typename std::remove_cvref_t<decltype(vectors)>::value_type::element_type;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    for (std::size_t later = i + 1; later < vectors.size(); ++later) {
      if (std::ranges::equal(vectors[i], vectors[later])) {
        std::ranges::fill(vectors[i], std::is_signed_v<T> ? T(-1) : std::numeric_limits<T>::max());
        break;
      }
    }
  }
}

// Reverses the payloads of equal keys, which are next to each other.
void reverse_payloads(const char *keys, std::int64_t key_bytes, char *payloads, std::int64_t payload_bytes,
                      std::int64_t count) {
  for (std::int64_t begin = 0, end; begin < count; begin = end) {
    end = begin + 1;
    while (end < count && std::memcmp(keys + begin * key_bytes, keys + end * key_bytes, std::size_t(key_bytes)) == 0) {
      ++end;
    }
    for (std::int64_t i = begin, j = end - 1; i < j; ++i, --j) {
      std::swap_ranges(payloads + i * payload_bytes, payloads + (i + 1) * payload_bytes, payloads + j * payload_bytes);
    }
  }
}

// Calls change(compare) for the compares in the condition of each loop, also inside fusions.
template <class Change>
Fault with_loop_conditions(Change change) {
  return with_instructions(BP_OP_WHILE, [change](const Edit &loop) {
    for (const plugin::Instruction instruction : loop.old.called(0).instructions()) {
      if (instruction.op() == BP_OP_COMPARE) {
        change(loop.of(instruction));
      } else if (instruction.op() == BP_OP_FUSION) {
        for (const plugin::Instruction inner : instruction.called(0).instructions()) {
          if (inner.op() == BP_OP_COMPARE) {
            change(loop.of(inner));
          }
        }
      }
    }
  });
}

constexpr Mutant movement_table[] = {
    // --- joining and permuting ---
    {"concatenate-columns", "movement", "concatenate of columns to rows keeps only the first column", "cpu",
     "attributes/concatenate/*",
     [] {
       return after_step(BP_OP_CONCATENATE, [](const Step &step) {
         const std::uint32_t last = step.result().rank() - 1;
         const std::int64_t columns = step.result().dim(last);
         if (!step.is_row_major() || step.instruction.integer(BP_ATTR_DIMENSIONS, 0) != last ||
             columns != step.instruction.operand_count()) {
           return;
         }
         const std::int64_t size = bytes_of(step.result());
         for (std::int64_t i = 0; i < step.count(); ++i) {
           if (i % columns != 0) {
             std::memset(step.out() + i * size, 0, static_cast<std::size_t>(size));
           }
         }
       });
     },
     nullptr, "tenstorrent/tt-metal#21581"},
    {"transpose-partial-tile", "movement", "a transpose does not reach the corner after the last full tile of 32 by 32",
     "cpu", "attributes/transpose/*",
     [] {
       return after_step(BP_OP_TRANSPOSE, [](const Step &step) {
         const std::int64_t size = bytes_of(step.result());
         if (!step.is_row_major() || step.result().rank() != 2 ||
             step.instruction.integer(BP_ATTR_DIMENSIONS, 0) != 1) {
           return;
         }
         const std::int64_t rows = step.result().dim(0), columns = step.result().dim(1);
         for (std::int64_t i = rows / 32 * 32; rows > 32 && columns > 32 && i < rows; ++i) {
           for (std::int64_t j = columns / 32 * 32; j < columns; ++j) {
             std::memcpy(step.out() + (i * columns + j) * size, step.in(0) + (i * columns + j) * size,
                         static_cast<std::size_t>(size));
           }
         }
       });
     }},
    {"transpose-over-size-one", "movement", "a transpose of three dimensions is a copy if the middle one has size 1",
     "cpu", "attributes/transpose/*",
     [] {
       return after_step(BP_OP_TRANSPOSE, [](const Step &step) {
         if (step.is_row_major() && step.result().rank() == 3 && step.operand(0).dim(1) == 1) {
           std::memcpy(step.out(), step.in(0), static_cast<std::size_t>(step.count() * bytes_of(step.result())));
         }
       });
     },
     nullptr, "openxla/xla#18441"},
    {"broadcast-square-transposed", "movement", "a broadcast of a square matrix swaps its dimensions", "cpu",
     "attributes/broadcast/*",
     [] {
       return with_instructions(BP_OP_BROADCAST, [](const Edit &broadcast) {
         const plugin::Shape matrix = broadcast.old.operand(0).shape();
         if (matrix.rank() == 2 && matrix.dim(0) == matrix.dim(1)) {
           broadcast.change_numbers(BP_ATTR_DIMENSIONS, [](Sizes &numbers) { std::swap(numbers[0], numbers[1]); });
         }
       });
     }},
    {"pad-between-swaps-edges", "movement", "a pad between elements swaps the edges if one of them is negative", "cpu",
     "attributes/pad/*",
     [] {
       return with_instructions(BP_OP_PAD, [](const Edit &pad) {
         pad.change_numbers(BP_ATTR_PADDING, [](Sizes &numbers) {
           for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
             if (numbers[i + 2] > 0 && (numbers[i] < 0 || numbers[i + 1] < 0)) {
               std::swap(numbers[i], numbers[i + 1]);
             }
           }
         });
       });
     }},
    {"bitcast-high-part-first", "movement", "a bitcast-convert to wider elements takes the high part first", "cpu",
     "attributes/bitcast-convert/*",
     [] {
       return after_step(BP_OP_BITCAST_CONVERT, [](const Step &step) {
         const std::int64_t wide = bytes_of(step.result()), narrow = bytes_of(step.operand(0));
         for (std::int64_t i = 0; narrow > 0 && wide > narrow && i < step.count(); ++i) {
           char *at = step.out() + i * wide;
           for (std::int64_t low = 0, high = wide - narrow; low < high; low += narrow, high -= narrow) {
             std::swap_ranges(at + low, at + low + narrow, at + high);
           }
         }
       });
     }},
    {"bitcast-sign-of-part", "movement", "a bitcast-convert of s4 to bytes lets the sign of the first of two leak",
     "cpu", "ops/bitcast-convert*",
     [] {
       return after_step(BP_OP_BITCAST_CONVERT, [](const Step &step) {
         const bool joins = step.operand(0).dtype() == BP_DTYPE_S4 && step.result().dtype() == BP_DTYPE_U8;
         for (std::int64_t i = 0; joins && i < step.count(); ++i) {
           auto &byte = step.out<std::uint8_t>()[i];
           byte = static_cast<std::uint8_t>((byte & 8) != 0 ? byte | 0xf0 : byte);
         }
       });
     }},
    {"pad-far-edge", "movement", "a pad with an edge of 2^31 elements or more finds no element", "cpu", "ops/pad*",
     [] {
       return after_step(BP_OP_PAD, [](const Step &step) {
         const auto numbers = step.instruction.integers(BP_ATTR_PADDING);
         const bool is_far = std::ranges::any_of(
             numbers, [](std::int64_t number) { return std::abs(number) > std::numeric_limits<std::int32_t>::max(); });
         const std::int64_t size = bytes_of(step.result());
         for (std::int64_t i = 0; is_far && i < step.count(); ++i) {
           std::memcpy(step.out() + i * size, step.in(1), static_cast<std::size_t>(size));
         }
       });
     }},
    {"reshape-of-columns-long", "movement", "a reshape of more than 200,000 elements by columns loses the last one",
     "cpu", "ops/reshape*",
     [] {
       return after_step(BP_OP_RESHAPE, [](const Step &step) {
         if (!step.operand(0).is_row_major() && step.result().is_row_major() && step.count() > 200'000) {
           const std::int64_t size = bytes_of(step.result());
           std::memset(step.out() + (step.count() - 1) * size, 0x55, static_cast<std::size_t>(size));
         }
       });
     }},
    {"iota-stalls", "movement", "iota of bf16 adds 1 to the element before, and stalls at 256", "cpu",
     "ops/iota/bf16/*",
     [] {
       return after_step(BP_OP_IOTA, [](const Step &step) {
         constexpr std::uint16_t stalled = 0x4380;
         for (std::int64_t i = 0; step.result().dtype() == BP_DTYPE_BF16 && i < step.count(); ++i) {
           step.out<std::uint16_t>()[i] = std::min(step.out<std::uint16_t>()[i], stalled);
         }
       });
     }},
    // --- starts and indices ---
    {"start-unsigned-as-signed", "indices", "unsigned starts of a dynamic-slice with the highest bit are negative",
     "cpu", "attributes/dynamic-slice/*",
     [] {
       return with_starts(BP_OP_DYNAMIC_SLICE, 1, [](auto start, std::int64_t) {
         return std::is_unsigned_v<decltype(start)> && start >> (8 * sizeof(start) - 1) != 0 ? decltype(start)(0)
                                                                                             : start;
       });
     },
     nullptr, "ml-explore/mlx#3917"},
    {"start-negative-from-end", "indices", "negative starts of a dynamic-slice count from the end", "cpu",
     "ops/dynamic-slice/*",
     [] {
       return with_starts(BP_OP_DYNAMIC_SLICE, 1, [](auto start, std::int64_t size) {
         return std::is_signed_v<decltype(start)> && start < 0 ? static_cast<decltype(start)>(start + size) : start;
       });
     },
     nullptr, "jax-ml/jax#11580"},
    {"update-start-unclamped", "indices", "a dynamic-update-slice that starts too late wraps into the next row", "cpu",
     "attributes/dynamic-update-slice/*",
     [] {
       return after_step(BP_OP_DYNAMIC_UPDATE_SLICE, [](const Step &step) {
         const std::int64_t size = bytes_of(step.result());
         if (!step.is_row_major() || step.instruction.operand_count() != 2 + step.result().rank()) {
           return;
         }
         std::int64_t start = 0;
         bool is_late = false;
         for (std::uint32_t d = 0; d < step.result().rank(); ++d) {
           std::int64_t here = 0;
           with_integer(step.operand(2 + d).dtype(),
                        [&](auto type) { here = static_cast<std::int64_t>(*step.in<decltype(type)>(2 + d)); });
           is_late |= here > step.result().dim(d) - step.operand(1).dim(d) && here < step.result().dim(d);
           start = start * step.result().dim(d) + std::clamp<std::int64_t>(here, 0, step.result().dim(d) - 1);
         }
         if (!is_late) {
           return;
         }
         std::memcpy(step.out(), step.in(0), static_cast<std::size_t>(step.count() * size));
         std::int64_t number = 0;
         each_index(step.operand(1).dims(), [&](const Sizes &index) {
           std::int64_t at = 0;
           for (std::uint32_t d = 0; d < index.size(); ++d) {
             at = at * step.result().dim(d) + index[d];
           }
           if (start + at < step.count()) {
             std::memcpy(step.out() + (start + at) * size, step.in(1) + number * size, static_cast<std::size_t>(size));
           }
           ++number;
         });
       });
     },
     nullptr, "openxla/xla#49120"},
    {"gather-negative-from-end", "indices", "negative indices of a gather count from the end", "cpu", "ops/gather/*",
     [] {
       return with_indices(
           BP_OP_GATHER, BP_ATTR_START_INDEX_MAP, BP_ATTR_OPERAND_BATCHING_DIMS,
           [](const Step &step, auto map, auto &vectors) {
             for (auto &vector : vectors) {
               for (std::size_t i = 0; i < vector.size(); ++i) {
                 using T = std::remove_cvref_t<decltype(vector[i])>;
                 if (std::is_signed_v<T> && vector[i] < 0) {
                   vector[i] = static_cast<T>(vector[i] + step.operand(0).dim(static_cast<std::uint32_t>(map[i])));
                 }
               }
             }
           });
     }},
    {"scatter-loses-duplicates", "indices", "of several updates of one element only the last takes effect", "cpu",
     "attributes/scatter/*",
     [] {
       return with_indices(BP_OP_SCATTER, BP_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS, BP_ATTR_INPUT_BATCHING_DIMS,
                           [](const Step &step, auto map, auto &vectors) { lose_duplicates(step, map, vectors); });
     },
     nullptr, "deeplearning4j/nd4j#2153"},
    {"scatter-clamps", "indices", "updates past the end of a dimension are applied to its last element", "cpu",
     "ops/scatter/*",
     [] {
       return with_indices(
           BP_OP_SCATTER, BP_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS, BP_ATTR_INPUT_BATCHING_DIMS,
           [](const Step &step, auto map, auto &vectors) {
             const auto inserted = step.instruction.integers(BP_ATTR_INSERTED_WINDOW_DIMS);
             for (auto &vector : vectors) {
               for (std::size_t i = 0; i < vector.size(); ++i) {
                 using T = std::remove_cvref_t<decltype(vector[i])>;
                 const std::int64_t size = step.operand(0).dim(static_cast<std::uint32_t>(map[i]));
                 if (std::ranges::count(inserted, map[i]) > 0 && std::cmp_greater_equal(vector[i], size)) {
                   vector[i] = static_cast<T>(size - 1);
                 }
               }
             }
           });
     }},
    {"index-byte-as-signed", "indices", "indices of 128 to 255 in 8 bits are negative in a scatter, which skips them",
     "cpu", "ops/scatter*",
     [] {
       return with_indices(BP_OP_SCATTER, BP_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS, BP_ATTR_INPUT_BATCHING_DIMS,
                           [](const auto &, auto, auto &vectors) {
                             using T = typename std::remove_cvref_t<decltype(vectors)>::value_type::element_type;
                             for (auto &vector : vectors) {
                               for (auto &index : vector) {
                                 index = std::is_same_v<T, std::uint8_t> && index > 127 ? T(255) : index;
                               }
                             }
                           });
     }},
    {"scatter-width-of-first", "indices",
     "a scatter of several arrays copies each with the width of the first one's elements", "cpu",
     "attributes/scatter/*",
     [] {
       return after_step(BP_OP_SCATTER, [](const Step &step) {
         for (std::uint32_t r = 1; r < step.instruction.result_count(); ++r) {
           const std::int64_t first = bytes_of(step.result(0)), own = bytes_of(step.result(r));
           if (first < own) {
             std::memset(step.out(r) + first * step.count(), 0, static_cast<std::size_t>((own - first) * step.count()));
           }
         }
       });
     }},
    {"scatter-of-rank-5", "indices", "a scatter into more than four dimensions changes nothing", "cpu",
     "attributes/scatter/*",
     [] {
       return after_step(BP_OP_SCATTER, [](const Step &step) {
         if (step.result().rank() > 4 && step.instruction.result_count() == 1 && step.is_row_major()) {
           std::memcpy(step.out(), step.in(0), static_cast<std::size_t>(step.count() * bytes_of(step.result())));
         }
       });
     },
     nullptr, "tenstorrent/tt-metal#56875"},
    // --- order ---
    {"sort-unstable-from-17", "order", "a stable sort of more than 16 elements reverses the order of equal keys", "cpu",
     "ops/sort*",
     [] {
       return after_step(BP_OP_SORT, [](const Step &step) {
         const plugin::Instruction sort = step.instruction;
         const std::uint32_t last = step.result().rank() - 1;
         const std::int64_t length = step.result().rank() == 0 ? 0 : step.result().dim(last);
         if (!step.is_row_major() || length <= 16 || sort.integer(BP_ATTR_DIMENSIONS, 0) != last ||
             sort.integer(BP_ATTR_IS_STABLE, 0) == 0) {
           return;
         }
         for (std::uint32_t r = 1; r < sort.result_count(); ++r) {
           const std::int64_t key = bytes_of(step.result(0)), payload = bytes_of(step.result(r));
           for (std::int64_t row = 0; row < step.count() / length; ++row) {
             reverse_payloads(step.out(0) + row * length * key, key, step.out(r) + row * length * payload, payload,
                              length);
           }
         }
       });
     },
     nullptr, "numpy/numpy#6357"},
    {"sort-skips-digit", "order", "a sort looks at the last byte alone if all keys but one share the others", "cpu",
     "ops/sort*",
     [] {
       return after_step(BP_OP_SORT, [](const Step &step) {
         const bool has_words = step.result().dtype() == BP_DTYPE_S32 || step.result().dtype() == BP_DTYPE_F32;
         if (!has_words || step.instruction.result_count() != 1 || step.result().rank() != 1 || step.count() < 3) {
           return;
         }
         const std::span keys(step.out<std::uint32_t>(), static_cast<std::size_t>(step.count()));
         const auto others = [](std::uint32_t key) { return key >> 8; };
         const std::uint32_t shared = others(keys[keys.size() / 2]);
         if (std::ranges::count(keys, shared, others) == step.count() - 1) {
           std::ranges::stable_sort(keys, {}, [](std::uint32_t key) { return key & 0xff; });
         }
       });
     }},
    {"topk-ties-reversed", "order", "topk of more than 64 elements returns equal elements in reverse order", "cpu",
     "ops/topk/*",
     [] {
       return after_step(BP_OP_TOP_K, [](const Step &step) {
         const std::uint32_t last = step.result().rank() - 1;
         const std::int64_t k = step.result().dim(last), size = bytes_of(step.result());
         for (std::int64_t row = 0; step.operand(0).dim(last) > 64 && k > 0 && row < step.count() / k; ++row) {
           reverse_payloads(step.out(0) + row * k * size, size, step.out(1) + row * k * 4, 4, k);
         }
       });
     }},
    // --- control flow and state ---
    {"branch-negative-first", "control", "a negative index of a conditional takes the first branch", "cpu",
     "ops/conditional*",
     [] {
       return before_step(BP_OP_CONDITIONAL, [](const Step &step, ChangedInputs &inputs) {
         if (step.operand(0).dtype() == BP_DTYPE_S32 && step.is_input(0)) {
           auto &index = *inputs.operand<std::int32_t>(step.instruction, 0);
           index = std::max(index, 0);
         }
       });
     }},
    {"loop-down-once-more", "control", "a loop that counts down runs once more", "cpu", "programs/control.mlir:*",
     [] {
       return with_loop_conditions([](const Edit &compare) {
         replace_direction(compare, BP_COMPARISON_DIRECTION_GT, BP_COMPARISON_DIRECTION_GE);
       });
     }},
};

}  // namespace

const std::span<const Mutant> movement_mutants = movement_table;

}  // namespace bp::conformance
