// Convolutions: http://caffe.berkeleyvision.org/tutorial/layers/convolution.html
#include <algorithm>

#include "core/import/array/image.h"
#include "core/import/caffe/lower.h"

namespace bp::import::caffe {
namespace {

constexpr std::size_t max_spatial_count = 16;

// The parameters of a convolution of images, of which the dimensions before the channels are one, the batch.
struct Convolution {
  Arrays images;         // of each bottom
  Integers outer_sizes;  // of the dimensions that the batch has joined
  std::int64_t outputs = 0, groups = 1;
  Integers kernel;
  WindowDimensions window;  // with the padding that the layer states
};

// Returns a parameter with one number for all dimensions or one for each. Two dimensions may have a field each in place
// of the list.
std::optional<Integers> spatial_numbers(const Layer &layer, const std::string &name, const std::string &short_name,
                                        std::size_t count, std::optional<std::int64_t> if_absent, std::int64_t least) {
  const Message &parameters = layer.parameters();
  const Integers &stated = parameters.integers(name);
  Integers numbers;
  std::string field = name;
  const std::string height = short_name + "_h", width = short_name + "_w";
  if (!short_name.empty() && (parameters.has(height) || parameters.has(width))) {
    field = parameters.has(height) ? height : width;
    const bool are_both = parameters.has(height) && parameters.has(width);
    if (count != 2 || !stated.empty() || (least > 0 && !are_both)) {
      layer.fail_in(field, fmt::format("{} is given for {} spatial dimensions{}, expected {} and {} alone, for 2",
                                       field, count, stated.empty() ? "" : " with " + name, height, width));
      return {};
    }
    numbers = {parameters.integer(height, if_absent.value_or(0)), parameters.integer(width, if_absent.value_or(0))};
  } else if (stated.empty() && if_absent) {
    numbers = Integers(count, *if_absent);
  } else if (stated.size() == 1) {
    numbers = Integers(count, stated[0]);
  } else if (stated.size() == count && count != 0) {
    numbers = stated;
  } else {
    layer.fail_in(name, fmt::format("{} has {} numbers, expected 1 or {}, one per spatial dimension", name,
                                    stated.size(), count));
    return {};
  }
  for (const std::int64_t number : numbers) {
    if (number < least || number > max_number) {
      layer.fail_in(field, fmt::format("{} is {}, expected {} to {}", field, number, least, max_number));
      return {};
    }
  }
  return numbers;
}

std::optional<Convolution> read_convolution(const Layer &layer) {
  const Array &first = layer.bottom();
  const std::int64_t axis = layer.axis("axis", 1, first.rank());
  if (layer.has_failed()) {
    return {};
  }
  const std::size_t spatial_count = first.rank() - static_cast<std::size_t>(axis) - 1;
  if (spatial_count < 1 || spatial_count > max_spatial_count) {
    layer.fail(fmt::format("the bottom is {}, expected 1 to {} spatial dimensions after the channels, dimension {}",
                           sizes_text(first.sizes()), max_spatial_count, axis));
    return {};
  }
  const auto kernel = spatial_numbers(layer, "kernel_size", "kernel", spatial_count, {}, 1);
  const auto stride = spatial_numbers(layer, "stride", "stride", spatial_count, 1, 1);
  const auto padding = spatial_numbers(layer, "pad", "pad", spatial_count, 0, 0);
  const auto dilation = spatial_numbers(layer, "dilation", "", spatial_count, 1, 1);
  Convolution result;
  result.outputs = layer.positive("num_output");
  result.groups = layer.integer("group", 1, 1);
  if (layer.has_failed()) {
    return {};
  }
  const Integers sizes = first.sizes();
  const std::int64_t channels = sizes[static_cast<std::size_t>(axis)];
  if (channels < 1 || channels % result.groups != 0 || result.outputs % result.groups != 0) {
    layer.fail_in("group", fmt::format("{} groups of {} channels and {} outputs, expected a divisor of both",
                                       result.groups, channels, result.outputs));
    return {};
  }
  result.outer_sizes.assign(sizes.begin(), sizes.begin() + axis);
  result.kernel = *kernel;
  for (std::size_t i = 0; i < spatial_count; ++i) {
    if (sizes[static_cast<std::size_t>(axis) + 1 + i] > max_number) {
      layer.fail(fmt::format("the bottom is {}, expected sizes of at most {}", sizes_text(sizes), max_number));
      return {};
    }
    result.window.push_back({.size = (*kernel)[i],
                             .stride = (*stride)[i],
                             .pad_low = (*padding)[i],
                             .pad_high = (*padding)[i],
                             .rhs_dilate = (*dilation)[i]});
  }
  if (layer.top_count() != layer.bottoms().size()) {
    layer.fail(fmt::format("{} tops of {} bottoms, expected as many", layer.top_count(), layer.bottoms().size()));
    return {};
  }
  for (const Array &bottom : layer.bottoms()) {
    if (bottom.sizes() != sizes) {
      layer.fail(fmt::format("a bottom is {}, expected the sizes of the first one, {}", sizes_text(bottom.sizes()),
                             sizes_text(sizes)));
      return {};
    }
    result.images.push_back(axis == 1 ? bottom : flatten(bottom, 0, axis));
  }
  return result;
}

std::int64_t extent_of(const ir::WindowDimension &window) {
  return (window.size - 1) * window.rhs_dilate + 1;
}

// Returns the images, each multiplied by the filter, with the bias.
Arrays convolve(const Layer &layer, const Convolution &parameters, const Array &filter) {
  const bool has_bias = layer.parameters().flag("bias_term", true);
  const Array bias = has_bias ? layer.blob(1, Integers{parameters.outputs}) : Array();
  Arrays tops;
  for (const Array &image : parameters.images) {
    Array result = convolution(image, filter, parameters.window, parameters.groups);
    if (has_bias) {
      result = result + per_channel(bias, result);
    }
    if (!result.is_valid()) {
      return {};
    }
    if (parameters.outer_sizes.size() != 1) {
      Integers sizes = parameters.outer_sizes;
      const Integers inner = result.sizes();
      sizes.insert(sizes.end(), inner.begin() + 1, inner.end());
      result = reshape(result, sizes);
    }
    tops.push_back(result);
  }
  return tops;
}

}  // namespace

Arrays lower_convolution(const Layer &layer) {
  const auto parameters = read_convolution(layer);
  if (!parameters || !layer.has_blobs(layer.parameters().flag("bias_term", true) ? 2 : 1)) {
    return {};
  }
  const Array &image = parameters->images[0];
  for (std::size_t i = 0; i < parameters->window.size(); ++i) {
    const ir::WindowDimension &window = parameters->window[i];
    const std::int64_t size = image.size(static_cast<std::int64_t>(i) + 2);
    if (extent_of(window) > size + window.pad_low + window.pad_high) {
      return layer.fail(fmt::format("the kernel covers {} elements of dimension {} of {}, expected at most {}",
                                    extent_of(window), i + 2, sizes_text(image.sizes()),
                                    size + window.pad_low + window.pad_high));
    }
  }
  Integers sizes = {parameters->outputs, image.size(1) / parameters->groups};
  sizes.insert(sizes.end(), parameters->kernel.begin(), parameters->kernel.end());
  return convolve(layer, *parameters, layer.blob(0, sizes));
}

// The transpose of a convolution, of which num_output is the number of channels: stride and pad are those of the
// convolution that it reverses. http://caffe.berkeleyvision.org/tutorial/layers/deconvolution.html
Arrays lower_deconvolution(const Layer &layer) {
  auto parameters = read_convolution(layer);
  if (!parameters || !layer.has_blobs(layer.parameters().flag("bias_term", true) ? 2 : 1)) {
    return {};
  }
  const Array &image = parameters->images[0];
  for (std::size_t i = 0; i < parameters->window.size(); ++i) {
    ir::WindowDimension &window = parameters->window[i];
    const std::int64_t size = image.size(static_cast<std::int64_t>(i) + 2), extent = extent_of(window);
    const std::int64_t full = (size - 1) * window.stride + extent, padding = window.pad_low;
    if (size < 1 || full - 2 * padding < 1) {
      return layer.fail(fmt::format("dimension {} of {} becomes {} elements, of which pad cuts off {}", i + 2,
                                    sizes_text(image.sizes()), size < 1 ? 0 : full, 2 * padding));
    }
    window = {.size = window.size,
              .pad_low = extent - 1 - padding,
              .pad_high = extent - 1 - padding,
              .lhs_dilate = window.stride,
              .rhs_dilate = window.rhs_dilate,
              .reversal = 1};
  }
  Integers sizes = {image.size(1), parameters->outputs / parameters->groups};
  sizes.insert(sizes.end(), parameters->kernel.begin(), parameters->kernel.end());
  const Array filter = layer.blob(0, sizes);
  return filter.is_valid() ? convolve(layer, *parameters, transposed_filter(filter, parameters->groups)) : Arrays{};
}

}  // namespace bp::import::caffe
