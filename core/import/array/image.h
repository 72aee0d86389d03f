// Windows that slide over the spatial dimensions of images, [batch, channels, spatial dimensions...].
#pragma once

#include <vector>

#include "core/import/array/array.h"

namespace bp::import::array {

using WindowDimensions = std::vector<ir::WindowDimension>;

// The largest size, stride, dilation or padding: products of two fit.
inline constexpr std::int64_t max_window_number = 0x7fffffff;

struct SpatialWindow {
  WindowDimensions dimensions;  // one per spatial dimension
  // Padding at the end that a program asks for. That of the window is larger where a window is added that goes
  // beyond, or less where the last windows do not reach it.
  Integers given_high;
};

// Returns the window of a whole image: `window` for the spatial dimensions, and 1 for batch and channels.
WindowDimensions image_window(const WindowDimensions &window);

// Multiplies an image by filters [output channels, channels of a group, spatial...].
Array convolution(const Array &image, const Array &filter, const WindowDimensions &window, std::int64_t groups);

// Returns a vector with one element per channel as an array that is broadcast to the image, of which it is
// dimension 1. A vector of another size is an error.
Array per_channel(const Array &vector, const Array &image);

// Adds up each window of an image.
Array window_sum(const Array &image, const WindowDimensions &window);
// Divides sums of windows over an image, `x`, by the number of elements that are summed. Padding counts if
// `has_padding`, but not what is beyond it.
Array divided_by_count(const Array &sum, const Array &x, const SpatialWindow &window, bool has_padding);
// Returns the value with which the maximum of a window of x begins: the lowest one of its type.
double pool_identity(const Array &x);

// The largest element of each window, of equal ones the first, and its place in the image of its channel.
struct PlacedMaximum {
  Array values, places;  // places: s32, or s64 if an image has more elements
};
PlacedMaximum max_pool_with_places(const Array &x, const WindowDimensions &window);

// Returns the filter of a transposed convolution as one that is multiplied by the image:
// [input channels, output channels of a group, spatial...] -> [output channels, input channels of a group, spatial...]
Array transposed_filter(const Array &filter, std::int64_t groups);

}  // namespace bp::import::array
