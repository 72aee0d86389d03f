// Scatters to places known only at run time: many threads give the result of one.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "plugins/nvptx/tests/programs.h"

namespace bp::nvptx::tests {
namespace {

// combiner: an op of p, the element of the operand, and q, the update. Places are 0 to 15, of which 12 to 15 are
// outside of the operand.
std::string rows(std::string_view type, std::string_view combiner, int updates, int length,
                 std::string_view more = "") {
  return fmt::format(R"(HloModule rows
    combine {{ p = {0}[] parameter(0)  q = {0}[] parameter(1)  ROOT r = {0}[] {1} }}
    ENTRY main {{
      x = {0}[12,{3}] parameter(0)
      any = s32[{2},1] parameter(1)
      u = {0}[{2},{3}] parameter(2)
      most = s32[] constant(15)
      mosts = s32[{2},1] broadcast(most), dimensions={{}}
      i = s32[{2},1] and(any, mosts)
      ROOT r = {0}[12,{3}] scatter(x, i, u), update_window_dims={{1}}, inserted_window_dims={{0}},
        scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=combine{4}
    }})",
                     type, combiner, updates, length, more);
}

std::string ptx(const std::string &text) {
  return ptx_of(text::parse_module(text).value(), "sm_80");
}

}  // namespace

TEST_CASE("updates of a scatter are combined in order, whatever the computation") {
  for (const int updates : {1, 7, 300}) {
    for (const int length : {1, 3, 64, 700}) {
      INFO(updates << " updates of " << length);
      check_on_emulator(rows("f32", "add(p, q)", updates, length));
      check_on_emulator(rows("f32", "subtract(q, p)", updates, length));
      check_on_emulator(rows("s32", "subtract(q, p)", updates, length));
    }
  }
  check_on_emulator(rows("bf16", "add(p, q)", 100, 40));
  check_on_emulator(rows("c64", "multiply(p, q)", 30, 5));
  check_on_emulator(rows("pred", "or(p, q)", 10, 40));
}

TEST_CASE("integers are combined by atomic instructions") {
  CHECK(ptx(rows("s32", "add(p, q)", 30, 5)).find("atom.global.add.u32") != std::string::npos);
  CHECK(ptx(rows("u64", "maximum(q, p)", 30, 5)).find("atom.global.max.u64") != std::string::npos);
  CHECK(ptx(rows("f32", "add(p, q)", 30, 5)).find("atom") == std::string::npos);
  CHECK(ptx(rows("s32", "multiply(p, q)", 30, 5)).find("atom") == std::string::npos);
  for (const std::string_view type : {"s32", "u32", "s64", "u64", "s8", "u16"}) {
    for (const char *combiner :
         {"add(p, q)", "multiply(p, q)", "maximum(p, q)", "minimum(q, p)", "and(p, q)", "or(p, q)", "xor(p, q)"}) {
      INFO(type << " " << combiner);
      check_on_emulator(rows(type, combiner, 70, 9));
    }
  }
}

TEST_CASE("the last update of an element is kept, in any order of threads") {
  check_on_emulator(R"(HloModule last
    second { p = f32[] parameter(0)  ROOT q = f32[] parameter(1) }
    ENTRY main {
      x = f32[40] parameter(0)
      any = s64[500] parameter(1)
      u = f32[500] parameter(2)
      most = s64[] constant(63)
      mosts = s64[500] broadcast(most), dimensions={}
      i = s64[500] and(any, mosts)
      ROOT r = f32[40] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0},
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second
    })");
}

TEST_CASE("overlapping windows are combined in order") {
  check_on_emulator(R"(HloModule windows
    add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
    ENTRY main {
      x = f32[30,20,6] parameter(0)
      any = s32[2,50] parameter(1)
      u = f32[50,5,4,6] parameter(2)
      most = s32[] constant(31)
      mosts = s32[2,50] broadcast(most), dimensions={}
      i = s32[2,50] and(any, mosts)
      ROOT r = f32[30,20,6] scatter(x, i, u), update_window_dims={1,2,3}, inserted_window_dims={},
        scatter_dims_to_operand_dims={0,1}, index_vector_dim=0, to_apply=add
    })");
}

TEST_CASE("batches have elements of their own") {
  check_on_emulator(R"(HloModule batches
    add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
    ENTRY main {
      x = f32[5,30,7] parameter(0)
      any = s32[40,5] parameter(1)
      u = f32[40,5,7] parameter(2)
      most = s32[] constant(31)
      mosts = s32[40,5] broadcast(most), dimensions={}
      i = s32[40,5] and(any, mosts)
      ROOT r = f32[5,30,7] scatter(x, i, u), update_window_dims={2}, inserted_window_dims={1},
        input_batching_dims={0}, scatter_indices_batching_dims={1},
        scatter_dims_to_operand_dims={1}, index_vector_dim=2, to_apply=add
    })");
}

TEST_CASE("consecutive equal indices are combined by the thread of the first") {
  // Places 0 0 0 1 1 1 2 ..., of which some are none of the operand; and pairs of numbers.
  const auto sorted = [](std::string_view type, std::string_view combiner, int updates, int length) {
    return fmt::format(R"(HloModule sorted
      combine {{ p = {0}[] parameter(0)  q = {0}[] parameter(1)  ROOT r = {0}[] {1} }}
      ENTRY main {{
        x = {0}[12,{3}] parameter(0)
        u = {0}[{2},{3}] parameter(1)
        n = s32[{2},1] iota(), iota_dimension=0
        three = s32[] constant(3)
        threes = s32[{2},1] broadcast(three), dimensions={{}}
        i = s32[{2},1] divide(n, threes)
        ROOT r = {0}[12,{3}] scatter(x, i, u), update_window_dims={{1}}, inserted_window_dims={{0}},
          scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, indices_are_sorted=true, to_apply=combine
      }})",
                       type, combiner, updates, length);
  };
  for (const int updates : {1, 2, 35, 300}) {
    check_on_emulator(sorted("f32", "add(p, q)", updates, 7));
    check_on_emulator(sorted("bf16", "subtract(q, p)", updates, 1));
    check_on_emulator(sorted("c64", "multiply(p, q)", updates, 2));
    check_on_emulator(sorted("s16", "add(p, q)", updates, 3));
  }
  check_on_emulator(R"(HloModule pairs
    last { p = f64[] parameter(0)  ROOT q = f64[] parameter(1) }
    ENTRY main {
      x = f64[6,5] parameter(0)
      u = f64[90] parameter(1)
      n = s32[90,1] iota(), iota_dimension=0
      three = s32[] constant(3)
      threes = s32[90,1] broadcast(three), dimensions={}
      fifteen = s32[] constant(15)
      fifteens = s32[90,1] broadcast(fifteen), dimensions={}
      row = s32[90,1] divide(n, fifteens)
      in_row = s32[90,1] remainder(n, fifteens)
      column = s32[90,1] divide(in_row, threes)
      i = s32[90,2] concatenate(row, column), dimensions={1}
      ROOT r = f64[6,5] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0,1},
        scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, indices_are_sorted=true, to_apply=last
    })");
}

TEST_CASE("many small windows are sorted before they are scattered") {
  const std::string_view batches = R"(HloModule batches
    add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
    ENTRY main {
      x = f32[3,7,5,2] parameter(0)
      any = u8[3,2,40] parameter(1)
      u = f32[2,3,40] parameter(2)
      most = u8[] constant(7)
      mosts = u8[3,2,40] broadcast(most), dimensions={}
      i = u8[3,2,40] and(any, mosts)
      ROOT scattered = f32[3,7,5,2] scatter(x, i, u), update_window_dims={0}, inserted_window_dims={1,2},
        input_batching_dims={0}, scatter_indices_batching_dims={0},
        scatter_dims_to_operand_dims={2,1}, index_vector_dim=1, to_apply=add
    })";
  check_on_emulator(batches);
  CHECK(plan_of(batches).find("for scattered.sort") != std::string::npos);
  // Windows of one row, which keep that dimension: a thread for each of 8000 elements.
  const std::string_view kept = R"(HloModule kept
    add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
    ENTRY main {
      x = f32[50,8] parameter(0)
      any = s32[1000,1] parameter(1)
      u = f32[1000,1,8] parameter(2)
      most = s32[] constant(63)
      mosts = s32[1000,1] broadcast(most), dimensions={}
      i = s32[1000,1] and(any, mosts)
      ROOT r = f32[50,8] scatter(x, i, u), update_window_dims={1,2}, inserted_window_dims={},
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    })";
  check_on_emulator(kept);
  CHECK(plan_of(kept).find("<<<32, 256>>>") != std::string::npos);
  // Updates are not sorted where places do not fit into s32.
  CHECK(plan_of(R"(HloModule far
    add { p = bf16[] parameter(0)  q = bf16[] parameter(1)  ROOT r = bf16[] add(p, q) }
    ENTRY main {
      x = bf16[3000000000] parameter(0)
      i = s64[300] parameter(1)
      u = bf16[300] parameter(2)
      ROOT scattered = bf16[3000000000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0},
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    })")
            .find("sort") == std::string::npos);
  // The same where two arrays are scattered, and windows cover a whole dimension, whose index is then not a choice.
  check_on_emulator(R"(HloModule several
    both { a = f32[] parameter(0)  b = s8[] parameter(1)  c = f32[] parameter(2)  d = s8[] parameter(3)
      e = f32[] multiply(a, c)  f = s8[] subtract(b, d)  ROOT r = (f32[], s8[]) tuple(e, f) }
    ENTRY main {
      x = f32[9,3] parameter(0)
      y = s8[9,3] parameter(1)
      any = s32[2,200] parameter(2)
      u = f32[3,200] parameter(3)
      v = s8[3,200] parameter(4)
      most = s32[2,1] constant({{1}, {15}})
      line = s32[2] reshape(most)
      mosts = s32[2,200] broadcast(line), dimensions={0}
      i = s32[2,200] and(any, mosts)
      ROOT r = (f32[9,3], s8[9,3]) scatter(x, y, i, u, v), update_window_dims={0}, inserted_window_dims={0},
        scatter_dims_to_operand_dims={1,0}, index_vector_dim=0, to_apply=both
    })");
}

TEST_CASE("updates are computed where they are scattered") {
  // The updates are rows that are looked up; they go to the memory of the operand, or to another one. Places are
  // computed before.
  const auto scaled = [](std::string_view places, std::string_view into) {
    return fmt::format(R"(HloModule scaled
      add {{ p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }}
      ENTRY main {{
        x = f32[12,40] parameter(0)
        half = bf16[20,40] parameter(1)
        any = s32[{0}] parameter(2)
        scale = f32[40] parameter(3)
        most = s32[] constant(15)
        mosts = s32[{0}] broadcast(most), dimensions={{}}
        i = s32[{0}] and(any, mosts)
        h = bf16[{0},40] gather(half, i), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}},
          index_vector_dim=1, slice_sizes={{1,40}}
        f = f32[{0},40] convert(h)
        s = f32[{0},40] broadcast(scale), dimensions={{1}}
        u = f32[{0},40] multiply(f, s)
        zero = f32[] constant(0)
        zeros = f32[12,40] broadcast(zero), dimensions={{}}
        ROOT r = f32[12,40] scatter({1}, i, u), update_window_dims={{1}}, inserted_window_dims={{0}},
          scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=add
      }})",
                       places, into);
  };
  for (const std::string_view places : {"30", "100"}) {
    check_on_emulator(scaled(places, "x"));
    check_on_emulator(scaled(places, "zeros"));
  }
  // The operand is also read by the updates.
  check_on_emulator(R"(HloModule both
    add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
    ENTRY main {
      x = f32[16,40] parameter(0)
      any = s32[16,1] parameter(1)
      most = s32[] constant(15)
      mosts = s32[16,1] broadcast(most), dimensions={}
      i = s32[16,1] and(any, mosts)
      u = f32[16,40] multiply(x, x)
      ROOT r = f32[16,40] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    })");
}

TEST_CASE("updates with unique indices are written directly") {
  const std::string text = R"(HloModule unique
    add { a = f32[] parameter(0)  b = s8[] parameter(1)  c = f32[] parameter(2)  d = s8[] parameter(3)
      e = f32[] multiply(a, c)  f = s8[] subtract(b, d)  ROOT r = (f32[], s8[]) tuple(e, f) }
    ENTRY main {
      x = f32[256,3] parameter(0)
      y = s8[256,3] parameter(1)
      u = f32[200,3] parameter(2)
      v = s8[200,3] parameter(3)
      places = s32[200] iota(), iota_dimension=0
      odd = s32[] constant(77)
      odds = s32[200] broadcast(odd), dimensions={}
      far = s32[200] multiply(places, odds)
      most = s32[] constant(255)
      mosts = s32[200] broadcast(most), dimensions={}
      i = s32[200] and(far, mosts)
      ROOT r = (f32[256,3], s8[256,3]) scatter(x, y, i, u, v), update_window_dims={1}, inserted_window_dims={0},
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=add
    })";
  check_on_emulator(text);
}

TEST_CASE("each element looks up which windows select it") {
  struct Windows {
    const char *window;
    int rows, columns;  // of windows
  };
  for (const auto &[window, rows, columns] : {Windows{"size=3x2 stride=2x1", 9, 22},
                                              {"size=2x2 stride=2x2", 9, 11},
                                              {"size=2x3 stride=4x5", 5, 5},
                                              {"size=5x4 stride=1x3", 15, 7},
                                              {"size=3x3 stride=2x2 pad=1_1x0_2", 10, 12},
                                              {"size=4x2 stride=3x1 pad=-1_2x1_-2", 6, 21},
                                              {"size=1x1", 19, 23}}) {
    for (const char *select : {"GE", "LT"}) {
      INFO(window << " " << select);
      check_on_emulator(fmt::format(R"(HloModule selected
        select {{ p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = pred[] compare(p, q), direction={3} }}
        add {{ p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }}
        ENTRY main {{
          any = f32[19,23] parameter(0)
          u = f32[{1},{2}] parameter(1)
          some = f32[] constant(0.25)
          x = f32[19,23] round-nearest-even(any)
          ROOT r = f32[19,23] select-and-scatter(x, u, some), window={{{0}}}, select=select, scatter=add
        }})",
                                    window, rows, columns, select));
    }
  }
}

}  // namespace bp::nvptx::tests
