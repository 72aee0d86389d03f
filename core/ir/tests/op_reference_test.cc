#include "core/ir/op_reference.h"

#include <catch2/catch.hpp>

#include "core/ir/op.h"
#include "core/ir/run_time_sizes.h"
#include "plugin_api/c/op_facts.h"
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
  INFO("run: build/tools/generate_op_tables plugin_api");
  CHECK(testing::read_file(path) == op_ids_header());
}

TEST_CASE("the committed op_facts.h is what the tables say, and gives plugins the facts of each op") {
  auto path = testing::find_in_source_tree("plugin_api/c/op_facts.h");
  REQUIRE(!path.empty());
  INFO("run: build/tools/generate_op_tables plugin_api");
  CHECK(testing::read_file(path) == op_facts_header());
  for (const OpInfo &op : ops()) {
    INFO(op.text);
    const bp_op_facts_t *facts = bp_op_facts(static_cast<std::uint32_t>(op.opcode));
    REQUIRE(facts != nullptr);
    CHECK(facts->name == op.text);
    CHECK(facts->op == static_cast<std::uint16_t>(op.opcode));
    CHECK(facts->min_operands == op.min_operands);
    CHECK(facts->max_operands == op.max_operands);
    CHECK(((facts->traits & BP_TRAIT_ELEMENTWISE) != 0) == op.has(Trait::Elementwise));
    CHECK(((facts->traits & BP_TRAIT_MOVEMENT) != 0) == op.has(Trait::Movement));
    CHECK(facts->limit == op.accuracy.wide);
  }
  CHECK(bp_op_facts(0) == nullptr);
  CHECK(bp_op_facts(0xffff) == nullptr);
  CHECK(bp_op_facts(BP_OP_COMPARE)->result == BP_RESULT_PRED);
  CHECK(bp_op_facts(BP_OP_ABS)->result == BP_RESULT_REAL_PART);
  CHECK(bp_op_facts(BP_OP_CONVERT)->result == BP_RESULT_STATED);
  CHECK(bp_op_facts(BP_OP_ADD)->types == (BP_TYPES_PRED | BP_TYPES_INTEGER | BP_TYPES_FLOAT | BP_TYPES_COMPLEX));
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
