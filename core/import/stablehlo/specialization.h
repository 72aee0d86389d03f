// Lowers a program whose sizes depend on elements of its parameters.
#pragma once

#include "core/import/stablehlo/options.h"
#include "core/import/stablehlo/syntax.h"
#include "core/ir/module.h"

namespace bp::import::stablehlo {

// Lowers the program and verifies the module. Where sizes depend on a parameter of integers, its elements are taken
// from the options; if they are not there, a scalar gets the only value that agrees with the shapes.
Result<ir::Module> specialize(const Program &program, const Options &options);

// Returns the parameters of the entry, with the sizes that are written.
Result<std::vector<Parameter>> parameters(const Program &program, const Options &options);

}  // namespace bp::import::stablehlo
