#include "core/text/shape_reader.h"

namespace bp::text {
namespace {

using ir::ElementType;
using ir::Layout;
using ir::RareLayout;
using ir::Shape;

// The error for an unknown element type does not list all types; it only names what was found.
Result<ElementType> read_element_type(TokenReader &reader) {
  if (reader.is(TokenKind::Identifier)) {
    if (auto type = ir::element_type_from_string(reader.text()); type && *type != ElementType::Tuple) {
      reader.advance();
      return *type;
    }
    return reader.error("unknown element type {}", reader.found());
  }
  return reader.expected("a shape");
}

// Reads (n).
Result<std::int64_t> read_parenthesized(TokenReader &reader, std::string_view what) {
  BP_TRY(reader.expect('(', fmt::format("before {}", what)));
  std::size_t begin = reader.token().begin;
  BP_ASSIGN(std::int64_t value, reader.read_integer(what));
  if (value < 0) {
    return reader.error_at(begin, "{} is {}, expected at least 0", what, value);
  }
  BP_TRY(reader.expect(')', fmt::format("after {}", what)));
  return value;
}

Result<ElementType> read_parenthesized_type(TokenReader &reader) {
  BP_TRY(reader.expect('('));
  BP_ASSIGN(ElementType type, read_element_type(reader));
  BP_TRY(reader.expect(')'));
  return type;
}

Status read_tiles(TokenReader &reader, Layout &layout) {
  if (!reader.is('(')) {
    return reader.expected("'(' before the sizes of a tile");
  }
  while (reader.accept('(')) {
    ir::Tile tile;
    BP_TRY(reader.read_list(')', "a tile", [&]() -> Status {
      if (reader.accept('*')) {
        tile.sizes.push_back(ir::Tile::combine);
        return {};
      }
      std::size_t begin = reader.token().begin;
      BP_ASSIGN(std::int64_t size, reader.read_integer("the size of a tile"));
      if (size <= 0) {
        return reader.error_at(begin, "a tile has size {}, expected at least 1", size);
      }
      tile.sizes.push_back(size);
      return {};
    }));
    layout.tiles.push_back(std::move(tile));
  }
  return {};
}

RareLayout &rare(Layout &layout) {
  if (layout.rare.empty()) {
    layout.rare.emplace_back();
  }
  return layout.rare[0];
}

// Reads a balanced pair of parentheses. Returns the canonical text between them.
Result<std::string> read_inside_parentheses(TokenReader &reader, std::string_view what) {
  if (!reader.is('(')) {
    return reader.error("expected '(' before {}, found {}", what, reader.found());
  }
  BP_ASSIGN(std::string whole, reader.read_balanced(what));
  return whole.substr(1, whole.size() - 2);
}

// Reads the parts after the ':' of a layout, each at most once. Any order is accepted; the printer has a fixed order.
Status read_layout_parts(TokenReader &reader, Layout &layout) {
  while (!reader.is('}')) {
    std::size_t begin = reader.token().begin;
    if (reader.accept_word("T")) {
      BP_TRY(read_tiles(reader, layout));
    } else if (reader.accept_word("E")) {
      BP_ASSIGN(layout.element_bits, read_parenthesized(reader, "the element width"));
      if (layout.element_bits > 128) {
        return reader.error_at(begin, "an element width of {} bits, expected at most 128", layout.element_bits);
      }
    } else if (reader.accept_word("S")) {
      BP_ASSIGN(layout.memory_space, read_parenthesized(reader, "the memory space"));
    } else if (reader.accept_word("L")) {
      BP_ASSIGN(rare(layout).tail_padding_alignment, read_parenthesized(reader, "the alignment of the tail padding"));
    } else if (reader.accept_word("M")) {
      BP_ASSIGN(rare(layout).metadata_prefix_bytes, read_parenthesized(reader, "the size of the metadata prefix"));
    } else if (reader.accept_word("D")) {
      BP_ASSIGN(rare(layout).dimension_levels, read_inside_parentheses(reader, "the levels of the dimensions"));
    } else if (reader.accept_word("P")) {
      BP_TRY(reader.expect('(', "before the physical shape"));
      BP_ASSIGN(Shape shape, read_shape(reader));
      BP_TRY(reader.expect(')', "after the physical shape"));
      rare(layout).physical_shape = to_string(shape, ir::PrintLayout::Always);
    } else if (reader.accept_word("SC")) {
      std::string &configs = rare(layout).split_configs;
      do {
        BP_ASSIGN(std::string config, read_inside_parentheses(reader, "a split configuration"));
        configs += '(' + config + ')';
      } while (reader.is('('));
    } else if (reader.accept('#')) {
      BP_ASSIGN(rare(layout).index_type, read_parenthesized_type(reader));
    } else if (reader.accept('*')) {
      BP_ASSIGN(rare(layout).pointer_type, read_parenthesized_type(reader));
    } else {
      return reader.expected("a part of a layout (D, T, L, #, *, E, S, SC, P or M) or '}'");
    }
  }
  if (!layout.rare.empty() && layout.rare[0] == RareLayout{}) {
    layout.rare.clear();  // L(1) and M(0) are the defaults
  }
  return {};
}

// A '{' after a shape begins a layout only if an integer or a ':' follows; otherwise it begins the body of a
// computation.
bool is_layout_ahead(const TokenReader &reader) {
  if (!reader.is('{')) {
    return false;
  }
  return reader.following().kind == TokenKind::Number || reader.is_following(':');
}

Status read_layout(TokenReader &reader, Shape &shape) {
  std::size_t begin = reader.token().begin;
  BP_TRY(reader.expect('{'));
  Layout layout;
  std::uint64_t seen = 0;
  while (reader.is(TokenKind::Number)) {
    std::size_t at = reader.token().begin;
    BP_ASSIGN(std::int64_t dimension, reader.read_integer("a dimension number"));
    if (dimension < 0 || dimension >= static_cast<std::int64_t>(shape.rank())) {
      return reader.error_at(at, "dimension {} in the layout of an array of rank {}", dimension, shape.rank());
    }
    if ((seen >> dimension & 1) != 0) {
      return reader.error_at(at, "dimension {} twice in a layout", dimension);
    }
    seen |= std::uint64_t{1} << dimension;
    layout.minor_to_major.push_back(dimension);
    if (!reader.accept(',')) {
      break;
    }
  }
  if (layout.minor_to_major.size() != shape.rank()) {
    return reader.error_at(begin, "a layout of {} dimensions for an array of rank {}", layout.minor_to_major.size(),
                           shape.rank());
  }
  if (reader.accept(':')) {
    BP_TRY(read_layout_parts(reader, layout));
  }
  BP_TRY(reader.expect('}', "after a layout"));
  shape.set_layout(std::move(layout));
  return {};
}

Result<Shape> read_array(TokenReader &reader) {
  std::size_t begin = reader.token().begin;
  BP_ASSIGN(ElementType type, read_element_type(reader));
  if (type == ElementType::Buffer) {
    BP_TRY(reader.expect('(', "after 'b' of a buffer"));
    BP_ASSIGN(Shape content, read_shape(reader));
    BP_TRY(reader.expect(')', "after the shape of a buffer"));
    return Shape::buffer(std::move(content));
  }
  BP_TRY(reader.expect('[', "after an element type"));
  ir::Dimensions sizes;
  std::uint64_t dynamic = 0;
  BP_TRY(reader.read_list(']', "the sizes of a shape", [&]() -> Status {
    if (sizes.size() == ir::max_rank) {
      return reader.error("more than {} dimensions", ir::max_rank);
    }
    if (reader.accept('?')) {
      sizes.push_back(ir::unbounded);
      return {};
    }
    if (reader.is(TokenKind::LessEqual)) {
      reader.advance();
      dynamic |= std::uint64_t{1} << sizes.size();
    }
    std::size_t at = reader.token().begin;
    BP_ASSIGN(std::int64_t size, reader.read_integer("the size of a dimension"));
    if (size < 0) {
      return reader.error_at(at, "a dimension has size {}, expected at least 0", size);
    }
    sizes.push_back(size);
    return {};
  }));
  if (ir::is_opaque(type)) {
    if (!sizes.empty()) {
      return reader.error_at(begin, "{} has no dimensions", ir::to_string(type));
    }
    return type == ElementType::Token ? Shape::token() : Shape::opaque();
  }
  Shape shape = Shape::array(type, std::span<const std::int64_t>(sizes.data(), sizes.size()));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if ((dynamic >> i & 1) != 0) {
      shape.set_dynamic(i, true);
    }
  }
  if (is_layout_ahead(reader)) {
    BP_TRY(read_layout(reader, shape));
  } else if (sizes.empty() && reader.is('{') && reader.following_character() == '}') {
    reader.advance();  // f32[]{}
    reader.advance();
  }
  return shape;
}

}  // namespace

bool is_shape_ahead(const TokenReader &reader) {
  if (reader.is('(')) {
    return true;
  }
  if (!reader.is(TokenKind::Identifier)) {
    return false;
  }
  return reader.following_character() == '[' || (reader.following_character() == '(' && reader.text() == "b");
}

Result<Shape> read_shape(TokenReader &reader) {
  TokenReader::Nesting nesting(reader);
  BP_TRY(nesting.check());
  if (!reader.accept('(')) {
    return read_array(reader);
  }
  std::vector<Shape> elements;
  BP_TRY(reader.read_list(')', "a tuple shape", [&]() -> Status {
    BP_ASSIGN(Shape element, read_shape(reader));
    elements.push_back(std::move(element));
    return {};
  }));
  return Shape::tuple(std::move(elements));
}

}  // namespace bp::text
