// Binaries that were built against earlier headers still load and run.
#include <catch2/catch.hpp>

#include "core/backplane.h"
#include "core/text/parser.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp {
namespace {

constexpr std::string_view program = R"(
HloModule exhibit
ENTRY main {
  x = f32[2,3] parameter(0)
  w = f32[3,2] parameter(1)
  y = f32[2,2] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = f32[2,2] sqrt(y)
  ROOT r = f32[2,2] maximum(s, y)
})";

struct Exhibit {
  const char *file;
  const char *id;
};
constexpr Exhibit exhibits[] = {{"1.0.0/libbackplane_kernels.so", "dev.backplane.kernels"}};

}  // namespace

TEST_CASE("plugins of the museum load by path and compute") {
#if !defined(__x86_64__) || !defined(__linux__)
  return testing::skip("the exhibits are for x86-64 Linux");
#endif
  for (const Exhibit &exhibit : exhibits) {
    const auto path = testing::find_in_source_tree("conformance/museum") / exhibit.file;
    INFO(path.string());
    auto backend = Backend::load(path.string());
    INFO((backend.ok() ? "" : backend.error().to_string()));
    REQUIRE(backend.ok());
    CHECK(backend->device()->id() == exhibit.id);
    CompileOptions options;
    options.device_only = true;
    auto module = text::parse_module(program);
    REQUIRE(module.ok());
    auto compiled = backend->compile(std::move(module).value(), options);
    INFO((compiled.ok() ? "" : compiled.error().to_string()));
    REQUIRE(compiled.ok());
    auto literal = [](std::string_view text, std::string_view shape) {
      return text::parse_literal(text, text::parse_shape(shape).value()).value();
    };
    auto result = compiled->executable.run(
        {literal("{{1, 0, 0.25}, {0, 2, 0}}", "f32[2,3]"), literal("{{1, 4}, {2, 8}, {0, 20}}", "f32[3,2]")});
    REQUIRE(result.ok());
    CHECK(result->identical(literal("{{1, 9}, {4, 16}}", "f32[2,2]")));
  }
}

}  // namespace bp
