// Programs that StableHLO's own verifier rejects are rejected here too, operation by operation, before lowering, also
// in functions that are never called. Rules of HLO instructions are left to ir::verify().
#pragma once

#include "core/base/result.h"
#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo {

// Returns the first error, with its location. Rules: signatures.def, attribute_rules.def, and verify_*.cc in this
// folder. They are less strict than StableHLO's in the following points only: `index` is i64, a future is equivalent to
// its values, lists may be written without array<...>, and memrefs are not checked.
Status verify(const Program &program);

}  // namespace bp::import::stablehlo
