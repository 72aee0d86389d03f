// The table of programs that look as if they could be simplified: each row is a valid program.
#include "conformance/coverage/identities.h"

#include <catch2/catch.hpp>
#include <set>

#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::coverage {

TEST_CASE("each identity is a valid program of each of its types, and its name is unique") {
  std::set<std::string_view> names;
  for (const Identity &identity : identities()) {
    CHECK(names.insert(identity.name).second);
    CHECK(find_identity(identity.name) == &identity);
    for (const ir::ElementType type : types_of(identity)) {
      const std::string text = text_of(identity, type);
      INFO(text);
      const auto module = text::parse_module(text);
      REQUIRE(module.ok());
      CHECK(ir::verify(*module).ok());
    }
  }
  CHECK(find_identity("nothing") == nullptr);
}

TEST_CASE("an expression becomes instructions, and equal parts of it become one") {
  const Identity identity = {"test", "f32", "add(multiply(x, y), multiply(x, y)); convert.s8(multiply(x, 2))"};
  CHECK(text_of(identity, ir::ElementType::F32) ==
        "HloModule identity\nENTRY main {\nx = f32[1229] parameter(0)\ny = f32[1229] parameter(1)\n"
        "v0 = f32[1229] multiply(x, y)\nv1 = f32[1229] add(v0, v0)\nv2 = f32[] constant(2)\n"
        "v3 = f32[1229] broadcast(v2), dimensions={}\nv4 = f32[1229] multiply(x, v3)\nv5 = s8[1229] convert(v4)\n"
        "ROOT r = (f32[1229], s8[1229]) tuple(v1, v5)\n}\n");
}

}  // namespace bp::coverage
