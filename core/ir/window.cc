#include "core/ir/window.h"

#include <algorithm>

namespace bp::ir {
namespace {

__extension__ typedef __int128 Wide;

Wide floor_divide(Wide a, Wide b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

Wide ceil_divide(Wide a, Wide b) {
  return -floor_divide(-a, b);
}

}  // namespace

// Output o covers the element at window position w if o * stride + w * rhs_dilate - pad_low is in [0, span). The
// positions that cover elements form a band, which begins at (pad_low - o * stride) / rhs_dilate: the larger o, the
// earlier.
WindowDimension clipped(const WindowDimension &window, std::int64_t elements, std::int64_t outputs) {
  if (outputs == 0) {
    return window;
  }
  const Wide span = elements == 0 ? 0 : (Wide{elements} - 1) * window.lhs_dilate + 1;
  const Wide stride = window.stride, step = window.rhs_dilate, low = window.pad_low;
  // Outputs whose bands overlap the window.
  const Wide first_output = std::max<Wide>(0, ceil_divide(low - (Wide{window.size} - 1) * step, stride));
  const Wide last_output = std::min<Wide>(outputs - 1, floor_divide(low + span - 1, stride));
  // Bands separated by gaps are moved closer together, by whole positions, so that they cover the same elements.
  const Wide moved = outputs > 1 && stride > span ? (stride - span) / step : 0;
  const Wide first = std::max<Wide>(0, ceil_divide(low - last_output * stride, step)) + last_output * moved;
  const Wide last = std::min<Wide>(window.size - 1, floor_divide(low - first_output * stride + span - 1, step)) +
                    first_output * moved;
  const auto narrow = [](Wide number) { return static_cast<std::int64_t>(number); };
  if (span == 0 || first_output > last_output || first > last) {
    return {.pad_low = outputs, .pad_high = -elements};  // only padding
  }
  WindowDimension result = window;
  result.size = narrow(last - first + 1);
  result.stride = outputs == 1 ? 1 : narrow(stride - moved * step);
  result.pad_low = narrow(low - first * step);
  if (result.stride == window.stride) {
    result.pad_high = narrow(window.pad_high - (window.size - 1 - last) * step);
  } else {
    const Wide extent = (Wide{result.size} - 1) * step + 1;
    result.pad_high = narrow((Wide{outputs} - 1) * result.stride + extent - span - result.pad_low);
  }
  if (elements == 1) {
    result.lhs_dilate = 1;
  }
  if (result.size == 1) {
    result.rhs_dilate = 1;
    result.reversal = 0;
  }
  return result;
}

}  // namespace bp::ir
