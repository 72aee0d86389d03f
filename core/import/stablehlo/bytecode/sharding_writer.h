// Writes attributes of Shardy: the counterpart of read_sharding().
#pragma once

#include "core/base/result.h"
#include "core/import/mlir/file_builder.h"

namespace bp::import::stablehlo::bytecode {

// Returns the index of the attribute. `text`: as StableHLO's text has it, #sdy.sharding<@mesh,[{"x"},{}]>. Fails if it
// is no attribute of Shardy, or one that is not known.
Result<std::uint32_t> write_sharding(mlir::FileBuilder &file, std::string_view text);

}  // namespace bp::import::stablehlo::bytecode
