// The elements under a sliding window, one position of the window after the other: for loops over positions.
#pragma once

#include "core/passes/array_builder.h"

namespace bp::passes {

// Whether an array with what such a window sees beyond its edges can be an array of its own: it does not have too many
// elements.
bool can_be_padded(std::span<const ir::WindowDimension> window, const ir::Shape &shape);

class SlidingWindow {
 public:
  // Of `count` dimensions of arrays, from dimension `first` on; `input` and `output`: their sizes in these.
  SlidingWindow(std::span<const ir::WindowDimension> window, std::span<const std::int64_t> input,
                std::span<const std::int64_t> output, std::size_t first = 0);

  // Window positions: the rounds of a loop.
  std::int64_t positions() const;
  // Whether each position meets an element wherever the window stands.
  bool meets_elements_only() const;
  // With what the window sees beyond the edges and between elements.
  ir::InstructionId padded(ArrayBuilder &b, ir::InstructionId x, ir::InstructionId value) const;
  // Where an array of these sizes is padded: pred, true for elements.
  ir::InstructionId is_element(ArrayBuilder &b, const ir::Shape &shape) const;
  // The same, but true for what is beyond the edges, too.
  ir::InstructionId is_no_gap(ArrayBuilder &b, const ir::Shape &shape) const;
  bool has_gaps() const;
  // Of a padded array, what lies under a position (s32[]), wherever the window stands.
  ir::InstructionId under(ArrayBuilder &b, ir::InstructionId padded, ir::InstructionId position) const;
  // The same array with `values` there where `are_taken`, and the array without what padded() has added.
  ir::InstructionId replaced(ArrayBuilder &b, ir::InstructionId padded, ir::InstructionId values,
                             ir::InstructionId are_taken, ir::InstructionId position) const;
  ir::InstructionId unpadded(ArrayBuilder &b, ir::InstructionId padded) const;

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
