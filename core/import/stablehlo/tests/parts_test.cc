// Parts of a text, which text is StableHLO, and which function is the entry.
#include <catch2/catch.hpp>

#include "core/import/stablehlo/stablehlo.h"

namespace bp::import::stablehlo {

TEST_CASE("parts, and which text is StableHLO") {
  auto parts = split("// only a comment\n// -----\nfunc.func @a() { return }\n// -----\n\nmodule { }\n");
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].first_line == 2);
  CHECK(parts[1].first_line == 4);
  CHECK(is_stablehlo("// a comment\nmodule @m { }"));
  CHECK(is_stablehlo("\"builtin.module\"() ({ }) : () -> ()"));
  CHECK(is_stablehlo("#loc = loc(unknown)\nmodule { }"));
  CHECK(is_stablehlo("sdy.mesh @m = <[\"a\"=1]>\nfunc.func @main() { return }"));
  CHECK(!is_stablehlo("HloModule m\nENTRY e { }"));
  CHECK(!is_stablehlo(""));
}

TEST_CASE("the entry is main, or the one that is asked for") {
  std::string_view text = "func.func @a() { return } func.func @b(%x: tensor<f32>) { return }";
  CHECK(read(text)->entry().name() == "a");
  CHECK(read(text, {"", 1, "b"})->entry().name() == "b");
  CHECK(!read(text, {"", 1, "c"}).ok());
}

}  // namespace bp::import::stablehlo
