// LiteralProto has a separate field for each element type: integers are varints; f32, f64 and the complex types are
// numbers of fixed width; all others are a string of bytes, with one byte per element for types of up to 8 bits (the
// unused bits of narrow integers are zero).
#include <algorithm>
#include <cstring>

#include "core/import/hlo_proto/shape_proto.h"

namespace bp::import::hlo_proto {
namespace {

using ir::ElementType;
using ir::Literal;

constexpr Field shape_field{1, "shape"}, tuple_literals{10, "tuple_literals"}, dynamic_sizes{34, "dynamic_sizes"};

enum class Storage { Varints, FixedWidth, Bytes };

struct ElementField {
  ElementType type;
  Field field;
  Storage storage = Storage::Bytes;
};

constexpr ElementField element_fields[] = {
    {ElementType::Pred, {2, "preds"}, Storage::Varints},
    {ElementType::S1, {30, "s1s"}},
    {ElementType::S2, {26, "s2s"}},
    {ElementType::S4, {21, "s4s"}},
    {ElementType::S8, {15, "s8s"}},
    {ElementType::S16, {17, "s16s"}},
    {ElementType::S32, {4, "s32s"}, Storage::Varints},
    {ElementType::S64, {5, "s64s"}, Storage::Varints},
    {ElementType::U1, {31, "u1s"}},
    {ElementType::U2, {27, "u2s"}},
    {ElementType::U4, {22, "u4s"}},
    {ElementType::U8, {3, "u8s"}},
    {ElementType::U16, {16, "u16s"}},
    {ElementType::U32, {6, "u32s"}, Storage::Varints},
    {ElementType::U64, {7, "u64s"}, Storage::Varints},
    {ElementType::F4E2M1FN, {32, "f4e2m1fns"}},
    {ElementType::F6E2M3FN, {36, "f6e2m3fns"}},
    {ElementType::F6E3M2FN, {35, "f6e3m2fns"}},
    {ElementType::F8E3M4, {29, "f8e3m4s"}},
    {ElementType::F8E4M3, {28, "f8e4m3s"}},
    {ElementType::F8E4M3B11FNUZ, {23, "f8e4m3b11fnuzs"}},
    {ElementType::F8E4M3FN, {20, "f8e4m3fns"}},
    {ElementType::F8E4M3FNUZ, {25, "f8e4m3fnuzs"}},
    {ElementType::F8E5M2, {19, "f8e5m2s"}},
    {ElementType::F8E5M2FNUZ, {24, "f8e5m2fnuzs"}},
    {ElementType::F8E8M0FNU, {33, "f8e8m0fnus"}},
    {ElementType::BF16, {13, "bf16s"}},
    {ElementType::F16, {11, "f16s"}},
    {ElementType::F32, {8, "f32s"}, Storage::FixedWidth},
    {ElementType::F64, {9, "f64s"}, Storage::FixedWidth},
    {ElementType::C64, {12, "c64s"}, Storage::FixedWidth},
    {ElementType::C128, {18, "c128s"}, Storage::FixedWidth},
};

const ElementField &find_field(ElementType type) {
  return *std::ranges::find(element_fields, type, &ElementField::type);
}

// Returns the width of the numbers on the wire; for complex types, that of one part.
std::size_t number_width(ElementType type) {
  auto width = static_cast<std::size_t>(ir::byte_width(type));
  return ir::is_complex(type) ? width / 2 : width;
}

// Stores the varints as elements; a value that does not fit into T is an error.
template <class T>
Status fill(const Message &message, Field field, std::span<const std::int64_t> values, std::span<T> elements) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    auto value = static_cast<T>(values[i]);
    // A varint holds 64 bits: a u64 above INT64_MAX appears as a negative number and is stored correctly.
    if (static_cast<std::int64_t>(value) != values[i]) {
      return message.error_in(field, "value {} of element {} does not fit the type", values[i], i);
    }
    elements[i] = value;
  }
  return {};
}

Status fill_varints(const Message &message, Field field, std::span<const std::int64_t> values, Literal &literal) {
  switch (literal.shape().element_type()) {
    case ElementType::Pred: return fill(message, field, values, literal.mutable_elements<bool>());
    case ElementType::S32: return fill(message, field, values, literal.mutable_elements<std::int32_t>());
    case ElementType::U32: return fill(message, field, values, literal.mutable_elements<std::uint32_t>());
    default: std::memcpy(literal.mutable_bytes().data(), values.data(), literal.bytes().size()); return {};
  }
}

// Narrow integers and floats are stored as their bits; signed integers are sign-extended here.
Status fill_bytes(const Message &message, Field field, std::string_view bytes, Literal &literal) {
  ElementType type = literal.shape().element_type();
  int bits = ir::bit_width(type);
  auto out = literal.mutable_bytes();
  std::memcpy(out.data(), bytes.data(), bytes.size());
  if (bits >= 8) {
    return {};
  }
  for (std::byte &element : out) {
    auto value = std::to_integer<unsigned>(element);
    unsigned extended = (value >> (bits - 1) & 1) != 0 && ir::is_signed(type) ? value | (0xffu << bits & 0xffu) : value;
    if (value >> bits != 0 && value != extended) {
      return message.error_in(field, "byte {:#x}, expected at most {} bits", value, bits);
    }
    element = static_cast<std::byte>(extended);
  }
  return {};
}

Result<Literal> read_array(const Message &message, const ir::Shape &shape) {
  const ElementField &row = find_field(shape.element_type());
  std::vector<std::int64_t> values;
  std::string bytes;
  std::size_t found = 0;
  switch (row.storage) {
    case Storage::Varints: {
      BP_ASSIGN(values, message.integers(row.field));
      found = values.size();
      break;
    }
    case Storage::FixedWidth: {
      BP_ASSIGN(bytes, message.fixed_width(row.field, number_width(shape.element_type())));
      break;
    }
    case Storage::Bytes: {
      BP_ASSIGN(std::string_view text, message.text(row.field));
      bytes = text;
      break;
    }
  }
  if (row.storage != Storage::Varints) {
    auto width = static_cast<std::size_t>(ir::byte_width(shape.element_type()));
    if (bytes.size() % width != 0) {
      return message.error_in(row.field, "{} bytes, expected a multiple of {}", bytes.size(), width);
    }
    found = bytes.size() / width;
  }
  if (static_cast<std::int64_t>(found) != shape.element_count()) {
    return message.error_in(row.field, "{} values, expected {} for {}", found, shape.element_count(), to_string(shape));
  }
  BP_ASSIGN(Literal literal, Literal::zeros(shape));
  if (found == 0) {
    return literal;
  }
  switch (row.storage) {
    case Storage::Varints: BP_TRY(fill_varints(message, row.field, values, literal)); break;
    case Storage::FixedWidth: std::memcpy(literal.mutable_bytes().data(), bytes.data(), bytes.size()); break;
    case Storage::Bytes: BP_TRY(fill_bytes(message, row.field, bytes, literal)); break;
  }
  return literal;
}

Status read_dynamic_sizes(const Message &message, Literal &literal) {
  BP_ASSIGN(auto sizes, message.integers(dynamic_sizes));
  const ir::Shape &shape = literal.shape();
  if (sizes.size() > shape.rank()) {
    return message.error_in(dynamic_sizes, "{} sizes for an array of rank {}", sizes.size(), shape.rank());
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!shape.is_dynamic(i)) {
      continue;
    }
    if (sizes[i] < 0 || sizes[i] > shape.size(i)) {
      return message.error_in(dynamic_sizes, "{} for dimension {}, expected 0 to {}", sizes[i], i, shape.size(i));
    }
    literal.set_dynamic_size(i, sizes[i]);
  }
  return {};
}

}  // namespace

Result<Literal> read_literal(const Message &message) {
  BP_ASSIGN(Message shape_message, message.child(shape_field));
  BP_ASSIGN(ir::Shape shape, read_shape(shape_message));
  if (shape.is_array()) {
    if (std::ranges::find(shape.sizes(), ir::unbounded) != shape.sizes().end()) {
      return message.error_in(shape_field, "a literal of shape {}, expected known sizes", to_string(shape));
    }
    BP_ASSIGN(Literal literal, read_array(message, shape));
    BP_TRY(read_dynamic_sizes(message, literal));
    return literal;
  }
  if (shape.is_token()) {
    return Literal::token();
  }
  if (!shape.is_tuple()) {
    return message.error_in(shape_field, "a literal of shape {}, expected an array, a tuple or a token",
                            to_string(shape));
  }
  std::vector<Literal> elements;
  BP_TRY(message.for_each(tuple_literals, [&](const Message &part) -> Status {
    BP_ASSIGN(Literal element, read_literal(part));
    elements.push_back(std::move(element));
    return {};
  }));
  if (elements.size() != shape.elements().size()) {
    return message.error_in(tuple_literals, "{} elements, expected {} for {}", elements.size(), shape.elements().size(),
                            to_string(shape));
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!same(elements[i].shape(), shape.elements()[i], ir::CompareLayout::No)) {
      return message.error_in(tuple_literals, "element {} has shape {}, expected {}", i, to_string(elements[i].shape()),
                              to_string(shape.elements()[i]));
    }
  }
  return Literal::tuple(std::move(elements));
}

void write_literal(Writer &writer, const Literal &literal) {
  const ir::Shape &shape = literal.shape();
  writer.message(shape_field, [&](Writer &inner) { write_shape(inner, shape); });
  for (const Literal &element : literal.tuple_elements()) {
    writer.message(tuple_literals, [&](Writer &inner) { write_literal(inner, element); });
  }
  if (!shape.is_array()) {
    return;
  }
  const ElementField &row = find_field(shape.element_type());
  std::string bytes(reinterpret_cast<const char *>(literal.bytes().data()), literal.bytes().size());
  if (row.storage == Storage::Varints) {
    std::vector<std::int64_t> values;
    ir::visit_element_type(shape.element_type(), [&]<class T>() {
      if constexpr (std::is_integral_v<T>) {
        auto elements = literal.elements<T>();
        values.assign(elements.begin(), elements.end());
      }
    });
    writer.integers(row.field, values);
  } else if (!bytes.empty()) {
    if (int bits = ir::bit_width(shape.element_type()); bits < 8) {
      std::ranges::transform(bytes, bytes.begin(), [&](char c) { return static_cast<char>(c & ((1 << bits) - 1)); });
    }
    writer.text(row.field, bytes);
  }
  if (!shape.is_static()) {
    std::vector<std::int64_t> sizes(shape.rank());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      sizes[i] = literal.dynamic_size(i);
    }
    writer.integers(dynamic_sizes, sizes);
  }
}

}  // namespace bp::import::hlo_proto
