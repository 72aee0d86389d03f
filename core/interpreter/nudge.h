// How accurate a result can be: the effect of changing its inputs by the smallest step of their type. A program whose
// result changes much is ill-conditioned: two implementations that round differently need not agree on it.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/ir/literal.h"

namespace bp::interpreter {

// Returns the value with every float moved by one unit in the last place, up or down depending on the seed. Zeros,
// infinities, NaN and values that are not floats are not changed; tuples are changed element by element. Fails only if
// there is not enough memory.
Result<ir::Literal> nudge(const ir::Literal &value, std::uint64_t seed);

// Returns the value with every finite float other than zero enlarged by up to 1/32, by an amount that depends on the
// seed; in types of few bits by one unit in the last place or not at all. Enlarging all of them changes means, and
// enlarging them differently changes normalized values. A program whose result hardly changes hides errors inside it.
// Otherwise the same as nudge().
Result<ir::Literal> perturb(const ir::Literal &value, std::uint64_t seed);

}  // namespace bp::interpreter
