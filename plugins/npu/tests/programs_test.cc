// Programs give the same results on the machine as on the interpreter.
#include <fmt/format.h>

#include <array>

#include "core/interpreter/compare.h"
#include "core/interpreter/random_inputs.h"
#include "plugins/npu/tests/open_npu.h"

namespace bp::npu::tests {
namespace {

std::vector<interpreter::Comparison> compare(std::string_view text) {
  const Module module = parse(text);
  const std::vector<Literal> arguments = interpreter::random_arguments(module, 7).value();
  const Literal expected = run(Backend::load("interpreter").value(), module, arguments);
  auto comparisons = interpreter::compare(run(open_npu(), module, arguments), expected);
  REQUIRE(comparisons.ok());
  return std::move(comparisons).value();
}

void check_identical(std::string_view text) {
  for (const interpreter::Comparison &comparison : compare(text)) {
    INFO(interpreter::to_string(comparison));
    CHECK(comparison.identical);
  }
}

// For sums, which are rounded to f32 at each step. In bf16 the difference is seldom more than one unit in the last
// place.
void check_close(std::string_view text, double tolerance) {
  for (const interpreter::Comparison &comparison : compare(text)) {
    INFO(interpreter::to_string(comparison));
    CHECK((comparison.identical || comparison.agrees(tolerance)));
  }
}

constexpr double unit_of_bf16 = 1.0 / 128;

}  // namespace

TEST_CASE("elementwise ops stream through the scratchpad, whatever the size") {
  check_identical(R"(HloModule elementwise
    ENTRY main {
      x = bf16[300,1000] parameter(0)
      y = bf16[300,1000] parameter(1)
      p = pred[300,1000] compare(x, y), direction=LT
      a = bf16[300,1000] add(x, y)
      b = bf16[300,1000] multiply(a, y)
      s = bf16[300,1000] select(p, a, b)
      f = f32[300,1000] convert(s)
      g = s8[300,1000] convert(f)
      ROOT r = (bf16[300,1000], f32[300,1000], s8[300,1000], pred[300,1000]) tuple(s, f, g, p)
    })");
}

TEST_CASE("comparisons know NaN, the sign of zero and the total order") {
  const Module module = parse(R"(HloModule comparisons
    ENTRY main {
      x = bf16[7,7] parameter(0)
      y = bf16[7,7] parameter(1)
      a = pred[7,7] compare(x, y), direction=LT
      b = pred[7,7] compare(x, y), direction=NE
      c = pred[7,7] compare(x, y), direction=LT, type=TOTALORDER
      d = pred[7,7] compare(x, y), direction=GE, type=TOTALORDER
      e = bf16[7,7] maximum(x, y)
      f = bf16[7,7] minimum(x, y)
      ROOT r = (pred[7,7], pred[7,7], pred[7,7], pred[7,7], bf16[7,7], bf16[7,7]) tuple(a, b, c, d, e, f)
    })");
  const auto matrix = ir::Shape::array(ir::ElementType::BF16, {7, 7});
  std::string rows, columns;
  const std::array values = {"-nan", "-inf", "-1", "-0", "0", "inf", "nan"};
  for (std::string_view row : values) {
    std::string same, all;
    for (std::string_view column : values) {
      same += fmt::format("{}{}", same.empty() ? "" : ",", row);
      all += fmt::format("{}{}", all.empty() ? "" : ",", column);
    }
    rows += fmt::format("{}{{{}}}", rows.empty() ? "" : ",", same);
    columns += fmt::format("{}{{{}}}", columns.empty() ? "" : ",", all);
  }
  const std::vector<Literal> arguments = {text::parse_literal("{" + rows + "}", matrix).value(),
                                          text::parse_literal("{" + columns + "}", matrix).value()};
  CHECK(run(open_npu(), module, arguments).identical(run(Backend::load("interpreter").value(), module, arguments)));
}

TEST_CASE("scalars are repeated where an op takes them") {
  check_identical(R"(HloModule scalars
    ENTRY main {
      x = s32[70000] parameter(0)
      low = s32[] parameter(1)
      high = s32[] parameter(2)
      ROOT r = s32[70000] clamp(low, x, high)
    })");
}

TEST_CASE("movement reads and writes all layouts, tiles too") {
  check_identical(R"(HloModule movement
    ENTRY main {
      x = bf16[37,50,9]{2,1,0} parameter(0)
      tiled = bf16[37,50,9]{0,2,1:T(8,16)} copy(x)
      t = bf16[9,37,50]{1,2,0:T(4,32)} transpose(tiled), dimensions={2,0,1}
      flat = bf16[333,50]{1,0:T(8,16)} reshape(t)
      part = bf16[100,20]{0,1} slice(flat), slice={[30:330:3], [7:47:2]}
      back = bf16[100,20]{1,0:T(8)} reverse(part), dimensions={0}
      two = bf16[100,40]{1,0} concatenate(back, part), dimensions={1}
      zero = bf16[] parameter(1)
      padded = bf16[198,38]{1,0:T(8,16)} pad(two, zero), padding=-1_0_1x3_-5
      wide = bf16[5,198,38]{2,1,0} broadcast(padded), dimensions={1,2}
      ROOT r = (bf16[5,198,38]{2,1,0}, bf16[100,20]{1,0}) tuple(wide, back)
    })");
}

TEST_CASE("large arrays change their sizes and layouts piece by piece") {
  check_identical(R"(HloModule reshapes
    ENTRY main {
      x = s32[700,3,211]{0,1,2} parameter(0)
      y = s32[2100,211]{0,1:T(8,32)} reshape(x)
      ROOT z = s32[443100]{0} reshape(y)
    })");
}

TEST_CASE("iota runs along any dimension of any layout") {
  check_identical(R"(HloModule counting
    ENTRY main {
      a = s32[5,600]{0,1:T(8)} iota(), iota_dimension=1
      b = bf16[600,5] iota(), iota_dimension=0
      c = f32[70000] iota(), iota_dimension=0
      ROOT r = (s32[5,600]{0,1:T(8)}, bf16[600,5], f32[70000]) tuple(a, b, c)
    })");
}

TEST_CASE("a dot with a vector is done by the matrix unit") {
  const auto instructions = [](const std::string &vector_program) {
    const auto compiled = open_npu().compile(parse_module(vector_program, "vector.hlo").value());
    REQUIRE(compiled.ok());
    CHECK(compiled->report.on_host.empty());
    return compiled->report.instructions;
  };
  check_identical(R"(HloModule vectors
    ENTRY main {
      w = s8[16,40] parameter(0)
      x = s8[40] parameter(1)
      y = s8[16] parameter(2)
      column = s32[16] dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      row = s32[40] dot(y, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}
      one = s32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}
      outer = s32[40,16] dot(x, y), lhs_contracting_dims={}, rhs_contracting_dims={}
      ROOT r = (s32[16], s32[40], s32[], s32[40,16]) tuple(column, row, one, outer)
    })");
  // There are reshapes besides the dot, but no instructions that add products one by one.
  CHECK(instructions(R"(HloModule vector
    ENTRY main {
      w = bf16[16,40] parameter(0)
      x = bf16[40] parameter(1)
      ROOT r = f32[16] dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    })") == 5);
}

TEST_CASE("dynamic slices are clamped into bounds") {
  check_identical(R"(HloModule dynamic
    ENTRY main {
      x = bf16[40,30]{0,1:T(8,16)} parameter(0)
      u = bf16[5,7] parameter(1)
      i = s32[] parameter(2)
      big = s32[] constant(1000)
      s = bf16[5,7] dynamic-slice(x, i, big), dynamic_slice_sizes={5,7}
      d = bf16[40,30]{0,1:T(8,16)} dynamic-update-slice(x, u, big, i)
      ROOT r = (bf16[5,7], bf16[40,30]{0,1:T(8,16)}) tuple(s, d)
    })");
}

TEST_CASE("reductions keep or drop any dimensions") {
  constexpr std::string_view program = R"(HloModule reductions
    sum { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = s32[] add(a, b) }
    highest { a = bf16[] parameter(0)  b = bf16[] parameter(1)  ROOT r = bf16[] maximum(a, b) }
    either { a = pred[] parameter(0)  b = pred[] parameter(1)  ROOT r = pred[] or(a, b) }
    ENTRY main {
      x = s32[20,33,300]{0,2,1:T(8,32)} parameter(0)
      y = bf16[70000] parameter(1)
      p = pred[20,300] parameter(2)
      zero = s32[] constant(0)
      low = bf16[] constant(-inf)
      no = pred[] constant(false)
      a = s32[33] reduce(x, zero), dimensions={0,2}, to_apply=sum
      b = s32[20,300] reduce(x, zero), dimensions={1}, to_apply=sum
      c = s32[] reduce(x, zero), dimensions={0,1,2}, to_apply=sum
      d = bf16[] reduce(y, low), dimensions={0}, to_apply=highest
      e = pred[300] reduce(p, no), dimensions={0}, to_apply=either
      ROOT r = (s32[33], s32[20,300], s32[], bf16[], pred[300]) tuple(a, b, c, d, e)
    })";
  check_identical(program);
}

TEST_CASE("sums of bf16 are rounded once") {
  check_close(R"(HloModule sums
    sum { a = bf16[] parameter(0)  b = bf16[] parameter(1)  ROOT r = bf16[] add(a, b) }
    ENTRY main {
      x = bf16[50,3000] parameter(0)
      zero = bf16[] constant(0)
      ROOT a = bf16[50] reduce(x, zero), dimensions={1}, to_apply=sum
    })",
              unit_of_bf16);
}

TEST_CASE("dots of bf16 are done in tiles") {
  check_close(R"(HloModule dots
    ENTRY main {
      x = bf16[3,150,270] parameter(0)
      y = bf16[3,270,133] parameter(1)
      z = bf16[150,133] parameter(2)
      w = bf16[5,3,270,4,6] parameter(3)
      c = bf16[3,150,5,4,6] dot(x, w), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
      d = f32[150,5,4,6] dot(x, w), lhs_contracting_dims={0,2}, rhs_contracting_dims={1,2}
      a = f32[3,150,133] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
      b = bf16[3,270,133] dot(x, z), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      ROOT r = (f32[3,150,133], bf16[3,270,133], bf16[3,150,5,4,6], f32[150,5,4,6]) tuple(a, b, c, d)
    })",
              unit_of_bf16);
}

TEST_CASE("dots of s8 are exact") {
  check_identical(R"(HloModule dots
    ENTRY main {
      x = s8[40,300] parameter(0)
      y = s8[50,300] parameter(1)
      a = s32[40,50] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
      b = s8[40,50] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
      ROOT r = (s32[40,50], s8[40,50]) tuple(a, b)
    })");
}

TEST_CASE("a dot in a loop gets tiles of what comes from outside") {
  check_close(R"(HloModule loop
    condition { s = (s32[], bf16[20,20], bf16[20,20]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(3)  ROOT p = pred[] compare(i, n), direction=LT }
    body { s = (s32[], bf16[20,20], bf16[20,20]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      x = bf16[20,20] get-tuple-element(s), index=1  w = bf16[20,20] get-tuple-element(s), index=2
      one = s32[] constant(1)  j = s32[] add(i, one)
      y = bf16[20,20] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      ROOT r = (s32[], bf16[20,20], bf16[20,20]) tuple(j, y, w) }
    ENTRY main {
      x = bf16[20,20] parameter(0)
      w = bf16[20,20] parameter(1)
      zero = s32[] constant(0)
      init = (s32[], bf16[20,20], bf16[20,20]) tuple(zero, x, w)
      all = (s32[], bf16[20,20], bf16[20,20]) while(init), condition=condition, body=body
      ROOT r = bf16[20,20] get-tuple-element(all), index=1
    })",
              unit_of_bf16);
}

TEST_CASE("loops and branches run on the machine") {
  check_identical(R"(HloModule control
    condition { s = (s32[], bf16[40]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(5)  ROOT p = pred[] compare(i, n), direction=LT }
    body { s = (s32[], bf16[40]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      x = bf16[40] get-tuple-element(s), index=1  one = s32[] constant(1)
      j = s32[] add(i, one)  y = bf16[40] add(x, x)  ROOT r = (s32[], bf16[40]) tuple(j, y) }
    first { x = bf16[40] parameter(0)  ROOT r = bf16[40] negate(x) }
    second { x = bf16[40] parameter(0)  ROOT r = bf16[40] abs(x) }
    third { x = bf16[40] parameter(0)  ROOT r = bf16[40] multiply(x, x) }
    ENTRY main {
      x = bf16[40] parameter(0)
      i = s32[] parameter(1)
      start = s32[] parameter(2)
      init = (s32[], bf16[40]) tuple(start, x)
      w = (s32[], bf16[40]) while(init), condition=condition, body=body
      y = bf16[40] get-tuple-element(w), index=1
      c = bf16[40] conditional(i, y, y, x), branch_computations={first, second, third}
      p = pred[] compare(i, start), direction=LT
      d = bf16[40] conditional(p, y, x), true_computation=first, false_computation=third
      ROOT r = (bf16[40], bf16[40], bf16[40]) tuple(y, c, d)
    })");
}

TEST_CASE("ops that the machine does not run are refused with a reason") {
  const Backend backend = open_npu();
  CompileOptions options;
  options.device_only = true;
  const auto reason = [&](std::string_view text) {
    const auto compiled = backend.compile(parse(text), options);
    REQUIRE(!compiled.ok());
    return compiled.error().message();
  };
  CHECK(reason("HloModule m\nENTRY e { x = f32[4] parameter(0)  ROOT r = f32[4] exponential(x) }") ==
        "backend dev.backplane.npu does not run r (exponential): the vector unit has no function for "
        "this op of f32, only of bf16");
  CHECK(reason("HloModule m\nENTRY e { x = f64[4] parameter(0)  ROOT r = f64[4] add(x, x) }") ==
        "backend dev.backplane.npu does not run r (add): elements of type 12: the vector unit computes in "
        "pred, s8, s32, bf16 and f32");
}

TEST_CASE("a loop that its device refuses after all runs on the host, where its initial tuple is made") {
  const Module module = parse(R"(HloModule tuples

    w4_b {
      p = (s32[], c128[4,8], c128[4,8]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      x = c128[4,8] get-tuple-element(p), index=1
      a = c128[4,8] get-tuple-element(p), index=2
      z = s32[] constant(0)
      one = s32[] constant(1)
      q = c128[1,8] dynamic-slice(x, i, z), dynamic_slice_sizes={1,8}
      u = c128[4,8] dynamic-update-slice(a, q, i, z)
      j = s32[] add(i, one)
      ROOT r = (s32[], c128[4,8], c128[4,8]) tuple(j, u, u)
    }

    w4_c {
      p = (s32[], c128[4,8], c128[4,8]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      k = s32[] constant(4)
      ROOT r = pred[] compare(i, k), direction=LT
    }

    ENTRY main {
      v3 = c128[4,8] parameter(0)
      v5 = c128[] parameter(1)
      v6 = c128[4,8] broadcast(v5), dimensions={}
      v7 = s32[] constant(0)
      v8 = (s32[], c128[4,8], c128[4,8]) tuple(v7, v3, v6)
      v9 = (s32[], c128[4,8], c128[4,8]) while(v8), condition=w4_c, body=w4_b
      v10 = c128[4,8] get-tuple-element(v9), index=2
      v12 = s8[] parameter(2)
      v13 = s8[] constant(2)
      v14 = c128[1,7] dynamic-slice(v10, v12, v13), dynamic_slice_sizes={1,7}
      v15 = u4[2] bitcast-convert(v12)
      v17 = u8[1] parameter(3)
      v18 = u4[] gather(v15, v17), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=0, slice_sizes={1}
      v23 = c128[7,1] transpose(v14), dimensions={1,0}
      ROOT out = (u4[], c128[7,1]) tuple(v18, v23)
    }
  )");
  const std::vector<Literal> arguments = interpreter::random_arguments(module, 7).value();
  const Literal expected = run(Backend::load("interpreter").value(), module, arguments);
  auto compiled = open_npu().compile(module);
  REQUIRE(compiled.ok());
  auto found = compiled->executable.run(arguments);
  INFO((found.ok() ? "" : found.error().to_string()));
  REQUIRE(found.ok());
  const auto comparisons = interpreter::compare(*found, expected).value();
  for (const interpreter::Comparison &comparison : comparisons) {
    CHECK(comparison.identical);
  }
}

}  // namespace bp::npu::tests
