// Elements are visited in the literal's order; their index in the buffer is computed from strides or, for tiled
// layouts, by splitting the multi-index tile by tile.
#include "core/ir/storage.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace bp::ir {
namespace {

// Returns the index of the element at a multi-index in a tiled buffer, in units of elements.
std::int64_t tiled_position(const Shape &shape, const Dimensions &index) {
  Dimensions sizes, at;  // sizes of the physical array and index in it, major to minor
  for (std::size_t i = shape.rank(); i-- > 0;) {
    auto dimension = static_cast<std::size_t>(shape.layout().minor_to_major[i]);
    sizes.push_back(shape.size(dimension));
    at.push_back(index[dimension]);
  }
  for (const Tile &tile : shape.layout().tiles) {
    std::size_t first = sizes.size() - std::min(sizes.size(), tile.sizes.size());
    Dimensions outer_sizes(sizes.begin(), sizes.begin() + first), outer_at(at.begin(), at.begin() + first);
    Dimensions inner_sizes, inner_at;
    std::int64_t joined_size = 1, joined_at = 0;
    for (std::size_t i = 0; first + i < sizes.size(); ++i) {
      joined_at = joined_at * sizes[first + i] + at[first + i];
      joined_size *= sizes[first + i];
      std::int64_t length = tile.sizes[i];
      if (length == Tile::combine) {
        continue;
      }
      outer_sizes.push_back((joined_size + length - 1) / length);
      outer_at.push_back(joined_at / length);
      inner_sizes.push_back(length);
      inner_at.push_back(joined_at % length);
      joined_size = 1;
      joined_at = 0;
    }
    outer_sizes.insert(outer_sizes.end(), inner_sizes.begin(), inner_sizes.end());
    outer_at.insert(outer_at.end(), inner_at.begin(), inner_at.end());
    sizes = std::move(outer_sizes);
    at = std::move(outer_at);
  }
  std::int64_t position = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    position = position * sizes[i] + at[i];
  }
  return position;
}

// Returns the positions in a tiled buffer of the elements whose other indices are 0, by dimension and index. The
// position of any element is the sum of those of its indices. Returns nothing if that is not so, since a tile combines
// dimensions, or if the tables would not be much smaller than the array.
std::vector<std::vector<std::int64_t>> positions_by_dimension(const Shape &shape) {
  const bool combines = std::ranges::any_of(shape.layout().tiles, [](const Tile &tile) {
    return std::ranges::find(tile.sizes, Tile::combine) != tile.sizes.end();
  });
  std::int64_t entries = 0;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    entries += shape.size(d);
  }
  if (combines || entries > shape.element_count() / 2) {
    return {};
  }
  std::vector<std::vector<std::int64_t>> positions(shape.rank());
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    Dimensions index(shape.rank(), 0);
    for (; index[d] < shape.size(d); ++index[d]) {
      positions[d].push_back(tiled_position(shape, index));
    }
  }
  return positions;
}

// Does the work of for_each_element() with such positions, which are not empty.
template <class Visitor>
void for_each_position(const Shape &shape, const std::vector<std::vector<std::int64_t>> &positions, Visitor &&visit) {
  const std::size_t last = shape.rank() - 1;
  Dimensions index(shape.rank(), 0);
  for (std::size_t number = 0; number < static_cast<std::size_t>(shape.element_count());) {
    std::int64_t row = 0;
    for (std::size_t d = 0; d < last; ++d) {
      row += positions[d][static_cast<std::size_t>(index[d])];
    }
    for (const std::int64_t position : positions[last]) {
      visit(number++, static_cast<std::size_t>(row + position));
    }
    for (std::size_t d = last; d-- > 0 && ++index[d] == shape.size(d);) {
      index[d] = 0;
    }
  }
}

// Calls visit(index in the literal, index in the buffer) for each element.
template <class Visitor>
void for_each_element(const Shape &shape, Visitor &&visit) {
  if (!shape.layout().tiles.empty()) {
    if (const auto positions = positions_by_dimension(shape); !positions.empty()) {
      for_each_position(shape, positions, visit);
      return;
    }
  }
  std::int64_t count = shape.element_count();
  std::size_t rank = shape.rank();
  Dimensions strides(rank, 1), index(rank, 0);
  std::int64_t stride = 1;
  for (std::int64_t dimension : shape.layout().minor_to_major) {
    strides[static_cast<std::size_t>(dimension)] = stride;
    stride *= shape.size(static_cast<std::size_t>(dimension));
  }
  bool tiled = !shape.layout().tiles.empty();
  std::int64_t position = 0;
  for (std::int64_t number = 0; number < count; ++number) {
    visit(static_cast<std::size_t>(number), static_cast<std::size_t>(tiled ? tiled_position(shape, index) : position));
    for (std::size_t d = rank; d-- > 0;) {
      position += strides[d];
      if (++index[d] < shape.size(d)) {
        break;
      }
      position -= strides[d] * shape.size(d);
      index[d] = 0;
    }
  }
}

// Calls `visit` with the element width as a compile-time constant, so that copying an element takes a single
// instruction.
template <class Visitor>
void visit_width(std::size_t width, Visitor &&visit) {
  switch (width) {
    case 1: return visit.template operator()<1>();
    case 2: return visit.template operator()<2>();
    case 4: return visit.template operator()<4>();
    case 8: return visit.template operator()<8>();
    default: return visit.template operator()<16>();
  }
}

}  // namespace

std::int64_t stored_element_bits(const Shape &array) {
  std::int64_t bits = array.layout().element_bits;
  return bits > 0 && bits < 8 ? bits : std::int64_t{8} * byte_width(array.element_type());
}

bool is_stored_as_literal(const Shape &array) {
  return array.layout().is_descending() && array.layout().tiles.empty() && stored_element_bits(array) >= 8;
}

void store(const Literal &literal, const Shape &shape, std::span<std::byte> buffer) {
  auto bytes = literal.bytes();
  BP_CHECK(static_cast<std::int64_t>(buffer.size()) == shape.byte_size() && same_sizes(literal.shape(), shape));
  if (is_stored_as_literal(shape)) {
    if (!bytes.empty()) {
      std::memcpy(buffer.data(), bytes.data(), bytes.size());
    }
    return;
  }
  auto bits = static_cast<std::size_t>(stored_element_bits(shape));
  if (bits < 8) {
    std::fill(buffer.begin(), buffer.end(), std::byte{0});
    auto mask = static_cast<unsigned>((1u << bits) - 1);
    for_each_element(shape, [&](std::size_t from, std::size_t to) {
      unsigned value = std::to_integer<unsigned>(bytes[from]) & mask;
      // An element whose width does not divide 8 (f6) may span two bytes.
      std::size_t bit = to * bits;
      buffer[bit / 8] |= static_cast<std::byte>(value << (bit % 8));
      if (bit % 8 + bits > 8) {
        buffer[bit / 8 + 1] |= static_cast<std::byte>(value >> (8 - bit % 8));
      }
    });
    return;
  }
  if (!shape.layout().tiles.empty()) {
    std::fill(buffer.begin(), buffer.end(), std::byte{0});
  }
  visit_width(bits / 8, [&]<std::size_t width>() {
    for_each_element(shape, [&](std::size_t from, std::size_t to) {
      std::memcpy(&buffer[to * width], &bytes[from * width], width);
    });
  });
}

void load(std::span<const std::byte> buffer, const Shape &shape, Literal &literal) {
  BP_CHECK(static_cast<std::int64_t>(buffer.size()) == shape.byte_size() && same_sizes(literal.shape(), shape));
  auto bytes = literal.mutable_bytes();
  if (is_stored_as_literal(shape)) {
    if (!bytes.empty()) {
      std::memcpy(bytes.data(), buffer.data(), bytes.size());
    }
    return;
  }
  auto bits = static_cast<std::size_t>(stored_element_bits(shape));
  if (bits < 8) {
    bool negative = is_signed(shape.element_type());
    auto mask = static_cast<unsigned>((1u << bits) - 1);
    for_each_element(shape, [&](std::size_t to, std::size_t from) {
      std::size_t bit = from * bits;
      unsigned value = std::to_integer<unsigned>(buffer[bit / 8]) >> (bit % 8);
      if (bit % 8 + bits > 8) {
        value |= std::to_integer<unsigned>(buffer[bit / 8 + 1]) << (8 - bit % 8);
      }
      value &= mask;
      if (negative && (value >> (bits - 1)) != 0) {
        value |= ~mask;
      }
      bytes[to] = static_cast<std::byte>(value);
    });
    return;
  }
  visit_width(bits / 8, [&]<std::size_t width>() {
    for_each_element(shape, [&](std::size_t to, std::size_t from) {
      std::memcpy(&bytes[to * width], &buffer[from * width], width);
    });
  });
}

Result<Literal> load(std::span<const std::byte> buffer, const Shape &shape) {
  BP_ASSIGN(Literal literal, Literal::zeros(shape));
  load(buffer, shape, literal);
  return literal;
}

}  // namespace bp::ir
