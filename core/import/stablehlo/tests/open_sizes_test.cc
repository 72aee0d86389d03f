// Programs with open sizes become programs of known sizes, and give what they should. What they become is in
// testdata/open_sizes.
#include <catch2/catch.hpp>

#include "core/import/stablehlo/stablehlo.h"
#include "core/interpreter/interpreter.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::import::stablehlo {
namespace {

Result<ir::Module> specialised(std::string_view text, std::initializer_list<std::string_view> shapes) {
  Options options;
  options.file = "open.mlir";
  for (std::string_view shape : shapes) {
    options.reading.parameter_shapes.push_back(text::parse_shape(shape).value());
  }
  return read(text, options);
}

std::string error_of(std::string_view text, std::initializer_list<std::string_view> shapes) {
  const auto module = specialised(text, shapes);
  return module.ok() ? "" : module.error().message();
}

}  // namespace

TEST_CASE("functions of open sizes are not called without limit") {
  std::string doubling = R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @f0(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @f40(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> })";
  for (int i = 0; i < 40; ++i) {
    doubling += fmt::format(R"(
func.func private @f{0}(%x: tensor<?xf32>) -> tensor<?xf32> {{
  %a = call @f{1}(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %b = call @f{1}(%a) : (tensor<?xf32>) -> tensor<?xf32>
  return %b : tensor<?xf32>
}})",
                            i, i + 1);
  }
  CHECK(error_of(doubling, {"f32[3]"}) == "func.call: functions with unknown sizes are called more than 10000 times");
}

TEST_CASE("results have the element types that the program states") {
  constexpr std::string_view product = R"(
func.func @main(%x: tensor<?x?xi8>, %y: tensor<?x2xi8>) -> tensor<?x2xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<?x?xi8>, tensor<?x2xi8>) -> tensor<?x2xi32>
  return %0 : tensor<?x2xi32>
})";
  CHECK(ir::to_string(specialised(product, {"s8[3,4]", "s8[4,2]"}).value().entry().root().shape(),
                      ir::PrintLayout::Never) == "s32[3,2]");
  constexpr std::string_view convolution = R"(
func.func @main(%x: tensor<?x8x4xbf16>, %w: tensor<3x4x5xbf16>) -> tensor<?x6x5xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<?x8x4xbf16>, tensor<3x4x5xbf16>) -> tensor<?x6x5xf32>
  return %0 : tensor<?x6x5xf32>
})";
  CHECK(ir::to_string(specialised(convolution, {"bf16[2,8,4]", "bf16[3,4,5]"}).value().entry().root().shape(),
                      ir::PrintLayout::Never) == "f32[2,6,5]");
}

// The form in which jax.export writes an element of an array in a loop.
TEST_CASE("a slice of known sizes may begin anywhere") {
  constexpr std::string_view row = R"(
func.func @main(%x: tensor<?x?xf32>, %i: tensor<i32>) -> tensor<1x?xf32> {
  %b = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %columns = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
  %sizes = stablehlo.concatenate %one, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %place = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
  %starts = stablehlo.concatenate %place, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %limits = stablehlo.add %starts, %sizes : tensor<2xi32>
  %strides = stablehlo.concatenate %one, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %r = stablehlo.real_dynamic_slice %x, %starts, %limits, %strides : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x?xf32>
  return %r : tensor<1x?xf32>
})";
  const auto module = specialised(row, {"f32[3,2]", "s32[]"});
  REQUIRE(module.ok());
  std::vector<ir::Literal> arguments;
  arguments.push_back(
      text::parse_literal("{ { 1, 2 }, { 3, 4 }, { 5, 6 } }", module->entry().parameter(0).shape()).value());
  arguments.push_back(text::parse_literal("1", module->entry().parameter(1).shape()).value());
  CHECK(text::print(*interpreter::interpret(*module, std::move(arguments))) == "{ {3, 4} }");
}

// The form in which jax.export writes jnp.cumsum for a function of f32[2, b].
TEST_CASE("windows may have sizes for operands") {
  constexpr std::string_view windows = R"(
func.func public @main(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %b = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %none = stablehlo.constant dense<0> : tensor<1x2xi32>
  %size = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
  %sizes = stablehlo.concatenate %one, %size, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %ones = stablehlo.concatenate %one, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %low = stablehlo.subtract %size, %one : tensor<1xi32>
  %high = stablehlo.constant dense<0> : tensor<1xi32>
  %both = stablehlo.concatenate %low, %high, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %row = stablehlo.reshape %both : (tensor<2xi32>) -> tensor<1x2xi32>
  %padding = stablehlo.concatenate %none, %row, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %sizes, %ones, %ones, %ones, %padding) {api_version = 2 : i32, called_computations = [@sum]} : (tensor<2x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<2x?xf32>
  return %r : tensor<2x?xf32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.add %a, %b : tensor<f32>
  return %r : tensor<f32>
})";
  const auto module = specialised(windows, {"f32[2,3]"});
  REQUIRE(module.ok());
  CHECK(text::print(*module).find("window={size=1x3 pad=0_0x2_0}") != std::string::npos);
  std::vector<ir::Literal> rows;
  rows.push_back(text::parse_literal("{ { 1, 2, 3 }, { 4, 5, 6 } }", module->entry().parameter(0).shape()).value());
  CHECK(text::print(*interpreter::interpret(*module, std::move(rows))) == "{ {1, 3, 6}, {4, 9, 15} }");
}

}  // namespace bp::import::stablehlo
