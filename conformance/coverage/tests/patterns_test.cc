// Programs for which libraries have routines, and those that differ from them in one thing: all of them are valid.
#include "conformance/coverage/patterns.h"

#include <catch2/catch.hpp>
#include <set>

#include "core/ir/verifier.h"
#include "core/text/printer.h"

namespace bp::coverage {
namespace {

TEST_CASE("each pattern is a program, and its variants are other ones") {
  std::set<std::string_view> names;
  for (const Pattern &pattern : patterns()) {
    INFO(pattern.name);
    CHECK(names.insert(pattern.name).second);
    CHECK(find_pattern(pattern.name) == &pattern);
    for (const ir::ElementType type : {ir::ElementType::F32, ir::ElementType::BF16, ir::ElementType::F64}) {
      const auto module = program_of(pattern, type);
      REQUIRE(module.ok());
      std::set<std::string> texts{text::print(*module)};
      std::size_t count = 1;
      for (const std::vector<ir::Module> &of_one_kind : variants_of(*module)) {
        CHECK_FALSE(of_one_kind.empty());
        for (const ir::Module &variant : of_one_kind) {
          texts.insert(text::print(variant));
          CHECK(ir::verify(as_fusion(variant)).ok());
          ++count;
        }
      }
      CHECK(texts.size() == count);
      CHECK(count > 5);
    }
  }
  CHECK(find_pattern("no-pattern") == nullptr);
}

}  // namespace
}  // namespace bp::coverage
