// How sure a result can be: what becomes of it when its inputs are moved by the least that their type can say. A program
// that answers that with a large change is ill-conditioned: no two ways of rounding need to agree on it.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/ir/literal.h"

namespace bp::interpreter {

// The value with every float moved by one unit in the last place, up or down as the seed has it. Zeros, infinities, NaN
// and everything that is no float stay; tuples are moved element by element. Fails only for lack of memory.
Result<ir::Literal> nudge(const ir::Literal &value, std::uint64_t seed);

}  // namespace bp::interpreter
