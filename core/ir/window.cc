#include "core/ir/window.h"

#include <algorithm>

namespace bp::ir {
namespace {

__extension__ typedef __int128 Int128;

Int128 floor_divide(Int128 a, Int128 b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

Int128 ceil_divide(Int128 a, Int128 b) {
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
  const Int128 span = elements == 0 ? 0 : (Int128{elements} - 1) * window.lhs_dilate + 1;
  const Int128 stride = window.stride, step = window.rhs_dilate, low = window.pad_low;
  // Outputs whose bands overlap the window.
  const Int128 first_output = std::max<Int128>(0, ceil_divide(low - (Int128{window.size} - 1) * step, stride));
  const Int128 last_output = std::min<Int128>(outputs - 1, floor_divide(low + span - 1, stride));
  // Bands separated by gaps are moved closer together, by whole positions, so that they cover the same elements.
  const Int128 moved = outputs > 1 && stride > span ? (stride - span) / step : 0;
  const Int128 first = std::max<Int128>(0, ceil_divide(low - last_output * stride, step)) + last_output * moved;
  const Int128 last = std::min<Int128>(window.size - 1, floor_divide(low - first_output * stride + span - 1, step)) +
                      first_output * moved;
  const auto narrow = [](Int128 number) { return static_cast<std::int64_t>(number); };
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
    const Int128 extent = (Int128{result.size} - 1) * step + 1;
    result.pad_high = narrow((Int128{outputs} - 1) * result.stride + extent - span - result.pad_low);
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
