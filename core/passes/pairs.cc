#include "core/passes/pairs.h"

namespace bp::passes {

bool has_room_for_pairs(const ir::Instruction &instruction) {
  const auto is_full = [](const ir::Shape &shape) { return shape.is_array() && shape.rank() == ir::max_rank; };
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    if (is_full(instruction.operand(i).shape())) {
      return false;
    }
  }
  return !is_full(instruction.shape());
}
namespace {

using ir::Shape;
using Id = ir::InstructionId;

// Returns the shape with one more dimension, of size 2, which is innermost in memory whatever the layout: each tile
// holds the pairs whole.
Shape shape_of_pairs(const Shape &shape, ir::ElementType part) {
  std::vector<std::int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  sizes.push_back(2);
  Shape pairs = Shape::array(part, sizes);
  ir::Layout layout = shape.layout();
  layout.minor_to_major.insert(layout.minor_to_major.begin(), static_cast<std::int64_t>(shape.rank()));
  for (ir::Tile &tile : layout.tiles) {
    tile.sizes.push_back(2);
  }
  pairs.set_layout(std::move(layout));
  return pairs;
}

}  // namespace

Pair split_pairs(ArrayBuilder &b, Id x, ir::ElementType part) {
  const Shape shape = b.shape(x);
  const Id pairs = b.bitcast_to(x, shape_of_pairs(shape, part));
  const auto half = [&](std::int64_t at) {
    return b.ir::Builder::reshape(b.slice(pairs, shape.rank(), at, at + 1), shape.sizes());
  };
  const Id first = half(0);
  return {first, half(1)};
}

Id join_pairs(ArrayBuilder &b, Pair pair, const Shape &shape) {
  const Shape result = shape, pairs = shape_of_pairs(result, b.type(pair.first));
  std::vector<std::int64_t> sizes(result.sizes().begin(), result.sizes().end());
  sizes.push_back(1);
  const Id first = b.ir::Builder::reshape(pair.first, sizes), second = b.ir::Builder::reshape(pair.second, sizes);
  const Id both = b.concatenate({first, second}, static_cast<std::int64_t>(result.rank()));
  return b.bitcast_to(b.with_layout(both, pairs.layout()), result);
}

}  // namespace bp::passes
