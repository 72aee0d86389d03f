// The leaves of a shape: all its parts that are not tuples. The image has a value for each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ir/literal.h"
#include "core/ir/shape.h"

namespace bp::host {

struct Leaf {
  std::size_t position;  // in pre-order, see Shape::subshape
  const ir::Shape *shape;
};

struct Leaves {
  std::vector<Leaf> leaves;  // in order
  // For a tuple: index of the first leaf of each element, and the end.
  std::vector<std::uint32_t> element_begin;
};

// The result refers to the shape.
Leaves leaves_of(const ir::Shape &shape);

// Returns the part of a literal at a tuple index.
const ir::Literal &leaf_literal(const ir::Literal &literal, std::span<const std::int64_t> index);

}  // namespace bp::host
