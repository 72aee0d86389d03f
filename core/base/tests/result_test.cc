#include "core/base/result.h"

#include <catch2/catch.hpp>

namespace bp {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) {
    return invalid_input("{} is odd, expected an even number", number);
  }
  return number / 2;
}

Result<int> quarter(int number) {
  BP_ASSIGN(int once, half(number));
  BP_ASSIGN(int twice, half(once));
  return twice;
}

TEST_CASE("an error travels through BP_ASSIGN unchanged") {
  CHECK(quarter(8).value() == 2);
  auto failed = quarter(6);
  REQUIRE(!failed.ok());
  CHECK(failed.error().message() == "3 is odd, expected an even number");
  CHECK(failed.error().code() == ErrorCode::InvalidInput);
}

TEST_CASE("an error shows its place with a caret, and its notes") {
  Error error = invalid_input("found 'x'").at({"model.hlo", 3, 5, "abc x d"}).note("while reading the header");
  CHECK(error.to_string() ==
        "model.hlo:3:5: found 'x'\n"
        "  abc x d\n"
        "      ^\n"
        "  note: while reading the header");
}

TEST_CASE("the first place given is kept: it is the nearest to the cause") {
  Error error = invalid_input("wrong").at({"a", 1, 1, ""}).at({"b", 2, 2, ""});
  CHECK(error.to_string() == "a:1:1: wrong");
}

TEST_CASE("of a very long line only the part around the caret is shown, without control characters") {
  std::string line = std::string(1000, 'a') + "\t!" + std::string(1000, 'b');
  std::string shown = Error(ErrorCode::InvalidInput, "bad").at({"f", 1, 1002, line}).to_string();
  CHECK(shown.size() < 400);
  CHECK(shown.find('\t') == std::string::npos);
  CHECK(shown.find("a !b") != std::string::npos);
}

TEST_CASE("bytes that are not text are shown as escapes, and the caret stays below its column") {
  auto shown = [](std::string line, std::uint32_t column) {
    return Error(ErrorCode::InvalidInput, "bad").at({"f", 1, column, std::move(line)}).to_string();
  };
  CHECK(shown("a\x1b[2Jx", 6) == "f:1:6: bad\n  a\\x1b[2Jx\n          ^");
  CHECK(shown("\xff\xc3!", 3) == "f:1:3: bad\n  \\xff\\xc3!\n          ^");
  CHECK(shown("\xc3\xa9\xe2\x82\xac!", 6) == "f:1:6: bad\n  \xc3\xa9\xe2\x82\xac!\n    ^");  // e acute, euro
  CHECK(shown("\xc2\x9b!", 3) == "f:1:3: bad\n  \\xc2\\x9b!\n          ^");                  // a control character
  CHECK(shown("\xe0\x80\x80!", 4) == "f:1:4: bad\n  \\xe0\\x80\\x80!\n              ^");     // an overlong encoding
  CHECK(shown("\xed\xa0\x80!", 4) == "f:1:4: bad\n  \\xed\\xa0\\x80!\n              ^");     // a surrogate
  CHECK(shown("ab", 3) == "f:1:3: bad\n  ab\n    ^");
}

}  // namespace
}  // namespace bp
