// Binaries that were built against earlier headers still load and run.
#include <catch2/catch.hpp>

#include "core/backplane.h"
#include "core/text/parser.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp {
namespace {

// A file, and a program that it can run completely, with inputs and result as (shape, literal).
struct Exhibit {
  const char *file, *id, *program;
  std::pair<const char *, const char *> inputs[2], result;
};
constexpr Exhibit exhibits[] = {
    {"1.0.0/libbackplane_kernels.so",
     "dev.backplane.kernels",
     R"(ENTRY main { x = f32[2,3] parameter(0)  w = f32[3,2] parameter(1)
          y = f32[2,2] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          s = f32[2,2] sqrt(y)  ROOT r = f32[2,2] maximum(s, y) })",
     {{"f32[2,3]", "{{1, 0, 0.25}, {0, 2, 0}}"}, {"f32[3,2]", "{{1, 4}, {2, 8}, {0, 20}}"}},
     {"f32[2,2]", "{{1, 9}, {4, 16}}"}},
    {"1.0.0/libbackplane_npu.so",
     "dev.backplane.npu",
     R"(ENTRY main { x = s32[5] parameter(0)  y = s32[5] parameter(1)  a = s32[5] add(x, y)
          c = s32[5] constant({1, 2, 3, 4, 5})  m = s32[5] multiply(a, c)  ROOT r = s32[5] maximum(m, x) })",
     {{"s32[5]", "{1, 2, 3, 4, 50}"}, {"s32[5]", "{10, 20, -30, 40, -50}"}},
     {"s32[5]", "{11, 44, 3, 176, 50}"}},
};

}  // namespace

TEST_CASE("BP-MODULE-02: plugins of the museum load and compute, for numbers stay what they were") {
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
    auto module = text::parse_module(exhibit.program);
    REQUIRE(module.ok());
    auto compiled = backend->compile(std::move(module).value(), options);
    INFO((compiled.ok() ? "" : compiled.error().to_string()));
    REQUIRE(compiled.ok());
    auto literal = [](const std::pair<const char *, const char *> &value) {
      return text::parse_literal(value.second, text::parse_shape(value.first).value()).value();
    };
    auto result = compiled->executable.run({literal(exhibit.inputs[0]), literal(exhibit.inputs[1])});
    INFO((result.ok() ? "" : result.error().to_string()));
    REQUIRE(result.ok());
    CHECK(result->identical(literal(exhibit.result)));
  }
}

}  // namespace bp
