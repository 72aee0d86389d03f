// What sweeps found, for people and for programs.
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
  std::uint64_t stride = 1;  // of the arguments' bits; 0: drawn at random
  Statistics statistics;
  double seconds = 0;

  bool is_good() const { return statistics.keeps(budget); }
};

// One row each, with a heading.
std::string to_markdown(std::span<const Measurement> measurements);
// One object each: a JSON array.
std::string to_json(std::span<const Measurement> measurements);

// The arguments with the worst results: lines "FUNCTION FROM TO BITS...", the bits of arguments in hexadecimal, of two
// as X:Y. Tests run them again.
struct WorstCases {
  std::string function;
  ir::ElementType from, to;
  std::vector<Input> inputs;
};
std::string to_text(std::span<const Measurement> measurements);
// InvalidInput, with the line, where it is none. Lines that begin with '#' and empty lines are passed over.
Result<std::vector<WorstCases>> read_worst_cases(const std::string &file, std::string_view text);

}  // namespace bp::precision
