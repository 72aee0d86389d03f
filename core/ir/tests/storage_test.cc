#include "core/ir/storage.h"

#include <catch2/catch.hpp>

namespace bp::ir {
namespace {

Literal counting(const Shape &shape) {
  Literal literal = Literal::zeros(shape).value();
  auto bytes = literal.mutable_bytes();
  auto width = static_cast<std::size_t>(byte_width(shape.element_type()));
  for (std::size_t i = 0; i < bytes.size(); i += width) {
    bytes[i] = static_cast<std::byte>(i / width % 7);
  }
  return literal;
}

std::vector<int> stored(const Shape &shape) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(shape.byte_size()), std::byte{0xee});
  Literal literal = counting(shape);
  store(literal, shape, buffer);
  CHECK(load(buffer, shape)->identical(literal));
  std::vector<int> numbers;
  for (std::byte b : buffer) {
    numbers.push_back(std::to_integer<int>(b));
  }
  return numbers;
}

Shape with_layout(ElementType type, std::initializer_list<std::int64_t> sizes, Dimensions minor_to_major,
                  std::vector<Tile> tiles = {}, std::int64_t element_bits = 0) {
  Layout layout;
  layout.minor_to_major = std::move(minor_to_major);
  layout.tiles = std::move(tiles);
  layout.element_bits = element_bits;
  Shape shape = Shape::array(type, sizes);
  shape.set_layout(std::move(layout));
  return shape;
}

}  // namespace

TEST_CASE("a buffer follows the layout of its shape, a literal does not") {
  using Numbers = std::vector<int>;
  CHECK(stored(Shape::array(ElementType::U8, {2, 3})) == Numbers{0, 1, 2, 3, 4, 5});
  CHECK(stored(with_layout(ElementType::U8, {2, 3}, {0, 1})) == Numbers{0, 3, 1, 4, 2, 5});
  CHECK(stored(with_layout(ElementType::U8, {1, 2, 3}, {1, 2, 0})) == Numbers{0, 3, 1, 4, 2, 5});
  SECTION("tiles pad with zeros") {
    CHECK(stored(with_layout(ElementType::U8, {3, 3}, {1, 0}, {{{2, 2}}})) ==
          Numbers{0, 1, 3, 4, 2, 0, 5, 0, 6, 0, 0, 0, 1, 0, 0, 0});
    // The second tile splits the rows of the first.
    CHECK(stored(with_layout(ElementType::U8, {2, 4}, {1, 0}, {{{2, 4}}, {{2, 1}}})) ==
          Numbers{0, 4, 1, 5, 2, 6, 3, 0});
  }
  SECTION("narrow elements are packed from the low bits on") {
    CHECK(stored(with_layout(ElementType::U4, {3}, {0}, {}, 4)) == Numbers{0x10, 0x02});
    CHECK(stored(with_layout(ElementType::U4, {3}, {0})) == Numbers{0, 1, 2});
  }
  SECTION("wide elements keep their bytes together") {
    CHECK(stored(with_layout(ElementType::U16, {2, 2}, {0, 1})) == Numbers{0, 0, 2, 0, 1, 0, 3, 0});
  }
}

TEST_CASE("packed signed elements are extended when read") {
  Shape shape = with_layout(ElementType::S4, {4}, {0}, {}, 4);
  std::vector<std::byte> buffer{std::byte{0xf1}, std::byte{0x87}};
  Literal literal = load(buffer, shape).value();
  auto elements = literal.elements<NarrowInt<4, true>>();
  CHECK(elements[0].value == 1);
  CHECK(elements[1].value == -1);
  CHECK(elements[2].value == 7);
  CHECK(elements[3].value == -8);
}

TEST_CASE("empty arrays and scalars are stored too") {
  CHECK(stored(Shape::array(ElementType::F32, {0, 5})).empty());
  CHECK(stored(Shape::scalar(ElementType::U8)) == std::vector<int>{0});
}

}  // namespace bp::ir
