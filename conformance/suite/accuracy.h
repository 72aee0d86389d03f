// Judge of results: whether they are as close to the interpreter's as the accuracy of their op (core/ir/ops.def) asks.
#pragma once

#include <optional>
#include <string>

#include "core/ir/accuracy.h"
#include "core/ir/literal.h"
#include "core/ir/op.h"

namespace bp::conformance {

using ir::Accuracy;
using ir::Closeness;
using ir::SpecialValueSet;

// Units in the last place, or of a norm, that the accuracy allows for the type. 0: exact.
double limit_of(const Accuracy &accuracy, ir::ElementType type);

// Describes the tolerance for operands of a type: "bits", "exact", "4 ulp", "sum", "16 norm"; empty where any result
// passes.
std::string to_string(const Accuracy &accuracy, ir::ElementType type);

// A bound of the error of a result that is a sum of n terms.
struct SumBound {
  std::optional<ir::Literal> sums = {};  // S, of the shape of the result; nothing: the absolute value of the result
  std::int64_t terms = 1;                // n, or more
  // Whether the result holds partial sums, rounded to its type, as that of a scatter does: eps is that of the type.
  bool are_in_result = false;
  // Whether all terms are finite. Then the order of additions decides about an element whose S overflows: it may be
  // anything.
  bool has_finite_terms = false;
  // A power of two of which all terms are multiples.
  double unit = 1;
};
// Whether instructions of the op add to an array that is their result, or to a value that they pass on.
bool adds_in_result(ir::Opcode opcode);

// The comparison of two arrays or tuples of the same shape.
struct Judgement {
  std::optional<double> max_ulp;  // for floats; infinity where only one value is NaN or infinity
  std::string mismatch;  // "3 of 12 elements; [1,3] is 0.5, expected 0.25 (8 ulp, allowed 1)"; empty: close enough
  std::optional<std::int64_t> worst = {};  // offset, in its array, of the element that `mismatch` names
  std::size_t open = 0, elements = 0;      // those that may be anything (SumBound::has_finite_terms), and all
};
// `type` is the element type of the operands. `bound`: for the closeness Sum.
Judgement judge(const ir::Literal &found, const ir::Literal &expected, const Accuracy &accuracy, ir::ElementType type,
                const SumBound &bound = {});

// Returns a result that is as far from `value` as judge() allows: the seed chooses whether each float moves up or down.
ir::Literal move_as_allowed(ir::Literal value, const Accuracy &accuracy, ir::ElementType type, const SumBound &bound,
                            std::uint64_t seed);

}  // namespace bp::conformance
