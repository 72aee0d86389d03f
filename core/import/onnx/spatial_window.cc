#include "core/import/onnx/spatial_window.h"

#include <algorithm>

namespace bp::import::onnx {
namespace {

// Returns a / b, rounded down, for positive b.
std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// Pads so that there are ceil(size / stride) windows: the middle of the image stays in the middle.
void pad_to_same(ir::WindowDimension &window, std::int64_t size, bool is_upper) {
  const std::int64_t outputs = floor_quotient(size - 1, window.stride) + 1;
  const std::int64_t extent = (window.size - 1) * window.rhs_dilate + 1;
  const std::int64_t total = std::max<std::int64_t>(0, (outputs - 1) * window.stride + extent - size);
  window.pad_low = is_upper ? total / 2 : total - total / 2;
  window.pad_high = total - window.pad_low;
}

// Lets a last window go beyond the padding, unless it begins there.
void round_up(ir::WindowDimension &window, std::int64_t size) {
  const std::int64_t extent = (window.size - 1) * window.rhs_dilate + 1;
  const std::int64_t room = size + window.pad_low + window.pad_high - extent;
  std::int64_t outputs = floor_quotient(room + window.stride - 1, window.stride) + 1;
  if ((outputs - 1) * window.stride >= size + window.pad_low) {
    --outputs;
  }
  if (outputs <= 0) {
    window.pad_high = std::min(window.pad_high, extent - 1);
    return;
  }
  const std::int64_t needed = (outputs - 1) * window.stride + extent - size - window.pad_low;
  window.pad_high = std::clamp(window.pad_high, needed, needed + window.stride - 1);
}

}  // namespace

std::optional<Integers> spatial_numbers(const Node &node, std::string_view name, std::size_t count,
                                        std::int64_t if_absent, std::int64_t least) {
  const Integers numbers = node.integers(name, Integers(count, if_absent));
  if (numbers.size() != count) {
    node.fail("{} has {} numbers, expected {}", name, numbers.size(), count);
    return {};
  }
  for (const std::int64_t number : numbers) {
    if (number < least || number > max_window_number) {
      node.fail("{} has the number {}, expected {} to {}", name, number, least, max_window_number);
      return {};
    }
  }
  return numbers;
}

std::optional<Integers> spatial_sizes(const Node &node, const Array &image) {
  if (image.rank() < 3) {
    node.fail("the image is {}, expected batch, channels and at least one more dimension",
              ir::to_string(image.shape()));
    return {};
  }
  const Integers sizes = image.sizes();
  if (sizes.size() > max_spatial_count + 2 ||
      std::ranges::any_of(sizes, [](std::int64_t size) { return size > max_window_number; })) {
    node.unsupported(fmt::format("the image is {}, expected at most {} spatial dimensions and sizes of at most {}",
                                 ir::to_string(image.shape()), max_spatial_count, max_window_number));
    return {};
  }
  return Integers(sizes.begin() + 2, sizes.end());
}

bool has_kernel_shape(const Node &node, Span kernel) {
  const Integers stated = node.integers("kernel_shape", Integers(kernel.begin(), kernel.end()));
  if (!std::ranges::equal(stated, kernel)) {
    node.fail("kernel_shape is [{}], but the filter has the sizes [{}]", fmt::join(stated, ","),
              fmt::join(kernel, ","));
    return false;
  }
  return true;
}

std::string_view padding_mode(const Node &node) {
  constexpr std::string_view modes[] = {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"};
  const std::string_view mode = node.text("auto_pad", "NOTSET");
  const auto found = std::ranges::find(modes, mode);
  if (found != std::end(modes)) {
    return *found;
  }
  if (!mode.empty()) {
    node.fail("auto_pad is \"{}\", expected NOTSET, VALID, SAME_UPPER or SAME_LOWER", mode);
  }
  return modes[0];
}

std::optional<SpatialWindow> spatial_window(const Node &node, Span sizes, Span kernel, bool is_pool) {
  const std::size_t count = sizes.size();
  const auto strides = spatial_numbers(node, "strides", count, 1, 1);
  const auto dilations = spatial_numbers(node, "dilations", count, 1, 1);
  const std::string_view mode = padding_mode(node);
  const bool is_given = mode == "NOTSET", is_same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  const auto pads = is_given ? spatial_numbers(node, "pads", 2 * count, 0, 0) : Integers(2 * count);
  if (!strides || !dilations || !pads || kernel.size() != count) {
    node.fail("the window has {} dimensions, expected {}", kernel.size(), count);  // unless there is an error
    return {};
  }
  const bool rounds_up = is_pool && is_given && node.flag("ceil_mode");
  SpatialWindow result;
  for (std::size_t i = 0; i < count; ++i) {
    ir::WindowDimension window = {.size = kernel[i],
                                  .stride = (*strides)[i],
                                  .pad_low = (*pads)[i],
                                  .pad_high = (*pads)[count + i],
                                  .rhs_dilate = (*dilations)[i]};
    if (is_same) {
      pad_to_same(window, sizes[i], mode == "SAME_UPPER");
    }
    result.given_high.push_back(window.pad_high);
    if (rounds_up) {
      round_up(window, sizes[i]);
    }
    result.dimensions.push_back(window);
  }
  return result;
}

}  // namespace bp::import::onnx
