// Windows that slide over the spatial dimensions of images, [batch, channels, spatial dimensions...], as the attributes
// of convolutions and pools describe them.
#pragma once

#include <optional>
#include <vector>

#include "core/import/onnx/node.h"

namespace bp::import::onnx {

using WindowDimensions = std::vector<ir::WindowDimension>;

// The largest size, stride, dilation or padding: products of two fit.
inline constexpr std::int64_t max_window_number = 0x7fffffff;

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

struct SpatialWindow {
  WindowDimensions dimensions;  // one per spatial dimension
  // Padding at the end that the attributes ask for. That of the window is larger where ceil_mode adds a window that
  // goes beyond, or less where the last windows do not reach it.
  Integers given_high;
};

// Returns the window of the attributes strides, dilations, pads, auto_pad and, for pools, ceil_mode.
std::optional<SpatialWindow> spatial_window(const Node &node, Span sizes, Span kernel, bool is_pool);

// Returns the window of a whole image: `window` for the spatial dimensions, and 1 for batch and channels.
WindowDimensions image_window(const WindowDimensions &window);

// Multiplies an image by filters [output channels, channels of a group, spatial...].
Array convolution(const Array &image, const Array &filter, const WindowDimensions &window, std::int64_t groups);

// Returns a vector with one element per channel as an array that is broadcast to the image, of which it is
// dimension 1. A vector of another size is an error.
Array per_channel(const Array &vector, const Array &image);

}  // namespace bp::import::onnx
