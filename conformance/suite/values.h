// Operands that find faults: random ones, and those at the edges of their type.
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
  Random,  // of ordinary size; indices lie inside of what they index
  Edge,    // pairs of special values, indices outside too; see Edges
  Every,   // each value of a type of 16 bits or fewer, in the order of the bits; or a part of those of a wider type
};
inline constexpr std::string_view value_names[] = {"random", "edge", "every"};

// Arguments for the entry computation. `is_elementwise`: any number will do for any element. `first`: the bits of the
// first of Every.
Result<std::vector<ir::Literal>> make_arguments(const ir::Module &module, Values values, Edges edges,
                                                bool is_elementwise, std::uint64_t seed, std::uint64_t first = 0);

// Their absolute values, floats and complex numbers; others as they are.
std::vector<ir::Literal> absolute(std::vector<ir::Literal> arguments);
// The elements of the largest array among them: no sum of theirs has more terms. At least 1.
std::int64_t max_elements(std::span<const ir::Literal> arguments);

}  // namespace bp::conformance
