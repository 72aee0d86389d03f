#include "core/import/array/array.h"

#include <algorithm>
#include <cctype>

namespace bp::import::array {

namespace {

const Shape &invalid_shape() {
  static const Shape shape = Shape::scalar(ElementType::F32);
  return shape;
}

}  // namespace

std::string clean_name(std::string_view text, std::string_view if_empty) {
  std::string name(text.empty() ? if_empty : text);
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::ranges::replace_if(
      name, [&](char c) { return !is_letter(c) && (c < '0' || c > '9') && c != '.' && c != '-'; }, '_');
  return name.empty() || is_letter(name[0]) ? name : "_" + name;
}

const Shape &Array::shape() const {
  return is_valid() ? builder_->module().instruction(id_).shape() : invalid_shape();
}

bool Array::is_bounded(std::int64_t dimension) const {
  const auto count = static_cast<std::int64_t>(rank());
  const std::int64_t number = dimension < 0 ? dimension + count : dimension;
  return number >= 0 && number < count && shape().is_dynamic(static_cast<std::size_t>(number));
}

std::int64_t Array::size(std::int64_t dimension) const {
  const auto rank = static_cast<std::int64_t>(this->rank());
  dimension = dimension < 0 ? dimension + rank : dimension;
  return dimension < 0 || dimension >= rank ? 1 : shape().size(static_cast<std::size_t>(dimension));
}

}  // namespace bp::import::array
