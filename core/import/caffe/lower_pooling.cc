// Pooling and crops of images: http://caffe.berkeleyvision.org/tutorial/layers/pooling.html
#include <algorithm>
#include <array>
#include <optional>

#include "core/import/array/image.h"
#include "core/import/caffe/lower.h"

namespace bp::import::caffe {
namespace {

constexpr std::int64_t ceil_mode = 0;

// Returns a number for both dimensions of an image: of the field `name`, or one each of `name_h` and `name_w`.
std::array<std::int64_t, 2> both_numbers(const Layer &layer, const std::string &name, const std::string &short_name,
                                         std::optional<std::int64_t> if_absent, std::int64_t least) {
  const Message &parameters = layer.parameters();
  const std::string height = short_name + "_h", width = short_name + "_w";
  const bool is_stated = parameters.has(name), has_height = parameters.has(height), has_width = parameters.has(width);
  if (has_height != has_width || (is_stated && has_height) || (!if_absent && !is_stated && !has_height)) {
    layer.fail_in(is_stated    ? name
                  : has_height ? height
                               : width,
                  fmt::format("expected either {}, or {} and {}", name, height, width));
    return {least, least};
  }
  if (has_height) {
    return {layer.integer(height, 0, least), layer.integer(width, 0, least)};
  }
  const std::int64_t number = layer.integer(name, if_absent.value_or(least), least);
  return {number, number};
}

// Whether the number of windows is rounded up, which it is unless the layer says otherwise.
bool rounds_up(const Layer &layer) {
  const Message &parameters = layer.parameters();
  if (parameters.has("round_mode")) {
    return parameters.integer("round_mode") == ceil_mode;
  }
  return parameters.flag("ceil_mode", true);
}

// Returns the windows of an image, as PoolingLayer::Reshape of Caffe counts them: with a last one that goes beyond the
// image if there is a remainder, unless it would begin in the padding behind it.
std::optional<SpatialWindow> pool_window(const Layer &layer, const Array &x) {
  const bool is_global = layer.parameters().flag("global_pooling", false);
  SpatialWindow result;
  if (is_global) {
    for (const std::string_view name : {"kernel_size", "kernel_h", "kernel_w"}) {
      if (layer.parameters().has(name)) {
        layer.fail_in(name, fmt::format("{} is given with global_pooling, expected one of them", name));
      }
    }
  }
  std::array<std::int64_t, 2> kernel = {x.size(2), x.size(3)};
  if (!is_global) {
    kernel = both_numbers(layer, "kernel_size", "kernel", {}, 1);
  }
  const std::array<std::int64_t, 2> stride = both_numbers(layer, "stride", "stride", 1, 1);
  const std::array<std::int64_t, 2> padding = both_numbers(layer, "pad", "pad", 0, 0);
  if (layer.has_failed()) {
    return {};
  }
  const bool is_padded = padding[0] != 0 || padding[1] != 0;
  if (is_global && (is_padded || stride[0] != 1 || stride[1] != 1)) {
    layer.fail_in("global_pooling", "global_pooling is given with a pad or stride, expected neither");
    return {};
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t size = x.size(static_cast<std::int64_t>(i) + 2);
    if (size < 1 || size > max_number || padding[i] >= kernel[i]) {
      layer.fail(size < 1 || size > max_number
                     ? fmt::format("the image is {}, expected sizes of 1 to {}", sizes_text(x.sizes()), max_number)
                     : fmt::format("pad is {}, expected less than the kernel, {}", padding[i], kernel[i]));
      return {};
    }
    const std::int64_t room = size + 2 * padding[i] - kernel[i];
    const std::int64_t rounded = room + (rounds_up(layer) ? stride[i] - 1 : 0);
    std::int64_t count = rounded < 0 ? 0 : rounded / stride[i] + 1;
    if (is_padded && (count - 1) * stride[i] >= size + padding[i]) {
      --count;
    }
    if (count < 1 || (count - 1) * stride[i] - padding[i] >= size) {
      layer.fail(fmt::format("a window of {} elements with stride {} and pad {} has no place in dimension {} of {}",
                             kernel[i], stride[i], padding[i], i + 2, sizes_text(x.sizes())));
      return {};
    }
    result.given_high.push_back(padding[i]);
    result.dimensions.push_back({.size = kernel[i],
                                 .stride = stride[i],
                                 .pad_low = padding[i],
                                 .pad_high = (count - 1) * stride[i] + kernel[i] - size - padding[i]});
  }
  return result;
}

}  // namespace

Arrays lower_pooling(const Layer &layer) {
  enum Method { Maximum = 0, Average = 1, Stochastic = 2 };
  const Array &x = layer.bottom();
  const std::int64_t method = layer.parameters().integer("pool", Maximum);
  if (x.rank() != 4) {
    return layer.fail(fmt::format("the bottom is {}, expected 4 dimensions", sizes_text(x.sizes())));
  }
  if (method == Stochastic) {
    return layer.unsupported_in("pool", "STOCHASTIC pooling is random, expected MAX or AVE");
  }
  const auto window = pool_window(layer, x);
  if (!window) {
    return {};
  }
  if (layer.top_count() == 2) {
    if (method != Maximum) {
      return layer.fail("2 tops, expected 1: only MAX gives the places of what it chose");
    }
    const PlacedMaximum largest = max_pool_with_places(x, window->dimensions);
    return {largest.values, convert(largest.places, x.type())};
  }
  if (method == Maximum) {
    return {reduce_window(Opcode::Maximum, number(pool_identity(x), x), x, image_window(window->dimensions))};
  }
  // The padding counts, and what is beyond it does not.
  return {divided_by_count(window_sum(x, window->dimensions), x, *window, true)};
}

// http://caffe.berkeleyvision.org/tutorial/layers/crop.html
Arrays lower_crop(const Layer &layer) {
  Array x = layer.bottom(0);
  const Array &reference = layer.bottom(1);
  const std::int64_t axis = layer.axis("axis", 2, x.rank());
  const Integers &offsets = layer.parameters().integers("offset");
  if (layer.has_failed()) {
    return {};
  }
  const std::size_t count = x.rank() - static_cast<std::size_t>(axis);
  if (reference.rank() != x.rank() || (offsets.size() > 1 && offsets.size() != count)) {
    return reference.rank() != x.rank()
               ? layer.fail(fmt::format("bottom 1 is {}, expected as many dimensions as bottom 0, {}",
                                        sizes_text(reference.sizes()), sizes_text(x.sizes())))
               : layer.fail_in("offset", fmt::format("{} offsets, expected 1 or {}", offsets.size(), count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t dimension = axis + static_cast<std::int64_t>(i);
    const std::int64_t offset = offsets.empty() ? 0 : offsets[offsets.size() == 1 ? 0 : i];
    const std::int64_t size = reference.size(dimension);
    if (offset < 0 || offset > x.size(dimension) - size) {
      return layer.fail_in("offset", fmt::format("{} elements from {} on are taken of dimension {} of {}", size, offset,
                                                 dimension, sizes_text(x.sizes())));
    }
    x = slice(x, dimension, offset, offset + size);
  }
  return {x};
}

}  // namespace bp::import::caffe
