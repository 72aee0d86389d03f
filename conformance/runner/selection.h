// Which cases of the suite are run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/suite/stage.h"

namespace bp::conformance {

// Part `index` of `count`; cases that share a program stay together.
struct Shard {
  std::size_t index = 1, count = 1;
  // "2/8"; counts from 1.
  static Result<Shard> parse(const std::string &text);
  std::string to_string() const;
  // TEST_SHARD_INDEX (from 0) and TEST_TOTAL_SHARDS, as test runners set them; all of it if they do not.
  static Result<Shard> from_environment();
};

struct Selection {
  std::vector<std::string> stages;    // empty: all
  std::vector<std::string> patterns;  // of case ids; empty: all
  Shard shard;
};

// Cases that share a compiled program, by id. A worker gets all of a group.
struct Group {
  const Stage *stage;
  std::vector<std::string> ids;
};

// In the order of the stages. Errors: a stage that does not exist; patterns that no case matches.
Result<std::vector<Group>> select_cases(const Subject &subject, const Selection &selection);

}  // namespace bp::conformance
