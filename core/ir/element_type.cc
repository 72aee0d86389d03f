#include "core/ir/element_type.h"

#include <array>

#include "core/base/check.h"

namespace bp::ir {
namespace {

constexpr auto rows = std::to_array<ElementTypeInfo>({
#define BP_TYPE(number, name, text, bits, type_class) {ElementType::name, text, bits, TypeClass::type_class},
#include "core/ir/types.def"
});

constexpr std::size_t max_number = 64;

// Row index of each number, so that info() takes constant time.
constexpr auto index_by_number = [] {
  std::array<std::uint8_t, max_number> index{};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    index[static_cast<std::size_t>(rows[row].type)] = static_cast<std::uint8_t>(row + 1);
  }
  return index;
}();

constexpr ElementTypeInfo invalid_row{ElementType::Invalid, "invalid", 0, TypeClass::Opaque};

}  // namespace

std::span<const ElementTypeInfo> element_types() {
  return rows;
}

const ElementTypeInfo &info(ElementType type) {
  auto number = static_cast<std::size_t>(type);
  std::size_t row = number < max_number ? index_by_number[number] : 0;
  return row == 0 ? invalid_row : rows[row - 1];
}

std::string_view to_string(ElementType type) {
  return info(type).text;
}

std::optional<ElementType> element_type_from_string(std::string_view text) {
  for (const ElementTypeInfo &row : rows) {
    if (row.text == text) {
      return row.type;
    }
  }
  return std::nullopt;
}

ElementType real_part_type(ElementType complex) {
  BP_CHECK(is_complex(complex));
  return complex == ElementType::C64 ? ElementType::F32 : ElementType::F64;
}

}  // namespace bp::ir
