// Random programs of one instruction with random attributes, operand shapes and layouts, for testing an op of a backend
// on its own. Deterministic for a seed.
#pragma once

#include <optional>
#include <span>

#include "core/ir/module.h"

namespace bp::debugging {

// Returns the ops whose attributes or shapes random_instruction() varies, always in the same order.
std::span<const ir::Opcode> varied_ops();

// Returns a program whose root is an instruction of the op, on parameters; what prepares its operands may precede it.
// `type`: of the parameters, or of some of them. `max_elements`: of an array, approximately. Returns nothing if the op
// has no such program, or too rarely.
std::optional<ir::Module> random_instruction(std::uint64_t seed, ir::Opcode opcode, ir::ElementType type,
                                             std::int64_t max_elements);

}  // namespace bp::debugging
