#include "core/ir/literal.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace bp::ir {
namespace {

constexpr auto alignment = Literal::alignment;

std::shared_ptr<std::byte[]> allocate(std::size_t size) {
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  if (rounded < size) {
    return nullptr;
  }
  auto *bytes = static_cast<std::byte *>(std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded));
  return bytes == nullptr ? nullptr : std::shared_ptr<std::byte[]>(bytes, [](std::byte *p) { std::free(p); });
}

}  // namespace

Result<Literal> Literal::zeros(const Shape &shape) {
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (const Shape &element : shape.elements()) {
      BP_ASSIGN(Literal literal, zeros(element));
      elements.push_back(std::move(literal));
    }
    Literal result = tuple(std::move(elements));
    result.shape_ = shape;
    return result;
  }
  Literal result;
  result.shape_ = shape;
  if (!shape.is_array()) {
    return result;
  }
  if (std::ranges::find(shape.sizes(), unbounded) != shape.sizes().end()) {
    return invalid_input("a value of shape {}, expected known sizes, or bounds as in f32[<=8]", to_string(shape));
  }
  std::int64_t count = shape.element_count();
  std::int64_t bytes;
  if (__builtin_mul_overflow(count, byte_width(shape.element_type()), &bytes)) {
    return make_error(ErrorCode::OutOfMemory, "a value of shape {} does not fit into the address space",
                      to_string(shape));
  }
  result.size_ = static_cast<std::size_t>(bytes);
  result.data_ = allocate(result.size_);
  if (result.data_ == nullptr) {
    return make_error(ErrorCode::OutOfMemory, "no memory for a value of shape {} ({} bytes)", to_string(shape), bytes);
  }
  std::memset(result.data_.get(), 0, result.size_);
  return result;
}

Literal Literal::borrowed(const Shape &shape, std::shared_ptr<const std::byte[]> bytes) {
  BP_CHECK(shape.is_array());
  BP_CHECK(reinterpret_cast<std::uintptr_t>(bytes.get()) % alignment == 0);
  Literal result;
  result.shape_ = shape;
  result.size_ = static_cast<std::size_t>(shape.element_count()) * byte_width(shape.element_type());
  result.data_ = std::const_pointer_cast<std::byte[]>(std::move(bytes));
  result.is_borrowed_ = true;
  return result;
}

Literal Literal::tuple(std::vector<Literal> elements) {
  Literal result;
  std::vector<Shape> shapes;
  for (const Literal &element : elements) {
    shapes.push_back(element.shape());
  }
  result.shape_ = Shape::tuple(std::move(shapes));
  result.elements_ = std::move(elements);
  return result;
}

Literal Literal::token() {
  Literal result;
  result.shape_ = Shape::token();
  return result;
}

std::span<std::byte> Literal::mutable_bytes() {
  if (shares_bytes()) {
    auto own = allocate(size_);
    if (own == nullptr) {
      throw std::bad_alloc();  // unlikely: writers usually fill literals that they have just created
    }
    std::memcpy(own.get(), data_.get(), size_);
    data_ = std::move(own);
    is_borrowed_ = false;
  }
  return {data_.get(), size_};
}

void extend(Literal &array) {
  const auto is_truth_value = [](std::byte byte) { return byte == std::byte{0} || byte == std::byte{1}; };
  if (array.shape().element_type() == ElementType::Pred && !std::ranges::all_of(array.bytes(), is_truth_value)) {
    for (std::byte &byte : array.mutable_bytes()) {
      byte = static_cast<std::byte>(byte != std::byte{0});
    }
  }
  visit_element_type(array.shape().element_type(), [&]<class T>() {
    if constexpr (requires { T::is_signed; }) {
      for (T &element : array.mutable_elements<T>()) {
        element = T(static_cast<std::int64_t>(element.value));
      }
    }
  });
}

Literal Literal::with_shape(const Shape &shape) const {
  BP_CHECK(shape.is_array() && shape_.is_array());
  BP_CHECK(shape.element_count() * byte_width(shape.element_type()) == static_cast<std::int64_t>(size_));
  Literal result = *this;
  result.shape_ = shape;
  result.dynamic_sizes_.clear();
  return result;
}

std::int64_t Literal::dynamic_size(std::size_t dimension) const {
  return dynamic_sizes_.empty() ? shape_.size(dimension) : dynamic_sizes_[dimension];
}

void Literal::set_dynamic_size(std::size_t dimension, std::int64_t size) {
  if (dynamic_sizes_.empty()) {
    dynamic_sizes_.assign(shape_.sizes().begin(), shape_.sizes().end());
  }
  dynamic_sizes_[dimension] = size;
}

Result<Literal> cut_to_run_time_sizes(const Literal &array) {
  const Shape &whole = array.shape();
  std::vector<std::int64_t> sizes;
  for (std::size_t d = 0; d < whole.rank(); ++d) {
    sizes.push_back(array.dynamic_size(d));
  }
  const Shape shape = Shape::array(whole.element_type(), sizes);
  if (std::ranges::equal(sizes, whole.sizes())) {
    return array.with_shape(shape);
  }
  BP_ASSIGN(Literal result, Literal::zeros(shape));
  const std::span<std::byte> to = result.mutable_bytes();
  if (to.empty()) {
    return result;
  }
  // Rows of the last dimension lie together in both arrays.
  const std::size_t row = static_cast<std::size_t>(sizes.back() * byte_width(whole.element_type()));
  std::vector<std::int64_t> index(sizes.size(), 0);
  for (std::size_t at = 0; at < to.size(); at += row) {
    std::int64_t first = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      first = first * whole.size(d) + index[d];
    }
    const auto from = static_cast<std::size_t>(first * byte_width(whole.element_type()));
    std::memcpy(to.data() + at, array.bytes().data() + from, row);
    for (std::size_t d = sizes.size() - 1; d-- > 0;) {
      if (++index[d] < sizes[d]) {
        break;
      }
      index[d] = 0;
    }
  }
  return result;
}

bool Literal::identical(const Literal &other) const {
  if (!same(shape_, other.shape_, CompareLayout::No) || elements_.size() != other.elements_.size()) {
    return false;
  }
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    if (!elements_[i].identical(other.elements_[i])) {
      return false;
    }
  }
  return size_ == other.size_ && (size_ == 0 || std::memcmp(data_.get(), other.data_.get(), size_) == 0);
}

}  // namespace bp::ir
