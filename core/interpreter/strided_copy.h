// Copies a box of elements between two arrays, with strides of its own for each. Broadcast, transpose, reverse, slice,
// pad and concatenate are such copies, with strides that are 0, permuted, negative, or longer.
#pragma once

#include "core/interpreter/evaluator.h"

namespace bp::interpreter {

using ir::Dimensions;

// Returns the bytes of an element.
inline std::size_t element_width(const Shape &shape) {
  return static_cast<std::size_t>(ir::byte_width(shape.element_type()));
}

// Returns the distance, in elements, between neighbours along each dimension of a dense row-major array.
Dimensions dense_strides(std::span<const std::int64_t> sizes);

// Returns the sizes that an array has at run time.
Dimensions run_time_sizes(const Literal &literal);

// Positions of a box's elements in an array: `offset` of the first element, and a stride for each dimension of the box,
// in elements.
struct Walk {
  std::int64_t offset = 0;
  Dimensions strides;
};
inline Walk dense_walk(std::span<const std::int64_t> sizes) {
  return {0, dense_strides(sizes)};
}

// Copies elements of `width` bytes, in a box of `sizes`. All of them must lie inside the two arrays.
void strided_copy(const Evaluator &evaluator, std::span<const std::int64_t> sizes, std::byte *to, const Walk &to_walk,
                  const std::byte *from, const Walk &from_walk, std::size_t width);

// Returns a new literal of `shape`, whose element at index i is the element of `from` at from_walk.offset + i .
// strides.
Result<Literal> gathered(const Evaluator &evaluator, const Shape &shape, const Literal &from, const Walk &from_walk);

// Returns the values of an integer array as int64; unsigned 64-bit values that are too large are saturated.
std::vector<std::int64_t> integers(const Literal &literal);

// Returns the start of a box of `box` sizes in an array of `sizes`, clamped so that the box lies inside. `indices`: one
// scalar per dimension, or one vector.
Walk clamped_start(std::span<const std::int64_t> sizes, std::span<const std::int64_t> box,
                   std::span<const Literal> indices);

// Calls body(index) for each index of a box in row-major order. `index` is a span that is valid during the call.
template <class Body>
void for_each_index(std::span<const std::int64_t> sizes, Body &&body) {
  for (std::int64_t size : sizes) {
    if (size <= 0) {
      return;
    }
  }
  Dimensions index(sizes.size(), 0);
  while (true) {
    body(std::span<const std::int64_t>(index.data(), index.size()));
    std::size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1]) {
      index[--d] = 0;
    }
    if (d == 0) {
      return;
    }
  }
}

}  // namespace bp::interpreter
