#include "core/host/image_leaves.h"

namespace bp::host {
namespace {

void collect_leaves(const ir::Shape &shape, std::size_t &position, std::vector<Leaf> &leaves) {
  if (!shape.is_tuple()) {
    leaves.push_back({position, &shape});
    position += shape.subshape_count();
    return;
  }
  ++position;
  for (const ir::Shape &element : shape.elements()) {
    collect_leaves(element, position, leaves);
  }
}

}  // namespace

Leaves leaves_of(const ir::Shape &shape) {
  Leaves result;
  std::size_t position = 0;
  if (!shape.is_tuple()) {
    collect_leaves(shape, position, result.leaves);
    return result;
  }
  ++position;
  for (const ir::Shape &element : shape.elements()) {
    result.element_begin.push_back(static_cast<std::uint32_t>(result.leaves.size()));
    collect_leaves(element, position, result.leaves);
  }
  result.element_begin.push_back(static_cast<std::uint32_t>(result.leaves.size()));
  return result;
}

const ir::Literal &leaf_literal(const ir::Literal &literal, std::span<const std::int64_t> index) {
  const ir::Literal *at = &literal;
  for (std::int64_t i : index) {
    at = &at->tuple_elements()[static_cast<std::size_t>(i)];
  }
  return *at;
}

}  // namespace bp::host
