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

struct Mistake {
  std::string_view text, message;
};

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

TEST_CASE("errors in modules and functions") {
  const Mistake table[] = {
      {"", "1:1: there is no function @main"},
      {"module {", "1:9: expected an operation, found the end of the text"},
      {"module { func.func @main() { return } } x", "1:41: expected the end of the text after the module, found 'x'"},
      {"func.func main() { return }", "1:11: expected the name of a function, as in @main, found 'main'"},
      {"func.func @main(%a: tensor<2xf32>, %a: tensor<2xf32>) { return }", "1:36: %a is already defined in line 1"},
      {"func.func @main() { return } func.func @main() { return }", "1:30: @main is defined twice"},
      {"func.func @main() { }", "1:19: the region does not end with a return"},
      {"func.func @main() { return return }", "1:21: a return before the end of a region"},
      {"func.func @main() -> tensor<f32> { return }", "1:36: 0 values are returned, expected 1"},
      {"func.func @main(%a: tensor<i32>) -> tensor<f32> { return %a : tensor<i32> }",
       "1:51: value 0 that is returned is tensor<i32>, expected tensor<f32>"},
      {"func.func @main() { ^a: return ^b: return }", "1:32: a region of several blocks"},
      {"func.func @f(%a: tensor<f32>) { return } func.func @g(%a: tensor<f32>) { return }",
       "1:1: there is no function @main"},
      {"func.func @main() { call @f() : () -> () return }", "1:26: there is no function @f"},
      {"func.func @main() { call @f() : () -> () return } func.func private @f()", "1:26: @f has no body"},
      {"func.func @main() { call @f() : () -> () return } func.func @f(%a: tensor<f32>) { return }",
       "1:21: @f is given 0 arguments, expected 1"},
      {"func.func @main() { call @main() : () -> () return }", "1:21: call.0: the call of main is recursive"},
      {"func.func @main() { call @f() : () -> () return }\nfunc.func @f() { call @g() : () -> () return }\n"
       "func.func @g() { call @f() : () -> () return }",
       "2:18: call.2: the call of g is recursive"},
      {"func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n%0 = stablehlo.abs %a : tensor<?xf32>\nreturn %0 : "
       "tensor<?xf32> }",
       "2:6: stablehlo.abs: a size is not known: tensor<?xf32>"},
      {"func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n%0 = call @f(%a) : (tensor<?xf32>) -> tensor<?xf32>\n"
       "return %0 : tensor<?xf32> }\nfunc.func @f(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : tensor<?xf32> }",
       "1:1: func.func: the sizes of the parameters of @main are not known"},
      {"module @m attributes {mhlo.num_replicas = \"x\"} { func.func @main() { return } }",
       "1:43: expected an integer"},
      {"module @m attributes {a = 1, a = 2} { func.func @main() { return } }", "1:30: attribute 'a' is given twice"},
  };
  for (const Mistake &mistake : table) {
    INFO(mistake.text);
    CHECK(error_of(mistake.text) == mistake.message);
  }
}

TEST_CASE("errors in types and literals") {
  const Mistake table[] = {
      {"%0 = stablehlo.constant dense<1> : tensor<2xf33>", "2:45: unknown type 'f33'"},
      {"%0 = stablehlo.constant dense<1> : tensor<2", "3:1: expected 'x' after a size, found 'return'"},
      {"%0 = stablehlo.constant dense<1> : tensor<99999999999999999999xf32>",
       "2:43: the size 99999999999999999999 does not fit into 64 bits"},
      {"%0 = stablehlo.constant dense<1> : tensor<?xf32>",
       "2:25: a literal of type tensor<?xf32>, expected a tensor of known sizes"},
      {"%0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi32>",
       "2:38: more than 2 elements in dimension 0 of tensor<2xi32>"},
      {"%0 = stablehlo.constant dense<[1]> : tensor<2xi32>",
       "2:31: 1 elements in dimension 0 of tensor<2xi32>, expected 2"},
      {"%0 = stablehlo.constant dense<[[1, 2], [3]]> : tensor<2x2xi32>",
       "2:40: 1 elements in dimension 1 of tensor<2x2xi32>, expected 2"},
      {"%0 = stablehlo.constant dense<300> : tensor<i8>", "2:31: 300 is out of the range of i8"},
      {"%0 = stablehlo.constant dense<-1> : tensor<ui8>", "2:31: -1 is out of the range of ui8"},
      {"%0 = stablehlo.constant dense<1.5> : tensor<i8>", "2:31: expected an integer (i8), found '1.5'"},
      {"%0 = stablehlo.constant dense<2> : tensor<i1>", "2:31: expected true, false, 0 or 1, found '2'"},
      {"%0 = stablehlo.constant dense<x> : tensor<f32>", "2:31: expected a number (f32), found 'x'"},
      {"%0 = stablehlo.constant dense<0x123456789> : tensor<f32>",
       "2:31: expected the 32 bits of an element (f32), found '0x123456789'"},
      {"%0 = stablehlo.constant dense<(1.0, 2.0> : tensor<complex<f32>>",
       "2:40: expected ')' after a complex number, found '>'"},
      {"%0 = stablehlo.constant dense<\"0x00\"> : tensor<2xf32>",
       "2:31: 1 bytes for the 2 elements of tensor<2xf32>, expected 4 each"},
      {"%0 = stablehlo.constant dense<\"0x0000000g\"> : tensor<f32>", "2:31: 'g' in a string of hexadecimal digits"},
      {"%0 = stablehlo.constant dense<> : tensor<2xf32>", "2:31: no values for the 2 elements of tensor<2xf32>"},
      {"%0 = stablehlo.constant dense_resource<a> : tensor<2xf32>",
       "2:25: a dense_resource literal: expected dense<...>, with the values in the text"},
      {"%0 = stablehlo.constant dense<1", "2:25: a literal is not closed: expected '>' before the end of the text"},
      {"%0 = stablehlo.abs %x : tensor<4xcomplex<f16>>", "2:42: complex numbers of f16, expected f32 or f64"},
      {"%0 = stablehlo.abs %x : !foo", "2:25: unknown type !foo"},
      {"%0 = stablehlo.abs %x : tensor<4x!quant.uniform<i8:f32, -1.0>>", "2:57: the scale -1, expected a positive f32"},
      {"%0 = stablehlo.abs %x : tensor<?xf32, #stablehlo.bounds<4, 5>>",
       "2:60: the bound 5 of dimension 1 of tensor<?xf32, #stablehlo.bounds<4>>, expected one for each '?'"},
  };
  for (const Mistake &mistake : table) {
    INFO(mistake.text);
    CHECK(error_in_function(mistake.text) == mistake.message);
  }
}

TEST_CASE("errors in operations") {
  const Mistake table[] = {
      {"%0 = stablehlo.abs %z : tensor<4xf32>", "2:20: %z is not defined before its use"},
      {"%0 = stablehlo.abs %x#1 : tensor<4xf32>", "2:20: %x has 1 result, there is no number 1"},
      {"%0 = stablehlo.abs : tensor<4xf32>", "2:6: stablehlo.abs has 0 operands, expected 1"},
      {"%x = stablehlo.abs %x : tensor<4xf32>", "2:1: %x is already defined in line 1"},
      {"%0:2 = stablehlo.abs %x : tensor<4xf32>", "2:1: stablehlo.abs has 1 result, but 2 are named"},
      {"%0 = stablehlo.abs %x", "3:1: expected ':' and the type of stablehlo.abs, found 'return'"},
      {"%0 = stablehlo.abs %x : (tensor<2xf32>) -> tensor<2xf32>",
       "2:25: operand 0 is written as tensor<2xf32>, but its type is tensor<4xf32>"},
      {"%0 = \"stablehlo.abs\"(%x) {foo = 1} : (tensor<4xf32>) -> tensor<4xf32>",
       "2:33: stablehlo.abs has no attribute 'foo'"},
      {"%0 = \"stablehlo.transpose\"(%x) : (tensor<4xf32>) -> tensor<4xf32>",
       "2:7: stablehlo.transpose needs the attribute 'permutation', dims in the pretty form"},
      {"%0 = stablehlo.transpose %x, dims = [a] : (tensor<4xf32>) -> tensor<4xf32>",
       "2:37: 'permutation' of stablehlo.transpose is [a], expected integers as in array<i64: 0, 1>"},
      {"%0 = stablehlo.transpose %x, dims = [0], dims = [0] : (tensor<4xf32>) -> tensor<4xf32>",
       "2:47: attribute 'dims' is given twice"},
      {"%0 = stablehlo.compare FOO, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
       "2:24: unknown value FOO of 'direction'"},
      {"%0 = stablehlo.broadcast_in_dim %x, dims = [3] : (tensor<4xf32>) -> tensor<4x4xf32>",
       "2:6: the broadcast dimension 3 is not one of tensor<4x4xf32>"},
      {"%0 = stablehlo.slice %x [0:2:] : (tensor<4xf32>) -> tensor<2xf32>",
       "2:30: expected the stride of a slice, found ']'"},
      {"%0 = stablehlo.reduce_precision %x, format = 5 : tensor<4xf32>", "2:46: expected a word or a string"},
      {"%0 = stablehlo.add %x, %y : tensor<4xf32>",
       "2:6: stablehlo.add: operand 0 is tensor<4xf32> and operand 1 is tensor<2xf32>, expected the same sizes"},
      {"%0 = \"stablehlo.while\"(%x) ({}) : (tensor<4xf32>) -> tensor<4xf32>",
       "2:7: stablehlo.while has 1 region, expected 2"},
      {"%0 = \"stablehlo.reduce\"(%x, %x) <{dimensions = array<i64: 0>}> : (tensor<4xf32>, tensor<4xf32>) -> "
       "tensor<f32>",
       "2:7: stablehlo.reduce has 0 regions, expected 1"},
      {"%i = stablehlo.convert %y : (tensor<2xf32>) -> tensor<2xi32> "
       "%0 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = 1, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, "
       "tensor<2xi32>) -> tensor<2xf32>",
       "2:116: expected dimension numbers as in #stablehlo.gather<offset_dims = [0], ...>"},
      {"%0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, b]x[0, i, o]->[b, 0, f], window = {} : "
       "(tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>",
       "2:57: a dimension of a convolution is given twice"},
      {"%0 = arith.addf %x, %x : tensor<4xf32>", "2:6: unknown operation arith.addf"},
      {"%s = stablehlo.slice %y [0:1] : (tensor<2xf32>) -> tensor<1xf32> "
       "%i = stablehlo.convert %s : (tensor<1xf32>) -> tensor<1xi32> "
       "%z = stablehlo.constant dense<0.0> : tensor<f32> "
       "%0 = stablehlo.dynamic_pad %x, %z, %i, %i, %i : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, "
       "tensor<1xi32>) -> tensor<4xf32>",
       "2:181: stablehlo.dynamic_pad: the low paddings are not known"},
      {"%q = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>> "
       "%w = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0, "
       "4.0}>> "
       "%0 = stablehlo.dot_general %q, %w, contracting_dims = [0] x [0] : (tensor<4x!quant.uniform<i8:f32, 0.5>>, "
       "tensor<4x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0, 4.0}>>) -> tensor<!quant.uniform<i8:f32, 0.5>>",
       "2:213: stablehlo.dot_general: operand 1 is quantized along dimension 0, expected one that is not contracted"},
      {"%0 = mhlo.add %x, %x : tensor<4xf32>",
       "2:6: mhlo.add is not supported: mhlo is the dialect before StableHLO: convert it with mlir-hlo-opt "
       "--hlo-legalize-to-stablehlo"},
      {"%0 = \"sdy.all_gather\"(%x) : (tensor<4xf32>) -> tensor<4xf32>",
       "2:7: sdy.all_gather is not supported: it divides the program among devices: partition the program first"},
      {"%0 = chlo.minimum_broadcast_shapes %x, %y : tensor<4xf32>, tensor<2xf32> -> tensor<1xindex>",
       "2:6: chlo.minimum_broadcast_shapes is not supported: its results are shapes that only a run knows"},
      {"%0 = sdy.sharding_constraint %x foo : tensor<4xf32>", "2:33: expected '<' before a sharding, found 'foo'"},
      {"%0 = sdy.sharding_constraint %x <@m, [{}]> : (tensor<4xf32>) -> tensor<2xf32>",
       "2:6: result 0 is written as tensor<2xf32>, but it is tensor<4xf32>"},
      {"%0 = sdy.manual_computation(%x) in_shardings=[] out_shardings=[] manual_axes={} () { sdy.return } : "
       "(tensor<4xf32>) -> tensor<4xf32>",
       "2:6: sdy.manual_computation has 1 operand, expected 0"},
      {"%0 = sdy.manual_computation(%x) in_shardings=[] out_shardings=[] manual_axes={} (%a: tensor<2xf32>) { "
       "sdy.return "
       "} : (tensor<4xf32>) -> tensor<4xf32>",
       "2:6: its region returns 0 values, expected 1"},
      {"%0 = sdy.manual_computation(%x) in_shardings=[<@m, [{\"a\"}]> out_shardings=[]",
       "3:8: expected ']' in in_shardings, found '}'"},
      {"%0 = \"stablehlo.async_start\"(%x) ({ ^bb0(%a: tensor<2xf32>): stablehlo.return %a : tensor<2xf32> }) : "
       "(tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>",
       "2:7: its region takes tensor<2xf32> as value 0, expected tensor<4xf32>"},
      {"%0 = \"stablehlo.async_start\"(%x) ({ ^bb0(%a: tensor<4xf32>): stablehlo.return %a : tensor<4xf32> }) : "
       "(tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>",
       "2:7: result 0 is written as tensor<2xf32>, but it is tensor<4xf32>"},
      {"%0 = stablehlo.unary_einsum %x, config = \"a\" : (tensor<4xf32>) -> tensor<4xf32>",
       "2:42: expected a config as in \"ab->ba\""},
      {"%0 = stablehlo.unary_einsum %x, config = \"a->aa\" : (tensor<4xf32>) -> tensor<4x4xf32>",
       "2:6: stablehlo.unary_einsum: \"a->aa\" for tensor<4xf32>"},
      {"%0 = chlo.lgamma %c : tensor<f32> -> tensor<f32>", "2:18: %c is not defined before its use"},
      {"%c = stablehlo.constant dense<1> : tensor<i32> %0 = chlo.lgamma %c : tensor<i32> -> tensor<i32>",
       "2:53: chlo.lgamma: operand 0 is tensor<i32>, expected a tensor of floats"},
      {"%z = stablehlo.constant dense<0.0> : tensor<f32> %0 = stablehlo.reduce(%x init: %z) across dimensions = [0] : "
       "(tensor<4xf32>, tensor<f32>) -> tensor<f32> reducer(%a: tensor<f32>, %b: tensor<f32>) { %s = stablehlo.slice "
       "%y "
       "[0:1] : (tensor<2xf32>) -> tensor<1xf32> stablehlo.return %a : tensor<f32> }",
       "2:55: stablehlo.reduce: its region uses y from outside, which is not computed from constants"},
  };
  for (const Mistake &mistake : table) {
    INFO(mistake.text);
    CHECK(error_in_function(mistake.text) == mistake.message);
  }
}

TEST_CASE("each kind of mistake is said with its place, in both forms") {
  struct {
    std::string_view kind, text, message;
  } const table[] = {
      {"wrong type, pretty", "%0 = stablehlo.negate %x : (tensor<4xi32>) -> tensor<4xi32>",
       "2:28: operand 0 is written as tensor<4xi32>, but its type is tensor<4xf32>"},
      {"wrong type, generic", "%0 = \"stablehlo.negate\"(%x) : (tensor<4xi32>) -> tensor<4xi32>",
       "2:31: operand 0 is written as tensor<4xi32>, but its type is tensor<4xf32>"},
      {"operands of two types, pretty", "%0 = stablehlo.multiply %x, %y : tensor<4xf32>",
       "2:6: stablehlo.multiply: operand 0 is tensor<4xf32> and operand 1 is tensor<2xf32>, expected the same type"},
      {"operands of two types, generic",
       "%0 = \"stablehlo.multiply\"(%x, %y) : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>",
       "2:7: stablehlo.multiply: operand 0 is tensor<4xf32> and operand 1 is tensor<2xf32>, expected the same type"},
      {"result of another type, pretty", "%0 = stablehlo.negate %x : (tensor<4xf32>) -> tensor<2xf32>",
       "2:6: stablehlo.negate: operand 0 is tensor<4xf32> and result 0 is tensor<2xf32>, expected the same type"},
      {"result of another type, generic", "%0 = \"stablehlo.negate\"(%x) : (tensor<4xf32>) -> tensor<2xf32>",
       "2:7: stablehlo.negate: operand 0 is tensor<4xf32> and result 0 is tensor<2xf32>, expected the same type"},
      {"missing attribute, pretty", "%0 = stablehlo.iota : tensor<4xf32>",
       "2:6: stablehlo.iota needs the attribute 'iota_dimension', dim in the pretty form"},
      {"missing attribute, generic", "%0 = \"stablehlo.iota\"() : () -> tensor<4xf32>",
       "2:7: stablehlo.iota needs the attribute 'iota_dimension', dim in the pretty form"},
      {"undefined value, pretty", "%0 = stablehlo.negate %w : tensor<4xf32>", "2:23: %w is not defined before its use"},
      {"undefined value, generic", "%0 = \"stablehlo.negate\"(%w) : (tensor<4xf32>) -> tensor<4xf32>",
       "2:25: %w is not defined before its use"},
      {"undefined function, pretty", "%0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>",
       "2:16: there is no function @f"},
      {"undefined function, generic", "%0 = \"func.call\"(%x) <{callee = @f}> : (tensor<4xf32>) -> tensor<4xf32>",
       "2:33: there is no function @f"},
      {"cycle of values, pretty", "%0 = stablehlo.negate %0 : tensor<4xf32>", "2:23: %0 is not defined before its use"},
      {"cycle of values, generic", "%0 = \"stablehlo.negate\"(%0) : (tensor<4xf32>) -> tensor<4xf32>",
       "2:25: %0 is not defined before its use"},
      {"cycle of calls, pretty", "%0 = func.call @main(%x, %y) : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>",
       "2:6: call.2: the call of main is recursive"},
      {"cycle of calls, generic", "\"func.call\"(%x, %y) <{callee = @main}> : (tensor<4xf32>, tensor<2xf32>) -> ()",
       "2:2: call.2: the call of main is recursive"},
      {"redefined value, pretty", "%x = stablehlo.negate %x : tensor<4xf32>", "2:1: %x is already defined in line 1"},
      {"redefined value, generic", "%x = \"stablehlo.negate\"(%x) : (tensor<4xf32>) -> tensor<4xf32>",
       "2:1: %x is already defined in line 1"},
      {"literal that does not fit, pretty", "%0 = stablehlo.constant dense<[1, 300]> : tensor<2xi8>",
       "2:35: 300 is out of the range of i8"},
      {"literal that does not fit, generic",
       "%0 = \"stablehlo.constant\"() <{value = dense<[1, 300]> : tensor<2xi8>}> : () -> tensor<2xi8>",
       "2:49: 300 is out of the range of i8"},
      {"literal of another size, pretty", "%0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>",
       "2:31: 2 elements in dimension 0 of tensor<3xi32>, expected 3"},
      {"literal of another size, generic",
       "%0 = \"stablehlo.constant\"() <{value = dense<[1, 2]> : tensor<3xi32>}> : () -> tensor<3xi32>",
       "2:45: 2 elements in dimension 0 of tensor<3xi32>, expected 3"},
      {"dialect that is not supported, pretty", "%0 = linalg.exp %x : tensor<4xf32>",
       "2:6: unknown operation linalg.exp"},
      {"dialect that is not supported, generic", "%0 = \"linalg.exp\"(%x) : (tensor<4xf32>) -> tensor<4xf32>",
       "2:7: unknown operation linalg.exp"},
  };
  for (const auto &row : table) {
    INFO(row.kind << ": " << row.text);
    CHECK(error_in_function(row.text) == row.message);
  }
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
