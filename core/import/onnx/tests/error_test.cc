// Errors of the importer, with the exact message: models are built field by field, with an error in one place.
#include <catch2/catch.hpp>

#include "core/import/onnx/onnx.h"
#include "core/import/protobuf/wire.h"
#include "core/text/printer.h"

namespace bp::import::onnx {
namespace {

using protobuf::Writer;

// Fields by number, as on the wire.
std::string varint(std::uint32_t number, std::int64_t value) {
  Writer writer;
  writer.integer({number, {}}, value);
  return writer.take();
}
std::string bytes(std::uint32_t number, std::string_view value) {
  Writer writer;
  writer.text({number, {}}, value);
  return writer.take();
}

constexpr std::int64_t float_type = 1, int64_type = 7, string_type = 8;

// ValueInfoProto of an array of these sizes; a negative size is open and has the name n.
std::string value(std::string_view name, std::initializer_list<std::int64_t> sizes, std::int64_t type = float_type) {
  std::string dims;
  for (const std::int64_t size : sizes) {
    dims += bytes(1, size < 0 ? bytes(2, "n") : varint(1, size));
  }
  return bytes(1, name) + bytes(2, bytes(1, varint(1, type) + bytes(2, dims)));
}

std::string node(std::string_view operation, std::initializer_list<std::string_view> inputs,
                 std::initializer_list<std::string_view> outputs, std::string_view attributes = {}) {
  std::string text;
  for (const std::string_view input : inputs) {
    text += bytes(1, input);
  }
  for (const std::string_view output : outputs) {
    text += bytes(2, output);
  }
  return bytes(1, text + bytes(4, operation) + std::string(attributes));
}

std::string integer_attribute(std::string_view name, std::int64_t number) {
  return bytes(5, bytes(1, name) + varint(3, number) + varint(20, 2));
}

// A model with x: f32[2,3], and the output y.
std::string model(std::string_view nodes, std::string_view rest = {}, std::int64_t version = 17) {
  return varint(1, 8) + bytes(8, varint(2, version)) +
         bytes(7, std::string(nodes) + bytes(2, "g") + bytes(11, value("x", {2, 3})) + bytes(12, value("y", {2, 3})) +
                      std::string(rest));
}

// A one-dimensional initializer of int64.
std::string initializer(std::string_view name, std::initializer_list<std::int64_t> elements) {
  Writer list;
  list.integers({7, {}}, std::vector<std::int64_t>(elements));
  return bytes(
      5, varint(1, static_cast<std::int64_t>(elements.size())) + varint(2, int64_type) + bytes(8, name) + list.take());
}

std::string error_of(std::string_view bytes, const Options &options = {"m.onnx"}) {
  const auto module = read(bytes, options);
  return module.ok() ? "no error" : module.error().to_string();
}

}  // namespace

TEST_CASE("a model becomes a module whose parameters and results have its names") {
  const auto module = read(model(node("Relu", {"x"}, {"r"}) + node("Neg", {"r"}, {"y"})), {"m.onnx"});
  REQUIRE(module.ok());
  const std::string text = text::print(*module);
  CHECK(text.find("%x = f32[2,3]{1,0} parameter(0)") != std::string::npos);
  CHECK(text.find("ROOT %y = f32[2,3]") != std::string::npos);
  CHECK(text.find(" negate(") != std::string::npos);
  CHECK(text.find("op_type=\"Relu\"") != std::string::npos);
}

TEST_CASE("arithmetic on shapes disappears") {
  const std::string nodes = node("Shape", {"x"}, {"s"}) + node("Mul", {"s", "two"}, {"t"}) +
                            node("Div", {"t", "two"}, {"u"}) + node("ConstantOfShape", {"u"}, {"z"}) +
                            node("Add", {"x", "z"}, {"y"});
  const auto module = read(model(nodes, initializer("two", {2})), {"m.onnx"});
  REQUIRE(module.ok());
  CHECK(text::print(*module).find("s64") == std::string::npos);
}

TEST_CASE("errors name the node") {
  CHECK(error_of(model(node("Relu", {"x"}, {"result"}))) ==
        "m.onnx: the value \"y\" is used before it is defined, did you mean 'x'?");
  CHECK(error_of(model(node("Relu", {"xx"}, {"y"}))) ==
        "m.onnx: Relu (ModelProto.graph.node[0]): the value \"xx\" is used before it is defined, did you mean 'x'?");
  CHECK(error_of(model(node("Relu", {"x"}, {"x"}) + node("Relu", {"x"}, {"y"}))) ==
        "m.onnx: Relu (ModelProto.graph.node[0]): the name \"x\" is defined twice");
  CHECK(error_of(model(node("Relu", {}, {"y"}))) == "m.onnx: Relu (ModelProto.graph.node[0]): input 0 is absent");
  CHECK(error_of(model(node("Add", {"x", "v"}, {"y"}), initializer("v", {1, 2}))) ==
        "m.onnx: Add (ModelProto.graph.node[0]): f32[2,3] and s64[2] cannot be broadcast to each other");
  CHECK(error_of(model(node("Cast", {"x"}, {"y"}, integer_attribute("to", 99)))) ==
        "m.onnx: Cast (ModelProto.graph.node[0]): the attribute to is 99, expected the number of an element type");
  CHECK(error_of(model(node("Relu", {"x"}, {"y", "z"}))) ==
        "m.onnx: Relu (ModelProto.graph.node[0]): output 1, \"z\", is not computed");
}

TEST_CASE("all operators that are not known are named at once") {
  CHECK(error_of(model(node("Reluu", {"x"}, {"a"}) + node("Reluu", {"a"}, {"b"}) + node("Frobnicate", {"b"}, {"y"}))) ==
        "m.onnx: 2 operators that are not imported: Frobnicate (1 node), Reluu (2 nodes, did you mean 'Relu'?)");
}

TEST_CASE("sizes that are open must be given") {
  const std::string open =
      varint(1, 8) + bytes(8, varint(2, 17)) +
      bytes(7, node("Relu", {"x"}, {"y"}) + bytes(11, value("x", {-1, 3})) + bytes(12, value("y", {-1, 3})));
  CHECK(error_of(open) ==
        "m.onnx: the size of dimension 0 of the input \"x\" is open (\"n\"), expected the shape of this input "
        "(--shape)");
  Options options{"m.onnx"};
  options.shapes = {ir::Shape::array(ir::ElementType::F32, {5, 3})};
  CHECK(error_of(open, options) == "no error");
  options.shapes = {ir::Shape::array(ir::ElementType::F32, {5, 4})};
  CHECK(error_of(open, options) == "m.onnx: the shape f32[5,4] was given for the input \"x\", expected f32[?,3]");
}

TEST_CASE("elements on which sizes depend must be known") {
  const std::string nodes = node("ConstantOfShape", {"s"}, {"z"}) + node("Add", {"x", "z"}, {"y"});
  const std::string rest = bytes(11, value("s", {2}, int64_type));
  CHECK(error_of(model(nodes, rest)) ==
        "m.onnx: ConstantOfShape (ModelProto.graph.node[0]): sizes depend on the elements of input 0, \"s\", expected "
        "that they follow from constants and shapes: give the elements of the model's inputs that they depend on");
  Options options{"m.onnx"};
  ir::Literal sizes = ir::Literal::zeros(ir::Shape::array(ir::ElementType::S64, {2})).value();
  sizes.mutable_elements<std::int64_t>()[0] = 2;
  sizes.mutable_elements<std::int64_t>()[1] = 3;
  options.values = {{1, sizes}};
  std::vector<std::size_t> used;
  options.used = &used;
  CHECK(error_of(model(nodes, rest), options) == "no error");
  CHECK(used == std::vector<std::size_t>{1});
}

TEST_CASE("what is stored wrongly is found") {
  CHECK(error_of(varint(1, 8)) == "m.onnx: ModelProto: there is no graph");
  CHECK(error_of(model("\x0a\x7f")) == "m.onnx: ModelProto.graph: field 1 at byte 0 has 127 bytes, but 45 are left");
  CHECK(error_of(model(node("Relu", {"x"}, {"y"}), bytes(5, varint(1, 4) + varint(2, float_type) + bytes(9, "abc")))) ==
        "m.onnx: ModelProto.graph.initializer[0].raw_data: 3 bytes, expected 16 of f32[4]");
  CHECK(error_of(model(node("Relu", {"x"}, {"y"}), bytes(5, varint(1, 1 << 30) + varint(2, float_type)))) ==
        "m.onnx: ModelProto.graph.initializer[0]: f32[1073741824] has no elements, expected them in raw_data or "
        "float_data");
  const std::string outside = bytes(13, bytes(1, "location") + bytes(2, "../secret")) + varint(14, 1);
  CHECK(error_of(model(node("Relu", {"x"}, {"y"}), bytes(5, varint(1, 4) + varint(2, float_type) + outside))) ==
        "m.onnx: ModelProto.graph.initializer[0].external_data: the location is \"../secret\", expected a file in the "
        "folder of the model");
  const std::string missing = bytes(13, bytes(1, "location") + bytes(2, "weights.bin")) + varint(14, 1);
  CHECK(error_of(model(node("Relu", {"x"}, {"y"}), bytes(5, varint(1, 4) + varint(2, float_type) + missing)),
                 {"nowhere/m.onnx"})
            .find("nowhere/weights.bin") != std::string::npos);
  CHECK(error_of(model(node("Relu", {"x"}, {"y"}), {}, 0)) ==
        "m.onnx: ModelProto.opset_import[0].version: 0, expected at least 1");
  CHECK(error_of(model(node("Relu", {"t"}, {"y"}), bytes(11, value("t", {2}, string_type)))) ==
        "m.onnx: the input \"t\" has elements of type string, expected numbers or truth values");
}

}  // namespace bp::import::onnx
