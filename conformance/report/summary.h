// What a report comes to: by stage, by op and type, and as one number.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "conformance/report/record.h"

namespace bp::conformance {

struct StageSummary {
  std::string name;
  Totals totals;
};
// In the order the stages were first met.
std::vector<StageSummary> by_stage(const Report &report);

// Of one op on one element type.
struct OpCell {
  std::size_t passed = 0, unsupported = 0, failed = 0;
  std::optional<double> max_ulp;
  std::string allowed;  // Verdict::allowed
};
// By op, then by type, in the order of the op table and of the type table.
struct OpMatrix {
  std::vector<std::string> ops, types;
  std::map<std::pair<std::string, std::string>, OpCell> cells;
};
OpMatrix by_op(const Report &report);

// "elementwise", "linear algebra", ...; "other" for what is no op.
std::string family_of(std::string_view op);

// Ops of a kind, such as "elementwise" or "contraction": the share of their cases that pass, all ops of a family counting
// the same, however many cases each has. Unsupported counts as not passed; what a run did not look at is left out.
struct FamilyScore {
  std::string family;
  std::size_t ops = 0;
  double score = 0;  // 0 to 1
};
std::vector<FamilyScore> family_scores(const Report &report);
// The mean over the families.
double score(const Report &report);

}  // namespace bp::conformance
