#include "core/import/hlo_proto/shape_proto.h"

#include <algorithm>

#include "core/text/parser.h"
#include "core/text/token_reader.h"

namespace bp::import::hlo_proto {
namespace {

using ir::ElementType;
using ir::Layout;
using ir::RareLayout;
using ir::Shape;

namespace shape_fields {
constexpr Field element_type{2, "element_type"}, dimensions{3, "dimensions"}, tuple_shapes{4, "tuple_shapes"},
    layout{5, "layout"}, is_dynamic_dimension{6, "is_dynamic_dimension"};
}
namespace layout_fields {
constexpr Field minor_to_major{1, "minor_to_major"}, tiles{6, "tiles"}, element_size{7, "element_size_in_bits"},
    memory_space{8, "memory_space"}, dim_level_types{9, "dim_level_types"}, physical_shape{10, "physical_shape"},
    index_type{11, "index_primitive_type"}, pointer_type{12, "pointer_primitive_type"},
    metadata_prefix{15, "dynamic_shape_metadata_prefix_bytes"}, tail_padding{16, "tail_padding_alignment_in_elements"},
    split_configs{17, "split_configs"};
constexpr Field tile_dimensions{1, "dimensions"};
constexpr Field split_dimension{1, "dimension"}, split_indices{2, "split_indices"};
// Letters of DimLevelType by number: dense, compressed, singleton, loose compressed.
constexpr std::string_view levels = "DCSH";
}  // namespace layout_fields

Result<ElementType> read_element_type(const Message &message, Field field) {
  BP_ASSIGN(std::int64_t number, message.integer(field));
  auto row = std::ranges::find(ir::element_types(), static_cast<ElementType>(number), &ir::ElementTypeInfo::type);
  if (number < 0 || number > 0xffff || row == ir::element_types().end()) {
    return message.error_in(field, "{} is not an element type", number);
  }
  return row->type;
}

// Reads a number between 0 and `most`.
Result<std::int64_t> read_size(const Message &message, Field field, std::int64_t most = 1 << 30) {
  BP_ASSIGN(std::int64_t value, message.integer(field));
  if (value < 0 || value > most) {
    return message.error_in(field, "found {}, expected 0 to {}", value, most);
  }
  return value;
}

// Reads "D,C". If all dimensions are dense, which is the default, the text is empty.
Result<std::string> read_dimension_levels(const Message &message) {
  using namespace layout_fields;
  std::string text;
  BP_ASSIGN(auto found, message.integers(dim_level_types));
  if (std::ranges::all_of(found, [](std::int64_t level) { return level == 0; })) {
    return text;
  }
  for (std::int64_t level : found) {
    if (level < 0 || level >= static_cast<std::int64_t>(levels.size())) {
      return message.error_in(dim_level_types, "{} is not a kind of dimension", level);
    }
    text += text.empty() ? "" : ",";
    text += levels[static_cast<std::size_t>(level)];
  }
  return text;
}

Result<RareLayout> read_rare_layout(const Message &message) {
  using namespace layout_fields;
  RareLayout rare;
  BP_ASSIGN(rare.dimension_levels, read_dimension_levels(message));
  BP_ASSIGN(std::int64_t padding, read_size(message, tail_padding));
  rare.tail_padding_alignment = std::max<std::int64_t>(padding, 1);
  if (message.has(index_type)) {
    BP_ASSIGN(rare.index_type, read_element_type(message, index_type));
  }
  if (message.has(pointer_type)) {
    BP_ASSIGN(rare.pointer_type, read_element_type(message, pointer_type));
  }
  BP_TRY(message.for_each(split_configs, [&](const Message &split) -> Status {
    BP_ASSIGN(std::int64_t dimension, read_size(split, split_dimension));
    BP_ASSIGN(auto indices, split.integers(split_indices));
    rare.split_configs += fmt::format("({}:{})", dimension, fmt::join(indices, ","));
    return {};
  }));
  if (message.has(physical_shape)) {
    BP_ASSIGN(Message physical, message.child(physical_shape));
    BP_ASSIGN(Shape shape, read_shape(physical));
    rare.physical_shape = to_string(shape, ir::PrintLayout::Always);
  }
  BP_ASSIGN(rare.metadata_prefix_bytes, read_size(message, metadata_prefix));
  return rare;
}

Result<Layout> read_layout(const Message &message, std::size_t rank) {
  using namespace layout_fields;
  Layout layout;
  BP_ASSIGN(auto order, message.integers(minor_to_major));
  if (order.size() != rank) {
    return message.error_in(minor_to_major, "{} dimensions for an array of rank {}", order.size(), rank);
  }
  std::uint64_t seen = 0;
  for (std::int64_t dimension : order) {
    if (dimension < 0 || dimension >= static_cast<std::int64_t>(rank) || (seen >> dimension & 1) != 0) {
      return message.error_in(minor_to_major, "{{{}}}, expected each of 0 to {} once", fmt::join(order, ","),
                              static_cast<std::int64_t>(rank) - 1);
    }
    seen |= std::uint64_t{1} << dimension;
    layout.minor_to_major.push_back(dimension);
  }
  BP_TRY(message.for_each(tiles, [&](const Message &part) -> Status {
    ir::Tile tile;
    BP_ASSIGN(auto sizes, part.integers(tile_dimensions));
    for (std::int64_t size : sizes) {
      bool is_combined = size == std::numeric_limits<std::int64_t>::min();
      if (size <= 0 && !is_combined) {
        return part.error_in(tile_dimensions, "a tile has size {}, expected at least 1", size);
      }
      tile.sizes.push_back(is_combined ? ir::Tile::combine : size);
    }
    layout.tiles.push_back(std::move(tile));
    return {};
  }));
  BP_ASSIGN(layout.element_bits, read_size(message, element_size, 128));
  BP_ASSIGN(layout.memory_space, read_size(message, memory_space));
  BP_ASSIGN(RareLayout rare, read_rare_layout(message));
  if (rare != RareLayout{}) {
    layout.rare.push_back(std::move(rare));
  }
  return layout;
}

Result<Shape> read_array(const Message &message, ElementType type) {
  using namespace shape_fields;
  BP_ASSIGN(auto sizes, message.integers(dimensions));
  BP_ASSIGN(auto dynamic, message.integers(is_dynamic_dimension));
  if (sizes.size() > ir::max_rank) {
    return message.error_in(dimensions, "{} dimensions, expected at most {}", sizes.size(), ir::max_rank);
  }
  if (!dynamic.empty() && dynamic.size() != sizes.size()) {
    return message.error_in(is_dynamic_dimension, "{} values for {} dimensions", dynamic.size(), sizes.size());
  }
  for (std::int64_t size : sizes) {
    if (size < 0 && size != ir::unbounded) {
      return message.error_in(dimensions, "a dimension has size {}, expected at least 0", size);
    }
  }
  Shape shape = Shape::array(type, sizes);
  for (std::size_t i = 0; i < dynamic.size(); ++i) {
    if (dynamic[i] != 0 && sizes[i] != ir::unbounded) {
      shape.set_dynamic(i, true);
    }
  }
  if (message.has(layout)) {
    BP_ASSIGN(Message inner, message.child(layout));
    BP_ASSIGN(Layout read, read_layout(inner, sizes.size()));
    shape.set_layout(std::move(read));
  }
  return shape;
}

// Writes the parts of a layout that are kept as text, which was checked when it was read.
void write_rare_layout(Writer &writer, const RareLayout &rare) {
  using namespace layout_fields;
  std::vector<std::int64_t> level_numbers;
  for (char c : rare.dimension_levels) {
    if (auto level = levels.find(c); level != levels.npos) {
      level_numbers.push_back(static_cast<std::int64_t>(level));
    }
  }
  writer.integers(dim_level_types, level_numbers);
  if (!rare.physical_shape.empty()) {
    if (auto shape = text::parse_shape(rare.physical_shape); shape.ok()) {
      writer.message(physical_shape, [&](Writer &inner) { write_shape(inner, *shape); });
    }
  }
  if (rare.index_type != ElementType::Invalid) {
    writer.integer(index_type, static_cast<std::int64_t>(rare.index_type));
  }
  if (rare.pointer_type != ElementType::Invalid) {
    writer.integer(pointer_type, static_cast<std::int64_t>(rare.pointer_type));
  }
  if (rare.metadata_prefix_bytes != 0) {
    writer.integer(metadata_prefix, rare.metadata_prefix_bytes);
  }
  writer.integer(tail_padding, rare.tail_padding_alignment);
  text::TokenReader reader(rare.split_configs, {});
  while (reader.accept('(')) {  // (0:1,2)
    auto dimension = reader.read_integer("a dimension");
    std::vector<std::int64_t> indices;
    while (dimension.ok() && (reader.accept(':') || reader.accept(','))) {
      auto at = reader.read_integer("an index");
      if (!at.ok()) {
        break;
      }
      indices.push_back(*at);
    }
    if (!dimension.ok() || !reader.accept(')')) {
      return;
    }
    writer.message(split_configs, [&](Writer &split) {
      split.integer(split_dimension, *dimension);
      split.integers(split_indices, indices);
    });
  }
}

void write_layout(Writer &writer, const Layout &layout) {
  using namespace layout_fields;
  writer.integers(minor_to_major, {layout.minor_to_major.data(), layout.minor_to_major.size()});
  for (const ir::Tile &tile : layout.tiles) {
    std::vector<std::int64_t> sizes(tile.sizes.begin(), tile.sizes.end());
    std::ranges::replace(sizes, ir::Tile::combine, std::numeric_limits<std::int64_t>::min());
    writer.message(tiles, [&](Writer &part) { part.integers(tile_dimensions, sizes); });
  }
  if (layout.element_bits != 0) {
    writer.integer(element_size, layout.element_bits);
  }
  if (layout.memory_space != 0) {
    writer.integer(memory_space, layout.memory_space);
  }
  write_rare_layout(writer, layout.rare.empty() ? RareLayout{} : layout.rare[0]);
}

}  // namespace

Result<Shape> read_shape(const Message &message) {
  using namespace shape_fields;
  BP_ASSIGN(ElementType type, read_element_type(message, element_type));
  if (!ir::is_opaque(type)) {
    return read_array(message, type);
  }
  std::vector<Shape> parts;
  BP_TRY(message.for_each(tuple_shapes, [&](const Message &part) -> Status {
    BP_ASSIGN(Shape shape, read_shape(part));
    parts.push_back(std::move(shape));
    return {};
  }));
  if (type == ElementType::Tuple) {
    return Shape::tuple(std::move(parts));
  }
  if (type == ElementType::Buffer) {
    if (parts.size() != 1) {
      return message.error_in(tuple_shapes, "a buffer with {} contents, expected 1", parts.size());
    }
    return Shape::buffer(std::move(parts[0]));
  }
  return type == ElementType::Token ? Shape::token() : Shape::opaque();
}

void write_shape(Writer &writer, const Shape &shape) {
  using namespace shape_fields;
  writer.integer(element_type, static_cast<std::int64_t>(shape.element_type()));
  for (const Shape &part : shape.elements()) {
    writer.message(tuple_shapes, [&](Writer &inner) { write_shape(inner, part); });
  }
  if (!shape.is_array()) {
    return;
  }
  writer.integers(dimensions, shape.sizes());
  writer.message(layout, [&](Writer &inner) { write_layout(inner, shape.layout()); });
  std::vector<std::int64_t> dynamic(shape.rank());
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    dynamic[i] = shape.is_dynamic(i) || shape.size(i) == ir::unbounded ? 1 : 0;
  }
  writer.integers(is_dynamic_dimension, dynamic);
}

}  // namespace bp::import::hlo_proto
