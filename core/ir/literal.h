// Literal: a constant value. Arrays are dense and row-major, whatever layout their shape has (layouts describe buffers,
// not values). Each element takes byte_width() bytes, even if a buffer would pack it.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/check.h"
#include "core/base/only_owner.h"
#include "core/base/result.h"
#include "core/ir/narrow_float.h"
#include "core/ir/shape.h"

namespace bp::ir {

// Integers narrower than 8 bits are stored sign- or zero-extended in one byte. The C++ type keeps the width.
template <int bits_, bool is_signed_>
struct NarrowInt {
  static constexpr int bits = bits_;
  static constexpr bool is_signed = is_signed_;
  using Storage = std::conditional_t<is_signed_, std::int8_t, std::uint8_t>;
  Storage value = 0;

  NarrowInt() = default;
  // Keeps the low bits, as a conversion between integer types does.
  explicit NarrowInt(std::int64_t wide) {
    auto low = static_cast<std::uint8_t>(static_cast<std::uint64_t>(wide) & ((1u << bits_) - 1));
    if constexpr (is_signed_) {
      value = static_cast<std::int8_t>(static_cast<std::int8_t>(low << (8 - bits_)) >> (8 - bits_));
    } else {
      value = low;
    }
  }
  explicit operator std::int64_t() const { return value; }
};

// Calls visitor.template operator()<T>() with the C++ type of the elements: bool, NarrowInt, std::int*_t, NarrowFloat,
// float, double, std::complex. Returns the result of the call. The type must be an element type of arrays.
template <class Visitor>
decltype(auto) visit_element_type(ElementType type, Visitor &&visitor) {
  switch (type) {
    case ElementType::Pred: return visitor.template operator()<bool>();
    case ElementType::S1: return visitor.template operator()<NarrowInt<1, true>>();
    case ElementType::S2: return visitor.template operator()<NarrowInt<2, true>>();
    case ElementType::S4: return visitor.template operator()<NarrowInt<4, true>>();
    case ElementType::S8: return visitor.template operator()<std::int8_t>();
    case ElementType::S16: return visitor.template operator()<std::int16_t>();
    case ElementType::S32: return visitor.template operator()<std::int32_t>();
    case ElementType::S64: return visitor.template operator()<std::int64_t>();
    case ElementType::U1: return visitor.template operator()<NarrowInt<1, false>>();
    case ElementType::U2: return visitor.template operator()<NarrowInt<2, false>>();
    case ElementType::U4: return visitor.template operator()<NarrowInt<4, false>>();
    case ElementType::U8: return visitor.template operator()<std::uint8_t>();
    case ElementType::U16: return visitor.template operator()<std::uint16_t>();
    case ElementType::U32: return visitor.template operator()<std::uint32_t>();
    case ElementType::U64: return visitor.template operator()<std::uint64_t>();
    case ElementType::F4E2M1FN: return visitor.template operator()<F4E2M1FN>();
    case ElementType::F6E2M3FN: return visitor.template operator()<F6E2M3FN>();
    case ElementType::F6E3M2FN: return visitor.template operator()<F6E3M2FN>();
    case ElementType::F8E3M4: return visitor.template operator()<F8E3M4>();
    case ElementType::F8E4M3: return visitor.template operator()<F8E4M3>();
    case ElementType::F8E4M3B11FNUZ: return visitor.template operator()<F8E4M3B11FNUZ>();
    case ElementType::F8E4M3FN: return visitor.template operator()<F8E4M3FN>();
    case ElementType::F8E4M3FNUZ: return visitor.template operator()<F8E4M3FNUZ>();
    case ElementType::F8E5M2: return visitor.template operator()<F8E5M2>();
    case ElementType::F8E5M2FNUZ: return visitor.template operator()<F8E5M2FNUZ>();
    case ElementType::F8E8M0FNU: return visitor.template operator()<F8E8M0FNU>();
    case ElementType::BF16: return visitor.template operator()<BF16>();
    case ElementType::F16: return visitor.template operator()<F16>();
    case ElementType::F32: return visitor.template operator()<float>();
    case ElementType::F64: return visitor.template operator()<double>();
    case ElementType::C64: return visitor.template operator()<std::complex<float>>();
    case ElementType::C128: return visitor.template operator()<std::complex<double>>();
    default: break;
  }
  BP_CHECK(!"an element type of arrays");
  return visitor.template operator()<bool>();
}

class Literal {
 public:
  static constexpr std::size_t alignment = 64;  // of the bytes, so that vector code may use a literal directly

  Literal() = default;

  // Returns a literal filled with zeros. Fails with OutOfMemory if the memory cannot be allocated. Dynamic dimensions
  // have their bound as size.
  static Result<Literal> zeros(const Shape &shape);
  // Returns an array whose bytes are in memory of somebody else, who may read them as well and must not change them as
  // long as a literal has them. `bytes`: aligned to `alignment`; its deleter is called, on any thread, when no literal
  // has them any more.
  static Literal borrowed(const Shape &shape, std::shared_ptr<const std::byte[]> bytes);
  static Literal tuple(std::vector<Literal> elements);
  static Literal token();
  template <class T>
  static Literal scalar(ElementType type, T value);

  const Shape &shape() const { return shape_; }
  bool is_valid() const { return shape_.is_valid(); }

  // For arrays. Copies of a Literal share their bytes until one is written: mutable_bytes() copies shared and borrowed
  // bytes first.
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }
  std::span<std::byte> mutable_bytes();
  bool shares_bytes() const { return is_borrowed_ || (data_ != nullptr && !is_only_owner(data_)); }
  // T is the C++ type that visit_element_type() gives for this element type.
  template <class T>
  std::span<const T> elements() const {
    return {reinterpret_cast<const T *>(data_.get()), size_ / sizeof(T)};
  }
  template <class T>
  std::span<T> mutable_elements() {
    auto bytes = mutable_bytes();
    return {reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T)};
  }

  // Returns the same bytes as an array of another shape with the same byte count (reshape, bitcast of equal widths).
  Literal with_shape(const Shape &shape) const;

  // Run-time sizes of dynamic dimensions: equal to the bound unless set to a smaller size.
  std::int64_t dynamic_size(std::size_t dimension) const;
  void set_dynamic_size(std::size_t dimension, std::int64_t size);

  // For tuples.
  std::span<const Literal> tuple_elements() const { return elements_; }
  Literal take_element(std::size_t index) { return std::move(elements_[index]); }

  // Whether both have the same shape (ignoring layouts) and bitwise equal values.
  bool identical(const Literal &other) const;

 private:
  Shape shape_;
  std::shared_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
  bool is_borrowed_ = false;
  std::vector<Literal> elements_;
  std::vector<std::int64_t> dynamic_sizes_;  // empty: all sizes equal their bounds
};

// Returns the elements within the run-time sizes of an array, as an array of these sizes; an array that has none shares
// its bytes. Fails with OutOfMemory.
Result<Literal> cut_to_run_time_sizes(const Literal &array);

// Extends an array's integers narrower than a byte, which foreign memory may hold with anything in the bits that they
// do not use; and makes truth values 0 or 1, of which other bytes are true.
void extend(Literal &array);

template <class T>
Literal Literal::scalar(ElementType type, T value) {
  Literal result = zeros(Shape::scalar(type)).value();
  result.mutable_elements<T>()[0] = value;
  return result;
}

}  // namespace bp::ir
