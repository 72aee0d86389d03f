// The choice of boxes by their scores: NonMaxSuppression. The number of boxes that are chosen is the size of the
// result. If boxes and scores are known, so is the result; otherwise its size has a bound (open_selection.cc).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/import/onnx/lower.h"
#include "core/import/onnx/open_selection.h"

namespace bp::import::onnx {
namespace {

// A box by its corners.
struct CornerBox {
  float low[2], high[2];
  float area() const { return (high[0] - low[0]) * (high[1] - low[1]); }
};

// `numbers`: two opposite corners, or the center and the sizes.
CornerBox box_of(const double *numbers, bool has_center) {
  CornerBox box;
  for (int i = 0; i < 2; ++i) {
    const auto first = static_cast<float>(numbers[i]), second = static_cast<float>(numbers[i + 2]);
    box.low[i] = has_center ? first - second / 2 : std::min(first, second);
    box.high[i] = has_center ? first + second / 2 : std::max(first, second);
  }
  return box;
}

// Whether the intersection of two boxes is more than this part of their union.
bool boxes_overlap(const CornerBox &a, const CornerBox &b, float threshold) {
  float intersection = 1;
  for (int i = 0; i < 2; ++i) {
    const float extent = std::min(a.high[i], b.high[i]) - std::max(a.low[i], b.low[i]);
    if (!(extent > 0)) {
      return false;
    }
    intersection *= extent;
  }
  const float joined = a.area() + b.area() - intersection;
  return intersection > 0 && a.area() > 0 && b.area() > 0 && joined > 0 && intersection / joined > threshold;
}

struct BoxLimits {
  std::int64_t count = 0;
  float overlap = 0, score = -HUGE_VALF;
};

// Chooses boxes of one class: the indices, in the order of their scores.
Integers choose_boxes(std::span<const CornerBox> boxes, std::span<const double> scores, const BoxLimits &limits) {
  Integers order(boxes.size()), chosen;
  std::iota(order.begin(), order.end(), 0);
  const auto score = [&](std::int64_t i) {
    const double value = scores[static_cast<std::size_t>(i)];
    return std::isnan(value) ? -HUGE_VAL : value;
  };
  std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) { return score(a) > score(b); });
  for (const std::int64_t i : order) {
    if (static_cast<std::int64_t>(chosen.size()) >= limits.count) {
      break;
    }
    const bool is_good = limits.score == -HUGE_VALF || score(i) > limits.score;
    const CornerBox &box = boxes[static_cast<std::size_t>(i)];
    if (is_good && std::ranges::none_of(chosen, [&](std::int64_t other) {
          return boxes_overlap(box, boxes[static_cast<std::size_t>(other)], limits.overlap);
        })) {
      chosen.push_back(i);
    }
  }
  return chosen;
}

BoxLimits box_limits(const Node &node) {
  BoxLimits limits;
  const auto real = [&](std::size_t input, float if_absent) {
    if (!node.has_input(input) || node.input(input).count() == 0) {
      return if_absent;
    }
    const std::vector<double> values = node.known_reals(input);
    return values.empty() ? if_absent : static_cast<float>(values[0]);
  };
  limits.count = node.has_input(2) && node.input(2).count() > 0 ? node.known_integer(2) : 0;
  limits.overlap = real(3, 0);
  limits.score = real(4, limits.score);
  return limits;
}

}  // namespace

Values lower_non_max_suppression(const Node &node) {
  const Array boxes = node.input(0), scores = node.input(1);
  if (boxes.rank() != 3 || scores.rank() != 3 || boxes.size(2) != 4 || boxes.size(0) != scores.size(0) ||
      boxes.size(1) != scores.size(2)) {
    return node.fail("the boxes are {} and the scores {}, expected sizes [N,B,4] and [N,C,B]",
                     ir::to_string(boxes.shape()), ir::to_string(scores.shape()));
  }
  bool is_known = true;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    is_known = is_known && (!node.has_input(i) || node.selecting_literal(i));
  }
  if (!is_known) {
    return node.builder().has_failed() ? Values() : open_non_max_suppression(node);
  }
  const BoxLimits limits = box_limits(node);
  const std::int64_t images = boxes.size(0), classes = scores.size(1);
  const auto count = static_cast<std::size_t>(boxes.size(1));
  Integers result;
  if (limits.count > 0 && boxes.count() > 0 && scores.count() > 0) {
    const std::vector<double> corners = node.known_reals(0), values = node.known_reals(1);
    if (node.builder().has_failed()) {
      return {};
    }
    const bool has_center = node.flag("center_point_box");
    for (std::int64_t image = 0; image < images; ++image) {
      std::vector<CornerBox> own;
      for (std::size_t i = 0; i < count; ++i) {
        own.push_back(box_of(&corners[(static_cast<std::size_t>(image) * count + i) * 4], has_center));
      }
      for (std::int64_t number = 0; number < classes; ++number) {
        const auto first = static_cast<std::size_t>(image * classes + number) * count;
        for (const std::int64_t i : choose_boxes(own, std::span(values).subspan(first, count), limits)) {
          result.insert(result.end(), {image, number, i});
        }
      }
    }
  }
  return {reshape(node.builder().integers(result), {static_cast<std::int64_t>(result.size()) / 3, 3})};
}

}  // namespace bp::import::onnx
