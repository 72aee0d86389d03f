// Work on the operands of dots and convolutions, in the kernel that multiplies.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "plugins/nvptx/tests/programs.h"

namespace bp::nvptx::tests {
namespace {

struct DotSizes {
  int rows, columns, contracted;
};
// Sizes with full and partial tiles, with few rows, with few columns, and so small that threads work by themselves.
constexpr DotSizes all_sizes[] = {{64, 128, 96}, {17, 33, 19}, {40, 24, 72}, {16, 16, 16},
                                  {1, 300, 512}, {8, 100, 64}, {90, 5, 77},  {3, 4, 20}};

// The operands are computed by these lines, where {0} is rows, {1} columns and {2} contracted.
std::string dot_of(const std::string &operands, const std::string &result, const DotSizes &sizes) {
  const std::string text = "HloModule prologue ENTRY main {{" + operands + " ROOT r = " + result +
                           "[{0},{1}] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}";
  return fmt::format(fmt::runtime(text), sizes.rows, sizes.columns, sizes.contracted);
}

int kernels_of(const std::string &ptx) {
  int count = 0;
  while (ptx.find("kernel_" + std::to_string(count)) != std::string::npos) {
    ++count;
  }
  return count;
}

void check_is_one_kernel(const std::string &operands, const std::string &result, double tolerance,
                         std::string_view instruction = "") {
  const std::string text = dot_of(operands, result, {128, 128, 128});
  for (const std::string target : {"sm_80", "sm_90", "sm_90a"}) {
    const std::string ptx = ptx_of(text::parse_module(text).value(), target);
    INFO(target << "\n" << text << "\n" << ptx);
    CHECK(kernels_of(ptx) == 1);
    const bool has_warpgroups = ptx.find("wgmma") != std::string::npos;
    CHECK((has_warpgroups ? target == "sm_90a" : ptx.find(instruction) != std::string::npos));
  }
  for (const DotSizes &sizes : all_sizes) {
    const std::string program = dot_of(operands, result, sizes);
    INFO(program);
    CHECK(kernels_of(ptx_of(text::parse_module(program).value(), "sm_90")) == 1);
    check_on_emulator(program, tolerance);
  }
}

}  // namespace

TEST_CASE("a dot of floats of 8 bits is one kernel, and the matrix unit multiplies") {
  for (const std::string type : {"f8e4m3fn", "f8e5m2", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e3m4"}) {
    check_is_one_kernel(fmt::format("x = {0}[{{0}},{{2}}] parameter(0)  y = {0}[{{2}},{{1}}] parameter(1)", type),
                        "f32", 1e-5, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  }
  check_is_one_kernel("x = f8e4m3fn[{0},{2}] parameter(0)  y = bf16[{2},{1}] parameter(1)", "f32", 1e-5,
                      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
}

TEST_CASE("weights of 4 bits, two of them in a byte, become numbers in the kernel that multiplies") {
  for (const std::string type : {"s4", "u4"}) {
    for (const DotSizes &sizes : all_sizes) {
      const std::string program =
          dot_of(fmt::format("x = f32[{{0}},{{2}}] parameter(0)  w = {0}[{{2}},{{1}}]{{{{1,0:E(4)}}}} parameter(1)  "
                             "y = f32[{{2}},{{1}}] convert(w)",
                             type),
                 "f32", sizes);
      INFO(program);
      CHECK(kernels_of(ptx_of(text::parse_module(program).value(), "sm_90")) == 1);
      check_on_emulator(program, 1e-5);
    }
  }
}

TEST_CASE("sixteen bytes are read at a time, however narrow the elements") {
  const std::string ptx =
      ptx_of(text::parse_module(
                 dot_of("x = f8e5m2[{0},{2}] parameter(0)  y = f8e5m2[{2},{1}] parameter(1)", "f32", {64, 64, 64}))
                 .value(),
             "sm_80");
  INFO(ptx);
  CHECK(ptx.find("ld.global.nc.v4.") != std::string::npos);
  CHECK(ptx.find("ld.global.nc.u8") == std::string::npos);
  CHECK(ptx.find("ld.global.nc.b8") == std::string::npos);
}

TEST_CASE("weights of s8 with a scale, and other cheap operands, are multiplied in one kernel") {
  const std::string x = "x = bf16[{0},{2}] parameter(0)  w = s8[{2},{1}] parameter(1)  v = bf16[{2},{1}] convert(w)";
  const std::string instruction = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32";
  check_is_one_kernel(x + " s = bf16[] parameter(2)  t = bf16[{2},{1}] broadcast(s), dimensions={{}}"
                          " y = bf16[{2},{1}] multiply(v, t)",
                      "f32", 1e-5, instruction);
  check_is_one_kernel(x + " s = bf16[{1}] parameter(2)  t = bf16[{2},{1}] broadcast(s), dimensions={{1}}"
                          " y = bf16[{2},{1}] multiply(v, t)",
                      "f32", 1e-5, instruction);
  check_is_one_kernel(x + " s = bf16[{2}] parameter(2)  t = bf16[{2},{1}] broadcast(s), dimensions={{0}}"
                          " z = bf16[] parameter(3)  p = bf16[{2},{1}] broadcast(z), dimensions={{}}"
                          " u = bf16[{2},{1}] subtract(v, p)  y = bf16[{2},{1}] multiply(u, t)",
                      "f32", 1e-5, instruction);
  check_is_one_kernel(x + " m = pred[{2},{1}] parameter(2)  a = bf16[] constant(-3)  b = bf16[] constant(5)"
                          " c = bf16[{2},{1}] clamp(a, v, b)  n = bf16[{2},{1}] negate(v)"
                          " y = bf16[{2},{1}] select(m, c, n)",
                      "f32", 1e-5, instruction);
}

TEST_CASE("elements outside of an operand are zero, whatever its prologue computes") {
  check_is_one_kernel(
      "p = s8[{0},{2}] parameter(0)  q = s8[{2},{1}] parameter(1)  one = s8[] constant(1)"
      " xs = s8[{0},{2}] broadcast(one), dimensions={{}}  x = s8[{0},{2}] add(p, xs)"
      " ys = s8[{2},{1}] broadcast(one), dimensions={{}}  y = s8[{2},{1}] subtract(q, ys)",
      "s32", 0, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32");
  check_is_one_kernel(
      "p = s16[{0},{2}] parameter(0)  x = s32[{0},{2}] convert(p)  q = s32[{2},{1}] parameter(1)"
      " i = s32[{2},{1}] iota(), iota_dimension=0  y = s32[{2},{1}] subtract(i, q)",
      "s32", 0);
  check_on_emulator(R"(HloModule padding
    ENTRY main {
      image = s8[2,14,15,20] parameter(0)
      filter = s8[3,3,20,24] parameter(1)
      one = s32[] constant(1)
      ones = s32[2,14,15,20] broadcast(one), dimensions={}
      wide = s32[2,14,15,20] convert(image)
      more = s32[2,14,15,20] add(wide, ones)
      factors = s32[3,3,20,24] convert(filter)
      again = s32[2,14,15,20] subtract(wide, ones)
      same = s32[2,14,15,24] convolution(more, factors), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
      dilated = s32[2,29,31,24] convolution(again, filter), window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f
      ROOT r = (s32[2,14,15,24], s32[2,29,31,24]) tuple(same, dilated)
    })");
}

TEST_CASE("operands of several dimensions are computed where they are read") {
  // A vector of neighbours goes on into the next row, of which another scale is.
  for (const char *scale : {"s[3]{0}", "s[6]{1}", "s[4]{2}", "s[20]{3}"}) {
    const std::string_view text(scale);
    const std::string size(text.substr(2, text.find(']') - 2)), dimension(text.substr(text.find('{') + 1, 1));
    for (const auto &[lhs, rhs] : {std::pair("1,2", "0,1"), std::pair("3", "2")}) {
      const bool is_long = lhs[1] != 0;
      const std::string program = fmt::format(
          R"(HloModule dimensions
        ENTRY main {{
          w = s8[3,6,4,20] parameter(0)
          s = f32[{}] parameter(1)
          y = f32[{}] parameter(2)
          v = f32[3,6,4,20] convert(w)
          t = f32[3,6,4,20] broadcast(s), dimensions={{{}}}
          x = f32[3,6,4,20] multiply(v, t)
          ROOT r = f32[{}] dot(x, y), lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}
        }})",
          size, is_long ? "6,4,18" : "30,7,20", dimension, is_long ? "3,20,18" : "3,6,4,30,7", lhs, rhs);
      INFO(program);
      CHECK(kernels_of(ptx_of(text::parse_module(program).value(), "sm_80")) == 1);
      check_on_emulator(program, 1e-5);
    }
  }
  check_on_emulator(R"(HloModule batched
    ENTRY main {
      x = f8e4m3fn[3,70,20] parameter(0)
      y = f8e4m3fn[40,3,20] parameter(1)
      bias = f32[40] parameter(2)
      p = f32[3,70,40] dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={1}, rhs_contracting_dims={2}
      biases = f32[3,70,40] broadcast(bias), dimensions={2}
      ROOT r = f32[3,70,40] add(p, biases)
    })",
                    1e-5);
}

TEST_CASE("operands that are expensive, large or needed elsewhere are kernels of their own") {
  const auto kernels = [](const std::string &operands, const DotSizes &sizes) {
    return kernels_of(ptx_of(text::parse_module(dot_of(operands, "f32", sizes)).value(), "sm_80"));
  };
  const DotSizes some = {64, 64, 64};
  const std::string y = " y = f32[{2},{1}] parameter(1)";
  CHECK(kernels("w = bf16[{0},{2}] parameter(0)  v = f32[{0},{2}] convert(w)  x = f32[{0},{2}] tanh(v)" + y, some) ==
        2);
  CHECK(kernels("w = f32[{0},{2}] parameter(0)  v = f32[{0},{2}] parameter(2)  x = f32[{0},{2}] add(w, v)" + y, some) ==
        2);
  CHECK(kernels("w = bf16[{0},{2}] parameter(0)  x = f32[{0},{2}] convert(w)" + y, some) == 1);
  // Every tile would compute it again.
  const std::string tiny = "x = f8e4m3fn[{0},{2}] parameter(0)  y = f8e4m3fn[{2},{1}] parameter(1)";
  CHECK(kernels(tiny, {4096, 4096, 4096}) > 1);
  CHECK(kernels(tiny, {16, 4096, 4096}) == 1);
}

}  // namespace bp::nvptx::tests
