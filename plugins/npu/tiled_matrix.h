// An operand or result of a dot, as the matrix unit takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugins/npu/tensor_view.h"

namespace bp::npu {

// Matrices as rows of tiles: the tensor has the outer dimensions, then the row of tiles, then the element in that row.
class TiledMatrix {
 public:
  // `array` has the layout `words` (DotLayouts) with tiles of `tile` columns. `content`: the bytes of its allocation;
  // empty if they are not known. They must outlive the matrix.
  TiledMatrix(const Tensor &array, const std::vector<std::int64_t> &words, std::uint32_t tile,
              std::span<const std::byte> content = {});

  const Tensor &tensor() const { return tensor_; }
  std::uint32_t rows() const { return rows_; }        // elements
  std::uint32_t columns() const { return columns_; }  // elements

  bool has_content() const { return !content_.empty(); }
  // Whether all elements in a box of the tensor are 0, which has one matrix. The content must be known.
  bool is_zero(const Box &box) const;

 private:
  Tensor tensor_;
  std::uint32_t rows_, columns_;
  std::span<const std::byte> content_;
};

}  // namespace bp::npu
