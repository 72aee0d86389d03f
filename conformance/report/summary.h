// A report summarized: by stage, by op and element type, and as one number.
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

// The score of a family of ops, such as "elementwise" or "contraction": the fraction of their cases that pass. All ops
// of a family weigh the same, however many cases each has. Unsupported counts as not passed; ops that the run did not
// test are left out.
struct FamilyScore {
  std::string family;
  std::size_t ops = 0;
  double score = 0;  // 0 to 1
};
std::vector<FamilyScore> family_scores(const Report &report);
// Returns the mean over the families.
double score(const Report &report);

}  // namespace bp::conformance
