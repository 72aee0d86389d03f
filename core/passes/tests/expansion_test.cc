// The interpreter computes an op and its expansion; both must agree.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

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

// Repeats the stage until nothing changes, which happens only when everything that has an expansion is expanded.
void expand(ir::Module &module) {
  bool changed = true;
  PipelineOptions options;
  options.verify_between_passes = true;
  options.after_pass = [&](const ir::Module &, const PassReport &pass) -> Status {
    changed = changed || pass.changed;
    return {};
  };
  for (int round = 0; changed && round < 8; ++round) {
    changed = false;
    Status status = run_passes(module, stage_passes(Stage::Expand), options);
    INFO((status.ok() ? "" : status.error().to_string()));
    REQUIRE(status.ok());
  }
  CHECK(!changed);
}

bool works_on_complex(ir::Instruction instruction) {
  auto is_complex = [](const ir::Shape &shape) { return shape.is_array() && ir::is_complex(shape.element_type()); };
  return is_complex(instruction.shape()) ||
         (instruction.operand_count() != 0 && is_complex(instruction.operand(0).shape()));
}

// Whether any instruction computes with complex numbers; instructions that only rename bytes are excepted.
bool computes_with_complex(const ir::Module &module) {
  return std::ranges::any_of(module.entry().instructions(), [](ir::Instruction i) {
    const bool names =
        i.opcode() == ir::Opcode::Parameter || i.opcode() == ir::Opcode::Constant || i.opcode() == ir::Opcode::Bitcast;
    return works_on_complex(i) && !names;
  });
}

// Checks a program whose root expands. Tolerance 0: the bits are the same; else the relative error of each array as a
// whole.
void check_expansion(const std::string &text, double tolerance = 0) {
  INFO(text);
  Result<ir::Module> module = text::parse_module(text);
  REQUIRE(module.ok());
  REQUIRE(ir::verify(*module).ok());
  ir::Opcode opcode = module->entry().root().opcode();
  ir::Module expanded = *module;
  expand(expanded);
  // Loops keep complex values.
  if (works_on_complex(module->entry().root()) && !contains(expanded, ir::Opcode::While)) {
    CHECK(!computes_with_complex(expanded));
  } else {
    CHECK(!contains(expanded, opcode));
  }
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    auto arguments = interpreter::random_arguments(*module, seed).value();
    Result<ir::Literal> expected = interpreter::interpret(*module, arguments);
    Result<ir::Literal> result = interpreter::interpret(expanded, arguments);
    INFO((result.ok() ? "" : result.error().to_string()));
    REQUIRE(expected.ok());
    REQUIRE(result.ok());
    auto comparisons = interpreter::compare(*result, *expected).value();
    for (const interpreter::Comparison &comparison : comparisons) {
      INFO(interpreter::to_string(comparison));
      CHECK((tolerance == 0 ? comparison.identical : comparison.relative_error <= tolerance));
    }
  }
}

TEST_CASE("expanded random bits are the same bits") {
  for (const char *algorithm : {"rng_three_fry", "rng_philox", "rng_default"}) {
    for (const char *state : {"u64[2]", "u64[3]"}) {
      for (const char *result : {"u32[]", "u32[1]", "u32[7]", "u32[3,5]", "u32[3,4,5]", "u64[]", "u64[5]", "u64[2,3]",
                                 "s64[3]", "s32[6]", "u16[9]", "s8[3,3,3]", "u4[5]", "u32[0]", "u32[3,0]", "u64[0]"}) {
        check_expansion(fmt::format(
            "ENTRY main {{ s = {0} parameter(0)  ROOT r = ({0}, {1}) rng-bit-generator(s), algorithm={2} }}", state,
            result, algorithm));
      }
    }
  }
}

TEST_CASE("a carry goes from the low to the high half of a counter") {
  for (const char *algorithm : {"rng_three_fry", "rng_philox"}) {
    check_expansion(
        fmt::format("ENTRY main {{ s = u64[3] constant({{1, 18446744073709551614, 5}}) "
                    "ROOT r = (u64[3], u32[40]) rng-bit-generator(s), algorithm={} }}",
                    algorithm));
  }
}

TEST_CASE("expanded topk takes the same elements") {
  for (const char *largest : {"true", "false"}) {
    for (const char *type : {"f32", "bf16", "s8", "u32", "pred"}) {
      // Small integers and pred often have equal elements.
      check_expansion(
          fmt::format("ENTRY main {{ x = {0}[3,40] parameter(0) "
                      "ROOT r = ({0}[3,9], s32[3,9]) topk(x), k=9, largest={1} }}",
                      type, largest));
    }
    check_expansion(
        fmt::format("ENTRY main {{ x = f32[8] constant({{nan, -nan, 0, -0, inf, -inf, 0, nan}}) "
                    "ROOT r = (f32[8], s32[8]) topk(x), k=8, largest={} }}",
                    largest));
  }
}

// Odd sizes, size one, and batches.
TEST_CASE("expanded triangular solves have the same solutions") {
  const std::vector<std::pair<std::string, double>> types{{"f32", 1e-5}, {"f64", 1e-13}, {"bf16", 1e-2}, {"c64", 1e-5}};
  for (const auto &[type, tolerance] : types) {
    for (int form = 0; form < 8; ++form) {
      for (const char *transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
        for (const char *batch : {"", "2,3,"}) {
          const bool left = (form & 1) != 0, lower = (form & 2) != 0, unit = (form & 4) != 0;
          // The diagonal dominates: the solution does not grow with the size.
          check_expansion(
              fmt::format("ENTRY main {{ x = {0}[{1}7,7] parameter(0)  b = {0}[{1}{2}] parameter(1) "
                          "ten = {0}[] constant({9})  tens = {0}[{1}7,7] broadcast(ten), dimensions={{}} "
                          "i = s32[{1}7,7] iota(), iota_dimension={3}  j = s32[{1}7,7] iota(), iota_dimension={4} "
                          "d = pred[{1}7,7] compare(i, j), direction=EQ  a = {0}[{1}7,7] select(d, tens, x) "
                          "ROOT r = {0}[{1}{2}] triangular-solve(a, b), left_side={5}, lower={6}, unit_diagonal={7}, "
                          "transpose_a={8} }}",
                          type, batch, left ? "7,3" : "3,7", *batch == 0 ? 0 : 2, *batch == 0 ? 1 : 3, left, lower,
                          unit, transpose, type == "c64" ? "(3, 1)" : "3"),
              tolerance);
        }
      }
    }
  }
}

TEST_CASE("expanded cholesky factors are the same factors") {
  const std::vector<std::pair<std::string, double>> types{{"f32", 1e-5}, {"f64", 1e-13}, {"bf16", 2e-2}, {"c64", 1e-5}};
  for (const auto &[type, tolerance] : types) {
    for (bool lower : {false, true}) {
      // x x^T, or for complex numbers x x^H.
      std::string transposed = type == "c64" ? "xr = f32[2,5,9] real(x)  xi = f32[2,5,9] imag(x) "
                                               "n = f32[2,5,9] negate(xi)  y = c64[2,5,9] complex(xr, n) "
                                             : fmt::format("y = {}[2,5,9] copy(x) ", type);
      check_expansion(fmt::format("ENTRY main {{ x = {0}[2,5,9] parameter(0) {1} "
                                  "a = {0}[2,5,5] dot(x, y), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, "
                                  "lhs_contracting_dims={{2}}, rhs_contracting_dims={{2}} "
                                  "ROOT r = {0}[2,5,5] cholesky(a), lower={2} }}",
                                  type, transposed, lower),
                      tolerance);
    }
  }
}

// The types of LAPACK's routines.
struct LapackType {
  char letter;
  std::string name, real;
  double tolerance;
};
const LapackType lapack_types[] = {
    {'s', "f32", "f32", 1e-4}, {'d', "f64", "f64", 1e-12}, {'c', "c64", "f32", 1e-4}, {'z', "c128", "f64", 1e-12}};

// Checks a program that calls a routine with two matrices, of the parameters x, [2, rows, columns], and a, [2, n, n],
// which is positive definite; {0} of `text` is the letter, {1} the type, {2} the real type, {3} and {4} the sizes of x,
// {5} the smaller of them.
void check_routine(const LapackType &type, int rows, int columns, std::string_view text) {
  const std::string matrix = fmt::format("[2,{0},{0}]", rows);
  const std::string program =
      fmt::format("ENTRY main {{ x = {0}[2,{1},{2}] parameter(0)\n", type.name, rows, columns) +
      fmt::format(R"(
    r = {0}[2,{2},{3}] real(x)
    product = {0}{1} dot(r, r), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}},
      rhs_contracting_dims={{2}}
    i = s32{1} iota(), iota_dimension=1
    j = s32{1} iota(), iota_dimension=2
    is_diagonal = pred{1} compare(i, j), direction=EQ
    one = {0}{1} convert(is_diagonal)
    sum = {0}{1} add(product, one)
    a = {4}{1} convert(sum)
)",
                  type.real, matrix, rows, columns, type.name) +
      fmt::format(fmt::runtime(text), type.letter, type.name, type.real, rows, columns, std::min(rows, columns)) + "}";
  INFO(program);
  Result<ir::Module> module = text::parse_module(program);
  INFO((module.ok() ? "" : module.error().to_string()));
  REQUIRE(module.ok());
  REQUIRE(ir::verify(*module).ok());
  ir::Module expanded = *module;
  expand(expanded);
  CHECK(!contains(expanded, ir::Opcode::CustomCall));
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    auto arguments = interpreter::random_arguments(*module, seed).value();
    Result<ir::Literal> expected = interpreter::interpret(*module, arguments);
    INFO((expected.ok() ? "" : expected.error().to_string()));
    REQUIRE(expected.ok());
    Result<ir::Literal> result = interpreter::interpret(expanded, arguments);
    INFO((result.ok() ? "" : result.error().to_string()));
    REQUIRE(result.ok());
    auto comparisons = interpreter::compare(*result, *expected).value();
    for (const interpreter::Comparison &comparison : comparisons) {
      INFO(interpreter::to_string(comparison));
      CHECK(comparison.relative_error <= type.tolerance);
    }
  }
}

TEST_CASE("expanded factorizations of LAPACK are the same") {
  for (const LapackType &type : lapack_types) {
    for (const int n : {1, 2, 5, 6}) {
      for (const int triangle : {'L', 'U'}) {
        check_routine(type, n, n,
                      fmt::format(R"(
    ROOT l = ({{1}}[2,{{3}},{{3}}]{{{{1,2,0}}}}, s32[2]) custom-call(a), custom_call_target="lapack_{{0}}potrf_ffi",
      backend_config={{{{uplo = {} : ui8}}}})",
                                  triangle));
        check_routine(type, n, n,
                      fmt::format(R"(
    ROOT s = {{1}}[2,{{3}},{{3}}]{{{{1,2,0}}}} custom-call(a, x), custom_call_target="lapack_{{0}}trsm_ffi",
      backend_config={{{{diag = 78 : ui8, side = {} : ui8, trans_x = 67 : ui8, uplo = {} : ui8}}}})",
                                  triangle == 'L' ? 76 : 82, triangle));
      }
    }
    for (const auto &[rows, columns] : {std::pair(1, 1), {5, 5}, {4, 7}, {7, 4}, {1, 3}, {3, 1}}) {
      check_routine(type, rows, columns, R"(
    ROOT f = ({1}[2,{3},{4}]{{1,2,0}}, s32[2,{5}], s32[2]) custom-call(x), custom_call_target="lapack_{0}getrf_ffi")");
      check_routine(type, rows, columns, R"(
    ROOT f = ({1}[2,{3},{4}]{{1,2,0}}, {1}[2,{5}]) custom-call(x), custom_call_target="lapack_{0}geqrf_ffi")");
    }
  }
}

TEST_CASE("expanded Hessenberg and tridiagonal forms of LAPACK are the same") {
  for (const LapackType &type : lapack_types) {
    for (const int n : {2, 3, 6}) {
      check_routine(type, n, n,
                    fmt::format(R"(
    ROOT h = ({{1}}[2,{{3}},{{3}}]{{{{1,2,0}}}}, {{1}}[2,{0}], s32[2]) custom-call(x), custom_call_target="lapack_{{0}}gehrd_ffi",
      backend_config={{{{high = {{3}} : i32, low = 1 : i32}}}})",
                                n - 1));
      for (const int triangle : {'L', 'U'}) {
        check_routine(type, n, n,
                      fmt::format(R"(
    ROOT t = ({{1}}[2,{{3}},{{3}}]{{{{1,2,0}}}}, {{2}}[2,{{3}}], {{2}}[2,{0}], {{1}}[2,{0}], s32[2]) custom-call(x),
      custom_call_target="lapack_{{0}}{1}trd_ffi", backend_config={{{{uplo = {2} : ui8}}}})",
                                  n - 1, type.name == type.real ? "sy" : "he", triangle));
      }
    }
  }
}

// The signs of vectors are free, so the programs end in products.
TEST_CASE("expanded eigenvalues and singular values of LAPACK are the same") {
  for (const LapackType &type : lapack_types) {
    for (const int n : {1, 2, 5}) {
      check_routine(type, n, n,
                    fmt::format(R"(
    f = ({{1}}[2,{{3}},{{3}}]{{{{1,2,0}}}}, {{2}}[2,{{3}}], s32[2]) custom-call(a),
      custom_call_target="lapack_{{0}}{}evd_ffi", backend_config={{{{mode = 86 : ui8, uplo = 76 : ui8}}}}
    ROOT w = {{2}}[2,{{3}}] get-tuple-element(f), index=1)",
                                type.name == type.real ? "sy" : "he"));
    }
    for (const auto &[rows, columns] : {std::pair(1, 1), {5, 5}, {4, 7}, {7, 4}, {1, 3}, {6, 2}}) {
      check_routine(type, rows, columns, R"(
    f = ({1}[2,{3},{4}]{{1,2,0}}, {2}[2,{5}], {1}[2,{3},{5}]{{1,2,0}}, {1}[2,{5},{4}]{{1,2,0}}, s32[2]) custom-call(x),
      custom_call_target="lapack_{0}gesdd_ffi", backend_config={{mode = 83 : ui8}}
    values = {2}[2,{5}] get-tuple-element(f), index=1
    u = {1}[2,{3},{5}]{{1,2,0}} get-tuple-element(f), index=2
    v = {1}[2,{5},{4}]{{1,2,0}} get-tuple-element(f), index=3
    converted = {1}[2,{5}] convert(values)
    scales = {1}[2,{3},{5}] broadcast(converted), dimensions={{0,2}}
    scaled = {1}[2,{3},{5}] multiply(u, scales)
    p = {1}[2,{3},{4}] dot(scaled, v), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}},
      rhs_contracting_dims={{1}}
    ROOT both = ({1}[2,{3},{4}], {2}[2,{5}]) tuple(p, values))");
    }
  }
}

TEST_CASE("expanded solutions of tridiagonal systems are the same") {
  for (const LapackType &type : lapack_types) {
    for (const auto &[rows, columns] : {std::pair(1, 1), {2, 3}, {3, 1}, {9, 2}}) {
      check_routine(type, rows, columns, R"(
    below = {1}[2,{3}] parameter(1)
    main = {1}[2,{3}] parameter(2)
    above = {1}[2,{3}] parameter(3)
    ROOT s = ({1}[2,{3}], {1}[2,{3}], {1}[2,{3}], {1}[2,{3},{4}]{{1,2,0}}, s32[2]) custom-call(below, main, above, x),
      custom_call_target="lapack_{0}gtsv_ffi")");
    }
  }
}

TEST_CASE("expanded scans have the same outputs and carries") {
  const std::string step =
      "step { a = f32[3] parameter(0)  b = s32[3] parameter(1)  c = f32[3] parameter(2)  d = s32[] parameter(3) "
      "s = f32[3] add(a, c)  w = s32[3] broadcast(d), dimensions={}  p = s32[3] add(b, w)  one = s32[] constant(1) "
      "e = s32[] add(d, one)  ROOT t = (f32[3], s32[3], f32[3], s32[]) tuple(s, p, s, e) } ";
  for (bool reversed : {false, true}) {
    check_expansion(step +
                    fmt::format("ENTRY main {{ x = f32[3,6] parameter(0)  y = s32[3,6] parameter(1) "
                                "c = f32[3] parameter(2)  d = s32[] parameter(3) "
                                "ROOT r = (f32[3,6], s32[3,6], f32[3], s32[]) scan(x, y, c, d), dimensions={{1}}, "
                                "num_carries=2, is_reverse={}, to_apply=step }}",
                                reversed));
  }
  check_expansion(
      "step { a = f32[] parameter(0)  c = f32[] parameter(1)  s = f32[] add(a, c) "
      "ROOT t = (f32[], f32[]) tuple(s, s) } ENTRY main { x = f32[0] parameter(0)  c = f32[] parameter(1) "
      "ROOT r = (f32[0], f32[]) scan(x, c), dimensions={0}, num_carries=1, to_apply=step }");
}

TEST_CASE("arrays without elements or with dynamic dimensions are not expanded") {
  for (const char *text : {
           "ENTRY main { x = f32[<=4] parameter(0)  ROOT r = (f32[2], s32[2]) topk(x), k=2 }",
           "ENTRY main { a = f32[<=2,<=2] parameter(0)  ROOT r = f32[<=2,<=2] cholesky(a), lower=true }",
           "ENTRY main { a = f32[0,0] parameter(0)  ROOT r = f32[0,0] cholesky(a), lower=true }",
           "ENTRY main { a = f32[2,2] parameter(0)  b = f32[2,0] parameter(1) "
           "ROOT r = f32[2,0] triangular-solve(a, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE }",
       }) {
    INFO(text);
    ir::Module module = text::parse_module(text).value();
    REQUIRE(ir::verify(module).ok());
    const ir::Opcode opcode = module.entry().root().opcode();
    expand(module);
    CHECK(module.entry().root().opcode() == opcode);
  }
}

TEST_CASE("expanded Fourier transforms are the same sums") {
  struct Lengths {
    const char *full, *half, *lengths;  // sizes of the signal, of half its spectrum
  };
  // Factors of every kind: powers, mixed radices, primes that are radices, and those that are not.
  for (const Lengths &each : {Lengths{"1", "1", "1"},
                              {"2", "2", "2"},
                              {"2,7", "2,4", "7"},
                              {"3,16", "3,9", "16"},
                              {"61", "31", "61"},
                              {"67", "34", "67"},
                              {"2,134", "2,68", "134"},
                              {"1000", "501", "1000"},
                              {"2,3,5", "2,3,3", "3,5"},
                              {"2,4,71,6", "2,4,71,4", "4,71,6"},
                              {"8192", "4097", "8192"},
                              {"5003", "2502", "5003"}}) {
    for (const auto &[real, complex, tolerance] : {std::tuple("f32", "c64", 1e-6), {"f64", "c128", 1e-14}}) {
      for (const auto &[type, from, to] :
           {std::tuple("FFT", fmt::format("{}[{}]", complex, each.full), fmt::format("{}[{}]", complex, each.full)),
            {"IFFT", fmt::format("{}[{}]", complex, each.full), fmt::format("{}[{}]", complex, each.full)},
            {"RFFT", fmt::format("{}[{}]", real, each.full), fmt::format("{}[{}]", complex, each.half)},
            {"IRFFT", fmt::format("{}[{}]", complex, each.half), fmt::format("{}[{}]", real, each.full)}}) {
        check_expansion(fmt::format("ENTRY main {{ x = {} parameter(0)  ROOT r = {} fft(x), fft_type={}, "
                                    "fft_length={{{}}} }}",
                                    from, to, type, each.lengths),
                        tolerance);
      }
    }
  }
}

// Moments of 2^16 values; deviations of more than five times the expected one fail.
TEST_CASE("expanded random numbers have the distribution") {
  struct Expected {
    const char *type, *first, *second, *sizes, *distribution;
    double mean, deviation, least, end;
  };
  const double uniform = std::sqrt(1.0 / 12);
  for (const Expected &expected : {Expected{"f32", "-1", "3", "256,256", "rng_uniform", 1, 4 * uniform, -1, 3},
                                   {"f64", "0", "1", "65536", "rng_uniform", 0.5, uniform, 0, 1},
                                   {"bf16", "0", "1", "65536", "rng_uniform", 0.5, uniform, 0, 1},
                                   {"s32", "-10", "10", "65536", "rng_uniform", -0.5, std::sqrt(399.0 / 12), -10, 10},
                                   {"u8", "0", "255", "65536", "rng_uniform", 127, std::sqrt(65024.0 / 12), 0, 255},
                                   {"s64", "5", "5", "65536", "rng_uniform", 5, 0, 5, 6},
                                   {"f32", "2", "3", "65536", "rng_normal", 2, 3, -30, 30},
                                   {"f64", "0", "1", "65537", "rng_normal", 0, 1, -9, 9}}) {
    const std::string text = fmt::format(
        "ENTRY main {{ a = {0}[] constant({1})  b = {0}[] constant({2})  r = {0}[{3}] rng(a, b), distribution={4} "
        "ROOT c = f64[{3}] convert(r) }}",
        expected.type, expected.first, expected.second, expected.sizes, expected.distribution);
    INFO(text);
    ir::Module module = text::parse_module(text).value();
    REQUIRE(ir::verify(module).ok());
    expand(module);
    CHECK(!contains(module, ir::Opcode::Rng));
    const ir::Literal result = interpreter::interpret(module, {}).value();
    double sum = 0, squares = 0, neighbours = 0, least = expected.end, largest = expected.least, before = 0;
    const auto values = result.elements<double>();
    for (double value : values) {
      const double x = value - expected.mean;
      sum += x;
      squares += x * x;
      neighbours += x * before;
      before = x;
      least = std::min(least, value);
      largest = std::max(largest, value);
    }
    const auto count = static_cast<double>(values.size());
    const double error = 5 * expected.deviation / std::sqrt(count), variance = expected.deviation * expected.deviation;
    CHECK(std::abs(sum / count) <= error);
    CHECK(std::abs(squares / count - variance) <= 2 * expected.deviation * error);
    CHECK(std::abs(neighbours / count) <= expected.deviation * error);
    CHECK(least >= expected.least);
    CHECK(largest < expected.end);
  }
}

TEST_CASE("two expanded random arrays are not the same") {
  ir::Module module = text::parse_module(
                          "ENTRY main { a = f32[] constant(0)  b = f32[] constant(1) "
                          "r = f32[64] rng(a, b), distribution=rng_uniform  s = f32[64] rng(a, b), "
                          "distribution=rng_uniform  ROOT t = (f32[64], f32[64]) tuple(r, s) }")
                          .value();
  REQUIRE(ir::verify(module).ok());
  expand(module);
  const ir::Literal result = interpreter::interpret(module, {}).value();
  CHECK(!result.tuple_elements()[0].identical(result.tuple_elements()[1]));
}

TEST_CASE("an expanded map is its computation on arrays") {
  check_expansion(
      "f { a = f32[] parameter(0)  b = s32[] parameter(1)  c = f32[] convert(b)  two = f32[] constant(2) "
      "w = f32[] broadcast(two), dimensions={}  p = f32[] multiply(c, w)  g = pred[] compare(a, p), direction=GT "
      "s = f32[] sine(a)  ROOT r = f32[] select(g, s, p) } "
      "ENTRY main { x = f32[3,4] parameter(0)  y = s32[3,4] parameter(1)  ROOT r = f32[3,4] map(x, y), "
      "dimensions={0,1}, to_apply=f }");
  check_expansion(
      "f { a = f32[] parameter(0)  ROOT c = s8[] constant(7) } "
      "ENTRY main { x = f32[3] parameter(0)  ROOT r = s8[3] map(x), dimensions={0}, to_apply=f }");
}

TEST_CASE("an expanded composite is what it is composed of") {
  check_expansion(
      "f { a = f32[3] parameter(0)  b = (f32[3], f32[]) parameter(1)  c = f32[3] get-tuple-element(b), index=0 "
      "d = f32[3] multiply(a, c)  ROOT r = (f32[3], f32[3]) tuple(d, a) } "
      "ENTRY main { x = f32[3] parameter(0)  y = (f32[3], f32[]) parameter(1) "
      "ROOT r = (f32[3], f32[3]) call(x, y), to_apply=f, is_composite=true }");
}

TEST_CASE("expanded shuffles move the same elements") {
  for (const char *shuffle : {
           "mode=rotate, dimensions={1}, shifts={1}",
           "mode=rotate, dimensions={1,0}, shifts={-1,7}",
           "mode=permute, dimensions={0}, indices=s8[3,1] {{2}, {0}, {1}}",
           "mode=permute, dimensions={1}, indices=s32[1,4] {{9, 1, 0, -2}}",
           "mode=permute, dimensions={1,0}, indices=s32[1,4,2] {{{3, 0}, {1, 2}, {0, 0}, {2, 1}}}",
       }) {
    check_expansion(
        fmt::format("ENTRY main {{ x = s32[3,4] parameter(0)  ROOT r = s32[3,4] shuffle(x), {} }}", shuffle));
  }
}

TEST_CASE("expanded stochastic conversions round the same way") {
  // Values with many exponents, and values that are not rounded.
  for (const auto &[from, random] : {std::pair("f32", "u32"), {"bf16", "u16"}, {"f16", "u16"}, {"f64", "u64"}}) {
    for (const char *to : {"bf16", "f16", "f32", "f8e4m3fn", "f8e5m2", "s32", "s8", "u8", "s4"}) {
      check_expansion(fmt::format(
          "ENTRY main {{ x = {0}[64,16] parameter(0)  b = {1}[2] parameter(1)  i = {0}[64,16] iota(), iota_dimension=0 "
          "c = {0}[] constant(-30)  w = {0}[64,16] broadcast(c), dimensions={{}}  e = {0}[64,16] add(i, w) "
          "p = {0}[64,16] exponential(e)  m = {0}[64,16] multiply(x, p)  s = u64[2] constant({{3, 4}}) "
          "g = (u64[2], {1}[64,16]) rng-bit-generator(s), algorithm=rng_three_fry "
          "r = {1}[64,16] get-tuple-element(g), index=1  ROOT y = {2}[64,16] stochastic-convert(m, r) }}",
          from, random, to));
    }
    check_expansion(
        fmt::format("ENTRY main {{ x = {0}[5] constant({{0, -0, inf, -inf, nan}}) "
                    "r = {1}[5] constant({{0, 0, 0, 0, 0}})  ROOT y = bf16[5] stochastic-convert(x, r) }}",
                    from, random));
  }
}

TEST_CASE("expanded ragged dots have the same products") {
  // Free, contracting and batch dimensions; group sizes for all indices or for each index of the dimensions before;
  // sizes that exceed the dimension.
  for (const char *sizes : {"{2, 0, 1}", "{-1, 9, 3}", "{0, 0, 0}"}) {
    check_expansion(
        fmt::format("ENTRY main {{ a = f32[5,3] parameter(0)  b = f32[3,3,2] parameter(1)  s = s32[3] constant({}) "
                    "ROOT r = f32[5,2] ragged-dot(a, b, s), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}, "
                    "lhs_ragged_dims={{0}}, rhs_group_dims={{0}} }}",
                    sizes),
        1e-6);
    check_expansion(
        fmt::format("ENTRY main {{ a = f32[2,5] parameter(0)  b = f32[5,3] parameter(1)  s = s64[3] constant({}) "
                    "ROOT r = f32[3,2,3] ragged-dot(a, b, s), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, "
                    "lhs_ragged_dims={{1}} }}",
                    sizes),
        1e-6);
  }
  check_expansion(
      "ENTRY main { a = f32[2,4,3] parameter(0)  b = f32[2,2,3,2] parameter(1)  s = s32[2,2] constant({{1, 2}, {3, "
      "1}}) "
      "ROOT r = f32[2,4,2] ragged-dot(a, b, s), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, "
      "rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={0} }",
      1e-6);
  check_expansion(
      "ENTRY main { a = f32[2,4,3] parameter(0)  b = f32[2,3,2] parameter(1)  s = s32[2,2] constant({{1, 2}, {3, 1}}) "
      "ROOT r = f32[2,4,2] ragged-dot(a, b, s), lhs_contracting_dims={2}, rhs_contracting_dims={1}, "
      "lhs_ragged_dims={1}, rhs_group_dims={0} }",
      1e-6);
  check_expansion(
      "ENTRY main { a = f32[2,3,4] parameter(0)  b = f32[3,4,2] parameter(1)  s = s32[3,2] parameter(2) "
      "ROOT r = f32[2,2,2] ragged-dot(a, b, s), lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}, "
      "lhs_ragged_dims={2} }",
      1e-6);
  check_expansion(
      "ENTRY main { a = f32[2,3,2] parameter(0)  b = f32[2,2,2] parameter(1)  s = s32[2] parameter(2) "
      "ROOT r = f32[2,3,2] ragged-dot(a, b, s), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
      "rhs_contracting_dims={1}, lhs_ragged_dims={0} }",
      1e-6);
}

TEST_CASE("expanded scaled dots have the same products") {
  for (const char *scale : {"[2,2]", "[1,1]", "[2,1]", "[]"}) {
    check_expansion(
        fmt::format(
            "ENTRY main {{ a = f32[2,8] parameter(0)  b = f32[3,8] parameter(1)  c = f32{} parameter(2) "
            "d = f32[3,2] parameter(3)  e = f8e4m3fn[2,8] convert(a)  f = f8e4m3fn[3,8] convert(b) "
            "g = f8e8m0fnu{} convert(c)  h = f8e8m0fnu[3,2] convert(d) "
            "ROOT r = f32[2,3] scaled-dot(e, f, g, h), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}} }}",
            scale, scale),
        1e-6);
  }
}

TEST_CASE("collectives of one device are what they send, and asynchronous ops are done at once") {
  const std::string add = "add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) } ";
  for (const char *collective :
       {"f32[2] all-reduce(x), replica_groups={{0}}, to_apply=add", "f32[2] all-gather(x), dimensions={0}",
        "f32[2] reduce-scatter(x), dimensions={0}, to_apply=add", "f32[2] all-to-all(x), dimensions={0}",
        "f32[2] collective-permute(x), source_target_pairs={{0,0}}",
        "f32[2] collective-permute(x), source_target_pairs={}"}) {
    check_expansion(add + "ENTRY main { x = f32[2] parameter(0)  ROOT r = " + collective + " }");
  }
  check_expansion("ENTRY main { ROOT r = u32[] replica-id() }");
  check_expansion(add +
                  "ENTRY main { x = f32[2] parameter(0)  s = f32[2] all-reduce-start(x), to_apply=add "
                  "ROOT r = f32[2] all-reduce-done(s) }");
  check_expansion(
      "ENTRY main { x = f32[2] parameter(0)  s = (f32[2], f32[2], u32[]) copy-start(x)  ROOT r = f32[2] copy-done(s) "
      "}");
  check_expansion(
      "ENTRY main { x = f32[2] parameter(0)  s = (f32[2], f32[2], u32[], u32[]) collective-permute-start(x), "
      "source_target_pairs={{0,0}}  ROOT r = f32[2] collective-permute-done(s) }");
  check_expansion(
      "ENTRY main { a = s32[4] parameter(0)  b = s32[6] parameter(1)  z = s32[] constant(0)  n = s32[] constant(9) "
      "f = (s32[]) tuple(z)  l = (s32[]) tuple(n)  s = ((s32[]), (s32[])) tuple(f, l)  t = ((s32[]), (s32[])) tuple(l, "
      "f) "
      "ROOT r = s32[6] collective-permute(a, b, s, t), source_target_pairs={{0,0}}, slice_sizes={{1},{2}} }");
  check_expansion(
      "ENTRY main { a = s32[4,2] parameter(0)  b = s32[6,2] parameter(1)  f = s32[1] constant({1})  s = s32[1] "
      "constant({3}) "
      "t = u8[1] constant({2})  u = s32[1] convert(t)  ROOT r = s32[6,2] ragged-all-to-all(a, b, f, s, u, s) }");
  check_expansion(
      "inner { a = f32[2] parameter(0)  b = f32[2] parameter(1)  ROOT s = f32[2] add(a, b) } "
      "ENTRY main { x = f32[2] parameter(0)  s = ((f32[2], f32[2]), f32[2], u32[]) async-start(x, x), calls=inner "
      "u = ((f32[2], f32[2]), f32[2], u32[]) async-update(s)  ROOT r = f32[2] async-done(u) }");
}

TEST_CASE("ops that the device runs, and those with an order to keep, are not expanded") {
  const std::string text =
      "ENTRY main { x = f32[2] parameter(0)  y = f32[2] negate(x)  s = (f32[2], f32[2], u32[]) copy-start(x) "
      "ROOT r = f32[2] copy-done(s), control-predecessors={y} }";
  ir::Module module = text::parse_module(text).value();
  REQUIRE(ir::verify(module).ok());
  expand(module);
  CHECK(contains(module, ir::Opcode::CopyStart));
  PassContext context;
  context.is_native = [](const ir::Instruction &) { return true; };
  module = text::parse_module("ENTRY main { ROOT r = u32[] replica-id() }").value();
  REQUIRE(ir::verify(module).ok());
  CHECK(!collective_expansion(module, context).value());
}

TEST_CASE("collectives of several devices stay") {
  for (const char *text :
       {"HloModule m, replica_count=2 ENTRY main { ROOT r = u32[] replica-id() }",
        "ENTRY main { x = f32[2] parameter(0)  ROOT r = f32[2] all-to-all(x), dimensions={0}, replica_groups={{0,1}} }",
        "ENTRY main { x = f32[2] parameter(0)  ROOT r = f32[2] collective-permute(x), source_target_pairs={{1,0}} }",
        // The slice is larger than the array that it comes from.
        "ENTRY main { a = s32[4] parameter(0)  b = s32[6] parameter(1)  z = s32[] constant(0)  s = (s32[]) tuple(z) "
        "ROOT r = s32[6] collective-permute(a, b, s, s), source_target_pairs={{0,0}}, slice_sizes={{5}} }"}) {
    INFO(text);
    ir::Module module = text::parse_module(text).value();
    REQUIRE(ir::verify(module).ok());
    const ir::Opcode opcode = module.entry().root().opcode();
    expand(module);
    CHECK(module.entry().root().opcode() == opcode);
  }
}

// For a device that runs nothing; then checks that everything it is asked to run instead has one type of at least 32
// bits.
TEST_CASE("contractions of narrow and mixed types are those of a wide one") {
  PassContext context;
  context.is_native = [](const ir::Instruction &) { return false; };
  const std::vector<std::string> types{"pred", "s1",  "s4",  "u2",       "s8",        "u16",      "s32", "u64",
                                       "bf16", "f16", "f64", "f8e4m3fn", "f8e8m0fnu", "f6e2m3fn", "c64", "c128"};
  for (const std::string &lhs : types) {
    for (const std::string &rhs : types) {
      for (const std::string &result : types) {
        const std::string text = fmt::format(
            "ENTRY main {{ x = {}[3,5] parameter(0)  y = {}[5,4] parameter(1) "
            "ROOT r = {}[3,4] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}",
            lhs, rhs, result);
        INFO(text);
        ir::Module module = text::parse_module(text).value();
        if (!ir::verify(module).ok()) {
          continue;  // complex numbers cannot be mixed with others
        }
        ir::Module wide = module;
        const bool changed = contraction_upcast(wide, context).value();
        REQUIRE(ir::verify(wide).ok());
        contraction_upcast(wide, context).value();  // expands the instructions added first
        REQUIRE(ir::verify(wide).ok());
        CHECK(!contraction_upcast(wide, context).value());
        const bool is_wide = lhs == rhs && rhs == result && (lhs == "s32" || lhs == "u64" || lhs == "f64");
        const bool is_complex = lhs[0] == 'c' && result[0] == 'c';
        CHECK(changed == (!is_wide && !is_complex));
        auto arguments = interpreter::random_arguments(module, 7).value();
        auto comparisons = interpreter::compare(interpreter::interpret(wide, arguments).value(),
                                                interpreter::interpret(module, arguments).value())
                               .value();
        for (const interpreter::Comparison &comparison : comparisons) {
          INFO(interpreter::to_string(comparison));
          CHECK(comparison.identical);
        }
      }
    }
  }
}

TEST_CASE("tiny floats are multiplied in the narrowest type that has their values") {
  const auto values = [](const std::string &type, const std::string &numbers, const std::string &by_way_of) {
    const std::string text = fmt::format("ENTRY main {{ {} w = {}[1024] convert(x)  ROOT r = f32[1024] convert(w) }}",
                                         fmt::format(fmt::runtime(numbers), type), by_way_of);
    return interpreter::interpret(text::parse_module(text).value(), {}).value();
  };
  // All values, as codes or, for types below 8 bits, as numbers.
  const std::string codes =
      "i = u16[1024] iota(), iota_dimension=0  c = u8[1024] convert(i)  x = {0}[1024] bitcast-convert(c)";
  const std::string steps =
      "i = f32[1024] iota(), iota_dimension=0  m = f32[] constant(512)  d = f32[] constant(16)"
      " ms = f32[1024] broadcast(m), dimensions={{}}  ds = f32[1024] broadcast(d), dimensions={{}}"
      " s = f32[1024] subtract(i, ms)  q = f32[1024] divide(s, ds)  x = {0}[1024] convert(q)";
  for (const std::string type : {"f8e5m2", "f8e5m2fnuz", "f8e4m3", "f8e4m3fn", "f8e4m3fnuz", "f8e4m3b11fnuz", "f8e3m4",
                                 "f8e8m0fnu", "f6e2m3fn", "f6e3m2fn", "f4e2m1fn"}) {
    INFO(type);
    const std::string &numbers = type.starts_with("f8") ? codes : steps;
    const ir::Literal expected = values(type, numbers, "f32");
    const auto is_exact = [&](const std::string &narrow) {
      return interpreter::compare(values(type, numbers, narrow), expected).value()[0].relative_error == 0;
    };
    CHECK(is_exact("f16") == (type != "f8e8m0fnu"));
    CHECK(is_exact("bf16"));
    for (const std::string &other : {type, std::string("f16"), std::string("bf16"), std::string("f32")}) {
      ir::Module module =
          text::parse_module(
              fmt::format("ENTRY main {{ x = {}[3,5] parameter(0)  y = {}[5,4] parameter(1) ROOT r = "
                          "f32[3,4] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}",
                          type, other))
              .value();
      PassContext context;
      context.is_native = [](const ir::Instruction &) { return false; };
      REQUIRE(contraction_upcast(module, context).value());
      const ir::Instruction dot = module.entry().root();
      const bool has_bf16 = other == "bf16" || (other != "f16" && other != "f32" && type == "f8e8m0fnu");
      const bool has_f32 = other == "f32" || (other == "f16" && type == "f8e8m0fnu");
      const ir::ElementType factor = has_f32    ? ir::ElementType::F32
                                     : has_bf16 ? ir::ElementType::BF16
                                                : ir::ElementType::F16;
      CHECK(dot.operand(0).shape().element_type() == factor);
      CHECK(dot.operand(1).shape().element_type() == factor);
    }
  }
}

TEST_CASE("complex functions of zeros, infinities and undefined numbers are what C says") {
  const std::vector<std::string> parts = {"0", "-0", "1", "-2", "inf", "-inf", "nan"};
  std::vector<std::string> numbers, lhs, rhs;
  for (const std::string &real : parts) {
    for (const std::string &imaginary : parts) {
      numbers.push_back(fmt::format("({}, {})", real, imaginary));
    }
  }
  for (const std::string &x : numbers) {
    for (const std::string &y : numbers) {
      lhs.push_back(x);
      rhs.push_back(y);
    }
  }
  // Each part separately, because a complex number is undefined if one part is.
  const auto check = [](const char *op, const std::string &operands, const std::string &names, std::size_t count) {
    for (const char *part : {"real", "imag"}) {
      check_expansion(fmt::format("ENTRY main {{ {} z = c64[{}] {}({})  ROOT r = f32[{}] {}(z) }}", operands, count, op,
                                  names, count, part),
                      2e-7);
    }
  };
  const auto operand = [](const char *name, std::span<const std::string> values) {
    return fmt::format("{} = c64[{}] constant({{{}}}) ", name, values.size(), fmt::join(values, ", "));
  };
  for (const char *op : {"negate", "sign", "sqrt", "rsqrt", "exponential", "exponential-minus-one", "log",
                         "log-plus-one", "sine", "cosine", "tan", "sinh", "cosh", "tanh"}) {
    check(op, operand("x", numbers), "x", numbers.size());
  }
  for (const char *op : {"add", "subtract", "multiply", "divide"}) {
    check(op, operand("x", lhs) + operand("y", rhs), "x, y", lhs.size());
  }
}

TEST_CASE("complex functions are what their parts say") {
  const std::vector<std::pair<std::string, double>> types{{"c64", 2e-7}, {"c128", 2e-14}};
  for (const auto &[type, tolerance] : types) {
    for (const char *op : {"negate", "sign",         "sqrt",     "rsqrt", "exponential", "exponential-minus-one",
                           "log",    "log-plus-one", "logistic", "sine",  "cosine",      "tan",
                           "sinh",   "cosh",         "tanh",     "asin",  "acos",        "atan",
                           "asinh",  "acosh",        "atanh"}) {
      check_expansion(fmt::format("ENTRY main {{ x = {0}[50] parameter(0)  ROOT r = {0}[50] {1}(x) }}", type, op),
                      tolerance);
    }
    for (const char *op : {"add", "subtract", "multiply", "divide", "power", "atan2"}) {
      check_expansion(fmt::format("ENTRY main {{ x = {0}[50] parameter(0)  y = {0}[50] parameter(1) "
                                  "ROOT r = {0}[50] {1}(x, y) }}",
                                  type, op),
                      tolerance);
    }
    const std::string part = type == "c64" ? "f32" : "f64";
    check_expansion(fmt::format("ENTRY main {{ x = {}[9] parameter(0)  ROOT r = {}[9] abs(x) }}", type, part),
                    tolerance);
    check_expansion(fmt::format("ENTRY main {{ x = {0}[3,5] parameter(0)  y = {0}[5,2] parameter(1) ROOT r = {0}[3,2] "
                                "dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}",
                                type),
                    tolerance);
  }
}

TEST_CASE("complex numbers move as their parts do") {
  for (const char *program : {
           "y = c64[3,2] transpose(x), dimensions={1,0}",
           "y = c64[6] reshape(x)",
           "y = c64[1,3] slice(x), slice={[1:2], [0:3]}",
           "y = c64[2,3] reverse(x), dimensions={1}",
           "z = c64[] constant((1, 2))  y = c64[4,3] pad(x, z), padding=1_1x0_0",
           "y = c64[2,6] concatenate(x, x), dimensions={1}",
           "p = pred[2,3] compare(x, x), direction=EQ  y = c64[2,3] select(p, x, x)",
           "c = c128[2,3] convert(x)  y = c64[2,3] convert(c)",
           "r = f32[2,3] real(x)  i = f32[2,3] imag(x)  y = c64[2,3] complex(i, r)",
           "y = f32[2,3] convert(x)",
       }) {
    const std::string text(program);
    const std::size_t last = text.rfind("y = ");
    check_expansion(
        fmt::format("ENTRY main {{ x = c64[2,3] parameter(0)  {} ROOT {} }}", text.substr(0, last), text.substr(last)));
  }
  check_expansion(R"(
add { x = c64[] parameter(0)  y = c64[] parameter(1)  ROOT z = c64[] add(x, y) }
ENTRY main { x = c64[4,5] parameter(0)  zero = c64[] constant((0, 0))  ROOT r = c64[4] reduce(x, zero), dimensions={1}, to_apply=add })",
                  2e-7);
}

// Whether a device that stores narrow floats, but does not compute in them, runs the instruction.
bool computes_in_f32(ir::Instruction i) {
  auto is_narrow = [](const ir::Shape &shape) {
    return shape.is_array() && ir::is_floating(shape.element_type()) && ir::bit_width(shape.element_type()) < 32;
  };
  bool has_narrow = is_narrow(i.shape());
  for (std::size_t o = 0; o < i.operand_count(); ++o) {
    has_narrow = has_narrow || is_narrow(i.operand(o).shape());
  }
  const bool converts =
      i.opcode() == ir::Opcode::Convert &&
      (i.shape().element_type() == ir::ElementType::F32 || i.operand(0).shape().element_type() == ir::ElementType::F32);
  return !has_narrow || converts || i.opcode() == ir::Opcode::Parameter || i.opcode() == ir::Opcode::Constant;
}

void check_normalization(const std::string &text, double tolerance = 0) {
  INFO(text);
  ir::Module module = text::parse_module(text).value();
  REQUIRE(ir::verify(module).ok());
  ir::Module normalized = module;
  PassContext context;
  context.is_native = computes_in_f32;
  CHECK(float_normalization(normalized, context).value());
  REQUIRE(ir::verify(normalized).ok());
  for (ir::Instruction i : normalized.entry().instructions()) {
    INFO(i.name());
    CHECK(computes_in_f32(i));
  }
  auto arguments = interpreter::random_arguments(module, 1).value();
  const ir::Literal expected = interpreter::interpret(module, arguments).value();
  const ir::Literal result = interpreter::interpret(normalized, arguments).value();
  CHECK((tolerance == 0 ? result.identical(expected)
                        : interpreter::compare(result, expected).value()[0].agrees(tolerance)));
}

TEST_CASE("narrow floats computed in f32 are the same to the bit") {
  for (const char *type : {"bf16", "f16", "f8e4m3fn", "f8e5m2"}) {
    for (const ir::OpInfo &op : ir::ops()) {
      const bool takes_floats = op.has(ir::Trait::Elementwise) && op.types != ir::TypeSet::Integer &&
                                op.types != ir::TypeSet::IntegerOrPred && op.types != ir::TypeSet::AnyShape;
      const bool has_own_case = op.opcode == ir::Opcode::Convert || op.opcode == ir::Opcode::Compare ||
                                op.opcode == ir::Opcode::Complex || op.opcode == ir::Opcode::StochasticConvert ||
                                op.opcode == ir::Opcode::ReducePrecision || op.opcode == ir::Opcode::IsFinite;
      if (!takes_floats || has_own_case) {
        continue;
      }
      std::string operands = "x";
      for (int i = 1; i < op.min_operands; ++i) {
        operands += i == 1 ? ", y" : ", x";
      }
      check_normalization(
          fmt::format("ENTRY main {{ x = {0}[99] parameter(0)  y = {0}[99] parameter(1)  "
                      "ROOT r = {0}[99] {1}({2}) }}",
                      type, op.text, operands));
    }
    check_normalization(
        fmt::format("ENTRY main {{ x = {0}[99] parameter(0)  y = {0}[99] parameter(1)  "
                    "ROOT r = pred[99] compare(x, y), direction=LT }}",
                    type));
    check_normalization(fmt::format("ENTRY main {{ x = {0}[99] parameter(0)  ROOT r = pred[99] is-finite(x) }}", type));
    check_normalization(
        fmt::format("add {{ a = {0}[] parameter(0)  b = {0}[] parameter(1)  ROOT r = {0}[] add(a, b) }} "
                    "ENTRY main {{ x = {0}[9,20] parameter(0)  y = {0}[] parameter(1)  "
                    "ROOT r = {0}[9] reduce(x, y), dimensions={{1}}, to_apply=add }}",
                    type),
        0.1);
  }
}

}  // namespace
}  // namespace bp::passes
