// Tensor maps: arrays as the copy engine of a GPU sees them, by the manual of PTX ("Tensors"). A kernel gets them after
// its other arguments, in a form that the driver makes for the addresses of a launch.
#pragma once

#include <cstdint>
#include <string>

namespace bp::emit {
struct TensorView;
}

namespace bp::gpu {

// An emit::TensorView without addresses.
struct TensorMap {
  static constexpr std::uint32_t max_dimensions = 5;
  std::uint32_t argument = 0;  // index of the array among the ranges of the launch
  std::uint32_t element_bytes = 0;
  std::uint32_t dimension_count = 0;  // 0: the kernel does not use the map
  std::uint32_t box[max_dimensions] = {};
  std::uint64_t offset = 0;                                                // in bytes, from the start of the array
  std::uint64_t sizes[max_dimensions] = {}, strides[max_dimensions] = {};  // in elements; in bytes
};

TensorMap tensor_map(const emit::TensorView &view, std::uint32_t argument);
// Returns what is wrong with the map: the engine cannot use it, or it is not within `bytes` bytes. Empty if it is
// right.
std::string problem_of(const TensorMap &map, std::uint64_t bytes);

}  // namespace bp::gpu
