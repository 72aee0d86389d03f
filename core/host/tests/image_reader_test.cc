// Images converted back to HLO: unchanged ones compute the same, and changes that a plugin must not make are rejected.
#include <catch2/catch.hpp>
#include <filesystem>

#include "core/host/image.h"
#include "core/host/tests/typed_image.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "core/text/printer.h"
#include "plugin_api/cpp/module_writer.h"
#include "tools/testing/source_tree.h"

namespace bp::host {
namespace {

using plugin::Instruction;
using plugin::ModuleWriter;

// Returns the cases of a test file.
std::vector<std::string> programs_in(const std::filesystem::path &file) {
  const std::string all = testing::read_file(file), separator = "// -----";
  std::vector<std::string> programs;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find(separator, begin), all.size());
    programs.push_back(all.substr(begin, end - begin));
    begin = end + separator.size();
  }
  return programs;
}

std::string outcome(const ir::Module &module, std::span<const ir::Literal> arguments) {
  auto result = interpreter::interpret(module, arguments);
  return result.ok() ? text::print(*result) : "fails";
}

// Returns the result for a program whose image was rewritten by this visitor: text, or an error.
template <class Visit>
std::string rewritten(const std::string &program, Visit &&visit) {
  const ir::Module module = text::parse_module(program).value();
  const Image image = build_image(module, Stage::Legalize).value();
  ModuleWriter writer{image.view()};
  writer.for_each([&](Instruction i) { return visit(i, writer); });
  const std::string bytes = writer.bytes();
  auto read = read_image(reinterpret_cast<const bp_module_t *>(bytes.data()), image, module);
  return read.ok() ? text::print(*read) : read.error().message();
}

const std::string sums = R"(HloModule sums
ENTRY main {
  x = (f32[4], f32[4]) parameter(0)
  a = f32[4] get-tuple-element(x), index=0
  b = f32[4] get-tuple-element(x), index=1
  n = f32[4] negate(b), metadata={op_name="minus"}
  d = f32[4] add(a, n)
  c = s32[4]{0} custom-call(d), custom_call_target="send", custom_call_has_side_effect=true
  ROOT r = (f32[4], (s32[4])) tuple(d, t)
})";
const std::string program = [] {
  std::string text = sums;
  return text.insert(text.find("  ROOT"), "  t = (s32[4]) tuple(c)\n");
}();

}  // namespace

TEST_CASE("an image reads back as a program that computes the same") {
  int read = 0;
  for (const char *folder : {"core/interpreter/testdata", "core/passes/testdata", "core/buffers/testdata"}) {
    const auto root = testing::find_in_source_tree(folder);
    REQUIRE_FALSE(root.empty());
    for (const auto &entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".hlo") {
        continue;
      }
      for (const std::string &text : programs_in(entry.path())) {
        const auto module = text::parse_module(text);
        if (!module.ok() || !ir::verify(*module).ok() || module->instruction_count() > 2000) {
          continue;
        }
        const auto image = build_image(*module, Stage::Legalize);
        if (!image.ok()) {
          continue;
        }
        INFO(entry.path() << "\n" << text);
        const Status well_typed = verify_image(image->module());
        INFO((well_typed.ok() ? "" : well_typed.error().to_string()));
        CHECK(well_typed.ok());
        const auto back = read_image(image->module(), *image, *module);
        INFO((back.ok() ? "" : back.error().to_string()));
        if (!back.ok() && text.find("async-start(") != std::string::npos) {
          continue;  // its result is a tuple of tuples
        }
        REQUIRE(back.ok());
        const auto arguments = interpreter::random_arguments(*module, 1);
        if (!arguments.ok() || module->entry().root().shape().subshape_count() == 0) {
          continue;
        }
        CHECK(outcome(*back, *arguments) == outcome(*module, *arguments));
        ++read;
      }
    }
  }
  CHECK(read > 500);
}

TEST_CASE("other instructions take the place of those that were there") {
  const std::string text = rewritten(program, [](Instruction i, ModuleWriter &writer) {
    if (i.name() != "d") {
      return i.name() == "n" && (writer.define(i.result(), writer.value(i.operand(0))), true);
    }
    writer.define(i.result(), writer.add(BP_OP_SUBTRACT, {writer.value(i.operand(0)), writer.value(i.operand(1))},
                                         i.result().shape().index(), {}, "d"));
    return true;
  });
  CHECK(text == R"(HloModule sums

ENTRY %main (x: (f32[4], f32[4])) -> (f32[4], (s32[4])) {
  %x = (f32[4]{0}, f32[4]{0}) parameter(0)
  %get-tuple-element.1 = f32[4]{0} get-tuple-element(%x), index=0
  %get-tuple-element.2 = f32[4]{0} get-tuple-element(%x), index=1
  %d = f32[4]{0} subtract(%get-tuple-element.1, %get-tuple-element.2)
  %c = s32[4]{0} custom-call(%d), custom_call_target="send", custom_call_has_side_effect=true
  %tuple.5 = (s32[4]{0}) tuple(%c)
  ROOT %tuple.6 = (f32[4]{0}, (s32[4]{0})) tuple(%d, %tuple.5)
}
)");
}

TEST_CASE("what a rewritten module must keep") {
  SECTION("side effects") {
    CHECK(rewritten(program, [](Instruction i, ModuleWriter &writer) {
            if (i.op() != BP_OP_CUSTOM_CALL) {
              return false;
            }
            writer.define(i.result(),
                          writer.add(BP_OP_IOTA, {}, i.result().shape().index(), {{BP_ATTR_IOTA_DIMENSION, {0}}}, "c"));
            return true;
          }) == "custom-call send is missing, but it has side effects");
    CHECK(rewritten(program, [](Instruction i, ModuleWriter &writer) {
            if (i.name() == "n") {
              writer.add(BP_OP_AFTER_ALL, {}, i.result().shape().index(), {}, "token");
            }
            return false;
          }).find("token: the shape is f32[4], expected token") == 0);
  }
  SECTION("results") {
    CHECK(rewritten(program, [](Instruction i, ModuleWriter &writer) {
            if (i.name() != "d") {
              return false;
            }
            const std::array<std::int64_t, 1> sizes = {2};
            writer.define(i.result(),
                          writer.add(BP_OP_SLICE, {writer.value(i.operand(0))},
                                     writer.add_shape(i.result().shape(), sizes), {{BP_ATTR_SLICE, {0, 2, 1}}}, "d"));
            return true;
          }) == "of the entry's results, number 0 has shape f32[2], expected f32[4]");
  }
  SECTION("the rules of HLO") {
    const auto with = [](std::uint16_t op, ModuleWriter::Attribute attribute) {
      return rewritten(program, [&](Instruction i, ModuleWriter &writer) {
        if (i.name() == "n") {
          writer.define(i.result(),
                        writer.add(op, {writer.value(i.operand(0))}, i.result().shape().index(), {attribute}, "n"));
        }
        return i.name() == "n";
      });
    };
    CHECK(with(9999, {BP_ATTR_K, {1}}) == "n: there is no operation 9999");
    CHECK(with(BP_OP_NEGATE, {9999, {1}}) == "n: there is no attribute 9999");
    CHECK(with(BP_OP_NEGATE, {BP_ATTR_K, {1}}) == "n: negate does not take the attribute k");
    CHECK(with(BP_OP_NEGATE, {91, {1}}) == "n: attribute calls cannot be in an image");
    CHECK(with(BP_OP_TUPLE, {BP_ATTR_K, {1}}) == "n: tuple cannot be in an image");
    CHECK(with(BP_OP_CUSTOM_CALL, {BP_ATTR_CUSTOM_CALL_TARGET, {1}}) ==
          "n: attribute custom_call_target is stored as 1, expected 3");
    CHECK(with(BP_OP_CONDITIONAL, {BP_ATTR_K, {1}}).find("n: ") == 0);
    CHECK(with(BP_OP_CONSTANT, {BP_ATTR_K, {1}}) == "n: the constant has neither a value nor an allocation");
  }
}

TEST_CASE("BP-MODULE-08: an image that is not well-typed is seen, whatever is wrong") {
  // Returns the message about the image after a change that leaves it valid.
  const auto changed = [](void (*change)(TypedImage &)) {
    TypedImage image;
    change(image);
    image.rehash();
    const Status valid = validate_image(image.bytes());
    INFO((valid.ok() ? "" : valid.error().message()));
    CHECK(valid.ok());
    const Status status = verify_image(image.module());
    return status.ok() ? "" : status.error().message();
  };
  CHECK(changed([](TypedImage &) {}) == "");
  CHECK(changed([](TypedImage &i) { i.at("d").operand_count = 1; }) == "d: multiply has 1 operands, expected 2");
  CHECK(changed([](TypedImage &i) { i.at("n").op = BP_OP_NOT; }) ==
        "n: operand 0 has shape f32[4,2], expected an array of integers or pred");
  CHECK(changed([](TypedImage &i) { i.at("n").op = BP_OP_TUPLE; }) == "n: tuple cannot be in an image");
  CHECK(changed([](TypedImage &i) { i.at("n").op = 9999; }) == "n: there is no operation 9999");
  CHECK(changed([](TypedImage &i) { i.value_of("n").shape = i.value_of("j").shape; }) ==
        "n: the shape is s32[4,2], expected f32[4,2]");
  CHECK(changed([](TypedImage &i) { i.value_of("s").shape = i.value_of("x").shape; }) ==
        "s: the shape is f32[4,2], expected f32[4]");
  CHECK(changed([](TypedImage &i) { i.attribute_of("s").data = i.shape_of("x").dims; }) ==
        "s: dimensions has 4, expected at least 0 and less than 2");
  CHECK(changed([](TypedImage &i) { i.at("s").attr_count = 0; }) == "s: the attribute dimensions is missing");
  CHECK(changed([](TypedImage &i) { i.at("n").attrs = i.at("s").attrs, i.at("n").attr_count = 1; }) ==
        "n: negate does not take the attribute dimensions");
  CHECK(changed([](TypedImage &i) { i.attribute_of("zero").count = 2; }) ==
        "zero: its value has 2 elements of kind 4, expected 4 bytes");
  CHECK(changed([](TypedImage &i) { i.attribute_of("k").data = i.attribute_of("x").data; }) ==
        "k: parameter_number is 0, expected 1");
  CHECK(changed([](TypedImage &i) { i.at("s").call_count = 0; }) == "s: reduce calls 0 computations, expected 1");
  CHECK(changed([](TypedImage &i) { i.value_of("q").shape = i.value_of("k").shape; }) ==
        "s: parameter 1 of add has shape s32[], expected f32[]");
}

}  // namespace bp::host
