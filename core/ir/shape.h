// Shape: element type, dimensions and layout of an array; or a tuple, token, opaque or buffer.
// A value type that is cheap to copy for usual ranks. Modules intern shapes (ShapeId in module.h).
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/ir/element_type.h"

namespace bp::ir {

using Dimensions = boost::container::small_vector<std::int64_t, 6>;

inline constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::min();  // a size written `?`
inline constexpr std::size_t max_rank = 64;

// One tile of a tiled layout, T(8,128). The size `combine` (written `*`) combines the dimension with the next more
// minor one.
struct Tile {
  static constexpr std::int64_t combine = -1;
  Dimensions sizes;
  bool operator==(const Tile &) const = default;
};

// Rarely used parts of a layout, written after its ':'. Kept as canonical text; not interpreted yet.
struct RareLayout {
  std::string dimension_levels;                     // D(D,C)
  std::int64_t tail_padding_alignment = 1;          // L(n), elements
  ElementType index_type = ElementType::Invalid;    // #(u32)
  ElementType pointer_type = ElementType::Invalid;  // *(u32)
  std::string split_configs;                        // SC(0:1,2)
  std::string physical_shape;                       // P(f32[..])
  std::int64_t metadata_prefix_bytes = 0;           // M(n)
  bool operator==(const RareLayout &) const = default;
};

struct Layout {
  Dimensions minor_to_major;      // one entry per dimension, the fastest-varying dimension first
  std::vector<Tile> tiles;        // outermost tile first
  std::int64_t element_bits = 0;  // E(n): stored width of an element; 0: the width of the type, at least 8
  std::int64_t memory_space = 0;  // S(n)
  std::vector<RareLayout> rare;   // empty or one element

  // Returns the row-major layout, {rank-1, ..., 0}.
  static Layout descending(std::size_t rank);
  bool is_descending() const;
  bool operator==(const Layout &) const = default;
};

// Whether a comparison of shapes includes their layouts.
enum class CompareLayout { No, Yes };

class Shape {
 public:
  Shape() = default;  // invalid: ElementType::Invalid

  // Returns an array with the default, descending layout. A size may be `unbounded`.
  static Shape array(ElementType type, std::span<const std::int64_t> sizes);
  static Shape array(ElementType type, std::initializer_list<std::int64_t> sizes);
  static Shape scalar(ElementType type) { return array(type, std::span<const std::int64_t>{}); }
  static Shape tuple(std::vector<Shape> elements);
  static Shape token();
  static Shape opaque();
  static Shape buffer(Shape content);  // written b(f32[8])

  ElementType element_type() const { return element_type_; }
  bool is_valid() const { return element_type_ != ElementType::Invalid; }
  bool is_array() const { return is_valid() && !is_opaque(element_type_); }
  bool is_tuple() const { return element_type_ == ElementType::Tuple; }
  bool is_token() const { return element_type_ == ElementType::Token; }
  bool is_scalar() const { return is_array() && sizes_.empty(); }

  // For arrays. The size of a dynamic dimension is its bound. Spans into a temporary shape are rejected at compile
  // time.
  std::size_t rank() const { return sizes_.size(); }
  std::span<const std::int64_t> sizes() const & { return {sizes_.data(), sizes_.size()}; }
  std::span<const std::int64_t> sizes() const && = delete;
  std::int64_t size(std::size_t dimension) const { return sizes_[dimension]; }
  bool is_dynamic(std::size_t dimension) const { return (dynamic_ >> dimension) & 1; }
  bool is_static() const;  // whether there is no dynamic dimension, including those of tuple elements
  const Layout &layout() const { return layout_; }

  void set_element_type(ElementType type) { element_type_ = type; }
  void set_size(std::size_t dimension, std::int64_t size) { sizes_[dimension] = size; }
  void set_dynamic(std::size_t dimension, bool dynamic);
  void set_layout(Layout layout) { layout_ = std::move(layout); }

  // For tuples; a buffer has its content as the only element.
  std::span<const Shape> elements() const & { return elements_; }
  std::span<const Shape> elements() const && = delete;
  std::vector<Shape> &mutable_elements() { return elements_; }

  // Returns the number of elements of an array, 1 for a scalar. Saturates at INT64_MAX, so that a size check can refuse
  // it.
  std::int64_t element_count() const;
  // Returns the bytes of the array as stored in its layout: E(n) packs elements, tiles add padding. For tuples, the sum
  // over their leaves; for tokens, 0. Saturates at INT64_MAX.
  std::int64_t byte_size() const;

  // Positions: this shape and all its parts in pre-order: the whole shape is 0, then come element 0, its parts, element
  // 1, ... A position identifies a subshape by one integer.
  std::size_t subshape_count() const;
  const Shape &subshape(std::size_t position) const;
  std::vector<std::int64_t> index_of_subshape(std::size_t position) const;  // {1,0} for element 0 of element 1
  // Returns the position of an index such as {1,0}; -1 if there is no such part.
  std::int64_t position_of_index(std::span<const std::int64_t> index) const;

  std::size_t hash() const;
  bool operator==(const Shape &) const = default;

 private:
  ElementType element_type_ = ElementType::Invalid;
  std::uint64_t dynamic_ = 0;  // bit i: dimension i is dynamic
  Dimensions sizes_;
  Layout layout_;
  std::vector<Shape> elements_;
};

// Whether type, sizes and dynamic dimensions are equal; also layouts if requested.
bool same(const Shape &a, const Shape &b, CompareLayout layouts);
// Same as same() without layouts, but element types may differ.
bool same_sizes(const Shape &a, const Shape &b);

// How to_string() writes layouts: "f32[2,<=8,?]{1,0:T(8,128)}".
enum class PrintLayout { Never, WhenNotDescending, Always };
std::string to_string(const Shape &shape, PrintLayout layouts = PrintLayout::WhenNotDescending);
std::string to_string(const Layout &layout);

// Returns the product of the sizes, saturating at INT64_MAX.
std::int64_t product(std::span<const std::int64_t> sizes);

}  // namespace bp::ir
