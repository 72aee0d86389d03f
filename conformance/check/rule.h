// What a check asks of two values, and where they break it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/literal.h"

namespace bp::conformance {

enum class RuleKind {
  Equal,        // equal values; any NaN equals any NaN, -0 equals 0
  Close,        // at most `limit` units in the last place apart: floats counted between the two; NaN only to NaN
  AlmostEqual,  // at most `limit` apart, absolutely; infinities and NaN only to themselves
};

// Complex: both parts. Pred and integers are equal or not, except under AlmostEqual.
struct Rule {
  RuleKind kind = RuleKind::Equal;
  double limit = 0;
};
// What is asked of a backend. Strict: what the program says. Device: functions of floats may be as far off as
// OpenCL's widest bound for one, 16 units in the last place, 4 in formats of 16 bits and fewer, where that is more than
// what the program says; equality and absolute distances stay.
enum class Policy { Strict, Device };
Rule under_policy(const Rule &rule, Policy policy, ir::ElementType type);

// "equal", "at most 3 ulp apart", "at most 0.001 apart"
std::string to_string(const Rule &rule);

// The elements that break a rule; told of the one that breaks it most.
struct Mismatch {
  std::int64_t count = 0, total = 0;
  std::vector<std::int64_t> index;
  std::string found, expected;
  double distance = 0;  // in the rule's units; infinity where NaN or infinity stands against another value
};
// "2 of 12 elements differ; [1,3] is 0.5, expected 0.25 (8 ulp)"
std::string to_string(const Mismatch &mismatch, const Rule &rule);

// Arrays of the same shape, layouts aside. Nothing if the rule holds for all elements: against `expected` or, if it is
// given, against `otherwise`.
std::optional<Mismatch> find_mismatch(const ir::Literal &found, const ir::Literal &expected, const Rule &rule,
                                      const ir::Literal *otherwise = nullptr);

// Floats between two of the same format, 0 for equal ones, -0 and 0 being one: "units in the last place".
template <class T>
double distance_in_ulp(T a, T b);

}  // namespace bp::conformance
