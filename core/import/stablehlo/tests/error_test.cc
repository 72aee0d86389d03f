// Errors are reported with their location; inputs must not crash, hang or use all memory.
#include <catch2/catch.hpp>

#include "core/import/stablehlo/stablehlo.h"

namespace bp::import::stablehlo {
namespace {

// Returns "line:column: message" of the error.
std::string error_of(std::string_view text) {
  auto module = read(text);
  if (module.ok()) {
    return "no error";
  }
  const Error &error = module.error();
  return fmt::format("{}:{}: {}", error.location().line, error.location().column, error.message());
}

// Puts one line into a function of x: f32[4] and y: f32[2], as line 2 of the text.
std::string error_in_function(std::string_view line) {
  return error_of(fmt::format("func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) {{\n{}\nreturn }}", line));
}

}  // namespace

TEST_CASE("an error of StableHLO shows the file, the place, the line and a caret") {
  auto module = read("func.func @main(%x: tensor<2xf32>) {\n  %y = stablehlo.ad %x, %x : tensor<2xf32>\n  return\n}",
                     {"a.mlir", 7, {}});
  REQUIRE(!module.ok());
  CHECK(module.error().to_string() ==
        "a.mlir:8:8: unknown operation stablehlo.ad, did you mean 'stablehlo.add'?\n"
        "    %y = stablehlo.ad %x, %x : tensor<2xf32>\n"
        "         ^");
}

TEST_CASE("an error that the verifier finds has its line too") {
  auto module = read(
      "func.func @main(%x: tensor<2xf32>) {\n"
      "  %y = stablehlo.concatenate %x, dim = 0 : (tensor<2xf32>) -> tensor<3xf32>\n  return\n}",
      {"a.mlir", 1, {}});
  REQUIRE(!module.ok());
  CHECK(module.error().to_string() ==
        "a.mlir:2:8: y: the shape is f32[3], expected f32[2]\n"
        "    %y = stablehlo.concatenate %x, dim = 0 : (tensor<2xf32>) -> tensor<3xf32>\n"
        "         ^");
}

TEST_CASE("deep and large texts are refused, or read, without harm") {
  std::string deep(100000, '[');
  CHECK(error_in_function("%0 = stablehlo.abs %x {a = " + deep).find("nested more than") != std::string::npos);
  std::string tuple;
  for (int i = 0; i < 100000; ++i) {
    tuple += "tuple<";
  }
  CHECK(error_in_function("%0 = stablehlo.abs %x : " + tuple).find("nested more than") != std::string::npos);
  std::string aliases = "#a0 = [1]\n";
  for (int i = 1; i < 100; ++i) {
    aliases += fmt::format("#a{} = [#a{}, #a{}]\n", i, i - 1, i - 1);
  }
  CHECK(error_of(aliases + "module attributes {a = #a99} { func.func @main() { return } }").find("too often") !=
        std::string::npos);
  CHECK(error_of("#a = #a\nmodule attributes {a = #a} { func.func @main() { return } }") != "no error");
  // One value for more elements than fit into memory.
  CHECK(error_in_function("%0 = stablehlo.constant dense<1> : tensor<1000000x1000000xi32>") == "no error");
}

}  // namespace bp::import::stablehlo
