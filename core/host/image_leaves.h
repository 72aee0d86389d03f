// The leaves of a shape: all of it that is not a tuple. What the image has values for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ir/literal.h"
#include "core/ir/shape.h"

namespace bp::host {

struct Leaf {
  std::size_t position;  // in pre-order: Shape::subshape
  const ir::Shape *shape;
};

struct Leaves {
  std::vector<Leaf> leaves;                  // in order
  std::vector<std::uint32_t> element_begin;  // of a tuple: the first leaf of each element, and the end
};

// Borrows from the shape.
Leaves leaves_of(const ir::Shape &shape);

// The part of a literal at a tuple index.
const ir::Literal &leaf_literal(const ir::Literal &literal, std::span<const std::int64_t> index);

}  // namespace bp::host
