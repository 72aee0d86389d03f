// What constants say.
#pragma once

#include <cstdint>
#include <optional>

#include "core/ir/module.h"

namespace bp::analysis {

// The value of a scalar constant of an integer type or pred; nothing for other instructions and for what int64 has not.
std::optional<std::int64_t> constant_integer(const ir::Instruction &instruction);

}  // namespace bp::analysis
