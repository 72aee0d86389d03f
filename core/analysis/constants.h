// Values of constants.
#pragma once

#include <cstdint>
#include <optional>

#include "core/ir/module.h"

namespace bp::analysis {

// Returns the value of a scalar constant of an integer type or pred; nothing for other instructions and for values that
// int64 cannot represent.
std::optional<std::int64_t> constant_integer(const ir::Instruction &instruction);

}  // namespace bp::analysis
