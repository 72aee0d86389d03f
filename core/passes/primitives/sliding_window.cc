#include "core/passes/primitives/sliding_window.h"

#include <algorithm>
#include <cmath>

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::Opcode;
using ir::PaddingDimension;
using Id = ir::InstructionId;

}  // namespace

bool can_be_padded(std::span<const ir::WindowDimension> window, std::span<const std::int64_t> sizes) {
  constexpr double max_size = 0x1p31 - 1, small = 0x1p24, max_growth = 1024;
  double padded = 1, elements = 1;
  for (std::size_t d = 0; d < window.size(); ++d) {
    const ir::WindowDimension &w = window[d];
    const double size = static_cast<double>(sizes[d]) * static_cast<double>(w.lhs_dilate) +
                        std::abs(static_cast<double>(w.pad_low)) + std::abs(static_cast<double>(w.pad_high));
    if (size > max_size) {
      return false;
    }
    padded *= size;
    elements *= static_cast<double>(sizes[d]);
  }
  return padded <= std::max(small, max_growth * elements);
}

SlidingWindow::SlidingWindow(std::span<const ir::WindowDimension> window, std::span<const std::int64_t> input,
                             std::span<const std::int64_t> output, std::size_t first)
    : window_(window.begin(), window.end()), output_(output.begin(), output.end()), first_(first) {
  window_.resize(output.size());  // if there are no window dimensions, a window of one element
  for (std::size_t d = 0; d < window_.size(); ++d) {
    const ir::WindowDimension &w = window_[d];
    const std::int64_t last = (w.size - 1) * w.rhs_dilate + (output_[d] - 1) * w.stride - w.pad_low;
    is_dense_ = is_dense_ && w.pad_low <= 0 && w.lhs_dilate == 1 && last < input[d];
  }
}

std::int64_t SlidingWindow::positions() const {
  std::int64_t count = 1;
  for (const ir::WindowDimension &w : window_) {
    count *= w.size;
  }
  return count;
}

bool SlidingWindow::covers_elements_only() const {
  return is_dense_;
}

std::vector<PaddingDimension> SlidingWindow::padding(std::size_t rank, bool inverse) const {
  std::vector<PaddingDimension> result(rank);
  for (std::size_t d = 0; d < window_.size(); ++d) {
    const ir::WindowDimension &w = window_[d];
    result[first_ + d] = inverse ? PaddingDimension{-w.pad_low, -w.pad_high, 0}
                                 : PaddingDimension{w.pad_low, w.pad_high, w.lhs_dilate - 1};
  }
  return result;
}

Id SlidingWindow::padded(ArrayBuilder &b, Id x, Id value) const {
  return b.pad(x, value, padding(b.shape(x).rank(), false));
}

Id SlidingWindow::is_element(ArrayBuilder &b, const ir::Shape &shape) const {
  const Id yes = b.broadcast(b.constant(ElementType::Pred, 1), ir::Shape::array(ElementType::Pred, shape.sizes()));
  return padded(b, yes, b.constant(ElementType::Pred, 0));
}

bool SlidingWindow::has_gaps() const {
  return std::ranges::any_of(window_, [](const ir::WindowDimension &w) { return w.lhs_dilate > 1; });
}

Id SlidingWindow::is_no_gap(ArrayBuilder &b, const ir::Shape &shape) const {
  // As if the array had more elements, which the edges then take away.
  std::vector<PaddingDimension> edges = padding(shape.rank(), false);
  std::vector<std::int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  for (std::size_t d = 0; d < edges.size(); ++d) {
    const std::int64_t distance = edges[d].interior + 1;
    for (std::int64_t *edge : {&edges[d].low, &edges[d].high}) {
      const std::int64_t more = std::max<std::int64_t>(*edge + distance - 1, 0) / distance;
      sizes[d] += more;
      *edge -= more * distance;
    }
  }
  const Id yes = b.broadcast(b.constant(ElementType::Pred, 1), ir::Shape::array(ElementType::Pred, sizes));
  return b.pad(yes, b.constant(ElementType::Pred, 0), edges);
}

Id SlidingWindow::unpadded(ArrayBuilder &b, Id padded, Id value) const {
  return b.pad(padded, value, padding(b.shape(padded).rank(), true));
}

// Positions are numbered in row-major order; if the window is reversed, its last element comes first.
SlidingWindow::Box SlidingWindow::box(ArrayBuilder &b, Id padded, Id position) const {
  Box result;
  result.sizes.assign(b.shape(padded).sizes().begin(), b.shape(padded).sizes().end());
  result.starts.assign(result.sizes.size(), b.constant(ElementType::S32, 0));
  Id rest = position;
  for (std::size_t d = window_.size(); d-- > 0;) {
    const ir::WindowDimension &w = window_[d];
    const Id size = b.constant(ElementType::S32, static_cast<double>(w.size));
    Id at = b.add(Opcode::Remainder, {rest, size});
    rest = b.quotient({rest, size});
    if (w.reversal != 0) {
      at = b.difference({b.constant(ElementType::S32, static_cast<double>(w.size - 1)), at});
    }
    result.starts[first_ + d] = b.product({at, b.constant(ElementType::S32, static_cast<double>(w.rhs_dilate))});
    result.sizes[first_ + d] = (output_[d] - 1) * w.stride + 1;
  }
  return result;
}

Id SlidingWindow::under(ArrayBuilder &b, Id padded, Id position) const {
  const Box at = box(b, padded, position);
  Id taken = b.dynamic_slice(padded, at.starts, at.sizes);
  for (std::size_t d = 0; d < window_.size(); ++d) {
    if (window_[d].stride > 1) {
      taken = b.slice(taken, first_ + d, 0, at.sizes[first_ + d], window_[d].stride);
    }
  }
  return taken;
}

std::vector<PaddingDimension> SlidingWindow::gaps(std::size_t rank) const {
  std::vector<PaddingDimension> result(rank);
  for (std::size_t d = 0; d < window_.size(); ++d) {
    result[first_ + d].interior = window_[d].stride - 1;
  }
  return result;
}

Id SlidingWindow::replaced(ArrayBuilder &b, Id padded, Id values, Id are_taken, Id position) const {
  const Box at = box(b, padded, position);
  const std::vector<PaddingDimension> between = gaps(at.sizes.size());
  const Id before = b.dynamic_slice(padded, at.starts, at.sizes);
  const Id spread = b.pad(values, b.zeros(ir::Shape::scalar(b.type(values))), between);
  const Id mask = b.pad(are_taken, b.constant(ElementType::Pred, 0), between);
  return b.dynamic_update_slice(padded, b.select({mask, spread, before}), at.starts);
}

}  // namespace bp::passes
