// Reads attributes of Shardy, which describe how values are divided among devices.
#pragma once

#include "core/import/stablehlo/bytecode/encoding.h"

namespace bp::import::stablehlo::bytecode {

// Returns the attribute as StableHLO's text has it, without blanks: #sdy.sharding<@mesh,[{"x"},{}]>. `item`: an
// attribute of dialect sdy, whose code was read.
Result<std::string> read_sharding(Encoding &encoding, Encoding::Item &item);

}  // namespace bp::import::stablehlo::bytecode
