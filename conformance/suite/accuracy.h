// Judge of results: whether they are as close to the interpreter's as the accuracy of their op (core/ir/ops.def) asks.
#pragma once

#include <optional>
#include <string>

#include "core/ir/accuracy.h"
#include "core/ir/literal.h"

namespace bp::conformance {

using ir::Accuracy;
using ir::Closeness;
using ir::SpecialValueSet;

// Units in the last place, or of a norm, that the accuracy allows for the type. 0: exact.
double limit_of(const Accuracy &accuracy, ir::ElementType type);

// Describes the tolerance for operands of a type: "bits", "exact", "4 ulp", "sum", "16 norm"; empty where any result
// passes.
std::string to_string(const Accuracy &accuracy, ir::ElementType type);

// The comparison of two arrays or tuples of the same shape.
struct Judgement {
  std::optional<double> max_ulp;  // for floats; infinity where only one value is NaN or infinity
  std::string mismatch;  // "3 of 12 elements; [1,3] is 0.5, expected 0.25 (8 ulp, allowed 1)"; empty: close enough
};
// `type` is the element type of the operands. Where the closeness is Sum, `sums`, of the same shape, holds S for each
// element, and `terms` is n.
Judgement judge(const ir::Literal &found, const ir::Literal &expected, const Accuracy &accuracy, ir::ElementType type,
                const ir::Literal *sums = nullptr, std::int64_t terms = 1);

// Returns a result that is as far from `value` as judge() allows: the seed chooses whether each float moves up or down.
ir::Literal move_as_allowed(ir::Literal value, const Accuracy &accuracy, ir::ElementType type, const ir::Literal *sums,
                            std::int64_t terms, std::uint64_t seed);

}  // namespace bp::conformance
