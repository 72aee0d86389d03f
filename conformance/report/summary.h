// A report summarized: by stage, by op and element type, and as one number.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "conformance/report/counting.h"
#include "conformance/report/record.h"

namespace bp::conformance {

struct StageSummary {
  std::string name;
  Totals totals;
};
// Returns the stages in the order of their first records.
std::vector<StageSummary> by_stage(const Report &report);

// The cases of one op on one element type.
struct OpCell {
  std::size_t passed = 0, unsupported = 0, failed = 0;
  std::optional<double> max_ulp;
  std::string allowed;  // Verdict::allowed
};
// The cells by op and by type, in the order of the op table and of the type table.
struct OpMatrix {
  std::vector<std::string> ops, types;
  std::map<std::pair<std::string, std::string>, OpCell> cells;
};
OpMatrix by_op(const Report &report);

// Returns "elementwise", "linear algebra", ...; "other" for a name that is not an op.
std::string family_of(std::string_view op);

// The score of a family of ops, such as "elementwise" or "linear algebra". Half of it is the share of the cases that
// pass, in which each pair of op and element type weighs the same, however many cases it has; in the other half each
// pair weighs as much as it occurs in the named workloads, which weigh the same (workload.h). Only cases that count
// (counting.h) do; unsupported ones do not pass. Pairs that the run did not test are left out.
struct FamilyScore {
  std::string family;
  std::size_t ops = 0;
  double score = 0;   // 0 to 1
  Share share = {};   // of all its cases
  double weight = 0;  // its part of the score of the report, 0 to 1
};
std::vector<FamilyScore> family_scores(const Report &report);
// Returns the same over all families.
double score(const Report &report);

}  // namespace bp::conformance
