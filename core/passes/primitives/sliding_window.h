// The elements under a sliding window, for loops over the window's elements. A "position" is an index into the window;
// for each position, the elements under it are taken for all placements of the window together.
#pragma once

#include "core/passes/array_builder.h"

namespace bp::passes {

// Whether an array of these sizes, padded as the window needs it, is small enough to be an array of its own: positions
// in it have 32 bits, and it is not much larger than the array unless it is small.
bool can_be_padded(std::span<const ir::WindowDimension> window, std::span<const std::int64_t> sizes);

class SlidingWindow {
 public:
  // For `count` dimensions of arrays, from dimension `first` on; `input` and `output` are their sizes in these
  // dimensions.
  SlidingWindow(std::span<const ir::WindowDimension> window, std::span<const std::int64_t> input,
                std::span<const std::int64_t> output, std::size_t first = 0);

  // Returns the number of positions, which is the number of iterations of the loop.
  std::int64_t positions() const;
  // Whether every position is at an element, not at padding, for all placements of the window.
  bool covers_elements_only() const;
  // Returns the array with padding at the edges and between elements.
  ir::InstructionId padded(ArrayBuilder &b, ir::InstructionId x, ir::InstructionId value) const;
  // Returns a padded pred array of these sizes: true for elements, false for padding.
  ir::InstructionId is_element(ArrayBuilder &b, const ir::Shape &shape) const;
  // Returns a padded pred array that is true for elements, and at the edges at the same distances, and false between.
  ir::InstructionId is_no_gap(ArrayBuilder &b, const ir::Shape &shape) const;
  bool has_gaps() const;
  // Returns the elements of a padded array under a position (s32[]), for all placements of the window.
  ir::InstructionId under(ArrayBuilder &b, ir::InstructionId padded, ir::InstructionId position) const;
  // Returns the padded array with the elements under a position replaced by `values` where `are_taken`.
  ir::InstructionId replaced(ArrayBuilder &b, ir::InstructionId padded, ir::InstructionId values,
                             ir::InstructionId are_taken, ir::InstructionId position) const;
  // Returns the array without the padding that padded() added, and with `value` for the elements that negative padding
  // took away.
  ir::InstructionId unpadded(ArrayBuilder &b, ir::InstructionId padded, ir::InstructionId value) const;

 private:
  struct Box {
    std::vector<ir::InstructionId> starts;
    std::vector<std::int64_t> sizes;
  };
  Box box(ArrayBuilder &b, ir::InstructionId padded, ir::InstructionId position) const;
  std::vector<ir::PaddingDimension> padding(std::size_t rank, bool inverse) const;
  std::vector<ir::PaddingDimension> gaps(std::size_t rank) const;

  std::vector<ir::WindowDimension> window_;
  std::vector<std::int64_t> output_;
  std::size_t first_;
  bool is_dense_ = true;
};

}  // namespace bp::passes
