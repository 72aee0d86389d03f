// TensorProto has its elements either as bytes, as in memory but with several elements of less than 8 bits in a byte,
// or in a list of the numbers' kind: integers of up to 32 bits and the bits of narrow floats as varints, f32 and f64 as
// such. Bytes may lie in another file.
#include "core/import/onnx/tensor_reader.h"

#include <algorithm>
#include <boost/filesystem/path.hpp>
#include <charconv>
#include <cstring>

#include "core/base/mapped_file.h"

namespace bp::import::onnx {
namespace {

using ir::ElementType;
using ir::Literal;
using protobuf::Field;
using protobuf::Message;

constexpr Field dims{1, "dims"}, data_type{2, "data_type"}, float_data{4, "float_data"}, int32_data{5, "int32_data"},
    string_data{6, "string_data"}, int64_data{7, "int64_data"}, raw_data{9, "raw_data"}, double_data{10, "double_data"},
    uint64_data{11, "uint64_data"}, external_data{13, "external_data"}, data_location{14, "data_location"};
constexpr Field key{1, "key"}, value{2, "value"};

// The element types by their numbers in TensorProto.DataType.
constexpr ElementType types[] = {
    ElementType::Invalid,    ElementType::F32,  ElementType::U8,       ElementType::S8,         ElementType::U16,
    ElementType::S16,        ElementType::S32,  ElementType::S64,      ElementType::Invalid,    ElementType::Pred,
    ElementType::F16,        ElementType::F64,  ElementType::U32,      ElementType::U64,        ElementType::C64,
    ElementType::C128,       ElementType::BF16, ElementType::F8E4M3FN, ElementType::F8E4M3FNUZ, ElementType::F8E5M2,
    ElementType::F8E5M2FNUZ, ElementType::U4,   ElementType::S4,       ElementType::F4E2M1FN,   ElementType::F8E8M0FNU,
    ElementType::U2,         ElementType::S2,
};

// Returns the bytes that elements take in raw_data.
std::size_t raw_size(ElementType type, std::int64_t count) {
  const auto bits = static_cast<std::size_t>(ir::bit_width(type));
  return (static_cast<std::size_t>(count) * bits + 7) / 8;
}

// Takes elements of less than 8 bits out of bytes, the first one from the lowest bits.
void unpack(std::string_view bytes, Literal &literal) {
  const int bits = ir::bit_width(literal.shape().element_type());
  const std::size_t in_byte = static_cast<std::size_t>(8 / bits);
  const std::span<std::byte> elements = literal.mutable_bytes();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i / in_byte]);
    elements[i] = static_cast<std::byte>(byte >> (static_cast<int>(i % in_byte) * bits) & ((1 << bits) - 1));
  }
  if (ir::is_integer(literal.shape().element_type())) {
    ir::extend(literal);
  }
}

void set_bytes(std::string_view bytes, Literal &literal) {
  const ElementType type = literal.shape().element_type();
  if (ir::bit_width(type) < 8) {
    unpack(bytes, literal);
    return;
  }
  const std::span<std::byte> elements = literal.mutable_bytes();
  if (!bytes.empty()) {
    std::memcpy(elements.data(), bytes.data(), bytes.size());
  }
  ir::extend(literal);
}

// Returns the list that has the elements of a type.
Field list_of(ElementType type) {
  switch (type) {
    case ElementType::F32:
    case ElementType::C64: return float_data;
    case ElementType::F64:
    case ElementType::C128: return double_data;
    case ElementType::S64: return int64_data;
    case ElementType::U32:
    case ElementType::U64: return uint64_data;
    default: return int32_data;
  }
}

Status set_list(const Message &message, Literal &literal) {
  const ElementType type = literal.shape().element_type();
  const Field field = list_of(type);
  const auto count = static_cast<std::size_t>(literal.shape().element_count());
  std::string bytes;
  if (field.number == float_data.number || field.number == double_data.number) {
    BP_ASSIGN(bytes, message.fixed_width(field, field.number == float_data.number ? 4 : 8));
  } else {
    BP_ASSIGN(const std::vector<std::int64_t> numbers, message.integers(field));
    const std::size_t width = std::max<std::size_t>(1, static_cast<std::size_t>(ir::bit_width(type)) / 8);
    bytes.resize(numbers.size() * width);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::memcpy(bytes.data() + i * width, &numbers[i], width);
    }
  }
  if (bytes.size() != raw_size(type, static_cast<std::int64_t>(count))) {
    return message.error_in(field, "{} bytes, expected {} of {} elements of {}", bytes.size(),
                            raw_size(type, static_cast<std::int64_t>(count)), count, ir::to_string(type));
  }
  set_bytes(bytes, literal);
  return {};
}

// Returns bytes that lie in another file: {location, offset, length}.
Result<SharedBytes> read_external(const Message &message, const std::string &folder, std::size_t size) {
  std::string location;
  std::size_t offset = 0, length = size;
  BP_TRY(message.for_each(external_data, [&](const Message &entry) -> Status {
    BP_ASSIGN(const std::string_view name, entry.text(key));
    BP_ASSIGN(const std::string_view text, entry.text(value));
    if (name == "location") {
      location = text;
    } else if (name == "offset" || name == "length") {
      std::size_t &number = name == "offset" ? offset : length;
      const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (problem != std::errc() || end != text.data() + text.size()) {
        return entry.error("{} is \"{}\", expected a number of bytes", name, text);
      }
    }
    return {};
  }));
  const boost::filesystem::path path(location);
  const bool leaves = std::any_of(path.begin(), path.end(), [](const auto &part) { return part == ".."; });
  if (location.empty() || path.is_absolute() || leaves) {
    return message.error_in(external_data, "the location is \"{}\", expected a file in the folder of the model",
                            location);
  }
  if (length != size) {
    return message.error_in(external_data, "{} bytes, expected {}", length, size);
  }
  const std::string file = (boost::filesystem::path(folder) / path).string();
  Result<SharedBytes> mapped = map_file(file);
  if (!mapped.ok()) {
    return std::move(mapped).error().note(fmt::format("{} has its elements in that file", message.path().to_string()));
  }
  if (offset > mapped->size() || length > mapped->size() - offset) {
    return message.error_in(external_data, "{} has {} bytes, expected {} from offset {} on", file, mapped->size(),
                            length, offset);
  }
  return mapped->part(offset, length);
}

// Returns an array that has the bytes themselves if they are as in memory and aligned, otherwise a copy.
Result<Literal> from_shared(const ir::Shape &shape, const SharedBytes &bytes) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(bytes.bytes().data()) % Literal::alignment == 0;
  const ElementType type = shape.element_type();
  if (is_aligned && ir::bit_width(type) >= 8 && type != ElementType::Pred && bytes.size() != 0) {
    return Literal::borrowed(
        shape, std::shared_ptr<const std::byte[]>(bytes.bytes().data(), [owner = bytes.owner()](const std::byte *) {}));
  }
  BP_ASSIGN(Literal literal, Literal::zeros(shape));
  set_bytes(bytes.text(), literal);
  constexpr std::size_t large = 1 << 20;
  if (bytes.size() >= large) {
    drop_pages(bytes.owner(), bytes.text());  // so that a large model is not in memory twice
  }
  return literal;
}

Result<std::vector<std::int64_t>> read_sizes(const Message &message) {
  BP_ASSIGN(std::vector<std::int64_t> sizes, message.integers(dims));
  for (const std::int64_t size : sizes) {
    if (size < 0) {
      return message.error_in(dims, "the size {}, expected at least 0", size);
    }
  }
  if (sizes.size() > ir::max_rank) {
    return message.error_in(dims, "{} dimensions, expected at most {}", sizes.size(), ir::max_rank);
  }
  return sizes;
}

Result<ElementType> read_type(const Message &message) {
  BP_ASSIGN(const std::int64_t number, message.integer(data_type));
  if (const auto type = element_type(number)) {
    return *type;
  }
  return message.error_in(data_type, "the element type {}, expected a number from 1 to {}", number,
                          std::size(types) - 1);
}

}  // namespace

std::optional<ElementType> element_type(std::int64_t number) {
  if (number < 0 || number >= static_cast<std::int64_t>(std::size(types)) || types[number] == ElementType::Invalid) {
    return {};
  }
  return types[number];
}

Result<Tensor> read_tensor(const Message &message, const Storage &storage) {
  Tensor tensor;
  BP_ASSIGN(tensor.name, message.text(tensor_name));
  BP_ASSIGN(tensor.sizes, read_sizes(message));
  BP_ASSIGN(const std::int64_t number, message.integer(data_type));
  if (number == text_type) {
    BP_TRY(message.for_each_text(string_data, [&](std::string_view text) { tensor.texts.push_back(text); }));
    if (static_cast<std::int64_t>(tensor.texts.size()) != ir::product(tensor.sizes)) {
      return message.error_in(string_data, "{} texts, expected {}", tensor.texts.size(), ir::product(tensor.sizes));
    }
    return tensor;
  }
  BP_ASSIGN(const ElementType type, read_type(message));
  const ir::Shape shape = ir::Shape::array(type, tensor.sizes);
  constexpr std::int64_t max_bytes = std::int64_t{1} << 46;
  if (shape.byte_size() > max_bytes) {
    return message.error_in(dims, "{} has {} bytes, expected at most {}", ir::to_string(shape), shape.byte_size(),
                            max_bytes);
  }
  const std::size_t size = raw_size(type, shape.element_count());
  BP_ASSIGN(const std::int64_t location, message.integer(data_location));
  if (location == 1) {
    BP_ASSIGN(const SharedBytes bytes, read_external(message, storage.folder, size));
    BP_ASSIGN(tensor.literal, from_shared(shape, bytes));
    return tensor;
  }
  BP_ASSIGN(const std::string_view bytes, message.text(raw_data));
  // Memory is allocated only for elements that are there: the shortest list has a byte for each 4 of them.
  const bool has_bytes = message.has(raw_data);
  if (has_bytes && bytes.size() != size) {
    return message.error_in(raw_data, "{} bytes, expected {} of {}", bytes.size(), size, ir::to_string(shape));
  }
  if (!has_bytes && size != 0 && !message.has(list_of(type))) {
    return message.error("{} has no elements, expected them in {} or {}", ir::to_string(shape), raw_data.name,
                         list_of(type).name);
  }
  if (!has_bytes && static_cast<std::size_t>(shape.element_count()) > 4 * message.byte_size()) {
    return message.error("{} has fewer elements, in {} bytes", ir::to_string(shape), message.byte_size());
  }
  if (has_bytes && storage.owner != nullptr && message.is_in_file()) {
    BP_ASSIGN(tensor.literal, from_shared(shape, SharedBytes(std::as_bytes(std::span(bytes)), storage.owner)));
    return tensor;
  }
  BP_ASSIGN(tensor.literal, Literal::zeros(shape));
  if (has_bytes) {
    set_bytes(bytes, tensor.literal);
  } else {
    BP_TRY(set_list(message, tensor.literal));
  }
  return tensor;
}

Result<Tensor> read_sparse_tensor(const Message &message, const Storage &storage) {
  constexpr Field indices_field{2, "indices"}, dims_field{3, "dims"};
  BP_ASSIGN(const Message values_message, message.child(sparse_values));
  BP_ASSIGN(const Message indices_message, message.child(indices_field));
  BP_ASSIGN(const Tensor values, read_tensor(values_message, storage));
  BP_ASSIGN(const Tensor indices, read_tensor(indices_message, storage));
  Tensor dense;
  dense.name = values.name;
  BP_ASSIGN(dense.sizes, message.integers(dims_field));
  if (values.has_texts() || values.literal.shape().rank() != 1 || indices.has_texts() ||
      indices.literal.shape().element_type() != ElementType::S64) {
    return message.error("expected values in one dimension, and indices of s64");
  }
  const std::int64_t count = values.literal.shape().size(0);
  const auto rank = static_cast<std::int64_t>(dense.sizes.size());
  const bool is_linear = indices.sizes.size() == 1;
  if (indices.literal.shape().element_count() != (is_linear ? count : count * rank) || rank > 64 ||
      std::ranges::any_of(dense.sizes, [](std::int64_t size) { return size < 0; })) {
    return message.error("{} indices of {} values in {} dimensions", indices.literal.shape().element_count(), count,
                         rank);
  }
  const ir::Shape shape = ir::Shape::array(values.literal.shape().element_type(), dense.sizes);
  constexpr std::int64_t max_bytes = std::int64_t{1} << 30;
  if (shape.byte_size() > max_bytes) {
    return message.error("{} has {} bytes, expected at most {}", ir::to_string(shape), shape.byte_size(), max_bytes);
  }
  BP_ASSIGN(dense.literal, Literal::zeros(shape));
  const auto width = static_cast<std::size_t>(ir::byte_width(shape.element_type()));
  const std::span<const std::int64_t> numbers = indices.literal.elements<std::int64_t>();
  const std::span<std::byte> bytes = dense.literal.mutable_bytes();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t element = is_linear ? numbers[static_cast<std::size_t>(i)] : 0;
    for (std::int64_t d = 0; d < rank && !is_linear; ++d) {
      const std::int64_t position = numbers[static_cast<std::size_t>(i * rank + d)];
      const std::int64_t size = dense.sizes[static_cast<std::size_t>(d)];
      if (position < 0 || position >= size) {
        return message.error_in(indices_field, "the index {}, expected 0 to {}", position, size - 1);
      }
      element = element * size + position;
    }
    if (element < 0 || element >= shape.element_count()) {
      return message.error_in(indices_field, "the index {}, expected 0 to {}", element, shape.element_count() - 1);
    }
    std::memcpy(bytes.data() + static_cast<std::size_t>(element) * width,
                values.literal.bytes().data() + static_cast<std::size_t>(i) * width, width);
  }
  return dense;
}

}  // namespace bp::import::onnx
