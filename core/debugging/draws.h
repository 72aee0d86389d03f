// Inputs on which a wrong pass shows: ordinary values, on which rounding is looked at, and those that identities of real
// numbers forget: NaN, infinities, -0, subnormals, the largest and smallest values, extreme integers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::debugging {

enum class DrawKind {
  Ordinary,  // as interpreter::random_arguments()
  Small,     // floats are small integers: sums are exact, zeros and ties are frequent
  Mixed,     // ordinary, but every fourth element is special
  Special,   // nothing but special values
};

// Draws take turns: 0 is ordinary, 1 small, 2 mixed, 3 special, 4 ordinary again with other numbers.
DrawKind kind_of_draw(int number);
std::string_view to_string(DrawKind kind);

// Arguments for the entry computation of a verified module, by parameter number. The same on every machine. NaNs are the
// quiet ones without sign: which NaN a program returns is not part of its result.
Result<std::vector<ir::Literal>> draw_arguments(const ir::Module &module, std::uint64_t seed, int number);

}  // namespace bp::debugging
