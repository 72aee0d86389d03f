// Number of iterations of loops, if it can be derived.
#pragma once

#include <cstdint>
#include <optional>

#include "core/ir/module.h"

namespace bp::analysis {

// Returns the number of times a while runs its body, if one integer of its tuple state counts from a constant to a
// constant in constant steps: i = 0; while (i < 10) { ...; i = i + 1; }. State elements that the loop passes on
// unchanged count as constants. Returns nothing if the number cannot be derived, or if the counter would wrap around.
// Takes only a few lookups.
std::optional<std::int64_t> trip_count(const ir::Instruction &loop);

// Returns the index of the tuple element that an instruction extracts, such as 2 for get-tuple-element(parameter),
// index=2.
std::optional<std::size_t> element_of(const ir::Instruction &instruction, const ir::Instruction &tuple);

// Whether a while passes this element of its state unchanged to the next iteration.
bool passes_on(const ir::Instruction &loop, std::size_t element);

}  // namespace bp::analysis
