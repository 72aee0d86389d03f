// Operands that reveal faults: random ones, and values at the edges of their type.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "conformance/suite/accuracy.h"
#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::conformance {

enum class Values : std::uint8_t {
  // Values of ordinary size, and for functions some of any size and some near limits; indices are in bounds.
  Random,
  Edge,   // pairs of special values, including indices out of bounds; see SpecialValueSet
  Every,  // each value of a type of 16 bits or fewer, in the order of the bits; a range of those of a wider type
  Small,  // floats are small integers, most of them not 0, so that sums and products are exact; others as for Random
  // One operand has integers with as many digits as sums of its elements allow, in some cases scaled by a power of two;
  // the others are mostly -1 and 1. Sums are large and exact, but not for a device that computes with fewer digits.
  Wide,
  Rare,      // floats as for Small, but for a NaN or an infinity, mostly the last element of an operand
  Negative,  // floats as for Random, but all negative
  Uniform,   // all elements of an operand are the same
  Least,     // integers are mostly those with the largest products: the smallest signed one; others as for Small
  Most,      // integers are mostly the largest; others as for Small
  // Floats are -1 and 1 but for a few 2 and 1/2, so that products of any of them are exact in any order.
  Factors,
  Neutral,  // what is reduced has no effect on the result, whose value is that of such an element: -inf for a maximum
  Alike,    // numbers differ in their last bits alone, but for one element that has another bit before these
  Ordered,  // as for Random, but ascending or descending
  Ties,     // few numbers, most of them equal to others; floats are mostly zeros of both signs
};
inline constexpr std::string_view value_names[] = {"random",  "edge",     "every",   "small",   "wide",
                                                   "rare",    "negative", "uniform", "least",   "most",
                                                   "factors", "neutral",  "alike",   "ordered", "ties"};

// Makes arguments for the entry computation. `is_elementwise`: elements may have any value. `first`: bits of the first
// value, for Values::Every.
Result<std::vector<ir::Literal>> make_arguments(const ir::Module &module, Values values, SpecialValueSet set,
                                                bool is_elementwise, std::uint64_t seed, std::uint64_t first = 0);

// Replaces floats and complex numbers by their absolute values; other values are unchanged.
std::vector<ir::Literal> absolute(std::vector<ir::Literal> arguments);
// Returns the number of elements of the largest array, which is an upper bound on the number of terms of a sum; at
// least 1.
std::int64_t max_elements(std::span<const ir::Literal> arguments);

}  // namespace bp::conformance
