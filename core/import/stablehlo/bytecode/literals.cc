#include "core/import/stablehlo/bytecode/literals.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace bp::import::stablehlo::bytecode {
namespace {

template <class T>
constexpr bool is_narrow_integer = requires { T::is_signed; };

std::byte to_byte(char c) {
  return static_cast<std::byte>(static_cast<unsigned char>(c));
}

// The cases are in the same order as in the reader of StableHLO.
Result<ir::Literal> read_bools(const ir::Shape &shape, std::string_view bytes) {
  const auto count = static_cast<std::uint64_t>(shape.element_count());
  const bool is_all_true = bytes.size() == 1 && bytes[0] == '\xff';
  const bool is_packed = bytes.size() == count / 8 + (count % 8 != 0 ? 1 : 0) && bytes.size() != count;
  const bool is_plain = bytes.size() == count;
  if (!is_all_true && !is_packed && !is_plain && bytes.size() != 1) {
    return invalid_input("{} bytes for the {} elements of {}", bytes.size(), count, to_string(Type{shape}));
  }
  const bool is_splat = is_all_true || (!is_packed && !is_plain);
  BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(is_splat ? ir::Shape::scalar(shape.element_type()) : shape));
  const std::span<bool> elements = literal.mutable_elements<bool>();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::byte byte = to_byte(bytes[is_packed && !is_all_true ? i / 8 : i]);
    elements[i] = (is_packed && !is_all_true ? byte >> (i % 8) & std::byte{1} : byte) != std::byte{0};
  }
  return literal;
}

// Elements that are all true are one byte, as those that are all false.
std::string packed(const Elements &elements) {
  constexpr std::size_t bits_per_byte = 8;
  const std::span<const bool> values = elements.literal.elements<bool>();
  if (elements.is_splat()) {
    return {values[0] ? '\xff' : '\0'};
  }
  std::string bytes((values.size() + bits_per_byte - 1) / bits_per_byte, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int bit = values[i] ? 1 << (i % bits_per_byte) : 0;
    bytes[i / bits_per_byte] = static_cast<char>(bytes[i / bits_per_byte] | bit);
  }
  return bytes;
}

std::uint64_t low_bits(int width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

// Returns the bits of an element as they lie in memory.
template <class T>
std::uint64_t bits_in_memory(const T &element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &element, sizeof element);
  return bits;
}

}  // namespace

Result<Elements> read_elements(const Type &type, std::string_view bytes) {
  const ir::Shape &shape = type.shape;
  if (!shape.is_array() || !shape.is_static()) {
    return invalid_input("values of type {}, expected a tensor of known sizes", to_string(type));
  }
  if (shape.element_type() == ir::ElementType::Pred) {
    BP_ASSIGN(ir::Literal literal, read_bools(shape, bytes));
    return Elements{type, std::move(literal)};
  }
  const auto count = static_cast<std::uint64_t>(shape.element_count());
  const std::uint64_t width = ir::byte_width(shape.element_type());
  const bool is_splat = bytes.size() == width && count != 1;
  if (!is_splat && (bytes.size() % width != 0 || bytes.size() / width != count)) {
    return invalid_input("{} bytes for the {} elements of {}, expected {} each", bytes.size(), count, to_string(type),
                         width);
  }
  BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(is_splat ? ir::Shape::scalar(shape.element_type()) : shape));
  std::ranges::transform(bytes, literal.mutable_bytes().begin(), to_byte);
  ir::visit_element_type(shape.element_type(), [&]<class T>() {
    if constexpr (is_narrow_integer<T>) {
      for (T &element : literal.mutable_elements<T>()) {
        element = T(static_cast<std::int64_t>(element.value));
      }
    }
  });
  if (const int bits = ir::bit_width(shape.element_type()); bits < 8 && ir::is_floating(shape.element_type())) {
    for (std::byte &byte : literal.mutable_bytes()) {
      byte &= static_cast<std::byte>(low_bits(bits));
    }
  }
  return Elements{type, std::move(literal)};
}

std::string element_bytes(const Elements &elements) {
  const ir::ElementType type = elements.type.shape.element_type();
  if (type == ir::ElementType::Pred) {
    return packed(elements);
  }
  const std::span<const std::byte> bytes = elements.literal.bytes();
  std::string result(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (const int width = ir::bit_width(type); width < 8) {
    for (char &byte : result) {
      byte = static_cast<char>(byte & static_cast<char>(low_bits(width)));
    }
  }
  return result;
}

std::optional<std::uint64_t> bits_of(ir::ElementType type, const Attribute &number) {
  const auto *flag = number.get<bool>();
  const auto *integer = number.get<std::int64_t>();
  const auto *real = number.get<double>();
  if (ir::is_floating(type)) {
    if (real == nullptr && integer == nullptr) {
      return std::nullopt;
    }
    return ir::visit_element_type(type, [&]<class T>() -> std::optional<std::uint64_t> {
      if (real == nullptr) {  // written in hexadecimal
        return static_cast<std::uint64_t>(*integer) & low_bits(ir::bit_width(type));
      }
      if constexpr (requires { static_cast<double>(T(*real)); }) {
        return bits_in_memory(T(*real));
      } else {
        return std::nullopt;
      }
    });
  }
  if (flag == nullptr && integer == nullptr) {
    return std::nullopt;
  }
  const std::uint64_t bits = flag != nullptr ? (*flag ? 1 : 0) : static_cast<std::uint64_t>(*integer);
  return bits & low_bits(type == ir::ElementType::Pred ? 1 : ir::bit_width(type));
}

double real_of(ir::ElementType type, std::uint64_t bits) {
  return ir::visit_element_type(type, [&]<class T>() -> double {
    if constexpr (std::is_same_v<T, double>) {
      return std::bit_cast<double>(bits);
    } else if constexpr (std::is_same_v<T, float>) {
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    } else if constexpr (requires { T::from_bits(typename T::Bits{}); }) {
      return static_cast<double>(T::from_bits(static_cast<typename T::Bits>(bits)));
    } else {
      return 0;
    }
  });
}

}  // namespace bp::import::stablehlo::bytecode
