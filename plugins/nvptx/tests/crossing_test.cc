// Operands that lie across the results: brought tile by tile to the memory of a block.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "plugins/nvptx/tests/programs.h"

namespace bp::nvptx::tests {
namespace {

bool is_tiled(const std::string &program) {
  const std::string ptx = ptx_of(text::parse_module(program).value(), "sm_80");
  return ptx.find("bar.sync") != std::string::npos;
}

std::string transpose(std::string_view type, std::string_view from, std::string_view to, std::string_view permutation) {
  return fmt::format(R"(HloModule transpose
    ENTRY main {{ x = {0}[{1}] parameter(0)  ROOT r = {0}[{2}] transpose(x), dimensions={{{3}}} }})",
                     type, from, to, permutation);
}

}  // namespace

TEST_CASE("a transpose reads and writes neighbours, tile by tile") {
  for (const std::string_view type : {"f32", "bf16", "s8", "f64", "pred", "c64", "c128"}) {
    INFO(type);
    const std::string program = transpose(type, "300,70", "70,300", "1,0");
    CHECK(is_tiled(program));
    check_on_emulator(program);
  }
  // Transposes of images between the orders with channels last and channels first; the dimensions between these are one
  // loop with the last one.
  for (const auto &[from, to, permutation] : {std::tuple("4,28,28,96", "4,96,28,28", "0,3,1,2"),
                                              {"2,96,7,14", "2,7,14,96", "0,2,3,1"},
                                              {"33,64,31", "31,64,33", "2,1,0"},
                                              {"16,1024", "1024,16", "1,0"}}) {
    INFO(from);
    const std::string program = transpose("f32", from, to, permutation);
    CHECK(is_tiled(program));
    check_on_emulator(program);
  }
}

TEST_CASE("small sides and arrays have no tiles") {
  CHECK_FALSE(is_tiled(transpose("f32", "64,64", "64,64", "1,0")));
  CHECK_FALSE(is_tiled(transpose("f32", "7,4096", "4096,7", "1,0")));
  CHECK_FALSE(is_tiled(transpose("f32", "4096,7", "7,4096", "1,0")));
  CHECK_FALSE(is_tiled(transpose("f32", "64,64,64", "64,64,64", "1,0,2")));
}

TEST_CASE("a fusion with a transpose inside has tiles of what it reads across") {
  // Work before and after, an operand that lies as the result does, one of rows and one of columns.
  const std::string work = R"(HloModule work
    ENTRY main {
      x = s8[200,90] parameter(0)
      y = f32[200,90] parameter(1)
      z = f32[90,200] parameter(2)
      row = f32[200] parameter(3)
      column = f32[90] parameter(4)
      c = f32[200,90] convert(x)
      a = f32[200,90] multiply(c, y)
      t = f32[90,200] transpose(a), dimensions={1,0}
      rows = f32[90,200] broadcast(row), dimensions={1}
      columns = f32[90,200] broadcast(column), dimensions={0}
      b = f32[90,200] add(t, rows)
      d = f32[90,200] subtract(b, columns)
      e = f32[90,200] maximum(d, z)
      ROOT r = f16[90,200] convert(e)
    })";
  CHECK(is_tiled(work));
  check_on_emulator(work);
  // The same operand in two ways: it has no tile, as one of them would not find its elements there.
  check_on_emulator(R"(HloModule twice
    ENTRY main {
      x = f32[160,160] parameter(0)
      y = f32[160,160] parameter(1)
      t = f32[160,160] transpose(x), dimensions={1,0}
      u = f32[160,160] transpose(y), dimensions={1,0}
      a = f32[160,160] add(t, x)
      ROOT r = f32[160,160] multiply(a, u)
    })");
  check_on_emulator(R"(HloModule slice
    ENTRY main {
      x = f32[160,161] parameter(0)
      t = f32[161,160] transpose(x), dimensions={1,0}
      s = f32[160,160] slice(t), slice={[1:161],[0:160]}
      u = f32[160,160] slice(x), slice={[0:160],[0:160]}
      v = f32[160,160] transpose(u), dimensions={1,0}
      ROOT r = f32[160,160] subtract(s, v)
    })");
  check_on_emulator(R"(HloModule results
    ENTRY main {
      x = f32[130,140] parameter(0)
      t = f32[140,130] transpose(x), dimensions={1,0}
      a = f32[140,130] negate(t)
      b = f32[140,130] abs(t)
      ROOT r = (f32[140,130], f32[140,130]) tuple(a, b)
    })");
}

TEST_CASE("tiles of three wide operands are too large for the memory of a block: the third is read without one") {
  const std::string wide = R"(HloModule wide
    ENTRY main {
      x = c128[130,140] parameter(0)
      y = c128[130,140] parameter(1)
      z = c128[130,140] parameter(2)
      tx = c128[140,130] transpose(x), dimensions={1,0}
      ty = c128[140,130] transpose(y), dimensions={1,0}
      tz = c128[140,130] transpose(z), dimensions={1,0}
      a = c128[140,130] add(tx, ty)
      ROOT r = c128[140,130] subtract(a, tz)
    })";
  CHECK(is_tiled(wide));
  check_on_emulator(wide);
}

TEST_CASE("tiles of five operands are too many: the fifth is read without one") {
  std::string parameters;
  for (int i = 0; i < 5; ++i) {
    parameters += fmt::format(
        "x{0} = f64[150,120] parameter({0})\n t{0} = f64[120,150] transpose(x{0}), dimensions={{1,0}}\n", i);
  }
  check_on_emulator("HloModule five\nENTRY main {\n" + parameters +
                    R"(a = f64[120,150] add(t0, t1)
                       b = f64[120,150] add(a, t2)
                       c = f64[120,150] add(b, t3)
                       ROOT d = f64[120,150] add(c, t4)
                     })");
}

}  // namespace bp::nvptx::tests
