#include "plugins/npu/tiled_matrix.h"

#include <algorithm>

namespace bp::npu {

TiledMatrix::TiledMatrix(const Tensor &array, const std::vector<std::int64_t> &words, std::uint32_t tile,
                         std::span<const std::byte> content)
    : tensor_(array),
      rows_(array.dimensions[words[1]].size),
      columns_(array.dimensions[words[0]].size),
      content_(content) {
  const std::uint32_t rank = array.rank;
  const auto rows = static_cast<std::uint32_t>(quotient_up(rows_, tile_rows));
  const auto row = static_cast<std::uint32_t>(quotient_up(columns_, tile) * tile_rows * tile);
  std::uint64_t stride = array.width;
  tensor_.dimensions[rank - 1] = {row, row, stride, 0};
  stride *= row;
  tensor_.dimensions[rank - 2] = {rows, rows, stride, 0};
  stride *= rows;
  for (std::uint32_t outer = 2; outer < rank; ++outer) {
    const std::uint32_t size = array.dimensions[words[outer]].size;
    tensor_.dimensions[rank - 1 - outer] = {size, size, stride, 0};
    stride *= size;
  }
}

bool TiledMatrix::is_zero(const Box &box) const {
  const std::uint32_t row_dimension = tensor_.rank - 2u;
  std::uint64_t begin = tensor_.offset;
  for (std::uint32_t d = 0; d < tensor_.rank; ++d) {
    begin += byte_offset(tensor_.dimensions[d], box.start[d]);
  }
  for (std::uint32_t row = 0; row < box.count[row_dimension]; ++row) {
    const std::uint64_t at = begin + row * tensor_.dimensions[row_dimension].inner;
    const auto bytes = content_.subspan(at, std::size_t{box.count.back()} * tensor_.width);
    if (std::ranges::any_of(bytes, [](std::byte byte) { return byte != std::byte{0}; })) {
      return false;
    }
  }
  return true;
}

}  // namespace bp::npu
