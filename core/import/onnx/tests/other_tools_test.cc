// Models as exporters and converters write them, against the letter of the specification or beyond its operators.
#include <bit>
#include <catch2/catch.hpp>

#include "core/import/onnx/onnx.h"
#include "core/import/onnx/tests/models.h"
#include "core/interpreter/interpreter.h"
#include "core/text/printer.h"

namespace bp::import::onnx {
namespace {

using namespace onnx::testing;

std::string float_bytes(const std::vector<float> &numbers) {
  return {reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(float)};
}

// A one-dimensional initializer of floats.
std::string floats(std::string_view name, const std::vector<float> &numbers) {
  return bytes(5, varint(1, static_cast<std::int64_t>(numbers.size())) + varint(2, float_type) + bytes(8, name) +
                      bytes(9, float_bytes(numbers)));
}

std::string real_attribute(std::string_view name, float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  std::string fixed = "\x15";  // field 2 in 4 bytes
  for (int i = 0; i < 4; ++i) {
    fixed += static_cast<char>(bits >> (8 * i));
  }
  return bytes(5, bytes(1, name) + fixed + varint(20, 1));
}

std::string integers_attribute(std::string_view name, std::initializer_list<std::int64_t> numbers) {
  Writer list;
  list.integers({8, {}}, std::vector<std::int64_t>(numbers));
  return bytes(5, bytes(1, name) + list.take() + varint(20, 7));
}

std::string reals_attribute(std::string_view name, const std::vector<float> &numbers) {
  return bytes(5, bytes(1, name) + bytes(7, float_bytes(numbers)) + varint(20, 6));
}

// A model with the input x and the output y, of which only the type is declared.
std::string untyped_model(std::string_view nodes, std::initializer_list<std::int64_t> sizes, std::int64_t type,
                          std::string_view sets = {}) {
  return varint(1, 8) + bytes(8, varint(2, 17)) + std::string(sets) +
         bytes(7, std::string(nodes) + bytes(2, "g") + bytes(11, value("x", sizes, type)) + bytes(12, bytes(1, "y")));
}

ir::Module read_model(const std::string &proto) {
  auto module = read(proto, {"m.onnx"});
  INFO((module.ok() ? "" : module.error().to_string()));
  REQUIRE(module.ok());
  return std::move(module).value();
}

std::string result_of(const std::string &proto, const std::vector<ir::Literal> &arguments) {
  const auto result = interpreter::interpret(read_model(proto), arguments);
  REQUIRE(result.ok());
  return text::print(*result);
}

template <class T>
ir::Literal vector_of(ir::ElementType type, const std::vector<T> &numbers) {
  const std::int64_t sizes[] = {static_cast<std::int64_t>(numbers.size())};
  ir::Literal literal = ir::Literal::zeros(ir::Shape::array(type, sizes)).value();
  std::ranges::copy(numbers, literal.mutable_elements<T>().begin());
  return literal;
}

const std::string classical = bytes(8, bytes(1, "ai.onnx.ml") + varint(2, 3));
const std::string domain = bytes(7, "ai.onnx.ml");

}  // namespace

TEST_CASE("nodes may come before those whose outputs they use") {
  CHECK(result_of(untyped_model(node("Neg", {"r"}, {"y"}) + node("Relu", {"s"}, {"r"}) + node("Sqrt", {"x"}, {"s"}),
                                {2}, float_type),
                  {vector_of<float>(ir::ElementType::F32, {4, 9})}) == "{-2, -3}");
  const auto cycle = read(model(node("Neg", {"r"}, {"y"}) + node("Relu", {"y"}, {"r"})), {"m.onnx"});
  REQUIRE_FALSE(cycle.ok());
  CHECK(cycle.error().to_string().find("is used before it is defined") != std::string::npos);
}

TEST_CASE("sizes of Resize are products in f32") {
  const std::string nodes = floats("scales", {1, 1, 0.7F, 2.3F}) + node("Resize", {"x", "", "scales"}, {"y"});
  CHECK(ir::to_string(read_model(untyped_model(nodes, {1, 1, 10, 10}, float_type)).entry().root().shape(),
                      ir::PrintLayout::Never) == "f32[1,1,7,23]");
}

TEST_CASE("the operator set of an operator that is known in newer ones is named") {
  const auto found = read(model(node("BitwiseNot", {"x"}, {"y"})), {"m.onnx"});
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().to_string() ==
        "m.onnx: 1 operator that is not imported: BitwiseNot of operator set 17, expected set 18 or newer (1 node)");
}

TEST_CASE("labels, categories and missing values are exchanged") {
  const auto with_domain = [](std::string_view operation, const std::string &attributes) {
    return node(operation, {"x"}, {"y"}, domain + attributes);
  };
  CHECK(result_of(untyped_model(with_domain("LabelEncoder", integers_attribute("keys_int64s", {5, 7, 5}) +
                                                                reals_attribute("values_floats", {1.5F, 2.5F, 3.5F}) +
                                                                real_attribute("default_float", -1)),
                                {3}, int64_type, classical),
                  {vector_of<std::int64_t>(ir::ElementType::S64, {7, 5, 6})}) == "{2.5, 1.5, -1}");
  CHECK(result_of(untyped_model(with_domain("OneHotEncoder", integers_attribute("cats_int64s", {3, 4})), {3},
                                int64_type, classical),
                  {vector_of<std::int64_t>(ir::ElementType::S64, {4, 3, 9})}) == "{ {0, 1}, {1, 0}, {0, 0} }");
  CHECK(result_of(untyped_model(with_domain("Imputer", reals_attribute("imputed_value_floats", {8}) +
                                                           real_attribute("replaced_value_float", NAN)),
                                {3}, float_type, classical),
                  {vector_of<float>(ir::ElementType::F32, {1, NAN, 3})}) == "{1, 8, 3}");
}

}  // namespace bp::import::onnx
