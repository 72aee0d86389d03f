#include "core/ir/narrow_float.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace bp::ir {
namespace {

const std::map<std::string, FloatFormat> formats = {
    {"f4e2m1fn", F4E2M1FN::float_format},   {"f6e2m3fn", F6E2M3FN::float_format},
    {"f6e3m2fn", F6E3M2FN::float_format},   {"f8e3m4", F8E3M4::float_format},
    {"f8e4m3", F8E4M3::float_format},       {"f8e4m3b11fnuz", F8E4M3B11FNUZ::float_format},
    {"f8e4m3fn", F8E4M3FN::float_format},   {"f8e4m3fnuz", F8E4M3FNUZ::float_format},
    {"f8e5m2", F8E5M2::float_format},       {"f8e5m2fnuz", F8E5M2FNUZ::float_format},
    {"f8e8m0fnu", F8E8M0FNU::float_format},
};

bool same_value(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TEST_CASE("narrow floats have the values and codes that ml_dtypes gives them") {
  std::ifstream file(BP_SOURCE_ROOT "/core/ir/tests/narrow_floats.txt");
  REQUIRE(file.good());
  int checked = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string what, name, word;
    words >> what >> name;
    if (what != "decode" && what != "encode") {
      continue;
    }
    FloatFormat format = formats.at(name);
    for (std::uint32_t code = 0; words >> word; ++code, ++checked) {
      double value = std::strtod(word.c_str(), nullptr);
      INFO(name << " " << word);
      if (what == "decode") {
        INFO("code " << code << " gives " << decode(format, code));
        CHECK(same_value(decode(format, code), value));
      } else {
        std::uint32_t expected = static_cast<std::uint32_t>(std::stoul(word.substr(word.find('=') + 1)));
        // It is not specified to which NaN a NaN is encoded, only that the result is a NaN.
        std::uint32_t found = encode(format, value);
        INFO("encoded as " << found << ", expected " << expected);
        CHECK((found == expected || (std::isnan(decode(format, found)) && std::isnan(decode(format, expected)))));
      }
    }
  }
  CHECK(checked > 2000);
}

TEST_CASE("every f16 and bf16 survives the way through float and double") {
  for (std::uint32_t code = 0; code <= 0xffff; ++code) {
    auto half = F16::from_bits(static_cast<std::uint16_t>(code));
    auto brain = BF16::from_bits(static_cast<std::uint16_t>(code));
    if (!std::isnan(static_cast<float>(half))) {
      REQUIRE(F16(static_cast<float>(half)).bits == code);
    }
    if (!std::isnan(static_cast<float>(brain))) {
      REQUIRE(BF16(static_cast<float>(brain)).bits == code);
      REQUIRE(BF16(static_cast<double>(brain)).bits == code);
      REQUIRE(static_cast<double>(static_cast<float>(brain)) == decode(BF16::float_format, code));
    }
  }
}

TEST_CASE("bf16 rounds a float the fast way as it does the general way") {
  for (std::uint64_t code = 0; code <= 0xffffffff; code += 65521) {  // a prime step covers all exponents and ties
    for (std::uint32_t near : {0u, 0x7fffu, 0x8000u, 0x8001u}) {
      float value = std::bit_cast<float>((static_cast<std::uint32_t>(code) & 0xffff0000) | near);
      if (!std::isnan(value)) {
        REQUIRE(BF16(value).bits == encode(BF16::float_format, static_cast<double>(value)));
      }
    }
  }
}

}  // namespace
}  // namespace bp::ir
