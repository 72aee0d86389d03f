// Dots and convolutions, a tile of the result for each block.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "plugins/nvptx/tests/programs.h"

namespace bp::nvptx::tests {
namespace {

std::string dot(std::string_view type, int rows, int columns, int contracted, std::string_view result = "") {
  return fmt::format(R"(HloModule dot
    ENTRY main {{
      x = {0}[{1},{3}] parameter(0)
      y = {0}[{3},{2}] parameter(1)
      ROOT r = {4}[{1},{2}] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
    }})",
                     type, rows, columns, contracted, result.empty() ? type : result);
}

// A dense layer: a dot with bias, activation and residual.
std::string layer(std::string_view type, int rows, int columns, int contracted) {
  return fmt::format(R"(HloModule layer
    ENTRY main {{
      x = {0}[{1},{3}] parameter(0)
      y = {0}[{3},{2}] parameter(1)
      bias = {0}[{2}] parameter(2)
      before = f32[{1},{2}] parameter(3)
      sums = {0}[{1},{2}] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
      biases = {0}[{1},{2}] broadcast(bias), dimensions={{1}}
      biased = {0}[{1},{2}] add(sums, biases)
      wide = f32[{1},{2}] convert(biased)
      active = f32[{1},{2}] tanh(wide)
      ROOT r = f32[{1},{2}] add(active, before)
    }})",
                     type, rows, columns, contracted);
}

}  // namespace

TEST_CASE("bias, activation and residual are work on the sums of a dot, in one kernel") {
  for (const std::string type : {"f32", "bf16", "f16"}) {
    for (const auto &[rows, columns, contracted] :
         {std::array{256, 256, 64}, {100, 150, 70}, {33, 17, 40}, {3, 4, 20}, {40, 3, 20}}) {
      INFO(type << " " << rows << " x " << columns << " x " << contracted);
      const std::string ptx = ptx_of(text::parse_module(layer(type, rows, columns, contracted)).value(), "sm_80");
      CHECK(ptx.find("kernel_0") != std::string::npos);
      CHECK(ptx.find("kernel_1") == std::string::npos);
      check_on_emulator(layer(type, rows, columns, contracted), type == "f32" ? 1e-5 : 1e-2);
    }
  }
  check_on_emulator(layer("f64", 40, 50, 60), 1e-6);
}

TEST_CASE("elementwise work on the result of a convolution is done on its sums") {
  check_on_emulator(R"(HloModule convolution
    ENTRY main {
      image = f32[2,14,15,20] parameter(0)
      filter = f32[3,3,20,24] parameter(1)
      bias = f32[24] parameter(2)
      before = f32[2,29,31,24] parameter(3)
      sums = f32[2,29,31,24] convolution(image, filter), window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f
      biases = f32[2,29,31,24] broadcast(bias), dimensions={3}
      biased = f32[2,29,31,24] add(sums, biases)
      zero = f32[] constant(0)
      zeros = f32[2,29,31,24] broadcast(zero), dimensions={}
      active = f32[2,29,31,24] maximum(biased, zeros)
      ROOT r = f32[2,29,31,24] add(active, before)
    })",
                    1e-5);
}

TEST_CASE("work on the sums of dots whose results are in any order") {
  check_on_emulator(R"(HloModule batched
    ENTRY main {
      x = f32[3,70,20]{1,2,0} parameter(0)
      y = f32[40,3,20] parameter(1)
      mask = pred[70,40] parameter(2)
      low = f32[] constant(-1e9)
      p = f32[3,70,40] dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={1}, rhs_contracting_dims={2}
      masks = pred[3,70,40] broadcast(mask), dimensions={1,2}
      lows = f32[3,70,40] broadcast(low), dimensions={}
      masked = f32[3,70,40] select(masks, p, lows)
      t = f32[5,8,3,20] reshape(y)
      q = f32[3,70,5,8] dot(x, t), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={2}, rhs_contracting_dims={3}
      r = f32[3,70,5,8] negate(q)
      ROOT all = (f32[3,70,40], f32[3,70,5,8]) tuple(masked, r)
    })",
                    1e-5);
}

TEST_CASE("a dot is multiplied in tiles from shared memory, whatever its size") {
  const std::string ptx = ptx_of(text::parse_module(dot("f32", 256, 256, 256)).value(), "sm_80");
  INFO(ptx);
  CHECK(ptx.find("bar.sync") != std::string::npos);
  CHECK(ptx.find("ld.shared") != std::string::npos);
  CHECK(ptx.find("fma.rn.f32") != std::string::npos);
  for (const auto &[rows, columns, contracted] :
       {std::array{16, 16, 16}, {128, 64, 32}, {17, 33, 19}, {200, 300, 70}, {65, 16, 700}, {16, 129, 1000}}) {
    INFO(rows << " x " << columns << " x " << contracted);
    check_on_emulator(dot("f32", rows, columns, contracted), 1e-5);
  }
}

TEST_CASE("members of a team share the long sums of few rows or columns") {
  const std::string along =
      "HloModule dot ENTRY main { x = bf16[4,4096] parameter(0)  y = bf16[4096,4096] parameter(1)"
      "  ROOT r = f32[4,4096] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1} }";
  for (const std::string &text : {along, dot("bf16", 4, 4096, 4096, "f32")}) {
    const std::string ptx = ptx_of(text::parse_module(text).value(), "sm_80");
    INFO(ptx);
    CHECK(ptx.find("shfl.sync.bfly.b32") != std::string::npos);
    CHECK(ptx.find("ld.global.nc.v4.") != std::string::npos);
    CHECK(ptx.find("kernel_1") == std::string::npos);
  }
  for (const auto &[rows, columns, contracted] : {std::array{1, 1, 5000},
                                                  {1, 1000, 512},
                                                  {8, 100, 64},
                                                  {15, 15, 2000},
                                                  {100, 7, 333},
                                                  {1000, 1, 100},
                                                  {3, 2, 70},
                                                  {1, 4000, 64}}) {
    INFO(rows << " x " << columns << " x " << contracted);
    for (const char *type : {"f32", "bf16", "s32"}) {
      check_on_emulator(dot(type, rows, columns, contracted, type == std::string("bf16") ? "f32" : type), 1e-5);
      // The other operand lies along the contracted dimension.
      check_on_emulator(fmt::format(R"(HloModule dot
        ENTRY main {{
          x = {0}[{1},{3}] parameter(0)
          y = {0}[{2},{3}] parameter(1)
          ROOT r = {4}[{1},{2}] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}
        }})",
                                    type, rows, columns, contracted, type == std::string("bf16") ? "f32" : type),
                        1e-5);
    }
    check_on_emulator(layer("f32", rows, columns, contracted), 1e-5);
  }
  check_on_emulator(dot("f64", 15, 200, 300), 1e-13);
  check_on_emulator(dot("s8", 5, 200, 300));
}

TEST_CASE("members of a team share the sums of a decoder's attention") {
  check_on_emulator(R"(HloModule attention
    ENTRY main {
      query = bf16[2,8,1,128] parameter(0)
      keys = bf16[2,8,300,128] parameter(1)
      weights = bf16[2,8,1,300] parameter(2)
      values = bf16[2,300,8,128] parameter(3)
      scores = f32[2,8,1,300] dot(query, keys), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={3}
      sums = f32[2,8,1,128] dot(weights, values), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,2}, rhs_contracting_dims={1}
      ROOT r = (f32[2,8,1,300], f32[2,8,1,128]) tuple(scores, sums)
    })",
                    1e-5);
}

TEST_CASE("dots of every kind of number are multiplied in tiles") {
  check_on_emulator(dot("f64", 40, 50, 60), 1e-13);
  check_on_emulator(dot("bf16", 40, 50, 60), 1e-2);
  check_on_emulator(dot("f16", 40, 50, 60), 1e-2);
  check_on_emulator(dot("bf16", 40, 50, 60, "f32"), 1e-5);
  check_on_emulator(dot("s32", 40, 50, 60));
  check_on_emulator(dot("s8", 40, 50, 60, "s32"));
  check_on_emulator(dot("u8", 40, 50, 60, "u32"));
}

TEST_CASE("dots of narrow floats are multiplied by the matrix unit, where there is one") {
  for (const std::string type : {"bf16", "f16"}) {
    const Module module = text::parse_module(dot(type, 256, 256, 256)).value();
    const std::string instruction = "mma.sync.aligned.m16n8k16.row.col.f32." + type + "." + type + ".f32";
    const std::string oldest = ptx_of(module, "sm_75");
    CHECK((oldest.find("mma.sync") != std::string::npos) == (type == "f16"));
    CHECK((oldest.find("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32") != std::string::npos) == (type == "f16"));
    CHECK(ptx_of(module, "sm_80").find(instruction) != std::string::npos);
    CHECK(ptx_of(module, "sm_90a").find(instruction) != std::string::npos);
    for (const auto &[rows, columns, contracted] :
         {std::array{16, 16, 16}, {128, 128, 64}, {17, 33, 19}, {100, 150, 70}, {1200, 1300, 16}}) {
      INFO(rows << " x " << columns << " x " << contracted);
      check_on_emulator(dot(type, rows, columns, contracted, "f32"), 1e-5);
      check_on_emulator(dot(type, rows, columns, contracted, "f32"), 1e-5, {{"target", "sm_75"}});
    }
  }
}

TEST_CASE("dots of bytes are multiplied by the matrix unit, where there is one") {
  for (const auto &[type, result] : {std::pair("s8", "s32"), {"u8", "u32"}}) {
    const Module module = text::parse_module(dot(type, 256, 256, 256, result)).value();
    const std::string types = fmt::format("row.col.s32.{0}.{0}.s32", type);
    CHECK(ptx_of(module, "sm_75").find("mma.sync.aligned.m8n8k16." + types) != std::string::npos);
    CHECK(ptx_of(module, "sm_80").find("mma.sync.aligned.m16n8k32." + types) != std::string::npos);
    CHECK(ptx_of(module, "sm_90").find("mma.sync.aligned.m16n8k32." + types) != std::string::npos);
    for (const auto &[rows, columns, contracted] :
         {std::array{16, 16, 16}, {128, 128, 64}, {17, 33, 19}, {100, 150, 70}}) {
      INFO(rows << " x " << columns << " x " << contracted);
      for (const char *target : {"sm_75", "sm_80", "sm_90a"}) {
        check_on_emulator(dot(type, rows, columns, contracted, result), 0, {{"target", target}});
      }
    }
  }
}

TEST_CASE("dots of f32 are multiplied by the matrix unit as tf32, where that is allowed") {
  const Settings allowed = {{"tf32", "1"}};
  const std::string instruction = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32";
  const std::string text = dot("f32", 128, 128, 128);
  CHECK(ptx_of(text::parse_module(text).value(), "sm_80").find("mma.sync") == std::string::npos);
  CHECK(ptx_of(text::parse_module(text).value(), "sm_75", {}, allowed).find("mma.sync") == std::string::npos);
  CHECK(ptx_of(text::parse_module(text).value(), "sm_80", {}, allowed).find(instruction) != std::string::npos);
  std::string exact = text;
  exact.insert(exact.rfind('\n'), ", operand_precision={highest,highest}");
  CHECK(ptx_of(text::parse_module(exact).value(), "sm_80", {}, allowed).find("mma.sync") == std::string::npos);
  for (const auto &[rows, columns, contracted] : {std::array{64, 128, 32}, {17, 33, 19}, {40, 24, 100}}) {
    INFO(rows << " x " << columns << " x " << contracted);
    check_on_emulator(dot("f32", rows, columns, contracted), 2e-3, allowed);
  }
}

TEST_CASE("slices are copied 16 bytes at a time and asynchronously, where the layout of the operands allows it") {
  struct Kind {
    std::string type, result;
    bool is_of_unit;
  };
  for (const auto &[type, result, is_of_unit] : {Kind{"f32", "f32", false},
                                                 {"bf16", "f32", true},
                                                 {"f16", "f32", true},
                                                 {"s8", "s32", true},
                                                 {"u8", "u32", true},
                                                 {"s32", "s32", false},
                                                 {"s16", "s32", false},
                                                 {"f64", "f64", false}}) {
    for (const bool rows_lie_along : {true, false}) {
      for (const bool columns_lie_along : {true, false}) {
        const auto program = [&](int rows, int columns, int contracted) {
          return fmt::format(
              R"(HloModule dot
            ENTRY main {{
              x = {0}[{1}] parameter(0)
              y = {0}[{2}] parameter(1)
              ROOT r = {3}[{4},{5}] dot(x, y), lhs_contracting_dims={{{6}}}, rhs_contracting_dims={{{7}}}
            }})",
              type, rows_lie_along ? fmt::format("{},{}", rows, contracted) : fmt::format("{},{}", contracted, rows),
              columns_lie_along ? fmt::format("{},{}", columns, contracted) : fmt::format("{},{}", contracted, columns),
              result, rows, columns, rows_lie_along ? 1 : 0, columns_lie_along ? 1 : 0);
        };
        const std::string ptx = ptx_of(text::parse_module(program(256, 256, 256)).value(), "sm_80");
        INFO(type << " " << rows_lie_along << columns_lie_along << "\n" << ptx);
        // Lines of a slice are as the matrix unit, or its loads, which turn two bytes, and the threads want them.
        const bool is_narrow = type == "bf16" || type == "f16", is_byte = type == "s8" || type == "u8";
        const bool comes_by_itself =
            type != "s16" &&
            (is_narrow || (is_byte ? rows_lie_along || columns_lie_along : !rows_lie_along || !columns_lie_along));
        CHECK((ptx.find("cp.async.cg.shared.global") != std::string::npos) == comes_by_itself);
        CHECK((ptx.find("ldmatrix.sync.aligned.m8n8.x4.shared.b16") != std::string::npos) ==
              (is_of_unit && (rows_lie_along || columns_lie_along || is_byte)));
        CHECK((ptx.find("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16") != std::string::npos) ==
              (is_narrow && !(rows_lie_along && columns_lie_along)));
        for (const auto &[rows, columns, contracted] :
             {std::array{64, 128, 96}, {17, 33, 19}, {40, 24, 72}, {36, 20, 100}, {16, 16, 16}}) {
          INFO(rows << " x " << columns << " x " << contracted);
          check_on_emulator(program(rows, columns, contracted), type == "f64" ? 1e-13 : 1e-5);
        }
      }
    }
  }
}

TEST_CASE("dots with batches and operands in any order are multiplied in tiles") {
  check_on_emulator(R"(HloModule batched
    ENTRY main {
      x = f32[3,70,20]{1,2,0} parameter(0)
      y = f32[40,3,20] parameter(1)
      z = f32[70,3,40] parameter(2)
      p = f32[3,70,40] dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={1}, rhs_contracting_dims={2}
      q = f32[3,40,20] dot(z, x), lhs_batch_dims={1}, lhs_contracting_dims={0}, rhs_batch_dims={0}, rhs_contracting_dims={1}
      ROOT r = (f32[3,70,40], f32[3,40,20]) tuple(p, q)
    })",
                    1e-5);
}

TEST_CASE("convolutions are multiplied in tiles, whatever their windows") {
  for (const auto &[type, result] : {std::pair("f32", "f32"), {"bf16", "f32"}, {"s8", "s32"}}) {
    check_on_emulator(fmt::format(R"(HloModule convolutions
    ENTRY main {{
      image = {0}[2,14,15,20] parameter(0)
      filter = {0}[3,3,20,24] parameter(1)
      narrow = {0}[1,1,20,32] parameter(2)
      grouped = {0}[3,3,10,32] parameter(3)
      same = {1}[2,14,15,24] convolution(image, filter), window={{size=3x3 pad=1_1x1_1}}, dim_labels=b01f_01io->b01f
      strided = {1}[2,7,8,24] convolution(image, filter), window={{size=3x3 stride=2x2 pad=1_1x1_1}}, dim_labels=b01f_01io->b01f
      dilated = {1}[2,10,11,24] convolution(image, filter), window={{size=3x3 rhs_dilate=2x2}}, dim_labels=b01f_01io->b01f
      transposed = {1}[2,29,31,24] convolution(image, filter), window={{size=3x3 pad=2_2x2_2 lhs_dilate=2x2}}, dim_labels=b01f_01io->b01f
      reversed = {1}[2,12,13,24] convolution(image, filter), window={{size=3x3 rhs_reversal=1x1}}, dim_labels=b01f_01io->b01f
      points = {1}[2,14,15,32] convolution(image, narrow), window={{size=1x1}}, dim_labels=b01f_01io->b01f
      groups = {1}[2,14,15,32] convolution(image, grouped), window={{size=3x3 pad=1_1x1_1}}, dim_labels=b01f_01io->b01f, feature_group_count=2
      ROOT r = ({1}[2,14,15,24], {1}[2,7,8,24], {1}[2,10,11,24], {1}[2,29,31,24], {1}[2,12,13,24], {1}[2,14,15,32], {1}[2,14,15,32])
        tuple(same, strided, dilated, transposed, reversed, points, groups)
    }})",
                                  type, result),
                      1e-5);
  }
}

}  // namespace bp::nvptx::tests
