// How sure a result can be: what becomes of it when its inputs are moved by the least that their type can say. A
// program that answers that with a large change is ill-conditioned: no two ways of rounding need to agree on it.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/ir/literal.h"

namespace bp::interpreter {

// The value with every float moved by one unit in the last place, up or down as the seed has it. Zeros, infinities, NaN
// and everything that is no float stay; tuples are moved element by element. Fails only for lack of memory.
Result<ir::Literal> nudge(const ir::Literal &value, std::uint64_t seed);

// The value with every finite float other than zero made larger by up to a 32nd, by how much the seed has it; in types
// of a few bits by one unit in the last place or not at all. That they all grow moves means, that they do not grow
// alike moves what is normalized. A program whose result hardly answers to that hides what happens inside of it.
// Otherwise as nudge().
Result<ir::Literal> perturb(const ir::Literal &value, std::uint64_t seed);

}  // namespace bp::interpreter
