#include "plugins/npu/tensor_view.h"

namespace bp::npu {
namespace {

constexpr std::uint64_t max_elements = 1 << 30;
constexpr std::int64_t max_tile = 1 << 10;

}  // namespace

std::uint64_t Box::elements() const {
  std::uint64_t product = 1;
  for (std::uint32_t size : count) {
    product *= size;
  }
  return product;
}

std::string reason_against_moving(plugin::Shape shape) {
  switch (shape.element_bits()) {
    case 8:
    case 16:
    case 32:
    case 64: break;
    default:
      return "elements of " + std::to_string(shape.element_bits()) + " bits: the DMA engine moves 8, 16, 32 or 64";
  }
  if (shape.rank() > max_rank) {
    return std::to_string(shape.rank()) + " dimensions: the DMA engine moves boxes of up to " +
           std::to_string(max_rank);
  }
  if (shape.tile_count() > 1 || (shape.tile_count() == 1 && shape.tile(0).size() > shape.rank())) {
    return "a layout of tiles within tiles, or of more dimensions than the array";
  }
  const std::uint32_t tiled = shape.tile_count() == 0 ? 0 : static_cast<std::uint32_t>(shape.tile(0).size());
  std::uint64_t elements = 1;  // including the padding of tiles
  for (std::uint32_t i = 0; i < shape.rank(); ++i) {
    const std::int64_t tile = i < tiled ? shape.tile(0)[tiled - 1 - i] : 1;
    if (tile < 1 || tile > max_tile) {
      return "a tile of " + std::to_string(tile) + " elements in one dimension, expected 1 to " +
             std::to_string(max_tile);
    }
    const auto size = static_cast<std::uint64_t>(shape.dim(static_cast<std::uint32_t>(shape.minor_to_major()[i])));
    const auto tiles = static_cast<std::uint64_t>(tile);
    if (elements != 0 && size > max_elements / elements / tiles) {
      return "2^30 elements or more";
    }
    elements *= quotient_up(size, tiles) * tiles;
  }
  return {};
}

Sizes sizes_of(plugin::Shape shape) {
  return Sizes(shape.dims().begin(), shape.dims().end());
}

Sizes sizes_of(const Tensor &tensor) {
  Sizes sizes;
  for (std::uint32_t d = 0; d < tensor.rank; ++d) {
    sizes.push_back(tensor.dimensions[d].size);
  }
  return sizes;
}

Tensor view_of(plugin::Value value, plugin::Shape shape, bool is_planned) {
  Tensor tensor{};
  tensor.allocation = is_planned ? value.allocation() : none;
  tensor.offset = is_planned ? value.offset() : 0;
  tensor.width = static_cast<std::uint8_t>(shape.element_bits() / 8);
  tensor.rank = static_cast<std::uint8_t>(shape.rank());
  const auto order = shape.minor_to_major();
  const std::uint32_t tiled = shape.tile_count() == 0 ? 0 : static_cast<std::uint32_t>(shape.tile(0).size());
  std::uint64_t stride = tensor.width;
  for (std::uint32_t i = 0; i < tensor.rank; ++i) {
    const auto size = static_cast<std::uint32_t>(shape.dim(static_cast<std::uint32_t>(order[i])));
    const std::uint32_t tile =
        i < tiled ? static_cast<std::uint32_t>(shape.tile(0)[tiled - 1 - i]) : std::max(size, 1u);
    tensor.dimensions[order[i]] = {size, tile, stride, 0};
    stride *= i < tiled ? tile : 1;
  }
  for (std::uint32_t i = 0; i < tensor.rank; ++i) {
    Dimension &dimension = tensor.dimensions[order[i]];
    if (i < tiled) {
      dimension.outer = stride;
      stride *= quotient_up(dimension.size, dimension.tile);
    } else {
      dimension.inner = stride;
      stride *= dimension.size;
    }
  }
  return tensor;
}

Tensor flat_view_of(const Tensor &tensor) {
  std::uint64_t count = 1;
  for (std::uint32_t d = 0; d < tensor.rank; ++d) {
    const Dimension &dimension = tensor.dimensions[d];
    count *= quotient_up(dimension.size, dimension.tile) * dimension.tile;
  }
  Tensor flat = tensor;
  flat.rank = 1;
  const auto size = static_cast<std::uint32_t>(count);
  flat.dimensions[0] = {size, std::max(size, 1u), tensor.width, 0};
  return flat;
}

Tensor repeated(const Tensor &scalar, std::uint32_t count) {
  Tensor row = scalar;
  row.rank = 1;
  row.dimensions[0] = {count, std::max(count, 1u), 0, 0};
  return row;
}

Tensor permuted(const Tensor &tensor, std::span<const std::uint32_t> order) {
  Tensor result = tensor;
  for (std::size_t i = 0; i < order.size(); ++i) {
    result.dimensions[i] = tensor.dimensions[order[i]];
  }
  return result;
}

}  // namespace bp::npu
