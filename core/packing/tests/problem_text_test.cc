#include "core/packing/problem_text.h"

#include <catch2/catch.hpp>

namespace bp::packing {
namespace {

std::string error_of(std::string_view text) {
  Result<NamedProblem> problem = read_problem(text, "p.csv");
  REQUIRE(!problem.ok());
  return problem.error().message();
}

}  // namespace

TEST_CASE("packing text: columns in any order, names of any kind, both line ends") {
  Result<NamedProblem> read =
      read_problem("size,id,upper,lower,alignment,preset\r\n8, a b ,4,-1,,\r\n\r\n16,2,9,4,8,32\n", "p.csv");
  REQUIRE(read.ok());
  const NamedProblem &problem = read.value();
  CHECK(problem.names == std::vector<std::string>{"a b", "2"});
  REQUIRE(problem.items.size() == 2);
  CHECK(problem.items[0].needed == std::vector<Interval>{{-1, 4}});
  CHECK(problem.items[0].size == 8);
  CHECK(problem.items[0].alignment == 1);
  CHECK(problem.items[0].preset == -1);
  CHECK(problem.items[1].alignment == 8);
  CHECK(problem.items[1].preset == 32);
  CHECK(read_problem("\xef\xbb\xbfid,lower,upper,size\n1,0,5,10\n", "p.csv").ok());  // with a byte order mark
  CHECK(print_packing(problem, {{0, 32}, 48}) ==
        "id,lower,upper,size,alignment,offset\na b,-1,4,8,1,0\n2,4,9,16,8,32\n");
}

TEST_CASE("packing text: errors name their line") {
  CHECK(error_of("") == "p.csv:1: found column '', expected id, lower, upper, size, alignment, preset");
  CHECK(error_of("id,lower,upper\n") == "p.csv:1: no column size, expected id, lower, upper, size");
  CHECK(error_of("id,lower,upper,weight\n") ==
        "p.csv:1: found column 'weight', expected id, lower, upper, size, alignment, preset");
  CHECK(error_of("id,lower,upper,size,size\n") == "p.csv:1: found column 'size' twice");
  auto row = [&](std::string line) { return error_of("id,lower,upper,size,alignment,preset\n" + line); };
  CHECK(row("a,1,2,3,,\nb,1,2,3,,\na,4,5,3,,\n") == "p.csv:4: id is 'a', expected an id that differs from line 2");
  CHECK(row("a,1,2,3\n") == "p.csv:2: found 4 fields, expected 6");
  CHECK(row("a,1,two,3,,\n") == "p.csv:2: upper is 'two', expected an integer from -2^62 to 2^62");
  CHECK(row("a,1,99999999999999999999,3,,\n") ==
        "p.csv:2: upper is '99999999999999999999', expected an integer from -2^62 to 2^62");
  CHECK(row("a,4,3,3,,\n") == "p.csv:2: upper is 3, expected at least lower, 4");
  CHECK(row("a,1,2,-3,,\n") == "p.csv:2: size is -3, expected at least 0 and all sizes together at most 2^62");
  CHECK(row("a,1,2,4611686018427387904,,\nb,1,2,1,,\n") ==
        "p.csv:3: size is 1, expected at least 0 and all sizes together at most 2^62");
  CHECK(row("a,1,2,3,0,\n") == "p.csv:2: alignment is 0, expected 1 to 2^30");
  CHECK(row("a,1,2,3,1,1152921504606846977\n") ==
        "p.csv:2: preset is 1152921504606846977, expected a multiple of the alignment, 1, up to 2^60");
  CHECK(row("a,1,4,8,,16\nb,4,9,8,,16\n\nc,3,5,8,,20\n") ==
        "p.csv:5: preset of c is 20, expected one that is free at time 3: a of line 2 is preset from 16 to 24");
  CHECK(row("a,1,2,3,4,6\n") == "p.csv:2: preset is 6, expected a multiple of the alignment, 4, up to 2^60");
}

}  // namespace bp::packing
