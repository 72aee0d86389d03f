// Windows that slide over the spatial dimensions of images, [batch, channels, spatial dimensions...], as the attributes
// of convolutions and pools describe them.
#pragma once

#include <optional>

#include "core/import/array/image.h"
#include "core/import/onnx/node.h"

namespace bp::import::onnx {

inline constexpr std::size_t max_spatial_count = 16;

// Returns an attribute with one number for each of `count` dimensions (or another fixed number of them), `if_absent`
// for each one if it is absent; nothing and an error if a number is less than `least` or very large.
std::optional<Integers> spatial_numbers(const Node &node, std::string_view name, std::size_t count,
                                        std::int64_t if_absent, std::int64_t least);

// Returns the sizes of the spatial dimensions of an input; nothing and an error if it has none.
std::optional<Integers> spatial_sizes(const Node &node, const Array &image);

// Checks the attribute kernel_shape of a convolution, which states the size of its filter once more.
bool has_kernel_shape(const Node &node, Span kernel);

// Returns the attribute auto_pad: NOTSET, VALID, SAME_UPPER or SAME_LOWER. NOTSET and an error for another text.
std::string_view padding_mode(const Node &node);

// Returns the window of the attributes strides, dilations, pads, auto_pad and, for pools, ceil_mode.
std::optional<SpatialWindow> spatial_window(const Node &node, Span sizes, Span kernel, bool is_pool);

}  // namespace bp::import::onnx
