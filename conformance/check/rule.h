// The rule that a check applies to two values, and the elements that break it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/literal.h"

namespace bp::conformance {

enum class RuleKind {
  Equal,        // equal values; any NaN equals any NaN, -0 equals 0
  Close,        // at most `limit` units in the last place apart (number of floats between); NaN matches only NaN
  AlmostEqual,  // absolute difference at most `limit`; infinities and NaN match only themselves
  Near,         // the same, but at most `limit` plus `relative` times the expected magnitude, as NumPy's allclose()
};

// For complex numbers both parts must satisfy the rule. Pred and integers are compared for equality, except under
// AlmostEqual.
struct Rule {
  RuleKind kind = RuleKind::Equal;
  double limit = 0;
  double relative = 0;  // for Near
};
// Strictness with which a backend is judged. Strict: as the program says. Device: functions of floats may be off by
// OpenCL's widest bound for a function (16 units in the last place; 4 in formats of 16 bits and fewer) where that is
// more than the program allows; equality and absolute distances are unchanged.
enum class Policy { Strict, Device };
Rule under_policy(const Rule &rule, Policy policy, ir::ElementType type);

// Returns "equal", "at most 3 ulp apart", "at most 0.001 apart".
std::string to_string(const Rule &rule);

// The number of elements that break a rule, and the one that breaks it most.
struct Mismatch {
  std::int64_t count = 0, total = 0;
  std::vector<std::int64_t> index;
  std::string found, expected;
  double distance = 0;  // in the rule's units; infinity where a NaN or infinity is compared with another value
};
// Returns text like "2 of 12 elements differ; [1,3] is 0.5, expected 0.25 (8 ulp)".
std::string to_string(const Mismatch &mismatch, const Rule &rule);

// Compares arrays of the same shape, ignoring layouts. Returns nothing if the rule holds for all elements: against
// `expected` or, if given, against `otherwise`.
std::optional<Mismatch> find_mismatch(const ir::Literal &found, const ir::Literal &expected, const Rule &rule,
                                      const ir::Literal *otherwise = nullptr);

// Number of steps between two floats of the same format ("units in the last place"): 0 for equal ones; -0 and 0 are
// equal.
template <class T>
double distance_in_ulp(T a, T b);

}  // namespace bp::conformance
