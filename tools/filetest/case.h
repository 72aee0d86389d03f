// A file test is a file of HLO, StableHLO or Caffe text with one or more cases, separated by lines `// -----`. In one,
//   // test: KIND ARGUMENTS      says what is done with the program (kinds.h)
//   // input: LITERAL            gives the arguments, one line per parameter of the entry
//   // expect:                   begins the expectation: the comment lines to the end of the case
// All other text is the program. In a text of Caffe (.prototxt), # stands in place of //.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bp::filetest {

struct Case {
  std::string file;
  int number = 0;               // counted from 1 within the file
  std::string kind, arguments;  // from the `// test:` line
  std::vector<std::string> inputs;
  std::string text;         // from the start of the case up to `// expect:`; line numbers of errors count from here
  std::string expectation;  // without the comment signs; empty if there is no `// expect:`
};

// Splits a file into its cases, in order.
std::vector<Case> split_cases(std::string_view file, std::string_view content);

// Returns the file with the expectations replaced by `outputs`, one per case.
std::string with_expectations(std::string_view file, std::string_view content, const std::vector<std::string> &outputs);

}  // namespace bp::filetest
