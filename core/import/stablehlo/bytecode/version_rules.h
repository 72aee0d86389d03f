// Checks for programs that only later versions of StableHLO allow, though they have the operations and types.
#pragma once

#include "core/import/stablehlo/bytecode/vhlo.h"
#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo::bytecode {

// Fails if the operation has a form that only a later version than the target allows.
Status check_version_rules(const Program &program, const Operation &operation, Version target);

// Fails if the operation has an attribute that the target's form of the operation lacks, and that is not absent.
// `newest`: the newest form of the operation, `form`: that of the target.
Status check_attributes(const Program &program, const Operation &operation, const VhloOperation &newest,
                        const VhloOperation &form, Version target);

// Returns the version of MLIR bytecode that files of a version of StableHLO have.
std::uint64_t bytecode_version(Version version);

// Returns the first version that has an operation of this name; nullopt if none has.
std::optional<Version> first_version_of(std::string_view stablehlo);

}  // namespace bp::import::stablehlo::bytecode
