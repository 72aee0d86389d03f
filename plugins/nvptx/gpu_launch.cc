#include "plugins/nvptx/gpu_launch.h"

#include <algorithm>
#include <iterator>

namespace bp::nvptx {

LaunchArguments::LaunchArguments(const gpu::LaunchPlan &plan, const gpu::Command &command,
                                 std::span<const cuda::Address> bases)
    : plan_maps_(gpu::maps_of(plan, command)),
      addresses_(gpu::addresses_of(plan, command, bases)),
      maps_(plan_maps_.size()) {
  std::ranges::transform(addresses_, std::back_inserter(values_), [](cuda::Address &address) { return &address; });
  std::ranges::transform(maps_, std::back_inserter(values_), [](cuda::TensorMap &map) { return &map; });
}

cuda::Result LaunchArguments::make_maps(const Driver &driver) {
  constexpr std::uint32_t steps[gpu::TensorMap::max_dimensions] = {1, 1, 1, 1, 1};  // every element
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    const gpu::TensorMap &map = plan_maps_[i];
    if (map.dimension_count == 0) {
      continue;
    }
    const cuda::Result result = driver.cuTensorMapEncodeTiled(
        &maps_[i], map.element_bytes == 1 ? cuda::tensor_of_bytes : cuda::tensor_of_words, map.dimension_count,
        reinterpret_cast<void *>(addresses_[map.argument] + map.offset), map.sizes, map.strides + 1, map.box, steps,
        cuda::tensor_not_interleaved, cuda::tensor_swizzle_128, cuda::tensor_promotion_128,
        cuda::tensor_filled_with_zeros);
    if (result != 0) {
      return result;
    }
  }
  return 0;
}

}  // namespace bp::nvptx
