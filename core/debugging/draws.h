// Inputs that reveal wrong passes: ordinary values, for rounding, and values for which identities of real numbers fail:
// NaN, infinities, -0, subnormals, the largest and smallest values, extreme integers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::debugging {

enum class DrawKind {
  Ordinary,  // from interpreter::random_arguments()
  Small,     // floats are small integers: sums are exact, zeros and ties are frequent
  Mixed,     // ordinary, but every fourth element is a special value
  Special,   // special values only
};

// Draws alternate: 0 is ordinary, 1 small, 2 mixed, 3 special, 4 ordinary again with other numbers.
DrawKind kind_of_draw(int number);
std::string_view to_string(DrawKind kind);

// Returns arguments for the entry computation of a verified module, by parameter number. They are the same on every
// machine. NaNs are quiet and without sign: which NaN a program returns is not part of its result.
Result<std::vector<ir::Literal>> draw_arguments(const ir::Module &module, std::uint64_t seed, int number);

}  // namespace bp::debugging
