// Results whose size is data: the operators that select are compared with what they give for the same values when they
// are constants, which is computed in another way; and nodes that cannot take such results are refused.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "core/import/onnx/onnx.h"
#include "core/import/onnx/tests/models.h"
#include "core/interpreter/interpreter.h"
#include "core/ir/verifier.h"

namespace bp::import::onnx {
namespace {

using namespace onnx::testing;
using Sizes = std::initializer_list<std::int64_t>;

// An input, with its elements.
struct Given {
  std::string name;
  ir::Literal literal;
};

Given given(std::string name, Sizes sizes, const std::vector<float> &elements) {
  Given result{std::move(name), ir::Literal::zeros(ir::Shape::array(ir::ElementType::F32, sizes)).value()};
  std::ranges::copy(elements, result.literal.mutable_elements<float>().begin());
  return result;
}

// Draws integers from 0 to `most`.
std::vector<float> drawn(std::mt19937 &random, std::size_t count, int most) {
  std::vector<float> numbers(count);
  std::ranges::generate(numbers, [&] { return static_cast<float>(std::uniform_int_distribution<>(0, most)(random)); });
  return numbers;
}

std::string sized_value(const Given &input) {
  std::string dims;
  for (const std::int64_t size : input.literal.shape().sizes()) {
    dims += bytes(1, varint(1, size));
  }
  return bytes(1, input.name) + bytes(2, bytes(1, varint(1, float_type) + bytes(2, dims)));
}

std::string sized_tensor(const Given &input) {
  std::string dims;
  for (const std::int64_t size : input.literal.shape().sizes()) {
    dims += varint(1, size);
  }
  const auto elements = input.literal.bytes();
  return dims + varint(2, float_type) + bytes(8, input.name) +
         bytes(9, {reinterpret_cast<const char *>(elements.data()), elements.size()});
}

// A model whose inputs are inputs or constants.
std::string model_of(std::string_view nodes, const std::vector<Given> &inputs, bool are_constant,
                     std::initializer_list<std::string_view> outputs, std::string_view rest = {}) {
  std::string graph(nodes);
  for (const Given &input : inputs) {
    graph += are_constant ? bytes(5, sized_tensor(input)) : bytes(11, sized_value(input));
  }
  for (const std::string_view output : outputs) {
    graph += bytes(12, bytes(1, output));
  }
  return varint(1, 8) + bytes(8, varint(2, 17)) + bytes(7, graph + bytes(2, "g") + std::string(rest));
}

// Returns the results of a model, with the sizes that they have.
std::vector<ir::Literal> results_of(const std::string &proto, const std::vector<Given> &inputs, bool are_constant,
                                    bool &is_bounded) {
  const auto module = read(proto, {"m.onnx"});
  INFO((module.ok() ? "" : module.error().to_string()));
  REQUIRE(module.ok());
  is_bounded = !module->entry().root().shape().is_static();
  std::vector<ir::Literal> arguments;
  for (const Given &input : inputs) {
    if (!are_constant) {
      arguments.push_back(input.literal);
    }
  }
  auto result = interpreter::interpret(*module, arguments);
  INFO((result.ok() ? "" : result.error().to_string()));
  REQUIRE(result.ok());
  std::vector<ir::Literal> literals(result->tuple_elements().begin(), result->tuple_elements().end());
  if (!result->shape().is_tuple()) {
    literals.push_back(*result);
  }
  for (ir::Literal &literal : literals) {
    literal = ir::cut_to_run_time_sizes(literal).value();
  }
  return literals;
}

void compare(std::string_view nodes, const std::vector<Given> &inputs, std::initializer_list<std::string_view> outputs,
             std::string_view rest = {}) {
  bool open_is_bounded = false, known_is_bounded = false;
  const auto open = results_of(model_of(nodes, inputs, false, outputs, rest), inputs, false, open_is_bounded);
  const auto known = results_of(model_of(nodes, inputs, true, outputs, rest), inputs, true, known_is_bounded);
  CHECK(open_is_bounded);
  CHECK_FALSE(known_is_bounded);
  REQUIRE(open.size() == known.size());
  for (std::size_t i = 0; i < open.size(); ++i) {
    INFO("output " << i << ": " << ir::to_string(open[i].shape()) << ", expected " << ir::to_string(known[i].shape()));
    CHECK(open[i].identical(known[i]));
  }
}

std::string graph_attribute(std::string_view name, const std::string &graph) {
  return bytes(5, bytes(1, name) + bytes(6, graph + bytes(2, "g")) + varint(20, 5));
}

std::string pair_attribute(std::string_view name, std::int64_t first, std::int64_t second) {
  return bytes(5, bytes(1, name) + varint(8, first) + varint(8, second) + varint(20, 7));
}

// Flags for Compress, of which the first one is set.
Given flags(std::mt19937 &random, std::int64_t count) {
  std::vector<float> elements = drawn(random, static_cast<std::size_t>(count), 1);
  elements[0] = 1;
  return given("c", {count}, elements);
}

std::string error_of(const std::string &proto) {
  const auto module = read(proto, {"m.onnx"});
  return module.ok() ? "no error" : module.error().to_string();
}

}  // namespace

TEST_CASE("selections of values that a run tells are those of constants") {
  std::mt19937 random(5);
  const std::initializer_list<std::string_view> four = {"y", "first", "inverse", "counts"};
  for (int most = 0; most < 4; ++most) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      const Given x = given("x", {3, 2, 4}, drawn(random, 24, most));
      compare(node("NonZero", {"x"}, {"y"}), {x}, {"y"});
      compare(node("Compress", {"x", "c"}, {"y"}, integer_attribute("axis", 2)),
              {x, given("c", {3}, drawn(random, 3, most))}, {"y"});
      compare(node("Compress", {"x", "c"}, {"y"}), {x, given("c", {20}, drawn(random, 20, most))}, {"y"});
      for (const std::int64_t is_sorted : {0, 1}) {
        const std::string sorted = integer_attribute("sorted", is_sorted);
        compare(node("Unique", {"x"}, four, sorted), {x}, four);
        for (const std::int64_t axis : {0, 1, 2}) {
          compare(node("Unique", {"x"}, four, sorted + integer_attribute("axis", axis)), {x}, four);
        }
      }
    }
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::int64_t is_sorted : {0, 1}) {
    compare(node("Unique", {"x"}, four, integer_attribute("sorted", is_sorted)),
            {given("x", {6}, {nan, 2, -0.0F, nan, 0, 2})}, four);
  }
}

TEST_CASE("boxes that a run tells are chosen as constants are") {
  std::mt19937 random(7);
  const std::string nodes = node("NonMaxSuppression", {"boxes", "scores", "most", "overlap", "least"}, {"y"});
  const std::string rest = bytes(5, varint(1, 1) + varint(2, float_type) + bytes(8, "overlap") +
                                        bytes(9, std::string_view("\0\0\x80\x3e", 4)));  // 0.25
  for (const std::int64_t most : {1, 2, 9}) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      const std::vector<Given> inputs = {given("boxes", {2, 5, 4}, drawn(random, 40, 6)),
                                         given("scores", {2, 3, 5}, drawn(random, 30, 4)),
                                         given("least", {1}, drawn(random, 1, 2))};
      compare(nodes, inputs, {"y"}, rest + initializer("most", {most}));
    }
  }
}

TEST_CASE("sizes that are computed from such sizes have bounds") {
  // The numbers from 0 on, as many as there are elements other than 0; and a row for each.
  const std::string nodes = node("NonZero", {"x"}, {"i"}) + node("Shape", {"i"}, {"s"}) +
                            node("Gather", {"s", "one"}, {"k"}) + node("Squeeze", {"k", "zero"}, {"n"}) +
                            node("Squeeze", {"zero", "zero"}, {"from"}) + node("Squeeze", {"two", "zero"}, {"step"}) +
                            node("Range", {"from", "n", "step"}, {"r"}) + node("ConstantOfShape", {"k"}, {"c"}) +
                            node("Concat", {"k", "two"}, {"e"}, integer_attribute("axis", 0)) +
                            node("Expand", {"row", "e"}, {"rows"}) + node("Tile", {"pair", "k"}, {"tiles"});
  const std::string rest = initializer("one", {1}) + initializer("zero", {0}) + initializer("two", {2}) +
                           initializer("pair", {4, 5}) +
                           bytes(5, varint(1, 1) + varint(1, 1) + varint(2, int64_type) + bytes(8, "row") +
                                        bytes(9, std::string_view("\7\0\0\0\0\0\0\0", 8)));
  std::mt19937 random(9);
  for (int most = 0; most < 3; ++most) {
    compare(nodes, {given("x", {7}, drawn(random, 7, most))}, {"r", "c", "rows", "tiles"}, rest);
  }
  const auto module = read(model_of(nodes, {given("x", {7}, {})}, false, {"r", "rows", "tiles"}, rest), {"m.onnx"});
  REQUIRE(module.ok());
  CHECK(ir::to_string(module->entry().root().shape(), ir::PrintLayout::Never) == "(s64[<=4], s64[<=7,2], s64[<=14])");
}

TEST_CASE("parts between places that a run tells have bounds") {
  const std::string nodes = node("Cast", {"a"}, {"b"}, integer_attribute("to", int64_type)) +
                            node("Cast", {"c"}, {"d"}, integer_attribute("to", int64_type)) +
                            node("Slice", {"x", "b", "d", "zero", "step"}, {"y"});
  const std::vector<float> elements = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  for (const std::int64_t step : {1, 3, -1, -4, 20, -20}) {
    for (const float begin : {-20, -3, -1, 0, 2, 4, 5, 20}) {
      for (const float end : {-20, -5, -1, 0, 1, 3, 5, 20}) {
        CAPTURE(step, begin, end);
        compare(nodes, {given("x", {5, 2}, elements), given("a", {1}, {begin}), given("c", {1}, {end})}, {"y"},
                initializer("zero", {0}) + initializer("step", {step}));
      }
    }
  }
}

TEST_CASE("branches have and use sizes that a run tells") {
  const std::string shorter =
      node("Neg", {"i"}, {"a"}) + bytes(12, bytes(1, "a")) + initializer("p", {1, 2, 3}) + bytes(12, bytes(1, "p"));
  const std::string longer = node("Concat", {"i", "i"}, {"b"}, integer_attribute("axis", 1)) +
                             bytes(12, bytes(1, "b")) + initializer("q", {4, 5, 6, 7, 8}) + bytes(12, bytes(1, "q"));
  const std::string nodes = node("NonZero", {"x"}, {"i"}) + node("Size", {"i"}, {"n"}) +
                            node("Greater", {"n", "two"}, {"is_long"}) +
                            node("If", {"is_long"}, {"y", "z"},
                                 graph_attribute("then_branch", shorter) + graph_attribute("else_branch", longer)) +
                            node("Neg", {"y"}, {"w"});
  std::mt19937 random(11);
  for (int repeat = 0; repeat < 8; ++repeat) {
    compare(nodes, {given("x", {6}, drawn(random, 6, 1))}, {"w", "z"}, initializer("two", {2}));
  }
  const auto module =
      read(model_of(nodes, {given("x", {6}, {})}, false, {"w", "z"}, initializer("two", {2})), {"m.onnx"});
  REQUIRE(module.ok());
  CHECK(ir::to_string(module->entry().root().shape(), ir::PrintLayout::Never) == "(s64[1,<=12], s64[<=5])");
  // Branches of other ranks.
  const std::string flat = initializer("r", {1}) + bytes(12, bytes(1, "r"));
  const std::string ranks = node("NonZero", {"x"}, {"i"}) + node("Size", {"i"}, {"n"}) +
                            node("Greater", {"n", "two"}, {"is_long"}) +
                            node("If", {"is_long"}, {"y"},
                                 graph_attribute("then_branch", node("Neg", {"i"}, {"a"}) + bytes(12, bytes(1, "a"))) +
                                     graph_attribute("else_branch", flat));
  CHECK(
      error_of(model_of(ranks, {given("x", {3}, {})}, false, {"y"}, initializer("two", {2}))) ==
      "m.onnx: If (ModelProto.graph.node[3]): sizes depend on the elements of input 0, \"is_long\", expected that they "
      "follow from constants and shapes: give the elements of the model's inputs that they depend on");
}

TEST_CASE("the largest of as many elements as a run tells") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> elements = {3, -infinity, nan, 0, 3, -nan, -0.0F, infinity, -7, 1};
  std::mt19937 random(13);
  for (const std::int64_t is_largest : {1, 0}) {
    const std::string nodes = node("Compress", {"x", "c"}, {"y"}, integer_attribute("axis", 0)) +
                              node("Size", {"y"}, {"n"}) + node("Min", {"n", "k"}, {"m"}) +
                              node("TopK", {"y", "m"}, {"v", "i"}, integer_attribute("largest", is_largest)) +
                              node("Unsqueeze", {"y", "zero"}, {"row"}) + node("Transpose", {"row"}, {"column"}) +
                              node("TopK", {"column", "one"}, {"u", "j"}, integer_attribute("largest", is_largest));
    for (int repeat = 0; repeat < 8; ++repeat) {
      compare(nodes, {given("x", {10}, elements), flags(random, 10)}, {"v", "i", "u", "j"},
              initializer("k", {4}) + initializer("zero", {0}) + initializer("one", {1}));
    }
  }
}

TEST_CASE("boxes of which a run tells the number") {
  const std::string nodes = node("Compress", {"boxes", "c"}, {"b"}, integer_attribute("axis", 1)) +
                            node("Compress", {"scores", "c"}, {"s"}, integer_attribute("axis", 2)) +
                            node("NonMaxSuppression", {"b", "s", "most"}, {"y"}) +
                            node("Squeeze", {"b", "zero"}, {"regions"}) + node("Squeeze", {"s", "places"}, {"first"}) +
                            node("Cast", {"first"}, {"numbers"}, integer_attribute("to", int64_type)) +
                            node("RoiAlign", {"image", "regions", "numbers"}, {"z"},
                                 integer_attribute("output_height", 2) + integer_attribute("sampling_ratio", 2));
  std::mt19937 random(15);
  for (int repeat = 0; repeat < 8; ++repeat) {
    compare(nodes,
            {given("boxes", {1, 6, 4}, drawn(random, 24, 5)), given("scores", {1, 1, 6}, drawn(random, 6, 1)),
             given("image", {2, 1, 5, 5}, drawn(random, 50, 9)), flags(random, 6)},
            {"y", "z"}, initializer("most", {4}) + initializer("zero", {0}) + initializer("places", {0, 1}));
  }
}

TEST_CASE("indices count from an end that a run tells") {
  const std::string nodes = node("Compress", {"x", "c"}, {"y"}, integer_attribute("axis", 0)) +
                            node("GatherElements", {"y", "ends"}, {"g"}) +
                            node("ScatterElements", {"y", "ends", "g"}, {"z"}) +
                            node("ScatterElements", {"y", "ends", "g"}, {"sum"},
                                 bytes(5, bytes(1, "reduction") + bytes(4, "add") + varint(20, 3)));
  std::mt19937 random(17);
  for (int repeat = 0; repeat < 6; ++repeat) {
    compare(nodes, {given("x", {6}, drawn(random, 6, 99)), flags(random, 6)}, {"z", "sum"},
            initializer("ends", {-1, 0}));
  }
}

TEST_CASE("choices by sizes that a run tells, and numbers of known length") {
  // As PyTorch writes expand(): -1 stands for the size that there is.
  const std::string nodes = node("NonZero", {"x"}, {"i"}) + node("Shape", {"i"}, {"s"}) +
                            node("Equal", {"s", "minus"}, {"is_minus"}) +
                            node("Where", {"is_minus", "ones", "s"}, {"e"}) + node("Expand", {"row", "e"}, {"y"}) +
                            node("Gather", {"s", "zero"}, {"k"}) + node("Squeeze", {"k", "zero"}, {"limit"}) +
                            node("Squeeze", {"zero", "zero"}, {"from"}) + node("Squeeze", {"row", "zero"}, {"step"}) +
                            node("Range", {"from", "limit", "step"}, {"r"});
  const std::string rest =
      initializer("minus", {-1, -1}) + initializer("ones", {1, 1}) + initializer("row", {1}) + initializer("zero", {0});
  std::mt19937 random(19);
  for (int most = 0; most < 3; ++most) {
    compare(nodes, {given("x", {7}, drawn(random, 7, most))}, {"y", "r"}, rest);
  }
  const auto module = read(model_of(nodes, {given("x", {7}, {})}, false, {"y", "r"}, rest), {"m.onnx"});
  REQUIRE(module.ok());
  CHECK(ir::to_string(module->entry().root().shape(), ir::PrintLayout::Never) == "(s64[1,<=7], s64[1])");
}

TEST_CASE("a batch whose size a run tells") {
  const std::string kernel = pair_attribute("kernel_shape", 2, 2);
  const std::string nodes = node("Compress", {"x", "c"}, {"y"}, integer_attribute("axis", 0)) +
                            node("Conv", {"y", "w"}, {"convolved"}) +
                            node("Conv", {"y", "v"}, {"by_channel"}, integer_attribute("group", 2)) +
                            node("ConvTranspose", {"y", "w"}, {"wider"}) + node("MaxPool", {"y"}, {"largest"}, kernel) +
                            node("AveragePool", {"y"}, {"mean"}, kernel) + node("GlobalAveragePool", {"y"}, {"means"}) +
                            node("GlobalMaxPool", {"y"}, {"maxima"}) + node("Pad", {"y", "border"}, {"padded"}) +
                            node("BatchNormalization", {"y", "scale", "scale", "scale", "scale"}, {"normal"});
  std::mt19937 random(21);
  for (int repeat = 0; repeat < 4; ++repeat) {
    compare(nodes,
            {given("x", {4, 2, 3, 3}, drawn(random, 72, 9)), given("w", {2, 2, 2, 2}, drawn(random, 16, 3)),
             given("v", {2, 1, 2, 2}, drawn(random, 8, 3)), given("scale", {2}, {1, 3}), flags(random, 4)},
            {"convolved", "by_channel", "wider", "largest", "mean", "means", "maxima", "padded", "normal"},
            initializer("border", {1, 0, 1, 0, 2, 0, 2, 1}));
  }
  const std::string wide =
      node("Compress", {"x", "c"}, {"y"}, integer_attribute("axis", 2)) + node("MaxPool", {"y"}, {"z"}, kernel);
  const std::string error = error_of(model_of(wide, {given("x", {1, 2, 3, 3}, {}), given("c", {3}, {})}, false, {"z"}));
  CHECK(error.find("MaxPool (ModelProto.graph.node[1]): an operand is f32[1,2,<=3,3], whose sizes only a run tells") !=
        std::string::npos);
}

TEST_CASE("a size that is 1 in the run is repeated") {
  const std::string nodes =
      node("Compress", {"x", "one"}, {"a"}, integer_attribute("axis", 0)) +
      node("Compress", {"x", "some"}, {"b"}, integer_attribute("axis", 0)) + node("Add", {"a", "x"}, {"sum"}) +
      node("Max", {"x", "a", "b0"}, {"largest"}) + node("Mul", {"a", "b"}, {"product"}) +
      node("Greater", {"b", "zero"}, {"is_positive"}) + node("Where", {"is_positive", "a", "b"}, {"chosen"}) +
      node("Shape", {"b"}, {"s"}) + node("Expand", {"a", "s"}, {"wide"}) + node("Expand", {"a", "four"}, {"known"}) +
      node("PRelu", {"x", "a"}, {"leaky"}) + node("Unsqueeze", {"a", "places"}, {"batch"}) +
      node("Unsqueeze", {"b", "places"}, {"batches"}) + node("MatMul", {"batch", "batches"}, {"matrices"}) +
      node("Unsqueeze", {"a", "place"}, {"column"}) + node("Unsqueeze", {"x", "place"}, {"columns"}) +
      node("Unsqueeze", {"x", "front"}, {"row"}) + node("Gemm", {"columns", "row", "column"}, {"biased"});
  std::mt19937 random(23);
  for (const float all : {0, 1}) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      compare(nodes,
              {given("x", {4}, drawn(random, 4, 9)), given("one", {4}, {all, 1, all, all}),
               given("some", {4}, {1, all, 1, 1}), given("b0", {1}, drawn(random, 1, 9)), given("zero", {1}, {4})},
              {"sum", "largest", "product", "chosen", "wide", "known", "leaky", "matrices", "biased"},
              initializer("places", {1, 2}) + initializer("place", {1}) + initializer("front", {0}) +
                  initializer("four", {4}));
    }
  }
}

TEST_CASE("several sizes that a run tells, and those that are 0 or at most 1, are reshaped as stated") {
  const std::string nodes =
      node("Compress", {"x", "c"}, {"y"}, integer_attribute("axis", 0)) +
      node("Compress", {"y", "d"}, {"z"}, integer_attribute("axis", 1)) + node("Shape", {"z"}, {"s"}) +
      node("Gather", {"s", "one"}, {"m"}) + node("Gather", {"s", "zero"}, {"n"}) +
      node("Concat", {"m", "n"}, {"turned"}, integer_attribute("axis", 0)) +
      node("Reshape", {"z", "turned"}, {"r"}, integer_attribute("allowzero", 1)) +
      node("Flatten", {"z"}, {"f"}, integer_attribute("axis", 0)) + node("Reshape", {"z", "minus"}, {"line"}) +
      node("Unsqueeze", {"z", "zero"}, {"u"}) + node("Squeeze", {"u", "zero"}, {"v"}) +
      node("Concat", {"two", "n"}, {"times"}, integer_attribute("axis", 0)) + node("Tile", {"z", "times"}, {"t"});
  std::mt19937 random(25);
  for (const std::int64_t rows : {1, 3}) {
    for (const std::int64_t columns : {1, 2, 0}) {
      for (int repeat = 0; repeat < 6; ++repeat) {
        CAPTURE(rows, columns, repeat);
        const auto count = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(columns);
        const auto outputs = std::initializer_list<std::string_view>{"r", "f", "line", "u", "v", "t"};
        compare(
            nodes,
            {given("x", {rows, columns}, drawn(random, count * width, 3)), given("c", {rows}, drawn(random, count, 1)),
             given("d", {columns}, drawn(random, width, 1))},
            outputs,
            initializer("one", {1}) + initializer("zero", {0}) + initializer("two", {2}) + initializer("minus", {-1}));
      }
    }
  }
  // The first size is known, so the run tells the second one, though the bounds are those of the operand.
  const std::string other = node("Compress", {"x", "c"}, {"y"}, integer_attribute("axis", 0)) +
                            node("Reshape", {"y", "rest"}, {"r"}) + node("Reshape", {"y", "first"}, {"s"});
  compare(other, {given("x", {4, 4}, drawn(random, 16, 9)), given("c", {4}, {1, 0, 1, 0})}, {"r", "s"},
          initializer("rest", {4, -1}) + initializer("first", {-1, 2}));
  // Without elements.
  const std::string empty = node("Compress", {"x", "c"}, {"y"}, integer_attribute("axis", 0)) +
                            node("Reshape", {"y", "zero"}, {"r"}, integer_attribute("allowzero", 1)) +
                            node("NonZero", {"y"}, {"p"}) + node("Unsqueeze", {"y", "zero"}, {"u"});
  compare(empty, {given("x", {4, 0}, {}), given("c", {4}, {1, 0, 1, 0})}, {"r", "p", "u"}, initializer("zero", {0}));
}

TEST_CASE("repeats that cannot be are refused, also of sizes that a run tells") {
  const std::string nodes =
      node("Compress", {"x", "c"}, {"y"}, integer_attribute("axis", 0)) + node("Tile", {"y", "times"}, {"z"});
  const auto error = [&](std::int64_t times) {
    return error_of(
        model_of(nodes, {given("x", {4, 3}, {}), given("c", {4}, {})}, false, {"z"}, initializer("times", {1, times})));
  };
  CHECK(error(-2).find("dimension 1 is repeated -2 times, expected at least 0") != std::string::npos);
  CHECK(error(1 << 30).find("dimension 1 gets up to 3221225472 elements, expected at most 2147483647") !=
        std::string::npos);
}

TEST_CASE("an output that is another value has its own name") {
  const std::string nodes =
      node("Relu", {"x"}, {"a"}) + node("Identity", {"a"}, {"b"}) + node("Identity", {"x"}, {"c"});
  const auto module = read(model_of(nodes, {given("x", {3}, {})}, false, {"a", "b", "c"}), {"m.onnx"});
  REQUIRE(module.ok());
  std::vector<std::string> names;
  for (const ir::InstructionId operand : module->entry().root().operands()) {
    names.emplace_back(module->instruction(operand).name());
  }
  CHECK(names == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("a node that cannot take a size that a run tells is refused, with the node that it comes from") {
  const std::string nodes = node("NonZero", {"x"}, {"i"}) + node("Neg", {"i"}, {"j"}) + node("Trilu", {"j"}, {"y"});
  CHECK(error_of(model_of(nodes, {given("x", {3}, {})}, false, {"y"})) ==
        "m.onnx: Trilu (ModelProto.graph.node[2]): an operand is s64[1,<=3], whose sizes only a run tells: they follow "
        "from NonZero (ModelProto.graph.node[0]). Expected an operator that takes such sizes, or that they are known: "
        "give the elements of the model's inputs that they depend on, if these are integers (--value)");
  // One of two sizes of the result would be that of the run.
  const std::string halves = node("NonZero", {"x"}, {"i"}) + node("Reshape", {"i", "two"}, {"y"});
  const std::string error = error_of(model_of(halves, {given("x", {4}, {})}, false, {"y"}, initializer("two", {2, 2})));
  CHECK(error ==
        "m.onnx: Reshape (ModelProto.graph.node[1]): s64[1,<=4] cannot become [2,2]: it is not known which of the "
        "sizes there a run tells\n  note: sizes that only a run tells follow from NonZero (ModelProto.graph.node[0])");
}

TEST_CASE("elements that are given are used where a bound does not do") {
  const std::string nodes = node("NonZero", {"x"}, {"i"}) + node("Trilu", {"i"}, {"y"});
  const Given x = given("x", {3}, {0, 1, 1});
  Options options{"m.onnx"};
  std::vector<std::size_t> used;
  options.used = &used;
  options.values = {{0, x.literal}};
  const auto special = read(model_of(nodes, {x}, false, {"y"}), options);
  REQUIRE(special.ok());
  CHECK(ir::to_string(special->entry().root().shape(), ir::PrintLayout::Never) == "s64[1,2]");
  CHECK(used == std::vector<std::size_t>{0});
  used.clear();
  const auto general = read(model_of(node("NonZero", {"x"}, {"y"}), {x}, false, {"y"}), options);
  REQUIRE(general.ok());
  CHECK(ir::to_string(general->entry().root().shape(), ir::PrintLayout::Never) == "s64[1,<=3]");
  CHECK(used.empty());
}

}  // namespace bp::import::onnx
