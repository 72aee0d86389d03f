#include "core/import/onnx/open_selection.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

Array as_s64(const Array &x) {
  return convert(x, ElementType::S64);
}

Array last_to(const Array &numbers, std::int64_t size) {
  return minimum(numbers, static_cast<double>(std::max<std::int64_t>(size - 1, 0)));
}

// Returns the coordinates of elements, given their numbers in row-major order: a row per dimension.
Array coordinates(const Array &numbers, Span sizes) {
  Arrays rows;
  std::int64_t stride = ir::product(sizes);
  for (const std::int64_t size : sizes) {
    stride /= std::max<std::int64_t>(size, 1);
    const Array row = remainder(numbers / number(static_cast<double>(std::max<std::int64_t>(stride, 1)), numbers),
                                number(static_cast<double>(std::max<std::int64_t>(size, 1)), numbers));
    rows.push_back(expand_dimension(row, 0));
  }
  return concatenate(rows, 0);
}

// --- Unique ---

// Largest number of elements of the slices that Unique compares: each place is an array of its own.
constexpr std::int64_t max_compared = 64;

// Whether two elements are the same: NaN is equal to itself.
Array are_equal(const Array &x, const Array &y) {
  return ir::is_floating(x.type()) ? (x == y) || (is_nan(x) && is_nan(y)) : x == y;
}

// Whether an element comes before another: NaN is the last one.
Array comes_before(const Array &x, const Array &y) {
  return ir::is_floating(x.type()) ? (x < y) || (logical_not(is_nan(x)) && is_nan(y)) : x < y;
}

// Compares the pairs of a sort one after the other: the first that differ decide.
Array lexicographic(GraphBuilder &builder, const Arrays &pairs) {
  Array before = builder.constant(ir::Literal::scalar(ElementType::Pred, false));
  for (std::size_t i = pairs.size(); i > 0; i -= 2) {
    const Array &x = pairs[i - 2], &y = pairs[i - 1];
    before = comes_before(x, y) || (are_equal(x, y) && before);
  }
  return before;
}

Arrays sorted_by_first(const Arrays &arrays) {
  return sort(arrays, 0, [](GraphBuilder &, const Arrays &pairs) { return pairs[0] < pairs[1]; });
}

// Returns the slices along a dimension by place: the elements of all slices at each place.
Arrays places_of_slices(const Array &x, std::int64_t axis) {
  const Integers sizes = x.sizes();
  const std::int64_t outer = ir::product(Span(sizes).first(static_cast<std::size_t>(axis)));
  const std::int64_t inner = ir::product(Span(sizes).subspan(static_cast<std::size_t>(axis) + 1));
  const std::int64_t count = x.size(axis);
  const Array slices = reshape(transpose(reshape(x, {outer, count, inner}), {0, 2, 1}), {outer * inner, count});
  Arrays places;
  for (std::int64_t i = 0; i < outer * inner; ++i) {
    places.push_back(reshape(slice(slices, 0, i, i + 1), {count}));
  }
  return places;
}

// Whether each slice differs from the one before it.
Array differ_from_previous(GraphBuilder &builder, const Arrays &places, std::int64_t count) {
  Array differs = builder.filled(ElementType::Pred, Integers{count - 1}, 0);
  for (const Array &place : places) {
    differs = differs || logical_not(are_equal(slice(place, 0, 1, count), slice(place, 0, 0, count - 1)));
  }
  return concatenate({builder.filled(ElementType::Pred, Integers{1}, 1), differs}, 0);
}

// --- NonMaxSuppression ---

// The corners and the area of boxes.
struct Corners {
  Array low[2], high[2], area;
};

Array area_of(const Corners &boxes) {
  return (boxes.high[0] - boxes.low[0]) * (boxes.high[1] - boxes.low[1]);
}

// Splits boxes, f32[N,B,4], into arrays of f32[N,1,B].
Corners corners_of(const Array &boxes, bool has_center) {
  const auto number = [&](std::int64_t i) {
    return reshape(slice(boxes, 2, i, i + 1), {boxes.size(0), 1, boxes.size(1)});
  };
  Corners corners;
  for (int i = 0; i < 2; ++i) {
    const Array first = number(i), second = number(i + 2);
    corners.low[i] = has_center ? first - second / 2 : minimum(first, second);
    corners.high[i] = has_center ? first + second / 2 : maximum(first, second);
  }
  corners.area = area_of(corners);
  return corners;
}

// Whether the intersection of boxes is more than this part of their union. If a corner is not a number, the area is not
// one either, and the answer is no; so it does not matter what the smaller of two such numbers is.
Array overlap(const Corners &a, const Corners &b, const Array &threshold) {
  Array intersection, are_near;
  for (int i = 0; i < 2; ++i) {
    const Array high = select(b.high[i] < a.high[i], b.high[i], a.high[i]),
                low = select(a.low[i] < b.low[i], b.low[i], a.low[i]);
    const Array extent = high - low;
    intersection = i == 0 ? extent : intersection * extent;
    are_near = i == 0 ? extent > 0 : are_near && extent > 0;
  }
  const Array joined = a.area + b.area - intersection;
  return are_near && intersection > 0 && a.area > 0 && b.area > 0 && joined > 0 && intersection / joined > threshold;
}

// Returns an array of the bounds: whether elements are within the sizes that a run tells.
Array are_within_sizes(const Array &x) {
  Array result = x.builder().filled(ElementType::Pred, x.sizes(), 1);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.rank()); ++i) {
    if (x.is_bounded(i)) {
      result = result && x.builder().iota(ElementType::S32, x.sizes(), i) < run_time_size(x, i);
    }
  }
  return result;
}

// Returns a number that is an input of one element, in a type; another number if it is absent.
Array optional_number(const Node &node, std::size_t input, ElementType type, double if_absent) {
  return node.has_input(input) && node.input(input).count() == 1 ? convert(reshape(node.input(input), {}), type)
                                                                 : node.builder().scalar(type, if_absent);
}

}  // namespace

Values open_non_zero(const Node &node) {
  const Array x = node.input(0);
  for (std::int64_t i = 1; i < static_cast<std::int64_t>(x.rank()); ++i) {
    if (x.is_bounded(i)) {
      return node.unsupported(
          fmt::format("the operand is {}, expected a known size of dimension {}", ir::to_string(x.shape()), i));
    }
  }
  const Array mask = x.type() == ElementType::Pred ? x : x != 0;
  const TrueElements found = true_elements(reshape(mask, {x.count()}));
  const Array numbers = last_to(as_s64(found.numbers), x.count());
  // The result of a scalar has no rows, unlike NumPy's.
  const Array all = x.rank() == 0 ? node.builder().filled(ElementType::S64, Integers{0, 1}, 0)
                                  : coordinates(numbers, x.shape().sizes());
  return {x.count() == 0 ? all : with_run_time_size(all, 1, found.count)};
}

Values open_compress(const Node &node, const Array &x, std::int64_t axis) {
  const Array condition = node.input(1);
  if (condition.count() == 0 && condition.rank() == 1) {
    return {slice(x, axis, 0, 0)};
  }
  if (condition.rank() != 1 || condition.size(0) > x.size(axis)) {
    return node.fail("the condition {} does not fit {} elements", ir::to_string(condition.shape()), x.size(axis));
  }
  const TrueElements found = true_elements(condition.type() == ElementType::Pred ? condition : condition != 0);
  const Array taken = take(x, last_to(found.numbers, x.size(axis)), axis);
  return {with_run_time_size(taken, axis, found.count)};
}

Values open_unique(const Node &node, const Array &x, std::int64_t axis) {
  GraphBuilder &builder = node.builder();
  const std::int64_t count = x.size(axis);
  if (count == 0) {
    const Array nothing = builder.integers({});
    return {x, nothing, nothing, nothing};
  }
  if (ir::is_complex(x.type()) || x.count() / count > max_compared) {
    return node.unsupported(fmt::format(
        "slices of {} along dimension {} are compared, expected real numbers and at most {} in each, or known values",
        ir::to_string(x.shape()), axis, max_compared));
  }
  // The slices in ascending order, equal ones by their number.
  const Array all = builder.iota(ElementType::S32, Integers{count}, 0);
  Arrays arrays = places_of_slices(x, axis);
  arrays.push_back(all);
  arrays = sort(arrays, 0, lexicographic);
  const Array order = arrays.back();
  arrays.pop_back();
  const Array is_new = differ_from_previous(builder, arrays, count);
  const Array group = running_combination(Opcode::Add, 0, convert(is_new, ElementType::S32), 0, false) - 1;
  // Each group begins with its first slice. Groups beyond the last one are empty.
  const TrueElements found = true_elements(is_new);
  const Array begin = convert(found.numbers, ElementType::S32);
  const Array end = concatenate({slice(begin, 0, 1, count), builder.integers(Integers{count}, ElementType::S32)}, 0);
  Array counts = end - begin;
  Array first = select(all < found.count, take(order, last_to(begin, count), 0), static_cast<double>(count));
  Array inverse = sorted_by_first({order, group})[1];
  if (!node.flag("sorted", true)) {
    // In the order in which they appear first.
    const Arrays by_place = sort({first, all}, 0, lexicographic);
    const Array rank = sorted_by_first({by_place[1], all})[1];
    first = by_place[0];
    counts = take(counts, by_place[1], 0);
    inverse = take(rank, inverse, 0);
  }
  const Array places = last_to(first, count);
  const auto sized = [&](const Array &array, std::int64_t dimension) {
    return with_run_time_size(array, dimension, found.count);
  };
  return {sized(take(x, places, axis), axis), sized(as_s64(first), 0), as_s64(inverse), sized(as_s64(counts), 0)};
}

// In each iteration, all classes of all images choose the box of the highest score that is left, and drop the boxes
// that it overlaps. The iteration in which none is left is the last one.
Values open_non_max_suppression(const Node &node) {
  GraphBuilder &builder = node.builder();
  const Array given = convert(node.input(0), ElementType::F32);
  const Array boxes = filled_to_bounds(given, number(0, given));
  Array scores = node.input(1);
  Array is_left = are_within_sizes(scores);
  scores = filled_to_bounds(scores, lowest(scores));
  const std::int64_t images = boxes.size(0), classes = scores.size(1), count = boxes.size(1);
  const auto known = node.has_input(2) && node.input(2).count() == 1 ? node.input(2).integers() : std::nullopt;
  const std::int64_t limit = known ? std::clamp<std::int64_t>((*known)[0], 0, count) : node.has_input(2) ? count : 0;
  const Integers sizes = {images, classes, count}, chosen_sizes = {images, classes, limit}, one = {2};
  if (ir::product(chosen_sizes) == 0) {
    return {builder.filled(ElementType::S64, Integers{0, 3}, 0)};
  }
  if (images * classes * count > std::numeric_limits<std::int32_t>::max()) {
    return node.unsupported(fmt::format("{} scores, expected at most {}", images * classes * count,
                                        std::numeric_limits<std::int32_t>::max()));
  }
  scores = select(is_nan(scores), lowest(scores), scores);
  if (node.has_input(4) && node.input(4).count() == 1) {
    const Array least = convert(reshape(node.input(4), {}), scores.type());
    is_left = is_left && (scores > least || least == -HUGE_VAL);
  }
  const Array threshold = optional_number(node, 3, ElementType::F32, 0);
  const Array wanted = minimum(maximum(optional_number(node, 2, ElementType::S64, 0), 0), static_cast<double>(limit));
  const Corners corners = corners_of(boxes, node.flag("center_point_box"));
  const Array nothing = builder.filled(ElementType::S32, chosen_sizes, static_cast<double>(count));
  const auto goes_on = [](GraphBuilder &, const Arrays &values) { return values[0] < values[1] && values[11]; };
  const auto choose = [&](GraphBuilder &b, const Arrays &values) -> Arrays {
    const Array &step = values[0], &left = values[2], &scored = values[4];
    const Corners all = {{values[5], values[6]}, {values[7], values[8]}, values[9]};
    const Array candidates = select(left, scored, lowest(scored));
    const Array best = reduce_max(candidates, one, KeepSizes::Yes);
    const Array numbers = b.iota(ElementType::S32, sizes, 2);
    const Array box =
        reduce_min(select(left && candidates == best, numbers, static_cast<double>(count)), one, KeepSizes::Yes);
    const Array is_found = box < static_cast<double>(count);
    const Array first = b.iota(ElementType::S32, Integers{images, 1, 1}, 0) * static_cast<double>(count);
    const Array place = first + minimum(box, static_cast<double>(count - 1));
    const auto of_box = [&](const Array &array) { return take(reshape(array, {images * count}), place, 0); };
    Corners chosen;
    for (int i = 0; i < 2; ++i) {
      chosen.low[i] = of_box(all.low[i]);
      chosen.high[i] = of_box(all.high[i]);
    }
    chosen.area = area_of(chosen);
    Arrays next = values;
    next[0] = step + 1;
    next[2] = left && numbers != box && logical_not(overlap(chosen, all, values[10]));
    const Array zero = b.scalar(ElementType::S32, 0);
    next[3] = dynamic_update_slice(values[3], box, {zero, zero, step});
    next[11] = reduce(Opcode::Or, 0, is_found, Integers{0, 1, 2}, KeepSizes::No);
    return next;
  };
  const Arrays results = builder.loop_while(
      {builder.scalar(ElementType::S32, 0), convert(wanted, ElementType::S32), is_left, nothing, scores, corners.low[0],
       corners.low[1], corners.high[0], corners.high[1], corners.area, threshold,
       builder.filled(ElementType::Pred, Integers{}, 1)},
      goes_on, choose);
  const std::int64_t places = ir::product(chosen_sizes);
  const Array chosen = reshape(results[3], {places});
  const TrueElements found = true_elements(chosen < static_cast<double>(count));
  const Array numbers = last_to(found.numbers, places);
  const Integers image_and_class = {images, classes};
  const Array rows = coordinates(numbers / static_cast<double>(limit), image_and_class);
  const Array triples = concatenate({rows, expand_dimension(take(chosen, numbers, 0), 0)}, 0);
  return {with_run_time_size(as_s64(transpose(triples, {1, 0})), 0, found.count)};
}

}  // namespace bp::import::onnx
