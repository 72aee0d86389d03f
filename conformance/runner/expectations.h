// What is known not to pass: a file beside the plugin, each line with a reason.
//
//   # libbackplane_acme.expectations
//   [never]
//   ops/*/f64/*      the hardware has no 64-bit floats
//   [not yet]
//   ops/sort/*       version 2 will sort
//
// A line is a pattern of case ids, in which '*' stands for any text and '?' for one character, and why. A listed case
// that passes is an unexpected pass: the list is to be shortened.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/record.h"

namespace bp::conformance {

bool matches(std::string_view pattern, std::string_view text);

struct Expectation {
  std::string pattern, section, reason;  // section: "never" or "not yet"
};

class Expectations {
 public:
  // Messages name the line.
  static Result<Expectations> parse(std::string_view text, const std::string &file);
  // libbackplane_acme.so -> libbackplane_acme.expectations; none if that does not exist.
  static Result<Expectations> read_beside(const std::string &plugin);

  // What the verdict on a case becomes.
  void apply(std::string_view id, Verdict &verdict) const;
  std::span<const Expectation> lines() const { return lines_; }

 private:
  std::vector<Expectation> lines_;
};

}  // namespace bp::conformance
