// The cases that are known not to pass: a file next to the plugin, each line with a reason.
//
//   # libbackplane_acme.expectations
//   [never]
//   ops/*/f64/*      the hardware has no 64-bit floats
//   [not yet]
//   ops/sort/*       version 2 will sort
//
// A line consists of a pattern of case ids, in which '*' stands for any text and '?' for one character, and the reason.
// A listed case that passes is an unexpected pass: its line has to be removed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/record.h"

namespace bp::conformance {

bool matches(std::string_view pattern, std::string_view text);

struct Expectation {
  std::string pattern, section, reason;  // section: "never" or "not yet"
  std::uint32_t line = 0;                // its number in the file
};

class Expectations {
 public:
  // Error messages name the line.
  static Result<Expectations> parse(std::string_view text, const std::string &file);
  // Returns the file next to the plugin, libbackplane_acme.expectations for libbackplane_acme.so; empty if there is
  // none.
  static std::string file_for_plugin(const std::string &plugin);

  // Returns the first line that lists the case; nullptr if none does.
  const Expectation *find(std::string_view id) const;
  // Changes the verdict on a case according to the list.
  void apply(std::string_view id, Verdict &verdict) const;
  std::span<const Expectation> lines() const { return lines_; }

 private:
  std::vector<Expectation> lines_;
};

}  // namespace bp::conformance
