#include "core/ir/op_reference.h"

#include <catch2/catch.hpp>

#include "core/ir/op.h"
#include "core/ir/run_time_sizes.h"
#include "tools/testing/source_tree.h"

namespace bp::ir {

TEST_CASE("identifiers become upper snake case") {
  CHECK(upper_snake_case("Add") == "ADD");
  CHECK(upper_snake_case("DynamicUpdateSlice") == "DYNAMIC_UPDATE_SLICE");
  CHECK(upper_snake_case("TopK") == "TOP_K");
  CHECK(upper_snake_case("Bf16Bf16F32X3") == "BF16_BF16_F32_X3");
  CHECK(upper_snake_case("f8e4m3fn") == "F8E4M3FN");
}

TEST_CASE("the committed op_ids.h is what the tables say") {
  auto path = testing::find_in_source_tree("plugin_api/include/backplane/op_ids.h");
  REQUIRE(!path.empty());
  INFO("run: build/tools/generate_op_ids plugin_api/include/backplane/op_ids.h");
  CHECK(testing::read_file(path) == op_ids_header());
}

TEST_CASE("the committed docs/ops.md is what the tables say") {
  auto path = testing::find_in_source_tree("docs/ops.md");
  REQUIRE(!path.empty());
  INFO("run: build/tools/backplane ops --markdown > docs/ops.md");
  std::string page = ops_markdown();
  CHECK(testing::read_file(path) == page);
  for (const OpInfo &op : ops()) {
    INFO(op.text);
    CHECK(page.find("| `" + std::string(op.text) + "` |") != std::string::npos);
  }
}

TEST_CASE("every op that is not elementwise has a row of its own about run-time sizes") {
  for (const OpInfo &op : ops()) {
    INFO(op.text);
    CHECK((op.has(Trait::Elementwise) || size_summary(op.opcode) != size_summary(Opcode::Add)));
  }
}

}  // namespace bp::ir
