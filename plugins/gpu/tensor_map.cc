#include "plugins/gpu/tensor_map.h"

#include "plugins/llvm/generator/team.h"

namespace bp::gpu {

static_assert(TensorMap::max_dimensions == emit::TensorView::max_dimensions);

TensorMap tensor_map(const emit::TensorView &view, std::uint32_t argument) {
  const auto bytes = static_cast<std::uint64_t>(view.element_bytes);
  TensorMap map = {.argument = argument,
                   .element_bytes = static_cast<std::uint32_t>(bytes),
                   .dimension_count = static_cast<std::uint32_t>(view.dimensions.size()),
                   .offset = static_cast<std::uint64_t>(view.offset) * bytes};
  for (std::size_t d = 0; d < view.dimensions.size(); ++d) {
    const emit::TensorView::Dimension &dimension = view.dimensions[d];
    map.box[d] = static_cast<std::uint32_t>(dimension.box);
    map.sizes[d] = static_cast<std::uint64_t>(dimension.size);
    map.strides[d] = static_cast<std::uint64_t>(dimension.stride) * bytes;
  }
  return map;
}

std::string problem_of(const TensorMap &map, std::uint64_t bytes) {
  constexpr std::uint64_t max_elements = std::uint64_t{1} << 31, max_bytes = std::uint64_t{1} << 40, max_in_box = 256;
  if (map.dimension_count == 0) {
    return "";
  }
  if (map.dimension_count > TensorMap::max_dimensions || (map.element_bytes != 1 && map.element_bytes != 2) ||
      map.offset % 16 != 0 || map.strides[0] != map.element_bytes ||
      std::uint64_t{map.box[0]} * map.element_bytes != emit::WarpgroupUnit::line_bytes) {
    return "its tensor map does not describe an array that can be copied";
  }
  if (map.offset > bytes || map.element_bytes > bytes - map.offset) {
    return "its tensor map is outside of its argument";
  }
  std::uint64_t end = map.offset + map.element_bytes;
  for (std::uint32_t d = 0; d < map.dimension_count; ++d) {
    if (map.sizes[d] == 0 || map.sizes[d] > max_elements || map.strides[d] == 0 || map.strides[d] > max_bytes ||
        map.box[d] == 0 || map.box[d] > max_in_box || (d > 0 && map.strides[d] % 16 != 0)) {
      return "its tensor map does not describe an array that can be copied";
    }
    if (map.sizes[d] - 1 > (bytes - end) / map.strides[d]) {
      return "its tensor map is outside of its argument";
    }
    end += (map.sizes[d] - 1) * map.strides[d];
  }
  return "";
}

}  // namespace bp::gpu
