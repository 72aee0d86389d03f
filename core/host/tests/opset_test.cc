#include "core/host/opset.h"

#include <catch2/catch.hpp>

#include "core/host/image.h"
#include "core/text/parser.h"

namespace bp::host {
namespace {

ir::Module parse(std::string_view root) {
  return text::parse_module(
             "HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n  y = f32[2] negate(x)\n  ROOT r = f32[2] " +
             std::string(root) + "\n}")
      .value();
}

// The image of the root instruction, as text.
std::string root_in_image(std::string_view root, const Opset &opset, std::uint32_t expected_opset) {
  const ir::Module module = parse(root);
  const auto image = build_image(module, Stage::Legalize, nullptr, opset);
  REQUIRE(image.ok());
  CHECK(image->module()->opset == expected_opset);
  const Status status = validate_image(image->bytes());
  INFO((status.ok() ? "" : status.error().message()));
  CHECK(status.ok());
  std::string text = image_to_text(image->module());
  text = text.substr(0, text.rfind("  // r\n"));
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

TEST_CASE("the newest opset has every op and attribute, and released ones have what they had") {
  CHECK(static_cast<int>(ir::ops().back().opcode) <= common_opset(newest_opset).newest_op);
  CHECK(common_opset(newest_opset).number == newest_opset);
  CHECK(common_opset(1).newest_op == 136);
  CHECK(common_opset(1).newest_attribute == 104);
}

TEST_CASE("a plugin gets the newest opset that it and the core know") {
  CHECK(common_opset(1).number == 1);
  CHECK(common_opset(newest_opset + 5).number == newest_opset);
  CHECK(common_opset(0).number == 1);
}

TEST_CASE("BP-MODULE-02: opset 1 says the required accuracy by an attribute, opset 2 by the value") {
  const char *const highest = "tanh(y), result_accuracy={mode=highest}";
  CHECK(root_in_image(highest, common_opset(1), 1) == "  v2 f32[2] = tanh(v1) result_accuracy=\"{mode=highest}\"");
  CHECK(root_in_image(highest, common_opset(2), 2) == "  v2 f32[2] within 1 ulp = tanh(v1)");
  // An image that needs nothing of opset 2 is one of opset 1.
  CHECK(root_in_image("tanh(y)", common_opset(2), 1) == "  v2 f32[2] = tanh(v1)");
}

TEST_CASE("BP-MODULE-02: a plugin sees a custom call in the place of what its opset lacks") {
  const Opset without_reverse{
      .number = 1, .newest_op = BP_OP_PARAMETER, .newest_attribute = 104, .has_precision = false};
  CHECK(root_in_image("reverse(y), dimensions={0}", without_reverse, 1) ==
        "  v2 f32[2] = custom-call(v1) custom_call_target=\"bp.newer.reverse\"");
  const Opset without_accuracy{.number = 1, .newest_op = 136, .newest_attribute = 80, .has_precision = false};
  CHECK(root_in_image("tanh(y), result_accuracy={mode=highest}", without_accuracy, 1) ==
        "  v2 f32[2] = custom-call(v1) custom_call_target=\"bp.newer.tanh\"");
  CHECK(root_in_image("tanh(y)", without_accuracy, 1) == "  v2 f32[2] = tanh(v1)");
}

}  // namespace bp::host
