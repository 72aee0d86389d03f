#include "tools/filetest/agreement.h"

#include <charconv>
#include <sstream>

#include "core/interpreter/compare.h"
#include "core/text/parser.h"

namespace bp::filetest {
namespace {

struct Limit {
  double tolerance = 0, ulp = -1;  // -1: not given

  bool holds(const interpreter::Comparison &comparison) const {
    if (ulp >= 0) {
      // Integers have no units in the last place: they must be equal.
      return comparison.max_ulp <= ulp && (comparison.max_ulp > 0 || comparison.relative_error == 0);
    }
    return comparison.typical_error <= tolerance;
  }
};

Result<Limit> parse_limit(std::string_view text) {
  Limit limit;
  std::size_t equals = text.find('=');
  std::string_view name = text.substr(0, equals);
  double &value = name == "ulp" ? limit.ulp : limit.tolerance;
  std::string_view number = equals == text.npos ? "" : text.substr(equals + 1);
  auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), value);
  bool known = name == "ulp" || name == "tolerance";
  if (!known || failure != std::errc() || end != number.data() + number.size() || !(value >= 0)) {
    return invalid_input("'{}' after 'run', expected tolerance=NUMBER or ulp=NUMBER", text);
  }
  return limit;
}

void collect_arrays(const ir::Literal &literal, std::vector<ir::Literal> &arrays) {
  if (literal.shape().is_tuple()) {
    for (const ir::Literal &element : literal.tuple_elements()) {
      collect_arrays(element, arrays);
    }
  } else {
    arrays.push_back(literal);
  }
}

}  // namespace

Result<std::string> expectation_if_agreed(const Case &test, const ir::Literal &result, const std::string &printed) {
  BP_ASSIGN(Limit limit, parse_limit(test.arguments));
  std::vector<ir::Literal> arrays;
  collect_arrays(result, arrays);
  std::istringstream lines(test.expectation);
  std::string line, complaints;
  std::size_t count = 0;
  for (; std::getline(lines, line); ++count) {
    if (count == arrays.size()) {
      return printed;
    }
    std::size_t space = std::min(line.find(' '), line.size());
    BP_ASSIGN(ir::Shape shape, text::parse_shape(line.substr(0, space)));
    if (!ir::same(shape, arrays[count].shape(), ir::CompareLayout::No)) {
      return printed;
    }
    BP_ASSIGN(ir::Literal expected, text::parse_literal(line.substr(space), shape));
    BP_ASSIGN(std::vector<interpreter::Comparison> comparisons, interpreter::compare(arrays[count], expected));
    if (!limit.holds(comparisons.at(0))) {
      complaints += fmt::format("array {}: {}\n", count, interpreter::to_string(comparisons[0]));
    }
  }
  return count == arrays.size() && complaints.empty() ? test.expectation : printed + complaints;
}

}  // namespace bp::filetest
