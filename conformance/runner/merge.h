// Merges the reports of the shards of a run into one report, wherever each of them was run.
#pragma once

#include <string>
#include <vector>

#include "conformance/report/record.h"

namespace bp::conformance {

struct Part {
  std::string file;  // for messages
  Report report;
};

// Merges the records of all parts, sorted by stage and id, and adds up the times. The result does not depend on the
// order of the parts, and equals that of a run without shards except for times and machines. A shard may be present
// twice if its results agree. The result has no signature, whoever has signed the parts. InvalidInput: parts of another
// plugin or host or with other options; a shard that is missing or was cut short. A single part without shards may have
// been cut short: then the result is, too.
Result<Report> merge(std::vector<Part> parts);

}  // namespace bp::conformance
