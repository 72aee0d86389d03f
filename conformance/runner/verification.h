// The verification of an earlier report by somebody who trusts neither the report nor who made it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/runner/session.h"

namespace bp::conformance {

struct Verified {
  Report report;
  std::size_t rerun = 0;                 // number of cases
  std::vector<std::string> differences;  // "ops/add/f32/one/random: was pass, now fail: ..."
  // Whether another build of the suite made the report, so that cases may differ for that reason.
  bool is_of_other_suite = false;
};

// The wishes of a verifier for one report.
struct Demands {
  std::optional<PublicKey> signed_by = {};    // the key that has to have signed the report
  std::optional<std::string> challenge = {};  // the text that has to have determined the seed
};

// Verifies that the report's hashes are right, that plugin and expectations are the files it was made with and its
// verdicts are what these expectations make of results, that it has all cases of the suite that its header speaks of
// and no other, and that `sample` of them, chosen by the seed, give the same results again: without a number all of a
// quick run, 2,000 of a full one. Cases that were not run are not run now either. Also verifies the demands, and that a
// report that states a challenge has its seed.
// InvalidInput: one of these is not so, except that rerun cases may differ.
Result<Verified> verify_report(const std::string &file, std::optional<std::size_t> sample, std::uint64_t seed,
                               Session session, const Demands &demands = {});

}  // namespace bp::conformance
