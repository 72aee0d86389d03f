// Programs of one op that nobody would write: an instruction of a program, with operands, attributes or types
// changed. What the verifier lets through, the interpreter must evaluate and passes must bear.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::debugging {

// The same for the same seed. Nothing if no shape can be inferred or the verifier rejects it: most do not live.
std::optional<ir::Module> random_mutant(const ir::Module &base, std::uint64_t seed);
std::optional<ir::Module> random_mutant(std::uint64_t seed);  // of a random program

// Verifies the mutant, evaluates it and runs each pass on it. Fails with what the interpreter says, or the verifier
// after a pass, unless values alone are to blame, the op needs more than one device, or memory or time is over.
Status check_mutant(const ir::Module &mutant, std::uint64_t seed);

}  // namespace bp::debugging
