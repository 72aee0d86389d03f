// Translates values of a module to the tensors that Load and Store work on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin_api/cpp/module_view.h"
#include "plugins/npu/instruction_set.h"

namespace bp::npu {

using Sizes = std::vector<std::uint32_t>;  // by dimension

// A part of an index space: `count` indices from `start` in each dimension.
struct Box {
  Sizes start, count;
  std::uint64_t elements() const;
};

// An array as an index space: index i of dimension d is index start + step * i of dimension d of the tensor.
struct Window {
  explicit Window(Tensor t) : tensor(t) { step.fill(1), index_register.fill(none); }
  Tensor tensor;
  std::array<std::int32_t, max_rank> start{}, step;
  std::array<std::uint32_t, max_rank> index_register;
};

// Returns why the DMA engine cannot move such an array, or an empty string if it can.
std::string reason_against_moving(plugin::Shape shape);

// Return the sizes of an array that can be moved.
Sizes sizes_of(plugin::Shape shape);
Sizes sizes_of(const Tensor &tensor);

// Returns an array that can be moved, in its layout. `is_planned`: whether it has memory.
Tensor view_of(plugin::Value value, plugin::Shape shape, bool is_planned);
// Returns the tensor as one row of elements in the order of memory, including the padding of tiles.
Tensor flat_view_of(const Tensor &tensor);
// Returns a row of `count` elements that are all the same scalar.
Tensor repeated(const Tensor &scalar, std::uint32_t count);
// Returns the tensor with dimension order[i] as its dimension i.
Tensor permuted(const Tensor &tensor, std::span<const std::uint32_t> order);

// Divides an index space into boxes of at most `limit` elements, of whole rows where possible, and calls body(box) for
// each of them in row-major order.
template <class Body>
void for_each_box(const Sizes &sizes, std::uint64_t limit, Body &&body) {
  Box box{Sizes(sizes.size(), 0), sizes};
  std::uint64_t room = std::max<std::uint64_t>(limit, 1);
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 0) {
      return;
    }
    box.count[d] = static_cast<std::uint32_t>(std::min<std::uint64_t>(sizes[d], room));
    room /= box.count[d];
  }
  const Sizes whole = box.count;
  while (true) {
    body(box);
    std::size_t d = sizes.size();
    while (d-- > 0) {
      box.start[d] += whole[d];
      if (box.start[d] < sizes[d]) {
        box.count[d] = std::min(whole[d], sizes[d] - box.start[d]);
        break;
      }
      box.start[d] = 0;
      box.count[d] = whole[d];
    }
    if (d > sizes.size()) {
      return;
    }
  }
}

// Divides the elements [begin, end) of the row-major order into boxes, at most two per dimension, and calls body(box)
// for each of them in that order.
template <class Body>
void for_each_box_of_range(const Sizes &sizes, std::uint64_t begin, std::uint64_t end, Body &&body, Box box = {}) {
  const std::size_t d = box.start.size();
  if (begin == end) {
    return;
  }
  const auto add = [&](std::uint64_t first, std::uint64_t count) {
    Box part = box;
    part.start.push_back(static_cast<std::uint32_t>(first));
    part.count.push_back(static_cast<std::uint32_t>(count));
    return part;
  };
  if (d == sizes.size()) {
    body(box);
    return;
  }
  std::uint64_t inner = 1;
  for (std::size_t i = d + 1; i < sizes.size(); ++i) {
    inner *= sizes[i];
  }
  const auto of_row = [&](std::uint64_t row, std::uint64_t from, std::uint64_t to) {
    for_each_box_of_range(sizes, from, to, body, add(row, 1));
  };
  std::uint64_t first = begin / inner;
  const std::uint64_t last = end / inner;
  if (begin % inner != 0) {
    of_row(first, begin % inner, first == last ? end % inner : inner);
    if (first++ == last) {
      return;
    }
  }
  if (first < last) {
    Box rows = add(first, last - first);
    for (std::size_t i = d + 1; i < sizes.size(); ++i) {
      rows.start.push_back(0);
      rows.count.push_back(sizes[i]);
    }
    body(rows);
  }
  of_row(last, 0, end % inner);
}

}  // namespace bp::npu
