// Long programs, which devices divide: each instruction changes what the one before has made, so that nothing may be
// left out, done twice, or done too early.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::conformance {

// Names of the kinds of chains.
std::span<const std::string_view> chain_names();
// Returns the program, verified. Fails if there is no such kind.
Result<ir::Module> chain_of(std::string_view name, std::size_t length);

}  // namespace bp::conformance
