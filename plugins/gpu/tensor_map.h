// Tensor maps: how the copy engine of a GPU sees arrays, by the manual of PTX ("Tensors"). A kernel gets them behind its
// other arguments, each as 128 bytes that the driver makes for the addresses of a launch.
#pragma once

#include <cstdint>
#include <string>

namespace bp::emit {
struct TensorView;
}

namespace bp::gpu {

// What an emit::TensorView says, without addresses.
struct TensorMap {
  static constexpr std::uint32_t max_dimensions = 5;
  std::uint32_t place = 0;  // among those of the launch
  std::uint32_t element_bytes = 0;
  std::uint32_t dimension_count = 0;  // 0: the kernel does not look at it
  std::uint32_t box[max_dimensions] = {};
  std::uint64_t offset = 0;                                                // bytes from the place
  std::uint64_t sizes[max_dimensions] = {}, strides[max_dimensions] = {};  // elements; bytes
};

TensorMap tensor_map(const emit::TensorView &view, std::uint32_t place);
// What the engine cannot do, or what is outside of so many bytes; empty if nothing.
std::string problem_of(const TensorMap &map, std::uint64_t bytes);

}  // namespace bp::gpu
