// Each pass of the stage `primitives` by itself: the interpreter computes an op and its expansion, and both must agree.
// A test in conformance/coverage checks that a backend with only primitives runs everything.
#include <catch2/catch.hpp>
#include <cstring>

#include "core/interpreter/compare.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/passes/pipeline.h"
#include "core/text/parser.h"
#include "tools/testing/require.h"

namespace bp::passes {
namespace {

using testing::contains;

enum class Op { Goes, MayStay };

// Runs one pass on a program whose root it expands. Tolerance 0: the bits are the same; else units in the last place.
void check(const char *pass, const std::string &text, std::int64_t units = 0, Op op = Op::Goes, bool has_f64 = true) {
  INFO(pass << ": " << text);
  Result<ir::Module> module = text::parse_module(text);
  REQUIRE(module.ok());
  REQUIRE(ir::verify(*module).ok());
  ir::Module expanded = *module;
  PipelineOptions options;
  options.verify_between_passes = true;
  options.context.has_f64 = has_f64;
  Status status = run_passes(expanded, std::span(find_pass(pass), 1), options);
  INFO((status.ok() ? "" : status.error().to_string()));
  REQUIRE(status.ok());
  if (op == Op::Goes) {
    CHECK(!contains(expanded, module->entry().root().opcode()));
  }
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto arguments = interpreter::random_arguments(*module, seed).value();
    Result<ir::Literal> expected = interpreter::interpret(*module, arguments);
    Result<ir::Literal> result = interpreter::interpret(expanded, arguments);
    INFO((result.ok() ? "" : result.error().to_string()));
    REQUIRE(expected.ok());
    REQUIRE(result.ok());
    const auto comparisons = interpreter::compare(*result, *expected).value();
    for (const interpreter::Comparison &comparison : comparisons) {
      INFO(interpreter::to_string(comparison));
      CHECK((comparison.identical || (units > 0 && comparison.max_ulp <= units)));
    }
  }
}

// For all floats: zeros, ties, values out of range, NaN.
constexpr const char *special_values = "0, -0, 0.5, -0.5, 1.5, -2.5, 1, -1, 3, -7, 1e-30, -1e-30, 1e30, inf, -inf, nan";
// For 64-bit integers: carries, borrows, halves that are all ones.
constexpr const char *wide_values =
    "0, 1, -1, 2, 4294967295, 4294967296, -4294967296, -4294967297, 9223372036854775807, -9223372036854775808, 7, -7, "
    "1000000007, -3, 34359738368, 63";

std::string unary(const char *op, const char *type, const char *values, const char *attributes = "") {
  return fmt::format("ENTRY main {{ x = {0}[16] constant({{{1}}})  ROOT r = {0}[16] {2}(x){3} }}", type, values, op,
                     attributes);
}
// All pairs of 16 values.
std::string binary(const char *op, const char *type, const char *values, const char *result,
                   const char *attributes = "") {
  return fmt::format(
      "ENTRY main {{ v = {0}[16] constant({{{1}}})  x = {0}[16,16] broadcast(v), dimensions={{0}} "
      "y = {0}[16,16] broadcast(v), dimensions={{1}}  ROOT r = {3}[16,16] {2}(x, y){4} }}",
      type, values, op, result, attributes);
}

TEST_CASE("expansions of rounding and sign ops keep every bit") {
  for (const char *type : {"f32", "f64"}) {
    for (const char *op : {"sign", "ceil", "round-nearest-afz", "round-nearest-even", "real", "imag"}) {
      check("elementwise-expansion", unary(op, type, special_values));
    }
    check("elementwise-expansion", fmt::format("ENTRY main {{ x = {}[16] constant({{{}}})  ROOT r = pred[16] "
                                               "is-finite(x) }}",
                                               type, special_values));
    for (const char *precision : {"exponent_bits=5, mantissa_bits=10", "exponent_bits=8, mantissa_bits=7",
                                  "exponent_bits=2, mantissa_bits=0", "exponent_bits=8, mantissa_bits=23"}) {
      check("elementwise-expansion",
            unary("reduce-precision", type, special_values, fmt::format(", {}", precision).c_str()));
      check("elementwise-expansion", fmt::format("ENTRY main {{ x = {0}[200] parameter(0)  ROOT r = {0}[200] "
                                                 "reduce-precision(x), {1} }}",
                                                 type, precision));
    }
    for (const char *direction : {"LT", "GE", "EQ"}) {
      check("elementwise-expansion",
            binary("compare", type, special_values, "pred",
                   fmt::format(", direction={}, type=TOTALORDER", direction).c_str()),
            0, Op::MayStay);
    }
  }
}

TEST_CASE("expansions of bit-counting ops keep every bit") {
  for (const char *type : {"s64", "u64", "s32", "u32", "s16", "u16", "s8", "u8"}) {
    for (const char *op : {"popcnt", "count-leading-zeros", "sign"}) {
      check("elementwise-expansion",
            fmt::format("ENTRY main {{ x = {0}[99] parameter(0)  ROOT r = {0}[99] {1}(x) }}", type, op));
    }
    check("elementwise-expansion", fmt::format("ENTRY main {{ x = {0}[99] parameter(0)  y = {0}[99] parameter(1) "
                                               "ROOT r = {0}[99] mulhi(x, y) }}",
                                               type));
    check("function-expansion", fmt::format("ENTRY main {{ x = {0}[99] parameter(0)  y = {0}[99] parameter(1) "
                                            "ROOT r = {0}[99] power(x, y) }}",
                                            type));
  }
  check("elementwise-expansion", binary("mulhi", "s64", wide_values, "s64"));
}

TEST_CASE("functions of floats have almost every bit") {
  for (const char *op : {"exponential-minus-one", "log-plus-one", "rsqrt", "cbrt", "logistic", "tan", "sinh", "cosh",
                         "asin", "acos", "atan", "asinh", "acosh", "atanh", "erf"}) {
    for (const char *type : {"f32", "f64"}) {
      check("function-expansion", unary(op, type, special_values), 8);
      check("function-expansion",
            fmt::format("ENTRY main {{ p = {0}[999] parameter(0)  s = {0}[] constant(0.37)  w = {0}[999] broadcast(s), "
                        "dimensions={{}}  x = {0}[999] multiply(p, w)  ROOT r = {0}[999] {1}(x) }}",
                        type, op),
            8);
    }
  }
  for (const char *type : {"f32", "f64"}) {
    check("function-expansion", binary("atan2", type, special_values, type), 4);
    check("function-expansion",
          binary("power", type, "0, -0, 0.5, -0.5, 1.5, -2.5, 1, -1, 3, -7, 0.1, 2, 4, inf, -inf, nan", type), 4);
    check("function-expansion",
          binary("power", type,
                 "1e30, 1e-30, 1e-40, 30, -31, 0.9999, 1.0001, 1e6, -1e6, 8e5, 0.7, 1.4142, 127, 1023, "
                 "-149, 1e20",
                 type),
          4);
    // Large exponents multiply the rounding error of a logarithm.
    check("function-expansion",
          fmt::format("ENTRY main {{ x = {0}[999] parameter(0)  p = {0}[999] parameter(1)  s = {0}[] constant(90)  "
                      "w = {0}[999] broadcast(s), dimensions={{}}  y = {0}[999] multiply(p, w)  ROOT r = {0}[999] "
                      "power(x, y) }}",
                      type),
          4);
  }
}

TEST_CASE("functions overflow and vanish where their results do") {
  constexpr const char *near_the_end_of_f32 =
      "3.4028235e38, 1.7e38, 88.5, 88.72, 88.73, -87, -88.5, -95, -103, -104, 1e38, 80, -80, 2.5e38, 1e-40, -0.999";
  constexpr const char *near_the_end_of_f64 =
      "1.7976931348623157e308, 9e307, 709.7, 709.78, 709.8, -700, -705, -707, -708, -708.3, 1e308, 700, -690, 3e307, "
      "1e-310, -0.999";
  for (const char *op : {"exponential-minus-one", "log-plus-one", "logistic"}) {
    check("function-expansion", unary(op, "f32", near_the_end_of_f32), 8);
    check("function-expansion", unary(op, "f64", near_the_end_of_f64), 8);
  }
}

TEST_CASE("other layouts are left, and come back") {
  for (const char *op : {"add", "power", "atan2"}) {
    check("layout-expansion",
          fmt::format("ENTRY main {{ x = f32[3,5]{{0,1}} parameter(0)  y = f32[3,5] parameter(1)  "
                      "ROOT r = f32[3,5]{{0,1}} {}(x, y) }}",
                      op),
          0, Op::MayStay);
  }
  check("layout-expansion",
        "sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) } ENTRY main { "
        "x = f32[3,5,2]{0,1,2} parameter(0)  z = f32[] parameter(1)  ROOT r = f32[3,2]{0,1} reduce(x, z), "
        "dimensions={1}, to_apply=sum }",
        0, Op::MayStay);
}

TEST_CASE("64-bit integers are pairs") {
  for (const char *type : {"s64", "u64"}) {
    const bool is_signed = *type == 's';
    const std::string values =
        is_signed ? wide_values
                  : "0, 1, 2, 3, 7, 63, 64, 32, 31, 4294967295, 4294967296, 4294967297, 9223372036854775807, "
                    "9223372036854775808, 18446744073709551615, 1000000007";
    for (const char *op : {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or",
                           "xor", "shift-left", "shift-right-arithmetic", "shift-right-logical"}) {
      check("wide-integer-expansion", binary(op, type, values.c_str(), type), 0, Op::MayStay);
    }
    for (const char *direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      check("wide-integer-expansion",
            binary("compare", type, values.c_str(), "pred", fmt::format(", direction={}", direction).c_str()), 0,
            Op::MayStay);
    }
    for (const char *op : {"negate", "abs", "not"}) {
      if (is_signed || std::string_view(op) != "abs") {
        check("wide-integer-expansion", unary(op, type, values.c_str()), 0, Op::MayStay);
      }
    }
    for (const char *to : {"s64", "u64", "s32", "u32", "s8", "u16", "f32", "bf16", "pred"}) {
      check("wide-integer-expansion",
            fmt::format("ENTRY main {{ x = {}[16] constant({{{}}})  ROOT r = {}[16] convert(x) }}", type, values, to),
            0, Op::MayStay);
    }
    for (const char *from : {"s32", "u32", "s8", "u16", "pred"}) {
      check("wide-integer-expansion",
            fmt::format("ENTRY main {{ x = {}[99] parameter(0)  ROOT r = {}[99] convert(x) }}", from, type), 0,
            Op::MayStay);
    }
    check(
        "wide-integer-expansion",
        fmt::format("ENTRY main {{ x = f32[16] constant({{{}}})  ROOT r = {}[16] convert(x) }}", special_values, type),
        0, Op::MayStay);
  }
}

TEST_CASE("padding of a convolution is multiplied, gaps between elements are not, also beyond the edges") {
  constexpr std::pair<const char *, int> windows[] = {{"size=2 stride=2 pad=2_1 lhs_dilate=3", 6},
                                                      {"size=2 pad=3_3 lhs_dilate=2", 12},
                                                      {"size=2 pad=-1_4 lhs_dilate=3 rhs_dilate=2", 11},
                                                      {"size=2 pad=2_2", 7}};
  for (const char *kernel : {"{1}, {nan}", "{nan}, {1}"}) {
    for (const auto &[window, places] : windows) {
      check("convolution-expansion",
            fmt::format("ENTRY main {{ x = f32[1,1,4] parameter(0)  k = f32[1,2,1] constant({{{{{}}}}})  "
                        "ROOT r = f32[1,1,{}] convolution(x, k), window={{{}}}, dim_labels=bf0_i0o->bf0 }}",
                        kernel, places, window));
    }
  }
}

TEST_CASE("integers are rounded to narrow floats once, without f64") {
  // Next to ties of bf16 and f16, which only the last digits decide, and next to ties of f32.
  const std::string of_32_bits =
      "16842752, 16842753, 16842751, 2155872256, 2155872257, 2155872255, 4294967295, 2147483649, 33570816, 33570817, "
      "33570815, 50397184, 50397185, 16777217, 0, 1";
  const std::string of_64_bits =
      "-145804037936119807, 145804037936119807, 4629700416936869889, 4629700416936869887, 4620693217682128897, "
      "4620693217682128895, 72339069014638593, 72339069014638591, 282578800082945, 282578800082943, 65793, 1, 0, "
      "9223372036854775807, 4611686293305294849, 4611686293305294847";
  std::string signed_32_bits = of_32_bits;
  for (const char *large : {"2155872256", "2155872257", "2155872255", "4294967295", "2147483649"}) {
    signed_32_bits.replace(signed_32_bits.find(large), std::strlen(large), std::string("-") + (large + 1));
  }
  for (const char *to : {"bf16", "f16", "f8e5m2"}) {
    const auto convert = [&](const char *from, const std::string &values) {
      return fmt::format("ENTRY main {{ x = {}[16] constant({{{}}})  ROOT r = {}[16] convert(x) }}", from, values, to);
    };
    for (const bool has_f64 : {true, false}) {
      check("narrow-float-expansion", convert("u32", of_32_bits), 0, Op::MayStay, has_f64);
      check("narrow-float-expansion", convert("s32", signed_32_bits), 0, Op::MayStay, has_f64);
    }
    for (const char *pass : {"wide-integer-expansion", "narrow-float-expansion"}) {
      check(pass, convert("s64", of_64_bits), 0, Op::MayStay);
    }
  }
}

TEST_CASE("bits keep their names") {
  // The only NaN of these types has a sign, which determines its place in the order.
  for (const char *type : {"f8e4m3fnuz", "f8e5m2fnuz", "f8e4m3b11fnuz"}) {
    check("narrow-float-expansion",
          fmt::format("ENTRY main {{ c = u8[4] constant({{128, 0, 1, 129}})  x = {}[4] bitcast-convert(c)  "
                      "f = f32[4] convert(x)  ROOT r = u32[4] bitcast-convert(f) }}",
                      type),
          0, Op::MayStay);
  }
  for (const char *type : {"f8e5m2", "f8e8m0fnu", "s8"}) {
    check("storage-expansion",
          fmt::format("ENTRY main {{ x = pred[9] parameter(0)  ROOT r = {}[9] bitcast-convert(x) }}", type), 0,
          Op::MayStay);
  }
}

TEST_CASE("moves of pairs and bytes keep every bit") {
  for (const auto &[pass, type] : {std::pair("wide-integer-expansion", "s64"),
                                   {"storage-expansion", "bf16"},
                                   {"storage-expansion", "s8"},
                                   {"storage-expansion", "f8e4m3fn"},
                                   {"storage-expansion", "s4"}}) {
    for (const char *body : {
             "x = $[3] parameter(0)  ROOT r = $[3,4] broadcast(x), dimensions={0}",
             "x = $[3,5] parameter(0)  ROOT r = $[2,2] slice(x), slice={[0:2], [1:5:2]}",
             "x = $[3,5] parameter(0)  y = $[3,2] parameter(1)  ROOT r = $[3,7] concatenate(x, y), dimensions={1}",
             "x = $[3] parameter(0)  y = $[] parameter(1)  ROOT r = $[10] pad(x, y), padding=1_2_2",
             "x = $[5,4] parameter(0)  i = s32[] parameter(1)  j = s32[] parameter(2)  "
             "ROOT r = $[2,3] dynamic-slice(x, i, j), dynamic_slice_sizes={2,3}",
             "x = $[5] parameter(0)  y = $[2] parameter(1)  i = s64[] parameter(2)  "
             "ROOT r = $[5] dynamic-update-slice(x, y, i)",
             "p = pred[5] parameter(0)  x = $[5] parameter(1)  y = $[5] parameter(2)  ROOT r = $[5] select(p, x, y)",
         }) {
      std::string text = fmt::format("ENTRY main {{ {} }}", body);
      for (std::size_t at = 0; (at = text.find('$', at)) != std::string::npos;) {
        text.replace(at, 1, type);
      }
      check(pass, text, 0, Op::MayStay);
    }
  }
}

TEST_CASE("narrow floats are converted by their bits") {
  for (const char *type : {"f16", "bf16", "f8e5m2", "f8e4m3", "f8e3m4", "f8e4m3fn", "f8e4m3b11fnuz", "f8e4m3fnuz",
                           "f8e5m2fnuz", "f8e8m0fnu", "f6e3m2fn", "f6e2m3fn", "f4e2m1fn"}) {
    // Every code of a byte, and every exponent of f32 with ties.
    check("narrow-float-expansion",
          fmt::format("ENTRY main {{ x = {}[500] parameter(0)  ROOT r = f32[500] convert(x) }}", type), 0, Op::MayStay);
    for (const char *from : {"f32", "f64"}) {
      check("narrow-float-expansion",
            fmt::format("ENTRY main {{ x = {}[16] constant({{{}}})  ROOT r = {}[16] convert(x) }}", from,
                        special_values, type),
            0, Op::MayStay);
      check(
          "narrow-float-expansion",
          fmt::format("ENTRY main {{ i = {0}[300,64] iota(), iota_dimension=0  c = {0}[] constant(-150) "
                      "w = {0}[300,64] broadcast(c), dimensions={{}}  e = {0}[300,64] add(i, w)  t = {0}[] constant(2) "
                      "u = {0}[300,64] broadcast(t), dimensions={{}}  p = {0}[300,64] power(u, e) "
                      "j = {0}[300,64] iota(), iota_dimension=1  f = {0}[] constant(0.0625) "
                      "v = {0}[300,64] broadcast(f), dimensions={{}}  m = {0}[300,64] multiply(j, v) "
                      "x = {0}[300,64] multiply(p, m)  ROOT r = {1}[300,64] convert(x) }}",
                      from, type),
          0, Op::MayStay);
    }
  }
}

TEST_CASE("small integers wrap as they do in their own type") {
  for (const char *type : {"s8", "u8", "s16", "u16", "s4", "u4", "s2", "u2", "s1", "u1"}) {
    for (const char *op : {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or",
                           "xor", "shift-left", "shift-right-arithmetic", "shift-right-logical", "mulhi", "power"}) {
      check("small-integer-expansion",
            fmt::format(
                "ENTRY main {{ x = {0}[300] parameter(0)  y = {0}[300] parameter(1)  ROOT r = {0}[300] {1}(x, y) }}",
                type, op),
            0, Op::MayStay);
    }
    for (const char *op : {"negate", "not", "sign", "popcnt", "count-leading-zeros"}) {
      check("small-integer-expansion",
            fmt::format("ENTRY main {{ x = {0}[300] parameter(0)  ROOT r = {0}[300] {1}(x) }}", type, op), 0,
            Op::MayStay);
    }
    for (const char *from : {"f32", "s32", "u32", "s64", "pred", "s8", "u4"}) {
      check("small-integer-expansion",
            fmt::format("ENTRY main {{ x = {}[300] parameter(0)  ROOT r = {}[300] convert(x) }}", from, type), 0,
            Op::MayStay);
      check("small-integer-expansion",
            fmt::format("ENTRY main {{ x = {}[300] parameter(0)  ROOT r = {}[300] convert(x) }}", type, from), 0,
            Op::MayStay);
    }
  }
}

TEST_CASE("sorts are the same, of any length and in any dimension") {
  for (int size : {2, 3, 5, 8, 31, 64, 100}) {
    check(
        "sort-expansion",
        "less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT } " +
            fmt::format("ENTRY main {{ x = f32[3,{0},2] parameter(0)  ROOT r = f32[3,{0},2] sort(x), dimensions={{1}}, "
                        "to_apply=less }}",
                        size));
    // Many equal keys, whose order must not change.
    check(
        "sort-expansion",
        "more { a = pred[] parameter(0)  b = pred[] parameter(1)  c = s32[] parameter(2)  d = s32[] parameter(3) "
        "ROOT r = pred[] compare(a, b), direction=GT } " +
            fmt::format("ENTRY main {{ x = pred[{0}] parameter(0)  i = s32[{0}] iota(), iota_dimension=0 "
                        "ROOT r = (pred[{0}], s32[{0}]) sort(x, i), dimensions={{0}}, is_stable=true, to_apply=more }}",
                        size));
  }
}

TEST_CASE("expansions of ops that move elements move the same elements") {
  for (const char *text : {
           "x = f32[7,3] parameter(0)  ROOT r = f32[7,3] reverse(x), dimensions={0,1}",
           "x = s8[1,8] parameter(0)  ROOT r = s8[1,8] reverse(x), dimensions={1}",
           "x = f32[5] parameter(0)  ROOT r = f32[5] reverse(x), dimensions={}",
       }) {
    check("reverse-expansion", fmt::format("ENTRY main {{ {} }}", text));
  }
  for (const char *text : {
           "x = f32[2,3,4] parameter(0)  ROOT r = f32[4,2,3] transpose(x), dimensions={2,0,1}",
           "x = f32[2,3]{0,1} parameter(0)  ROOT r = f32[3,2] reshape(x)",
           "x = f32[2,3] parameter(0)  ROOT r = f32[3,2]{0,1} reshape(x)",
           "x = s4[2,6] parameter(0)  ROOT r = s4[3,4] reshape(x)",
           "x = f32[3] parameter(0)  ROOT r = u8[3,4] bitcast-convert(x)",
           "x = u8[3,4] parameter(0)  ROOT r = f32[3] bitcast-convert(x)",
       }) {
    check("layout-expansion", fmt::format("ENTRY main {{ {} }}", text));
  }
  // Starts outside both ends, narrow and unsigned indices, batching dimensions.
  for (const char *text : {
           "x = f32[4,3] parameter(0)  i = s32[5] constant({-1, 0, 9, 3, 2})  ROOT r = f32[5,3] gather(x, i), "
           "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
           "x = f32[300,3] parameter(0)  i = u8[2,1] constant({{255}, {7}})  ROOT r = f32[2,2,2] gather(x, i), "
           "offset_dims={0,2}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={2,2}",
           "x = f32[3,4] parameter(0)  i = s64[3,2,1] parameter(1)  ROOT r = f32[3,2,2] gather(x, i), offset_dims={2}, "
           "collapsed_slice_dims={}, start_index_map={1}, index_vector_dim=2, slice_sizes={1,2}, "
           "operand_batching_dims={0}, start_indices_batching_dims={0}",
       }) {
    check("gather-expansion", fmt::format("ENTRY main {{ {} }}", text));
  }
  const std::string scatter_functions =
      "sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) } "
      "second { a = f32[] parameter(0)  ROOT b = f32[] parameter(1) } "
      "both { a = f32[] parameter(0)  b = s32[] parameter(1)  c = f32[] parameter(2)  d = s32[] parameter(3) "
      "s = f32[] subtract(a, c)  m = s32[] maximum(b, d)  ROOT r = (f32[], s32[]) tuple(s, m) } ";
  for (const char *text : {
           "x = f32[4,3] parameter(0)  i = s32[5] constant({-1, 0, 9, 3, 0})  u = f32[5,3] parameter(1) "
           "ROOT r = f32[4,3] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
           "x = f32[6] parameter(0)  i = s32[3,1] constant({{0}, {5}, {4}})  u = f32[2,3] parameter(1) "
           "ROOT r = f32[6] scatter(x, i, u), update_window_dims={0}, inserted_window_dims={}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second",
           "x = f32[4] parameter(0)  y = s32[4] parameter(1)  i = s32[3] constant({2, 2, 1})  u = f32[3] parameter(2) "
           "v = s32[3] parameter(3)  ROOT r = (f32[4], s32[4]) scatter(x, y, i, u, v), update_window_dims={}, "
           "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=both",
       }) {
    check("scatter-expansion", scatter_functions + fmt::format("ENTRY main {{ {} }}", text));
  }
}

TEST_CASE("windows and contractions give the same sums") {
  // Sums of small integers in f32 are exact.
  const std::string whole = "p = s8[2,7,5] parameter(0)  x = f32[2,7,5] convert(p)  z = f32[] constant(1) ";
  const std::string functions =
      "sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) } "
      "less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=GE } ";
  for (const char *text : {
           "ROOT r = f32[2,5,5] reduce-window(x, z), window={size=1x3x1}, to_apply=sum",
           "ROOT r = f32[2,4,6] reduce-window(x, z), window={size=1x3x2 stride=1x2x1 pad=0_0x1_1x1_1}, to_apply=sum",
           "ROOT r = f32[2,9,5] reduce-window(x, z), window={size=1x3x1 pad=0_0x-1_-1x0_0 lhs_dilate=1x2x1}, "
           "to_apply=sum",
           "ROOT r = f32[2,3,5] reduce-window(x, z), window={size=1x3x1 rhs_dilate=1x2x1}, to_apply=sum",
           // Large windows, by doubling.
           "ROOT r = f32[2,7,5] reduce-window(x, z), window={size=2x7x5 pad=1_0x0_6x4_0}, to_apply=sum",
           "ROOT r = f32[2,7,7] reduce-window(x, z), window={size=1x11x7 stride=1x2x1 pad=0_0x7_10x2_2 "
           "lhs_dilate=1x1x2 "
           "rhs_dilate=1x1x1}, to_apply=sum",
           "ROOT r = f32[1,1,1] reduce-window(x, z), window={size=2x7x5}, to_apply=sum",
       }) {
    check("reduce-window-expansion", functions + "ENTRY main { " + whole + text + " }");
  }
  for (const char *text : {
           "s = f32[2,3,2] parameter(1)  ROOT r = f32[2,7,5] select-and-scatter(x, s, z), window={size=1x3x2 "
           "stride=1x2x2}, select=less, scatter=sum",
           "s = f32[2,7,5] parameter(1)  ROOT r = f32[2,7,5] select-and-scatter(x, s, z), window={size=1x3x3 "
           "pad=0_0x1_1x1_1}, select=less, scatter=sum",
       }) {
    check("select-and-scatter-expansion", functions + "ENTRY main { " + whole + text + " }");
  }
  for (const auto &[dimensions, result] : {std::pair("{0}", "7,5"), {"{1}", "2,5"}, {"{0,2}", "7"}, {"{0,1,2}", ""}}) {
    check("reduce-expansion",
          functions + "ENTRY main { " + whole +
              fmt::format("ROOT r = f32[{}] reduce(x, z), dimensions={}, to_apply=sum }}", result, dimensions));
  }
  for (const char *text : {
           "p = s8[2,5,4] parameter(0)  q = s8[3,4,6] parameter(1)  x = f32[2,5,4] convert(p)  y = f32[3,4,6] "
           "convert(q) "
           "ROOT r = f32[2,3,6] convolution(x, y), window={size=3}, dim_labels=b0f_0io->b0f",
           "p = s8[5,4,2] parameter(0)  q = s8[6,3,2] parameter(1)  x = f32[5,4,2] convert(p)  y = f32[6,3,2] "
           "convert(q) "
           "ROOT r = f32[5,2,6] convolution(x, y), window={size=3 stride=2 pad=2_3 lhs_dilate=2 rhs_dilate=2 "
           "rhs_reversal=1}, feature_group_count=2, dim_labels=0fb_o0i->0bf",
           "p = s8[4,5,3] parameter(0)  q = s8[2,3,6] parameter(1)  x = f32[4,5,3] convert(p)  y = f32[2,3,6] "
           "convert(q) "
           "ROOT r = f32[2,4,6] convolution(x, y), window={size=2}, batch_group_count=2, dim_labels=b0f_0io->b0f",
       }) {
    check("convolution-expansion", fmt::format("ENTRY main {{ {} }}", text));
  }
  for (const char *text : {
           "x = s32[3,2,4] parameter(0)  y = s32[4,5,2] parameter(1)  ROOT r = s32[2,3,5] dot(x, y), "
           "lhs_batch_dims={1}, "
           "rhs_batch_dims={2}, lhs_contracting_dims={2}, rhs_contracting_dims={0}",
           "x = s32[3,4] parameter(0)  y = s32[4,5] parameter(1)  ROOT r = s32[3,5] dot(x, y), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
           "x = s32[3] parameter(0)  y = s32[3] parameter(1)  ROOT r = s32[] dot(x, y), lhs_contracting_dims={0}, "
           "rhs_contracting_dims={0}",
       }) {
    check("dot-expansion", fmt::format("ENTRY main {{ {} }}", text), 0, Op::MayStay);
  }
}

}  // namespace
}  // namespace bp::passes
