// How often loops run, where that can be read off.
#pragma once

#include <cstdint>
#include <optional>

#include "core/ir/module.h"

namespace bp::analysis {

// The number of times a while runs its body, if its state is a tuple of which one integer counts from a constant by a
// constant to a constant: i = 0; while (i < 10) { ...; i = i + 1; }. Bounds that the loop passes on unchanged are
// constants too. Nothing if that cannot be told, or if the counter would wrap around. The time is that of a few look-ups.
std::optional<std::int64_t> trip_count(const ir::Instruction &loop);

// The element of a tuple-shaped value that an instruction is, such as get-tuple-element(parameter), index=2.
std::optional<std::size_t> element_of(const ir::Instruction &instruction, const ir::Instruction &tuple);

// Whether a while hands this element of its state to the next round as it is.
bool passes_on(const ir::Instruction &loop, std::size_t element);

}  // namespace bp::analysis
