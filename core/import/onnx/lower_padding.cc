// Operators that add elements at the edges, or take them away.
#include <algorithm>
#include <limits>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

// The number of elements that are added at each end of a dimension; negative ones are taken away.
struct PadMargins {
  std::int64_t low = 0, high = 0;
};

// Returns the margins of each dimension. Nothing is added to dimensions that `axes` do not name.
std::vector<PadMargins> padding_margins(const Node &node, const Array &x) {
  std::vector<PadMargins> margins(x.rank());
  const Integers pads = node.version() >= 11  ? node.known_integers(1)
                        : node.version() >= 2 ? node.integers("pads")
                                              : node.integers("paddings");
  Integers axes;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    axes.push_back(static_cast<std::int64_t>(i));
  }
  if (node.version() >= 18 && node.has_input(3)) {
    axes = node.known_integers(3);
    node.dimensions(axes, x.rank());
  }
  if (pads.size() != 2 * axes.size()) {
    node.fail("there are {} pads for {} dimensions, expected two of each", pads.size(), axes.size());
  }
  for (std::size_t i = 0; i < axes.size() && !node.builder().has_failed(); ++i) {
    const auto axis = static_cast<std::size_t>(node.dimension(axes[i], x.rank()));
    margins[axis] = {pads[i], pads[axes.size() + i]};
  }
  return margins;
}

// Returns the value of new elements: an input since version 11.
Array padding_value(const Node &node, const Array &x) {
  if (node.version() < 11) {
    return number(node.real("value", 0), x);
  }
  const Array value = node.optional_input(2);
  return value ? reshape(value, {}) : number(0, x);
}

Array pad_with_value(const Array &x, const std::vector<PadMargins> &margins, const Array &value) {
  std::vector<ir::PaddingDimension> padding;
  for (const PadMargins &margin : margins) {
    padding.push_back({margin.low, margin.high, 0});
  }
  return pad(x, value, padding);
}

// Returns the elements [begin, end) from the last to the first one.
Array reversed_slice(const Array &x, std::int64_t dimension, std::int64_t begin, std::int64_t end) {
  return reverse(slice(x, dimension, begin, end), Integers{dimension});
}

// Repeats the one slice at an index.
Array repeated_slice(const Array &x, std::int64_t dimension, std::int64_t index, std::int64_t count) {
  Integers sizes = x.sizes();
  sizes[static_cast<std::size_t>(dimension)] = count;
  return broadcast_to(slice(x, dimension, index, index + 1), sizes);
}

// Extends a dimension by margins of up to its size; for `reflect` up to one less.
Array extend_once(const Array &x, std::int64_t dimension, const PadMargins &margin, std::string_view mode) {
  const std::int64_t size = x.size(dimension), low = margin.low, high = margin.high;
  Arrays parts = {x};
  if (low > 0) {
    parts.insert(parts.begin(), mode == "edge"      ? repeated_slice(x, dimension, 0, low)
                                : mode == "reflect" ? reversed_slice(x, dimension, 1, low + 1)
                                                    : slice(x, dimension, size - low, size));
  }
  if (high > 0) {
    parts.push_back(mode == "edge"      ? repeated_slice(x, dimension, size - 1, high)
                    : mode == "reflect" ? reversed_slice(x, dimension, size - 1 - high, size - 1)
                                        : slice(x, dimension, 0, high));
  }
  return concatenate(parts, dimension);
}

// Extends a dimension periodically: `wrap` repeats it, `reflect` repeats it forward and back without its ends twice.
Array extend_periodically(const Array &x, std::int64_t dimension, const PadMargins &margin, std::string_view mode,
                          std::int64_t total) {
  const std::int64_t size = x.size(dimension);
  const std::int64_t period = mode == "reflect" ? 2 * (size - 1) : size;
  const bool is_long = total > std::numeric_limits<std::int32_t>::max() - period;
  const ElementType type = is_long ? ElementType::S64 : ElementType::S32;
  const Array place = x.builder().iota(type, Integers{total}, 0) +
                      reshape(x.builder().integers(Integers{(period - margin.low % period) % period}, type), {});
  const Array periods = reshape(x.builder().integers(Integers{period}, type), {});
  const Array phase = remainder(place, periods);
  return take(x, mode == "reflect" ? minimum(phase, periods - phase) : phase, dimension);
}

// Adds elements that follow from those of the dimension.
Array extend_dimension(const Node &node, Array x, std::int64_t dimension, const PadMargins &margin,
                       std::string_view mode) {
  if (x.is_bounded(dimension) && (margin.low != 0 || margin.high != 0)) {
    node.unsupported(fmt::format("the size of dimension {} of {} is known in the run only, expected the mode constant",
                                 dimension, ir::to_string(x.shape())));
    return x;
  }
  // Elements that are taken away do not come back at the other end.
  const std::int64_t begin = margin.low < 0 ? -std::max(margin.low, -x.size(dimension)) : 0;
  const std::int64_t end = x.size(dimension) + std::clamp<std::int64_t>(margin.high, -x.size(dimension), 0);
  if (begin > end) {
    node.fail("the pads take away more elements than dimension {} of {} has", dimension, ir::to_string(x.shape()));
    return x;
  }
  x = slice(x, dimension, begin, end);
  const PadMargins added = {std::max<std::int64_t>(margin.low, 0), std::max<std::int64_t>(margin.high, 0)};
  const std::int64_t size = end - begin;
  if (added.low == 0 && added.high == 0) {
    return x;
  }
  std::int64_t total = 0;
  if (size == 0 || __builtin_add_overflow(size, added.low, &total) ||
      __builtin_add_overflow(total, added.high, &total)) {
    node.fail("{} and {} elements cannot be added to dimension {} of {} in the mode {}", added.low, added.high,
              dimension, ir::to_string(x.shape()), mode);
    return x;
  }
  if (mode == "reflect" && size == 1) {
    return extend_once(x, dimension, added, "edge");
  }
  const std::int64_t limit = mode == "reflect" ? size - 1 : size;
  const bool is_once = mode == "edge" || (added.low <= limit && added.high <= limit);
  return is_once ? extend_once(x, dimension, added, mode) : extend_periodically(x, dimension, added, mode, total);
}

}  // namespace

Values lower_pad(const Node &node) {
  Array x = node.input(0);
  const std::string_view mode = node.text("mode", "constant");
  const std::vector<PadMargins> margins = padding_margins(node, x);
  if (mode == "constant") {
    return {pad_with_value(x, margins, padding_value(node, x))};
  }
  if (mode != "reflect" && mode != "edge" && mode != "wrap") {
    return node.fail("mode is \"{}\", expected constant, reflect, edge or wrap", mode);
  }
  for (std::size_t i = 0; i < margins.size() && !node.builder().has_failed(); ++i) {
    x = extend_dimension(node, x, static_cast<std::int64_t>(i), margins[i], mode);
  }
  return {x};
}

// If the number of elements is odd that are added or taken away, the one more is at the end.
Values lower_center_crop_pad(const Node &node) {
  const Array x = node.input(0);
  const Integers sizes = node.known_integers(1);
  Integers axes = node.integers("axes");
  for (std::size_t i = 0; i < x.rank() && !node.has("axes"); ++i) {
    axes.push_back(static_cast<std::int64_t>(i));
  }
  node.dimensions(axes, x.rank());
  if (sizes.size() != axes.size()) {
    return node.fail("there are {} sizes for {} dimensions", sizes.size(), axes.size());
  }
  std::vector<PadMargins> margins(x.rank());
  for (std::size_t i = 0; i < axes.size() && !node.builder().has_failed(); ++i) {
    if (sizes[i] < 0) {
      return node.fail("size {} is {}, expected at least 0", i, sizes[i]);
    }
    const std::int64_t axis = node.dimension(axes[i], x.rank());
    const std::int64_t added = sizes[i] - x.size(axis);
    margins[static_cast<std::size_t>(axis)] = {added / 2, added - added / 2};
  }
  return {pad_with_value(x, margins, number(0, x))};
}

}  // namespace bp::import::onnx
