// Unusual programs of one op: an instruction of a program, with operands, attributes or types changed. The interpreter
// must evaluate every program that the verifier accepts, and passes must handle it.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::debugging {

// Returns the same mutant for the same seed; nullopt if no shape can be inferred or the verifier rejects it, which is
// the case for most.
std::optional<ir::Module> random_mutant(const ir::Module &base, std::uint64_t seed);
std::optional<ir::Module> random_mutant(std::uint64_t seed);  // of a random program

// Verifies the mutant, evaluates it and runs each pass on it. Fails with the error of the interpreter, or of the
// verifier after a pass, unless only values are the cause, the op needs more than one device, or memory or time is
// exhausted.
Status check_mutant(const ir::Module &mutant, std::uint64_t seed);

}  // namespace bp::debugging
