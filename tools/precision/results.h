// The results of sweeps, for people and for programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/precision/sweep.h"

namespace bp::precision {

struct Measurement {
  std::string function;
  ir::ElementType from, to;
  int budget = 0;
  std::uint64_t stride = 1;  // step between the arguments' bits; 0: arguments drawn at random
  Statistics statistics;
  double seconds = 0;

  bool is_good() const { return statistics.keeps(budget); }
};

// Returns a table with a heading and one row for each measurement.
std::string to_markdown(std::span<const Measurement> measurements);
// Returns a JSON array with one object for each measurement.
std::string to_json(std::span<const Measurement> measurements);

// The arguments with the worst results, to be tested again: lines "FUNCTION FROM TO BITS...", with the bits of the
// arguments in hexadecimal, and two arguments as X:Y.
struct WorstCases {
  std::string function;
  ir::ElementType from, to;
  std::vector<Input> inputs;
};
std::string to_text(std::span<const Measurement> measurements);
// InvalidInput, with the line, if a line is malformed. Empty lines and lines that begin with '#' are skipped.
Result<std::vector<WorstCases>> read_worst_cases(const std::string &file, std::string_view text);

}  // namespace bp::precision
