// Errors of the importer, with the exact message: models are built field by field, with an error in one place.
#include <catch2/catch.hpp>

#include "core/import/onnx/onnx.h"
#include "core/import/onnx/tests/models.h"
#include "core/text/printer.h"

namespace bp::import::onnx {
namespace {

using namespace onnx::testing;
using protobuf::testing::without_offset;

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
  const auto problem = [](std::string_view proto, const Options &options = {"m.onnx"}) {
    return without_offset(error_of(proto, options));
  };
  CHECK(problem(varint(1, 8)) == "m.onnx: ModelProto: there is no graph");
  CHECK(problem(model("\x0a\x7f")) == "m.onnx: ModelProto.graph: field 1 has 127 bytes, but 45 are left");
  CHECK(problem(model(node("Relu", {"x"}, {"y"}), bytes(5, varint(1, 4) + varint(2, float_type) + bytes(9, "abc")))) ==
        "m.onnx: ModelProto.graph.initializer[0].raw_data: 3 bytes, expected 16 of f32[4]");
  CHECK(problem(model(node("Relu", {"x"}, {"y"}), bytes(5, varint(1, 1 << 30) + varint(2, float_type)))) ==
        "m.onnx: ModelProto.graph.initializer[0]: f32[1073741824] has no elements, expected them in raw_data or "
        "float_data");
  const std::string outside = bytes(13, bytes(1, "location") + bytes(2, "../secret")) + varint(14, 1);
  CHECK(problem(model(node("Relu", {"x"}, {"y"}), bytes(5, varint(1, 4) + varint(2, float_type) + outside))) ==
        "m.onnx: ModelProto.graph.initializer[0].external_data: the location is \"../secret\", expected a file in the "
        "folder of the model");
  const std::string missing = bytes(13, bytes(1, "location") + bytes(2, "weights.bin")) + varint(14, 1);
  CHECK(problem(model(node("Relu", {"x"}, {"y"}), bytes(5, varint(1, 4) + varint(2, float_type) + missing)),
                {"nowhere/m.onnx"})
            .find("nowhere/weights.bin") != std::string::npos);
  CHECK(problem(model(node("Relu", {"x"}, {"y"}), {}, 0)) ==
        "m.onnx: ModelProto.opset_import[0].version: 0, expected at least 1");
  CHECK(problem(model(node("Relu", {"t"}, {"y"}), bytes(11, value("t", {2}, string_type)))) ==
        "m.onnx: the input \"t\" has elements of type string, expected numbers or truth values");
}

TEST_CASE("attributes that newer operator sets may have added are refused, not ignored") {
  const std::string leaky = node("LeakyRelu", {"x"}, {"y"}, integer_attribute("mode", 1));
  CHECK(
      error_of(model(leaky, {}, 29)) ==
      "m.onnx: LeakyRelu (ModelProto.graph.node[0]): the attribute mode is not known in operator set 29, expected set "
      "28 or older");
  CHECK(error_of(model(node("Relu", {"x"}, {"y"}), {}, 29)) == "no error");
}

TEST_CASE("the graphs of FlexAttention keep the shape of what they are given") {
  const auto graph = [](std::string_view name, const std::string &nodes) {
    const std::string body = nodes + bytes(2, "g") + bytes(11, bytes(1, "s")) + bytes(12, bytes(1, "t"));
    return bytes(5, bytes(1, name) + bytes(6, body) + varint(20, 5));
  };
  const auto error = [](std::initializer_list<std::int64_t> sizes, const std::string &attributes) {
    const std::string domain = bytes(7, "ai.onnx.preview");
    return error_of(model(node("FlexAttention", {"x", "x", "x"}, {"y"}, domain + attributes), {}, 17, sizes));
  };
  CHECK(error({1, 2, 3, 4}, graph("score_mod", node("Neg", {"s"}, {"t"}))) == "no error");
  CHECK(error({1, 2, 3, 4}, graph("score_mod", node("Shape", {"s"}, {"t"}))) ==
        "m.onnx: FlexAttention (ModelProto.graph.node[0]): score_mod has 1 inputs and 1 results, s64[4], "
        "expected one of each, which is f32[1,2,3,3]");
  CHECK(error({2, 3, 4}, {}) ==
        "m.onnx: FlexAttention (ModelProto.graph.node[0]): the operands are f32[2,3,4], f32[2,3,4] and "
        "f32[2,3,4], expected sizes [B,Hq,L,E], [B,H,S,E] and [B,H,S,D] of one type");
}

TEST_CASE("trees and other models of classical machine learning are checked") {
  const auto list = [](std::string_view name, const std::vector<std::int64_t> &numbers) {
    Writer packed;
    packed.integers({8, {}}, numbers);
    return bytes(5, bytes(1, name) + packed.take() + varint(20, 7));
  };
  const auto reals = [](std::string_view name, const std::vector<float> &numbers) {
    const std::string_view elements(reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(float));
    return bytes(5, bytes(1, name) + bytes(7, elements) + varint(20, 6));
  };
  const auto texts = [](std::string_view name, std::initializer_list<std::string_view> strings) {
    std::string all;
    for (const std::string_view text : strings) {
      all += bytes(9, text);
    }
    return bytes(5, bytes(1, name) + all + varint(20, 8));
  };
  const auto error = [](std::string_view operation, const std::string &attributes) {
    const std::string domain = bytes(7, "ai.onnx.ml");
    const std::string text = error_of(model(node(operation, {"x"}, {"y"}, domain + attributes)));
    constexpr std::string_view place = "(ModelProto.graph.node[0]): ";
    return text.substr(std::min(text.size(), text.find(place) + place.size()));
  };
  // x has 3 features.
  const auto trees = [&](std::string_view mode, std::int64_t next, std::int64_t feature, std::int64_t target = 0) {
    return list("nodes_treeids", {0, 0, 0}) + list("nodes_nodeids", {0, 1, 2}) +
           list("nodes_featureids", {feature, 0, 0}) + texts("nodes_modes", {mode, "BRANCH_LT", "LEAF"}) +
           reals("nodes_values", {1, 2, 0}) + list("nodes_truenodeids", {1, next, 0}) +
           list("nodes_falsenodeids", {2, 2, 0}) + list("target_treeids", {0}) + list("target_nodeids", {2}) +
           list("target_ids", {target}) + reals("target_weights", {1});
  };
  CHECK(error("TreeEnsembleRegressor", trees("BRANCH_LEQ", 2, 2)).empty());
  CHECK(error("TreeEnsembleRegressor", trees("BRANCH_LEQ", 0, 2)) ==
        "there are 0 trees with 3 nodes");  // each node is the successor of another
  CHECK(error("TreeEnsembleRegressor", trees("BRANCH_LEQ", 1, 2)) == "the nodes of a tree go round in a circle");
  CHECK(error("TreeEnsembleRegressor", trees("BRANCH_LEQ", 7, 2)) ==
        "a node is for feature 0 and goes to the nodes -1 and 2, expected features of 3 and nodes of 3");
  CHECK(error("TreeEnsembleRegressor", trees("BRANCH_LEQ", 2, 3)) ==
        "a node is for feature 3 and goes to the nodes 1 and 2, expected features of 3 and nodes of 3");
  CHECK(error("TreeEnsembleRegressor", trees("BRANCH_LEQ", 2, 2, 1)) ==
        "a weight is for node 2 and target 1, expected nodes of 3 and targets of 1");
  CHECK(error("TreeEnsembleRegressor", trees("BRANCH", 2, 2)) ==
        "the mode of a node is \"BRANCH\", expected one such as BRANCH_LEQ, or LEAF");
  CHECK(error("TreeEnsembleRegressor", {}) ==
        "the lists of the nodes' numbers have 0, 0, 0, 0, 0, 0, 0 elements, expected the same number of at least 1");
  CHECK(error("TreeEnsembleClassifier", {}) == "there are 0 classes, expected at least 2");
  CHECK(error("Scaler", reals("offset", {1, 2})) == "offset has 2 numbers, expected one, or 3");
  CHECK(error("Normalizer", bytes(5, bytes(1, "norm") + bytes(4, "L3") + varint(20, 3))) ==
        "norm is \"L3\", expected MAX, L1 or L2");
  CHECK(error("LinearRegressor", reals("coefficients", {1, 2, 3, 4})) ==
        "there are 4 coefficients and 0 intercepts for 1 results of 3 features");
  CHECK(error("LinearClassifier", list("classlabels_ints", {4, 5}) + reals("coefficients", {1, 2, 3})) ==
        "there are coefficients for 1 classes of 2");
}

TEST_CASE("errors name the offset in the file, also in nested messages") {
  const auto offset = [](std::string_view proto) {
    const std::string error = error_of(proto);
    constexpr std::string_view prefix = "m.onnx: offset ";
    INFO(error);
    REQUIRE(error.starts_with(prefix));
    return std::stoull(error.substr(prefix.size()));
  };
  // The bytes of a field that does not fit.
  const std::string short_data =
      model(node("Relu", {"x"}, {"y"}), bytes(5, varint(1, 4) + varint(2, float_type) + bytes(9, "abc")));
  CHECK(offset(short_data) == short_data.find("abc"));
  // The tag of a field that is longer than what is left of its message: here, of an attribute of a node.
  const std::string long_name = model(node("Relu", {"x"}, {"y"}, bytes(5, "\x0a\x55!")));
  CHECK(offset(long_name) == long_name.find("\x0a\x55!"));
  // A varint, as an element of a packed list.
  const std::string cut_off = model(node("Relu", {"x"}, {"y"}, bytes(5, bytes(1, "a") + bytes(8, "\1\2\x83"))));
  CHECK(offset(cut_off) == cut_off.find('\x83'));
  // A graph in two parts is read as one: the offset is that of the first part.
  const std::string first = bytes(7, node("Relu", {"x"}, {"y"})), head = varint(1, 8) + bytes(8, varint(2, 17));
  CHECK(offset(head + first + bytes(7, "\x0a\x55")) == head.size() + 2);
  CHECK(error_of(head + first + bytes(7, "\x0a\x55")) ==
        fmt::format("m.onnx: offset {}: ModelProto.graph: field 1 has 85 bytes, but 0 are left", head.size() + 2));
}

}  // namespace bp::import::onnx
