#include "core/ir/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/container_hash/hash.hpp>

#include "core/base/check.h"

namespace bp::ir {
namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? huge : result;
}

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  return __builtin_add_overflow(a, b, &result) ? huge : result;
}

// Returns the sizes of the physical array that tiling makes of `sizes`; both are in major-to-minor order.
Dimensions tiled_sizes(Dimensions sizes, const std::vector<Tile> &tiles) {
  for (const Tile &tile : tiles) {
    // Combined dimensions are joined with the next more minor dimension before tiling.
    Dimensions tile_sizes;
    Dimensions joined(sizes.begin(), sizes.begin() + (sizes.size() - std::min(sizes.size(), tile.sizes.size())));
    std::size_t first = joined.size();
    std::int64_t pending = 1;
    for (std::size_t i = 0; i < tile.sizes.size() && first + i < sizes.size(); ++i) {
      std::int64_t size = saturating_multiply(pending, sizes[first + i]);
      if (tile.sizes[i] == Tile::combine) {
        pending = size;
      } else {
        joined.push_back(size);
        tile_sizes.push_back(tile.sizes[i]);
        pending = 1;
      }
    }
    for (std::size_t i = 0; i < tile_sizes.size(); ++i) {
      std::int64_t &size = joined[first + i];
      size = size / tile_sizes[i] + (size % tile_sizes[i] != 0);
    }
    joined.insert(joined.end(), tile_sizes.begin(), tile_sizes.end());
    sizes = std::move(joined);
  }
  return sizes;
}

void print(std::string &out, const Shape &shape, PrintLayout layouts) {
  if (shape.is_tuple()) {
    out += '(';
    for (std::size_t i = 0; i < shape.elements().size(); ++i) {
      if (i != 0) {
        out += ", ";
        if (i % 5 == 0) {
          out += fmt::format("/*index={}*/", i);
        }
      }
      print(out, shape.elements()[i], layouts);
    }
    out += ')';
    return;
  }
  if (shape.element_type() == ElementType::Buffer) {
    out += "b(";
    print(out, shape.elements()[0], layouts);
    out += ')';
    return;
  }
  out += to_string(shape.element_type());
  out += '[';
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i != 0) {
      out += ',';
    }
    if (shape.size(i) == unbounded) {
      out += '?';
    } else {
      out += shape.is_dynamic(i) ? fmt::format("<={}", shape.size(i)) : fmt::format("{}", shape.size(i));
    }
  }
  out += ']';
  bool wanted = layouts == PrintLayout::Always ? shape.rank() != 0 : layouts == PrintLayout::WhenNotDescending;
  if (shape.is_array() && wanted) {
    if (layouts == PrintLayout::Always || shape.layout() != Layout::descending(shape.rank())) {
      out += to_string(shape.layout());
    }
  } else if (shape.is_array() && layouts == PrintLayout::Always && shape.layout() != Layout{}) {
    out += to_string(shape.layout());  // for example, a scalar in a memory space
  }
}

const Shape *find_subshape(const Shape &shape, std::size_t &position) {
  if (position == 0) {
    return &shape;
  }
  for (const Shape &element : shape.elements()) {
    --position;
    if (const Shape *found = find_subshape(element, position)) {
      return found;
    }
  }
  return nullptr;
}

}  // namespace

std::int64_t product(std::span<const std::int64_t> sizes) {
  std::int64_t result = 1;
  for (std::int64_t size : sizes) {
    if (size == 0) {
      return 0;
    }
    result = saturating_multiply(result, size == unbounded ? huge : size);
  }
  return result;
}

Layout Layout::descending(std::size_t rank) {
  Layout layout;
  layout.minor_to_major.resize(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    layout.minor_to_major[i] = static_cast<std::int64_t>(rank - 1 - i);
  }
  return layout;
}

bool Layout::is_descending() const {
  for (std::size_t i = 0; i < minor_to_major.size(); ++i) {
    if (minor_to_major[i] != static_cast<std::int64_t>(minor_to_major.size() - 1 - i)) {
      return false;
    }
  }
  return true;
}

Shape Shape::array(ElementType type, std::span<const std::int64_t> sizes) {
  BP_CHECK(!is_opaque(type) && sizes.size() <= max_rank);
  Shape shape;
  shape.element_type_ = type;
  shape.sizes_.assign(sizes.begin(), sizes.end());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == unbounded) {
      shape.set_dynamic(i, true);
    }
  }
  shape.layout_ = Layout::descending(sizes.size());
  return shape;
}

Shape Shape::array(ElementType type, std::initializer_list<std::int64_t> sizes) {
  return array(type, std::span(sizes.begin(), sizes.size()));
}

Shape Shape::tuple(std::vector<Shape> elements) {
  Shape shape;
  shape.element_type_ = ElementType::Tuple;
  shape.elements_ = std::move(elements);
  return shape;
}

Shape Shape::token() {
  Shape shape;
  shape.element_type_ = ElementType::Token;
  return shape;
}

Shape Shape::opaque() {
  Shape shape;
  shape.element_type_ = ElementType::OpaqueType;
  return shape;
}

Shape Shape::buffer(Shape content) {
  Shape shape;
  shape.element_type_ = ElementType::Buffer;
  shape.elements_.push_back(std::move(content));
  return shape;
}

bool Shape::is_static() const {
  if (dynamic_ != 0) {
    return false;
  }
  for (const Shape &element : elements_) {
    if (!element.is_static()) {
      return false;
    }
  }
  return true;
}

void Shape::set_dynamic(std::size_t dimension, bool dynamic) {
  std::uint64_t bit = std::uint64_t{1} << dimension;
  dynamic_ = dynamic ? dynamic_ | bit : dynamic_ & ~bit;
}

std::int64_t Shape::element_count() const {
  return is_array() ? product(sizes()) : 0;
}

std::int64_t Shape::byte_size() const {
  if (!is_array()) {
    std::int64_t total = 0;
    if (is_tuple()) {
      for (const Shape &element : elements_) {
        total = saturating_add(total, element.byte_size());
      }
    }
    return total;
  }
  std::int64_t count = element_count();
  if (!layout_.tiles.empty()) {
    Dimensions major_to_minor;
    for (std::size_t i = rank(); i-- > 0;) {
      major_to_minor.push_back(sizes_[static_cast<std::size_t>(layout_.minor_to_major[i])]);
    }
    Dimensions tiled = tiled_sizes(std::move(major_to_minor), layout_.tiles);
    count = product({tiled.data(), tiled.size()});
  }
  if (layout_.element_bits != 0 && layout_.element_bits < 8) {
    std::int64_t bits = saturating_multiply(count, layout_.element_bits);
    return bits == huge ? huge : bits / 8 + (bits % 8 != 0);
  }
  return saturating_multiply(count, byte_width(element_type_));
}

std::size_t Shape::subshape_count() const {
  std::size_t count = 1;
  for (const Shape &element : elements_) {
    count += element.subshape_count();
  }
  return count;
}

const Shape &Shape::subshape(std::size_t position) const {
  const Shape *found = find_subshape(*this, position);
  BP_CHECK(found != nullptr);
  return *found;
}

std::vector<std::int64_t> Shape::index_of_subshape(std::size_t position) const {
  std::vector<std::int64_t> index;
  const Shape *shape = this;
  while (position != 0) {
    --position;
    std::size_t element = 0;
    for (; element < shape->elements_.size(); ++element) {
      std::size_t count = shape->elements_[element].subshape_count();
      if (position < count) {
        break;
      }
      position -= count;
    }
    BP_CHECK(element < shape->elements_.size());
    index.push_back(static_cast<std::int64_t>(element));
    shape = &shape->elements_[element];
  }
  return index;
}

std::int64_t Shape::position_of_index(std::span<const std::int64_t> index) const {
  std::int64_t position = 0;
  const Shape *shape = this;
  for (std::int64_t wanted : index) {
    if (!shape->is_tuple() || wanted < 0 || wanted >= static_cast<std::int64_t>(shape->elements_.size())) {
      return -1;
    }
    ++position;
    for (std::int64_t i = 0; i < wanted; ++i) {
      position += static_cast<std::int64_t>(shape->elements_[static_cast<std::size_t>(i)].subshape_count());
    }
    shape = &shape->elements_[static_cast<std::size_t>(wanted)];
  }
  return position;
}

std::size_t Shape::hash() const {
  std::size_t seed = static_cast<std::size_t>(element_type_);
  boost::hash_combine(seed, dynamic_);
  boost::hash_range(seed, sizes_.begin(), sizes_.end());
  boost::hash_range(seed, layout_.minor_to_major.begin(), layout_.minor_to_major.end());
  boost::hash_combine(seed, layout_.memory_space);
  boost::hash_combine(seed, layout_.tiles.size());
  for (const Shape &element : elements_) {
    boost::hash_combine(seed, element.hash());
  }
  return seed;
}

bool same_sizes(const Shape &a, const Shape &b) {
  if (a.is_array() && b.is_array()) {
    if (!std::equal(a.sizes().begin(), a.sizes().end(), b.sizes().begin(), b.sizes().end())) {
      return false;
    }
    for (std::size_t i = 0; i < a.rank(); ++i) {
      if (a.is_dynamic(i) != b.is_dynamic(i)) {
        return false;
      }
    }
    return true;
  }
  return same(a, b, CompareLayout::No);
}

bool same(const Shape &a, const Shape &b, CompareLayout layouts) {
  if (a.element_type() != b.element_type() || a.elements().size() != b.elements().size()) {
    return false;
  }
  if (a.is_array()) {
    return same_sizes(a, b) && (layouts == CompareLayout::No || a.layout() == b.layout());
  }
  for (std::size_t i = 0; i < a.elements().size(); ++i) {
    if (!same(a.elements()[i], b.elements()[i], layouts)) {
      return false;
    }
  }
  return true;
}

std::string to_string(const Layout &layout) {
  std::string rest;
  RareLayout rare = layout.rare.empty() ? RareLayout{} : layout.rare[0];
  if (!rare.dimension_levels.empty()) {
    rest += fmt::format("D({})", rare.dimension_levels);
  }
  if (!layout.tiles.empty()) {
    rest += 'T';
    for (const Tile &tile : layout.tiles) {
      rest += '(';
      for (std::size_t i = 0; i < tile.sizes.size(); ++i) {
        rest += i == 0 ? "" : ",";
        rest += tile.sizes[i] == Tile::combine ? "*" : fmt::format("{}", tile.sizes[i]);
      }
      rest += ')';
    }
  }
  if (rare.tail_padding_alignment != 1) {
    rest += fmt::format("L({})", rare.tail_padding_alignment);
  }
  if (rare.index_type != ElementType::Invalid) {
    rest += fmt::format("#({})", to_string(rare.index_type));
  }
  if (rare.pointer_type != ElementType::Invalid) {
    rest += fmt::format("*({})", to_string(rare.pointer_type));
  }
  if (layout.element_bits != 0) {
    rest += fmt::format("E({})", layout.element_bits);
  }
  if (layout.memory_space != 0) {
    rest += fmt::format("S({})", layout.memory_space);
  }
  if (!rare.split_configs.empty()) {
    rest += fmt::format("SC{}", rare.split_configs);
  }
  if (!rare.physical_shape.empty()) {
    rest += fmt::format("P({})", rare.physical_shape);
  }
  if (rare.metadata_prefix_bytes != 0) {
    rest += fmt::format("M({})", rare.metadata_prefix_bytes);
  }
  return fmt::format("{{{}{}{}}}", fmt::join(layout.minor_to_major, ","), rest.empty() ? "" : ":", rest);
}

std::string to_string(const Shape &shape, PrintLayout layouts) {
  std::string out;
  print(out, shape, layouts);
  return out;
}

}  // namespace bp::ir
