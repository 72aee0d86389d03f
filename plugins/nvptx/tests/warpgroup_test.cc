// Large dots and convolutions, multiplied by warpgroups from shared memory.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "plugins/nvptx/tests/programs.h"

namespace bp::nvptx::tests {
namespace {

struct Kind {
  std::string type, result, instruction;
  bool is_byte;
};
const Kind kinds_of_elements[] = {{"bf16", "f32", "k16.f32.bf16.bf16", false},
                                  {"f16", "f32", "k16.f32.f16.f16", false},
                                  {"s8", "s32", "k32.s32.s8.s8", true},
                                  {"u8", "u32", "k32.s32.u8.u8", true}};

struct Sizes {
  int batch, rows, columns, contracted;
};

// Operands lie along the contracted axis, or along the rows and columns.
std::string dot(const Kind &kind, const Sizes &sizes, bool rows_lie_along, bool columns_lie_along) {
  const auto &[batch, rows, columns, contracted] = sizes;
  return fmt::format(
      R"(HloModule dot
    ENTRY main {{
      x = {0}[{1},{2}] parameter(0)
      y = {0}[{1},{3}] parameter(1)
      ROOT r = {4}[{1},{5},{6}] dot(x, y), lhs_batch_dims={{0}}, lhs_contracting_dims={{{7}}}, rhs_batch_dims={{0}}, rhs_contracting_dims={{{8}}}
    }})",
      kind.type, batch,
      rows_lie_along ? fmt::format("{},{}", rows, contracted) : fmt::format("{},{}", contracted, rows),
      columns_lie_along ? fmt::format("{},{}", columns, contracted) : fmt::format("{},{}", contracted, columns),
      kind.result, rows, columns, rows_lie_along ? 2 : 1, columns_lie_along ? 2 : 1);
}

std::string ptx_for(const std::string &target, const std::string &text) {
  return ptx_of(text::parse_module(text).value(), target);
}

void check_warpgroups(const std::string &text) {
  CHECK(ptx_for("sm_90a", text).find("wgmma") != std::string::npos);
  check_on_emulator(text, 1e-5);
}

}  // namespace

TEST_CASE("large dots are multiplied by the units of warpgroups, where there are some") {
  for (const Kind &kind : kinds_of_elements) {
    for (const bool rows_lie_along : {true, false}) {
      for (const bool columns_lie_along : {true, false}) {
        const std::string text = dot(kind, {2, 4096, 4096, 4096}, rows_lie_along, columns_lie_along);
        const std::string ptx = ptx_for("sm_90a", text);
        INFO(ptx);
        CHECK(ptx.find("wgmma.mma_async.sync.aligned.m64n256" + kind.instruction) != std::string::npos);
        // Two bytes may lie either way: the last numbers say which side is turned.
        const std::string turned = fmt::format(", p, 1, 1, {}, {};", rows_lie_along ? 0 : 1, columns_lie_along ? 0 : 1);
        CHECK((ptx.find(turned) != std::string::npos) == !kind.is_byte);
        // The copy engine brings what lies as the unit wants it; what members turn they show to the unit first.
        const bool is_brought = !kind.is_byte || rows_lie_along || columns_lie_along;
        const bool is_turned = kind.is_byte && !(rows_lie_along && columns_lie_along);
        CHECK((count(ptx, "cp.async.bulk.tensor.3d") > 0) == is_brought);
        CHECK((count(ptx, "mbarrier.try_wait.parity") > 0) == is_brought);
        CHECK(count(ptx, "cp.async.cg") == 0);
        CHECK((count(ptx, "fence.proxy.async.shared::cta") > count(ptx, "mbarrier.init")) == is_turned);
        CHECK(ptx.find(".align 1024 .b8 shared_memory") != std::string::npos);
        CHECK(ptx_for("sm_90", text).find("wgmma") == std::string::npos);
      }
    }
  }
}

TEST_CASE("members copy what the copy engine cannot, and make it visible to the unit with a fence") {
  const Kind &kind = kinds_of_elements[0];
  for (const Sizes &sizes : {Sizes{1, 4096, 4096, 4100}, {1, 4096, 4096, 4097}}) {  // lines of no multiple of 16 bytes
    const std::string ptx = ptx_for("sm_90a", dot(kind, sizes, true, true));
    INFO(ptx);
    const std::size_t shown = ptx.find("fence.proxy.async.shared::cta");
    CHECK(shown != std::string::npos);
    CHECK(shown < ptx.find("bar.sync", shown));
    CHECK(ptx.find("bar.sync", shown) < ptx.find("wgmma.fence.sync.aligned"));
    CHECK(count(ptx, "cp.async.bulk") == 0);
    CHECK(count(ptx, "mbarrier") == 0);
  }
}

TEST_CASE("prologues are computed while operands are copied for the unit") {
  const std::string text = R"(HloModule scaled
    ENTRY main {
      x = f8e4m3fn[1024,96] parameter(0)
      y = s8[96,1040] parameter(1)
      scale = f16[1040] parameter(2)
      wide = f16[96,1040] convert(y)
      scales = f16[96,1040] broadcast(scale), dimensions={1}
      scaled = f16[96,1040] multiply(wide, scales)
      left = f16[1024,96] convert(x)
      ROOT r = f32[1024,1040] dot(left, scaled), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    })";
  const std::string ptx = ptx_for("sm_90a", text);
  INFO(ptx);
  CHECK(ptx.find("wgmma") != std::string::npos);
  CHECK(ptx.find("kernel_1") == std::string::npos);
  check_on_emulator(text, 1e-5);
}

TEST_CASE("few tiles, or small ones, are left to warps") {
  const Kind &kind = kinds_of_elements[0];
  for (const Sizes &sizes : {Sizes{1, 512, 512, 4096}, {1000, 64, 64, 64}, {200, 128, 64, 32}}) {
    CHECK(ptx_for("sm_90a", dot(kind, sizes, true, false)).find("wgmma") == std::string::npos);
  }
}

TEST_CASE("units of warpgroups multiply operands of any layout") {
  for (const Kind &kind : kinds_of_elements) {
    for (const bool rows_lie_along : {true, false}) {
      for (const bool columns_lie_along : {true, false}) {
        INFO(kind.type << " " << rows_lie_along << columns_lie_along);
        const int contracted = kind.is_byte ? 144 : 72;
        check_warpgroups(dot(kind, {2, 1000, 520, contracted}, rows_lie_along, columns_lie_along));
        if (rows_lie_along && columns_lie_along) {  // not 16 bytes at a time
          check_warpgroups(dot(kind, {2, 1023, 511, kind.is_byte ? 250 : 125}, rows_lie_along, columns_lie_along));
        }
      }
    }
  }
}

TEST_CASE("the columns of a warpgroup's tile are as many as there are") {
  for (const auto &[columns, batch] : {std::pair(64, 128), {128, 128}, {256, 128}}) {
    const std::string text = dot(kinds_of_elements[1], {batch, 128, columns, 64}, true, false);
    CHECK(ptx_for("sm_90a", text).find(fmt::format("m64n{}k16", columns)) != std::string::npos);
    check_on_emulator(text, 1e-5);
  }
}

TEST_CASE("epilogues of warpgroups are computed in the same kernel") {
  const std::string text = R"(HloModule layer
    ENTRY main {
      x = bf16[1000,96] parameter(0)
      y = bf16[96,1048] parameter(1)
      bias = bf16[1048] parameter(2)
      sums = bf16[1000,1048] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      biases = bf16[1000,1048] broadcast(bias), dimensions={1}
      biased = bf16[1000,1048] add(sums, biases)
      zero = bf16[] constant(0)
      zeros = bf16[1000,1048] broadcast(zero), dimensions={}
      ROOT r = bf16[1000,1048] maximum(biased, zeros)
    })";
  const std::string ptx = ptx_for("sm_90a", text);
  CHECK(ptx.find("wgmma") != std::string::npos);
  CHECK(ptx.find("kernel_1") == std::string::npos);
  check_on_emulator(text, 1e-2);
}

TEST_CASE("convolutions are multiplied by warpgroups") {
  const std::string text = R"(HloModule convolution
    ENTRY main {
      image = bf16[4,32,32,24] parameter(0)
      filter = bf16[3,3,24,256] parameter(1)
      ROOT r = f32[4,32,32,256] convolution(image, filter), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
    })";
  check_warpgroups(text);
}

}  // namespace bp::nvptx::tests
