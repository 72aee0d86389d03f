// Whether two backends compute the same with a module.
#pragma once

#include <optional>
#include <string>

#include "core/backplane.h"
#include "core/interpreter/compare.h"

namespace bp::debugging {

// Marks the comparisons that differ, but not by more than the same backend does when the inputs move by one unit in the
// last place: ill-conditioned, they are no evidence for or against it.
Status mark_ill_conditioned(const Executable &executable, const std::vector<Literal> &arguments, const Literal &result,
                            double tolerance, std::vector<interpreter::Comparison> &comparisons);

// What differs, as "{1}: f32[8]: relative error ..."; nothing if all outputs agree or are no evidence. Inputs are made
// from the seed. `reference` may be the interpreter.
Result<std::optional<std::string>> find_disagreement(const Module &module, const Backend &backend,
                                                     const Backend &reference, std::uint64_t seed, double tolerance);

}  // namespace bp::debugging
