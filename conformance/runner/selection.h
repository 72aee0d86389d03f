// Selection of the cases of the suite that a run executes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/suite/stage.h"

namespace bp::conformance {

// Part `index` of `count`. Cases that share a program stay together.
struct Shard {
  std::size_t index = 1, count = 1;
  // Parses "2/8"; the index counts from 1.
  static Result<Shard> parse(const std::string &text);
  std::string to_string() const;
  // Reads TEST_SHARD_INDEX (from 0) and TEST_TOTAL_SHARDS, as test runners set them; the whole run if they are not set.
  static Result<Shard> from_environment();
};

struct Selection {
  std::vector<std::string> stages;    // empty: all
  std::vector<std::string> patterns;  // patterns of case ids; empty: all
  Shard shard;
  bool hardware_safe = false;  // leave out what may stop a real board (hardware_safe.h)
};

// The ids of cases that share a compiled program. One worker runs a whole group.
struct Group {
  const Stage *stage;
  std::vector<std::string> ids;
};

// Returns the groups in the order of the stages. Errors: a stage that does not exist; patterns that match no case.
Result<std::vector<Group>> select_cases(const Subject &subject, const Selection &selection);

}  // namespace bp::conformance
