// Programs with open sizes become programs of known sizes: the shapes of parameters are given, all other sizes follow.
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
    options.parameter_shapes.push_back(text::parse_shape(shape).value());
  }
  return read(text, options);
}

std::string error_of(std::string_view text, std::initializer_list<std::string_view> shapes) {
  const auto module = specialised(text, shapes);
  return module.ok() ? "" : module.error().message();
}

constexpr std::string_view sum = R"(
func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = stablehlo.add %a, %b : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
})";

// A function of f32[b, 2] that normalizes its rows, with a check of b, and b as an argument of an inner function, as
// exported by jax.export.
constexpr std::string_view exported = R"(
func.func public @main(%x: tensor<?x2xf32>) -> tensor<?xf32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %enough = stablehlo.compare GE, %b, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%enough, %b, %two) {api_version = 2 : i32, error_message = "b is {0}, not {1} at least", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %r = call @inner(%b, %x) : (tensor<i32>, tensor<?x2xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @inner(%b: tensor<i32>, %x: tensor<?x2xf32>) -> tensor<?xf32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %product = stablehlo.multiply %b, %two : tensor<i32>
  %size = stablehlo.reshape %product : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_reshape %x, %size : (tensor<?x2xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
})";

// Returns the value of a scalar computation on sizes, as the size of an iota.
std::string size_of(std::string_view operations) {
  const std::string text = fmt::format(R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xi32> {{
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  {}
  %size = stablehlo.reshape %r : (tensor<i32>) -> tensor<1xi32>
  %i = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %i : tensor<?xi32>
}})",
                                       operations);
  const auto module = specialised(text, {"f32[7]"});
  return module.ok() ? ir::to_string(module->entry().root().shape()) : module.error().message();
}

}  // namespace

TEST_CASE("sizes that are left open follow from the shapes of parameters") {
  CHECK(ir::to_string(specialised(sum, {"f32[3,4]", "f32[3,4]"})->entry().root().shape()) == "f32[3,4]");
  CHECK(ir::to_string(specialised(exported, {"f32[3,2]"})->entry().root().shape()) == "f32[6]");
  CHECK(text::print(*specialised(exported, {"f32[3,2]"})).find("shape_assertion") == std::string::npos);
}

TEST_CASE("a check of sizes may call functions") {
  constexpr std::string_view even = R"(
func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %rest = call @modulo(%n, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %holds = stablehlo.compare EQ, %rest, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%holds, %n) {error_message = "{0} is odd", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return %x : tensor<?xf32>
}
func.func private @modulo(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.remainder %a, %b : tensor<i32>
  return %r : tensor<i32>
})";
  CHECK(error_of(even, {"f32[8]"}).empty());
  CHECK(error_of(even, {"f32[7]"}) == "7 is odd");
}

TEST_CASE("sizes are computed as programs compute them") {
  CHECK(size_of("%r = stablehlo.add %n, %three : tensor<i32>") == "s32[10]");
  CHECK(size_of("%r = stablehlo.subtract %n, %three : tensor<i32>") == "s32[4]");
  CHECK(size_of("%r = stablehlo.divide %n, %three : tensor<i32>") == "s32[2]");
  CHECK(size_of("%r = stablehlo.remainder %n, %three : tensor<i32>") == "s32[1]");
  CHECK(size_of("%r = stablehlo.maximum %n, %three : tensor<i32>") == "s32[7]");
  CHECK(size_of("%r = stablehlo.minimum %n, %three : tensor<i32>") == "s32[3]");
  CHECK(size_of("%r = stablehlo.clamp %three, %n, %three : tensor<i32>") == "s32[3]");
  CHECK(size_of("%m = stablehlo.negate %n : tensor<i32>\n  %s = stablehlo.sign %m : tensor<i32>\n"
                "  %r = stablehlo.multiply %m, %s : tensor<i32>") == "s32[7]");
  CHECK(size_of("%c = stablehlo.compare LT, %n, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                "  %d = stablehlo.not %c : tensor<i1>\n"
                "  %r = stablehlo.select %d, %n, %three : tensor<i1>, tensor<i32>") == "s32[7]");
}

TEST_CASE("sizes that do not follow are errors") {
  CHECK(error_of(sum, {}) == "stablehlo.add: a size is not known: tensor<?x4xf32>");
  CHECK(specialised(sum, {}).error().to_string().find("leave sizes open: say them, as in --shapes") !=
        std::string::npos);
  CHECK(error_of(sum, {"f32[3,4]"}) == "1 shapes are given, but @main has 2 parameters");
  CHECK(error_of(sum, {"f32[3,5]", "f32[3,5]"}) ==
        "the shape given for parameter 0 is f32[3,5], but its type is tensor<?x4xf32>");
  CHECK(error_of(sum, {"f64[3,4]", "f64[3,4]"}) ==
        "the shape given for parameter 0 is f64[3,4], but its type is tensor<?x4xf32>");
  CHECK(error_of(sum, {"f32[<=3,4]", "f32[3,4]"}) ==
        "the shape given for parameter 0 is f32[<=3,4], but its type is tensor<?x4xf32>");
  CHECK(error_of(exported, {"f32[1,2]"}) == "b is 1, not 2 at least");
  CHECK(size_of("%zero = stablehlo.constant dense<0> : tensor<i32>\n"
                "  %r = stablehlo.divide %n, %zero : tensor<i32>") ==
        "stablehlo.dynamic_iota: the sizes of the result are not known");
  CHECK(size_of("%many = stablehlo.constant dense<2147483647> : tensor<i32>\n"
                "  %r = stablehlo.multiply %n, %many : tensor<i32>") ==
        "stablehlo.dynamic_iota: the sizes of the result are not known");
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
  CHECK(error_of(doubling, {"f32[3]"}) == "func.call: functions of open sizes are called more than 10000 times");
  constexpr std::string_view endless = R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @main(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
})";
  CHECK(error_of(endless, {"f32[3]"}) == "func.call: functions of open sizes call each other more than 128 deep");
}

TEST_CASE("what functions of sizes and truth values give is known") {
  constexpr std::string_view larger = R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xi32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %is_less = stablehlo.compare LT, %n, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %m = call @where(%is_less, %four, %n) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
  %size = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %i = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %i : tensor<?xi32>
}
func.func private @where(%c: tensor<i1>, %a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.select %c, %a, %b : tensor<i1>, tensor<i32>
  return %r : tensor<i32>
})";
  CHECK(ir::to_string(specialised(larger, {"f32[7]"})->entry().root().shape()) == "s32[7]");
  CHECK(ir::to_string(specialised(larger, {"f32[2]"})->entry().root().shape()) == "s32[4]");
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

// The form in which jax.export writes jnp.cumsum, a pooling and random bits for a function of f32[2, b].
TEST_CASE("windows, random bits and the largest elements may have sizes for operands") {
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

  const auto in_main = [](std::string_view operation, std::string_view result) {
    return fmt::format(R"(
func.func @main(%x: tensor<?xf32>, %s: tensor<2xui64>) -> {1} {{
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %size = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.custom_call {0}
  return %r#1 : {1}
}})",
                       operation, result);
  };
  const auto shape_of = [&](std::string_view operation, std::string_view result) {
    const auto specialised_to = specialised(in_main(operation, result), {"f32[7]", "u64[2]"});
    return specialised_to.ok() ? ir::to_string(specialised_to->entry().root().shape())
                               : specialised_to.error().message();
  };
  constexpr std::string_view bits =
      "@stablehlo.dynamic_rng_bit_generator(%s, %size) {{api_version = 2 : i32, rng_algorithm = "
      "#stablehlo<rng_algorithm {}>}} : (tensor<2xui64>, tensor<1xi32>) -> (tensor<2xui64>, tensor<?xui32>)";
  CHECK(shape_of(fmt::format(bits, "THREE_FRY"), "tensor<?xui32>") == "u32[7]");
  CHECK(shape_of(fmt::format(bits, "DICE"), "tensor<?xui32>").find("algorithm DICE and 2 results, expected") !=
        std::string::npos);
  CHECK(shape_of("@stablehlo.dynamic_top_k(%x, %two) : (tensor<?xf32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)",
                 "tensor<?xi32>") == "s32[2]");
  CHECK(shape_of("@stablehlo.dynamic_top_k(%x, %s) : (tensor<?xf32>, tensor<2xui64>) -> (tensor<?xf32>, tensor<?xi32>)",
                 "tensor<?xi32>") == "stablehlo.custom_call: the numbers of elements are not known");
}

}  // namespace bp::import::stablehlo
