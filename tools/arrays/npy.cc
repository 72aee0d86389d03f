#include "tools/arrays/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>
#include <optional>

namespace bp::arrays {
namespace {

using ir::ElementType;

constexpr std::string_view magic = "\x93NUMPY";

struct TypeName {
  ElementType type;
  std::string_view name;  // without the byte order
};
constexpr TypeName type_names[] = {{ElementType::Pred, "b1"}, {ElementType::S8, "i1"},   {ElementType::S16, "i2"},
                                   {ElementType::S32, "i4"},  {ElementType::S64, "i8"},  {ElementType::U8, "u1"},
                                   {ElementType::U16, "u2"},  {ElementType::U32, "u4"},  {ElementType::U64, "u8"},
                                   {ElementType::F16, "f2"},  {ElementType::F32, "f4"},  {ElementType::F64, "f8"},
                                   {ElementType::C64, "c8"},  {ElementType::C128, "c16"}};

// Returns the text after "'key': " up to one of the characters that end it.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key, char begin,
                                         std::string_view ends) {
  const std::size_t name = header.find(fmt::format("'{}'", key));
  const std::size_t colon = name == std::string_view::npos ? name : header.find(':', name);
  const std::size_t first = colon == std::string_view::npos ? colon : header.find_first_not_of(" ", colon + 1);
  if (first == std::string_view::npos || (begin != 0 && header[first] != begin)) {
    return {};
  }
  const std::size_t from = begin == 0 ? first : first + 1, to = header.find_first_of(ends, from);
  return to == std::string_view::npos ? std::nullopt : std::optional(header.substr(from, to - from));
}

// Reads "3, 4" or "3,".
std::optional<std::vector<std::int64_t>> read_sizes(std::string_view text) {
  std::vector<std::int64_t> sizes;
  for (std::size_t at = text.find_first_not_of(" ,"); at < text.size(); at = text.find_first_not_of(" ,", at)) {
    std::int64_t size = 0;
    const auto [end, problem] = std::from_chars(text.data() + at, text.data() + text.size(), size);
    if (problem != std::errc() || size < 0 || sizes.size() == ir::max_rank) {
      return {};
    }
    sizes.push_back(size);
    at = static_cast<std::size_t>(end - text.data());
  }
  return sizes;
}

// Reads "<f4", "|b1" or "|V2".
bool read_type(std::string_view text, NpyHeader &header) {
  if (text.size() < 3) {
    return false;
  }
  const std::string_view name = text.substr(1);
  header.is_swapped = text[0] == '>';
  const auto row = std::ranges::find(type_names, name, &TypeName::name);
  if (row != std::end(type_names)) {
    header.type = row->type;
    header.width = static_cast<std::size_t>(ir::byte_width(row->type));
    return true;
  }
  return name[0] == 'V' &&
         std::from_chars(name.data() + 1, name.data() + name.size(), header.width).ec == std::errc() &&
         header.width > 0 && header.width <= 16;
}

// Reverses the bytes of each number.
void swap_bytes(ir::Literal &array) {
  const ElementType type = array.shape().element_type();
  const auto width = static_cast<std::ptrdiff_t>(ir::byte_width(type)) / (ir::is_complex(type) ? 2 : 1);
  const std::span<std::byte> bytes = array.mutable_bytes();
  for (auto at = bytes.begin(); at != bytes.end(); at += width) {
    std::reverse(at, at + width);
  }
}

// Copies elements whose first dimension varies fastest.
void copy_fortran(std::string_view from, ir::Literal &array) {
  const std::span<const std::int64_t> sizes = array.shape().sizes();
  const auto width = static_cast<std::size_t>(ir::byte_width(array.shape().element_type()));
  const std::span<std::byte> bytes = array.mutable_bytes();
  std::vector<std::int64_t> index(sizes.size(), 0);
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    std::int64_t source = 0;
    for (std::size_t d = sizes.size(); d-- > 0;) {
      source = source * sizes[d] + index[d];
    }
    std::memcpy(bytes.data() + at, from.data() + static_cast<std::size_t>(source) * width, width);
    for (std::size_t d = sizes.size(); d-- > 0 && ++index[d] == sizes[d];) {
      index[d] = 0;
    }
  }
}

}  // namespace

bool is_npy(std::string_view bytes) {
  return bytes.starts_with(magic);
}

Result<NpyHeader> read_npy_header(std::string_view bytes, const std::string &file) {
  const auto wrong = [&](std::string_view what) {
    return invalid_input("{}: {}, expected a file of NumPy's format .npy", file, what);
  };
  constexpr std::size_t versions_end = 8;
  if (!is_npy(bytes) || bytes.size() < versions_end + 4) {
    return wrong("not a NumPy array");
  }
  const int version = bytes[6];
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + versions_end, length_bytes);
  NpyHeader header;
  header.begin = versions_end + length_bytes + length;
  if (version < 1 || version > 3 || header.begin > bytes.size()) {
    return wrong(fmt::format("version {} with a header of {} bytes", version, length));
  }
  // A dictionary of Python: its keys come in any order, and in quotes of both kinds.
  std::string text(bytes.substr(versions_end + length_bytes, length));
  std::ranges::replace(text, '"', '\'');
  const auto type = value_of(text, "descr", '\'', "'");
  const auto order = value_of(text, "fortran_order", 0, ",}");
  const auto sizes = value_of(text, "shape", '(', ")");
  const auto numbers = sizes ? read_sizes(*sizes) : std::nullopt;
  if (!type || !order || !numbers) {
    constexpr std::size_t max_shown = 200;
    return wrong(fmt::format("the header {}{}", std::string_view(text).substr(0, std::min(text.find('\n'), max_shown)),
                             text.size() > max_shown ? "..." : ""));
  }
  if (!read_type(*type, header)) {
    return unsupported("{}: elements of type '{}', expected numbers or truth values", file, *type);
  }
  header.is_fortran = *order == "True";
  header.sizes = *numbers;
  return header;
}

Result<ir::Literal> read_npy(std::string_view bytes, ElementType expected, const std::string &file) {
  BP_ASSIGN(NpyHeader header, read_npy_header(bytes, file));
  if (header.type == ElementType::Invalid) {
    if (expected == ElementType::Invalid || static_cast<std::size_t>(ir::byte_width(expected)) != header.width) {
      return invalid_input(
          "{}: elements of {} bytes whose type is not known{}", file, header.width,
          expected == ElementType::Invalid ? std::string() : fmt::format(", expected {}", ir::to_string(expected)));
    }
    header.type = expected;
  }
  const ir::Shape shape = ir::Shape::array(header.type, header.sizes);
  const std::string_view elements = bytes.substr(header.begin);
  const std::int64_t count = shape.element_count();
  if (count < 0 || static_cast<std::size_t>(count) > elements.size() / header.width ||
      static_cast<std::size_t>(count) * header.width != elements.size()) {
    return invalid_input("{}: {} bytes of elements, expected those of {}", file, elements.size(), ir::to_string(shape));
  }
  BP_ASSIGN(ir::Literal array, ir::Literal::zeros(shape));
  if (header.is_fortran) {
    copy_fortran(elements, array);
  } else if (!elements.empty()) {
    std::memcpy(array.mutable_bytes().data(), elements.data(), elements.size());
  }
  if (header.is_swapped) {
    swap_bytes(array);
  }
  ir::extend(array);
  return array;
}

std::string write_npy(const ir::Literal &array) {
  const ElementType type = array.shape().element_type();
  const auto row = std::ranges::find(type_names, type, &TypeName::type);
  const int width = ir::byte_width(type);
  const std::string name = row == std::end(type_names) ? fmt::format("V{}", width) : std::string(row->name);
  const std::span<const std::int64_t> sizes = array.shape().sizes();
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   width == 1 || row == std::end(type_names) ? '|' : '<', name, fmt::join(sizes, ", "),
                                   sizes.size() == 1 ? "," : "");
  constexpr std::size_t prefix = 10, alignment = 64;  // the elements begin at a multiple of 64 bytes
  header.append(alignment - 1 - (prefix + header.size()) % alignment, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  std::string bytes(magic);
  bytes += '\x01';
  bytes += '\0';
  bytes.append(reinterpret_cast<const char *>(&length), sizeof length);
  bytes += header;
  bytes.append(reinterpret_cast<const char *>(array.bytes().data()), array.bytes().size());
  return bytes;
}

}  // namespace bp::arrays
