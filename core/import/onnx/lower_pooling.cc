// Operators that reduce windows.
#include <algorithm>
#include <cmath>

#include "core/import/onnx/lower.h"
#include "core/import/onnx/spatial_window.h"

namespace bp::import::onnx {
namespace {

using ir::AttributeKey;

// Returns the sizes of the windows of a pool.
std::optional<Integers> pool_kernel(const Node &node, std::size_t count) {
  if (!node.has("kernel_shape")) {
    node.fail("the attribute kernel_shape is absent");
    return {};
  }
  return spatial_numbers(node, "kernel_shape", count, 1, 1);
}

// Returns the window of a pool.
std::optional<SpatialWindow> pool_window(const Node &node, const Array &x) {
  const auto sizes = spatial_sizes(node, x);
  if (!sizes) {
    return {};
  }
  const auto kernel = pool_kernel(node, sizes->size());
  return kernel ? spatial_window(node, *sizes, *kernel, true) : std::nullopt;
}

// Returns the dimensions after batch and channels.
Integers pooled_dimensions(const Array &x) {
  Integers dimensions;
  for (std::size_t i = 2; i < x.rank(); ++i) {
    dimensions.push_back(static_cast<std::int64_t>(i));
  }
  return dimensions;
}

// Returns the places of elements in the whole array, in which the spatial dimensions are counted from the last one or,
// for is_column_major, from the first. `local`: the places within the image of a channel, counted from the last one.
Array global_indices(const Array &local, const Array &x, bool is_column_major) {
  GraphBuilder &builder = x.builder();
  Array rest = convert(local, ElementType::S64), result = rest;
  const Integers sizes = x.sizes();
  const std::int64_t image = ir::product(Span(sizes).subspan(2));
  if (is_column_major && x.rank() > 3) {
    result = Array();
    std::int64_t stride = image;
    for (std::size_t i = sizes.size() - 1; i >= 2; --i) {
      const std::int64_t size = std::max<std::int64_t>(sizes[i], 1);
      stride /= size;
      const Array part = remainder(rest, number(static_cast<double>(size), rest)) * static_cast<double>(stride);
      result = result ? result + part : part;
      rest = rest / static_cast<double>(size);
    }
  }
  const Integers channels = {sizes[0], sizes[1]};
  Integers channel_sizes = channels;
  channel_sizes.resize(sizes.size(), 1);
  const Array first = (builder.iota(ElementType::S64, channels, 0) * static_cast<double>(sizes[1]) +
                       builder.iota(ElementType::S64, channels, 1)) *
                      static_cast<double>(image);
  return result + reshape(first, channel_sizes);
}

// Returns the largest elements and their places.
Values max_pool_with_indices(const Node &node, const Array &x, const SpatialWindow &window) {
  const PlacedMaximum largest = max_pool_with_places(x, window.dimensions);
  return {largest.values, global_indices(largest.places, x, node.flag("storage_order"))};
}

// Returns the exponent of a norm; 0 and an error if it is none.
double norm_exponent(const Node &node) {
  // The first version has a real number.
  const double p = node.version() < 2 ? node.real("p", 2) : static_cast<double>(node.integer("p", 2));
  if (!(p > 0)) {
    node.fail("p is {}, expected more than 0", p);
    return 0;
  }
  return p;
}

// Returns the p-norm, given the function that sums.
template <class Sum>
Array pool_norm(const Array &x, double p, Sum &&sum) {
  const Array wide = convert(x, compute_type(x.type()));
  if (p == 1) {
    return convert(sum(abs(wide)), x.type());
  }
  if (p == 2) {
    return convert(sqrt(sum(wide * wide)), x.type());
  }
  const Array total = sum(power(abs(wide), number(p, wide)));
  return convert(power(total, number(1 / p, wide)), x.type());
}

// Returns the sizes of an image of which a pool makes one of the sizes of x.
std::optional<Integers> unpooled_sizes(const Node &node, const Array &x) {
  const auto spatial = spatial_sizes(node, x);
  const std::size_t count = spatial ? spatial->size() : 0;
  const auto kernel = spatial ? pool_kernel(node, count) : std::nullopt;
  const auto strides = spatial_numbers(node, "strides", count, 1, 1);
  const auto pads = spatial_numbers(node, "pads", 2 * count, 0, 0);
  if (!kernel || !strides || !pads) {
    return {};
  }
  Integers sizes = x.sizes();
  for (std::size_t i = 0; i < count; ++i) {
    sizes[i + 2] = ((*spatial)[i] - 1) * (*strides)[i] - (*pads)[i] - (*pads)[count + i] + (*kernel)[i];
    if (sizes[i + 2] < 0) {
      node.fail("pads take away more than the result has");
      return {};
    }
  }
  return sizes;
}

}  // namespace

Values lower_average_pool(const Node &node) {
  const Array x = node.input(0);
  const auto window = pool_window(node, x);
  if (!window) {
    return {};
  }
  const Array sum = window_sum(convert(x, compute_type(x.type())), window->dimensions);
  return {convert(divided_by_count(sum, x, *window, node.flag("count_include_pad")), x.type())};
}

Values lower_max_pool(const Node &node) {
  const Array x = node.input(0);
  const auto window = pool_window(node, x);
  if (!window) {
    return {};
  }
  if (node.has_output(1)) {
    return max_pool_with_indices(node, x, *window);
  }
  return {reduce_window(Opcode::Maximum, number(pool_identity(x), x), x, image_window(window->dimensions))};
}

Values lower_lp_pool(const Node &node) {
  const Array x = node.input(0);
  const auto window = pool_window(node, x);
  const double p = norm_exponent(node);
  if (!window || p == 0) {
    return {};
  }
  return {pool_norm(x, p, [&](const Array &terms) { return window_sum(terms, window->dimensions); })};
}

Values lower_global_average_pool(const Node &node) {
  const Array x = node.input(0);
  return {reduce_mean(x, pooled_dimensions(x), KeepSizes::Yes)};
}
Values lower_global_max_pool(const Node &node) {
  const Array x = node.input(0);
  return {reduce_max(x, pooled_dimensions(x), KeepSizes::Yes)};
}
Values lower_global_lp_pool(const Node &node) {
  const Array x = node.input(0);
  const double p = norm_exponent(node);
  if (p == 0) {
    return {};
  }
  return {pool_norm(x, p, [&](const Array &terms) { return reduce_sum(terms, pooled_dimensions(x), KeepSizes::Yes); })};
}

// Puts elements where they were before a pool: the places count in the result that the attributes give, which is then
// extended by zeros to the stated sizes.
Values lower_max_unpool(const Node &node) {
  const Array x = node.input(0), indices = node.input(1);
  const auto sizes = unpooled_sizes(node, x);
  if (!sizes) {
    return {};
  }
  const Integers wanted = node.has_input(2) ? node.known_integers(2) : *sizes;
  if (wanted.size() != sizes->size()) {
    return node.fail("output_shape has {} sizes, expected {}", wanted.size(), sizes->size());
  }
  std::vector<ir::PaddingDimension> padding;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] < 0 || wanted[i] > max_window_number) {
      return node.fail("output_shape has the size {}, expected 0 to {}", wanted[i], max_window_number);
    }
    padding.push_back({0, wanted[i] - (*sizes)[i], 0});
  }
  GraphBuilder &builder = node.builder();
  const Shape element = Shape::scalar(x.type());
  const Shape parameters[] = {element, element};
  const ir::ComputationId second =
      builder.computation("second", parameters, [](GraphBuilder &, const Arrays &arguments) { return arguments[1]; });
  const Array zeros = builder.filled(x.type(), Integers{ir::product(*sizes)}, 0);
  const Array flat = builder.add(
      Opcode::Scatter, {zeros, reshape(indices, {indices.count(), 1}), reshape(x, {x.count()})},
      [&](ir::Module &m, ir::InstructionId id) {
        m.set_numbers(id, AttributeKey::UpdateWindowDims, {});
        m.set_numbers(id, AttributeKey::InsertedWindowDims, {0});
        m.set_numbers(id, AttributeKey::ScatterDimsToOperandDims, {0});
        m.set_number(id, AttributeKey::IndexVectorDim, 1);
      },
      std::span(&second, 1));
  return {pad(reshape(flat, *sizes), number(0, x), padding)};
}

}  // namespace bp::import::onnx
