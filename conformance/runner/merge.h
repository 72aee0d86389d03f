// The shards of a run as one report again, wherever each of them was run.
#pragma once

#include <string>
#include <vector>

#include "conformance/report/record.h"

namespace bp::conformance {

struct Part {
  std::string file;  // for messages
  Report report;
};

// All cases, stage by stage and by id, and the times added up: the same report whatever the order of the parts, and the
// same as of a run without shards but for times and machines. A shard may be there twice, if its cases came out alike.
// InvalidInput: parts of another plugin, host or with other options, a shard that is missing, or that was cut short. One
// part without shards may have been cut short: the report is then too.
Result<Report> merge(std::vector<Part> parts);

}  // namespace bp::conformance
