// Programs that StableHLO's verifier rejects are rejected with the message in their file, and programs without a
// message are accepted: tests/verifier/*.mlir contain programs separated by "// -----", which end with "// expect:
// line:column: message". Lines are counted from the separator.
#include <catch2/catch.hpp>
#include <filesystem>

#include "core/import/stablehlo/stablehlo.h"
#include "tools/testing/source_tree.h"

namespace bp::import::stablehlo {
namespace {

constexpr std::string_view expectation = "// expect: ";

std::string verdict_of(std::string_view program) {
  const auto module = read(program);
  if (module.ok()) {
    return "";
  }
  const Error &error = module.error();
  return fmt::format("{}:{}: {}", error.location().line, error.location().column, error.message());
}

std::string expected_of(std::string_view program) {
  const std::size_t begin = program.find(expectation);
  if (begin == std::string_view::npos) {
    return "";
  }
  const std::string_view rest = program.substr(begin + expectation.size());
  return std::string(rest.substr(0, rest.find('\n')));
}

}  // namespace

TEST_CASE("what StableHLO's verifier refuses is refused, with its place") {
  std::size_t refused = 0, taken = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(testing::find_in_source_tree("core/import/stablehlo/tests/verifier"))) {
    const std::string text = testing::read_file(entry.path());
    for (const TextPart &part : split(text)) {
      INFO(entry.path().filename().string() << ":" << part.first_line << "\n" << part.text);
      const std::string expected = expected_of(part.text);
      CHECK(verdict_of(part.text) == expected);
      ++(expected.empty() ? taken : refused);
    }
  }
  CHECK(refused >= 100);
  CHECK(taken >= 20);
}

}  // namespace bp::import::stablehlo
