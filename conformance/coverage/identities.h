// Small programs that look as if they could be simplified, but whose results differ from the simpler ones for some
// values: overflow, underflow, infinities, NaN, zeros of both signs, integers that wrap, shapes that almost cancel.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/element_type.h"

namespace bp::coverage {

struct Identity {
  std::string_view name;   // "log-of-exponential"
  std::string_view types;  // "f32 bf16 f16"
  // An expression of `x`, `y`, `z` and numbers, or several separated by ';', which are several results; HLO that
  // contains "ROOT" otherwise (identities.cc).
  std::string_view text;
};

// Names are unique.
std::span<const Identity> identities();
// Returns nullptr if there is none.
const Identity *find_identity(std::string_view name);

// Whether the program has one element in each result for each element of its operands.
bool is_elementwise(const Identity &identity);
std::vector<ir::ElementType> types_of(const Identity &identity);
// Returns the program as HLO.
std::string text_of(const Identity &identity, ir::ElementType type);

}  // namespace bp::coverage
