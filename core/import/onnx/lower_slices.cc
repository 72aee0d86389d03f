// Operators that take parts of arrays, and Range.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

// Returns the box of the ranges, one per dimension.
Array sliced_box(const Array &x, const std::vector<ir::SliceRange> &ranges) {
  if (!x.is_valid()) {
    return x;
  }
  return x.builder().add(Opcode::Slice, {x},
                         [&](ir::Module &m, ir::InstructionId id) { m.set_slice_ranges(id, ranges); });
}

// Returns the elements that a slice takes of a dimension, in ascending order: `step` may be negative.
ir::SliceRange taken_range(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  start = start < 0 ? start + size : start;
  end = end < 0 ? end + size : end;
  if (size == 0) {
    return {0, 0, 1};
  }
  if (step > 0) {
    start = std::clamp<std::int64_t>(start, 0, size);
    return {start, std::clamp(end, start, size), step};
  }
  start = std::clamp<std::int64_t>(start, 0, size - 1);
  end = std::clamp<std::int64_t>(end, -1, start);
  const std::int64_t stride = step < -size ? size : -step;
  if (start == end) {
    return {0, 0, 1};
  }
  const std::int64_t last = start - (start - end - 1) / stride * stride;
  return {last, start + 1, stride};
}

// Returns the numbers of a slice, of which some or all may be unknown, without a bound.
SizeIntegers slice_numbers(const Node &node, std::string_view attribute, std::size_t input) {
  const Array array = node.version() < 10 ? Array() : node.input(input);
  if (!array || !node.may_be_bounded() || array.integers(Known::Given) || array.ranges()) {
    const Integers known = node.version() < 10 ? node.integers(attribute) : Integers();
    return node.version() < 10 ? SizeIntegers{known, std::vector<bool>(known.size(), true), {}}
                               : node.size_integers(input);
  }
  const auto count = static_cast<std::size_t>(array.count());
  return {Integers(count, 0), std::vector<bool>(count, false), array};
}

// Returns a number of a slice as s64[].
Array slice_number(const Node &node, const SizeIntegers &numbers, std::size_t i) {
  return numbers.is_known[i] ? reshape(node.builder().integers({numbers.bounds[i]}), {}) : numbers.value(i);
}

// Returns how many elements lie at most from a start to an end that only a run tells: a bound on a slice.
std::int64_t max_distance(const Node &node, std::int64_t start, std::size_t i) {
  const auto ends = start < 0 || !node.has_input(2) ? std::nullopt : node.input(2).ranges();
  return !ends || i >= ends->low.size() || ends->low[i] < 0 ? std::numeric_limits<std::int64_t>::max()
                                                            : std::max<std::int64_t>(ends->high[i] - start, 1);
}

// Takes a slice of a dimension whose size, or whose first or last element, only a run tells. `step` is not 0. `most`: a
// bound, at least 1, on how many elements lie from start to end if the step is positive.
Array open_slice(const Array &x, std::int64_t axis, Array start, Array end, std::int64_t step, std::int64_t most) {
  const std::int64_t bound = x.size(axis);
  if (!x.is_valid() || bound == 0) {
    return x;
  }
  const Array size = convert(run_time_size(x, axis), ElementType::S64);
  const auto inside = [&](const Array &place, std::int64_t least, const Array &largest) {
    const Array from_begin = select(place < 0, place + size, place);
    return minimum(maximum(from_begin, static_cast<double>(least)), largest);
  };
  start = inside(start, 0, step > 0 ? size : size - 1);
  end = inside(end, step > 0 ? 0 : -1, step > 0 ? size : size - 1);
  // Steps beyond the bound take one element, as the bound does.
  const std::int64_t stride = std::min(std::max(step, -bound) < 0 ? -std::max(step, -bound) : step, bound);
  const Array distance = step > 0 ? end - start : start - end;
  const Array count = maximum((distance + static_cast<double>(stride - 1)) / static_cast<double>(stride), 0);
  const std::int64_t largest_count = ((step > 0 ? std::min(bound, most) : bound) - 1) / stride + 1;
  const Array steps = x.builder().iota(ElementType::S64, Integers{largest_count}, 0) * static_cast<double>(stride);
  const Array places = minimum(maximum(step > 0 ? start + steps : start - steps, 0), static_cast<double>(bound - 1));
  return with_run_time_size(take(x, places, axis), axis, count);
}

// Returns the sizes of equal parts. Since version 18, the last one may be smaller.
Integers equal_parts(const Node &node, std::int64_t size) {
  const auto outputs = static_cast<std::int64_t>(node.output_count());
  const std::int64_t count = node.integer("num_outputs", outputs);
  if (outputs == 0 || count != outputs) {
    node.fail("num_outputs is {} for {} outputs", count, outputs);
    return {};
  }
  const std::int64_t part = size / count + (size % count == 0 ? 0 : 1);
  const std::int64_t last = size - part * (count - 1);
  if (last < 0 || (node.version() < 18 && last != part)) {
    node.fail("{} elements are no {} equal parts", size, count);
    return {};
  }
  Integers sizes(static_cast<std::size_t>(count), part);
  sizes.back() = last;
  return sizes;
}

}  // namespace

// The sizes of the parts are an attribute or, in version 1 and since version 13, an input.
Values lower_split(const Node &node) {
  const Array x = node.input(0);
  const std::int64_t axis = node.dimension(node.integer("axis", 0), x.rank());
  const std::int64_t size = x.size(axis);
  if (x.is_bounded(axis)) {
    return node.unsupported(
        fmt::format("{} is split along dimension {}, whose size only a run tells", ir::to_string(x.shape()), axis));
  }
  const bool has_sizes = node.has_input(1) || node.has("split");
  const Integers sizes = node.has_input(1)   ? node.known_integers(1)
                         : node.has("split") ? node.integers("split")
                                             : equal_parts(node, size);
  if (has_sizes && sizes.size() != node.output_count()) {
    return node.fail("{} sizes of parts for {} outputs", sizes.size(), node.output_count());
  }
  std::int64_t begin = 0;
  Values parts;
  for (const std::int64_t part : sizes) {
    if (part < 0 || part > size - begin) {
      return node.fail("the parts have sizes [{}], expected at least 0 and {} in all", fmt::join(sizes, ","), size);
    }
    parts.push_back(slice(x, axis, begin, begin + part));
    begin += part;
  }
  if (begin != size) {
    return node.fail("the parts have sizes [{}], expected {} in all", fmt::join(sizes, ","), size);
  }
  return parts;
}

// Since version 10, the numbers are inputs, and there are steps.
Values lower_slice(const Node &node) {
  Array x = node.input(0);
  const bool has_inputs = node.version() >= 10;
  const SizeIntegers starts = slice_numbers(node, "starts", 1), ends = slice_numbers(node, "ends", 2);
  const std::size_t count = starts.bounds.size();
  Integers axes, steps(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    axes.push_back(static_cast<std::int64_t>(i));
  }
  if (has_inputs ? node.has_input(3) : node.has("axes")) {
    axes = listed_numbers(node, 10, "axes", 3);
  }
  if (has_inputs && node.has_input(4)) {
    steps = node.known_integers(4);
  }
  if (ends.bounds.size() != count || axes.size() != count || steps.size() != count) {
    return node.fail("there are {} starts, {} ends, {} axes and {} steps, expected the same number", count,
                     ends.bounds.size(), axes.size(), steps.size());
  }
  node.dimensions(axes, x.rank());
  std::vector<ir::SliceRange> ranges;
  for (const std::int64_t size : x.sizes()) {
    ranges.push_back({0, size, 1});
  }
  Integers reversed;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < count && !node.builder().has_failed(); ++i) {
    if (steps[i] == 0) {
      return node.fail("a step is 0");
    }
    const std::int64_t axis = node.dimension(axes[i], x.rank());
    if (!starts.is_known[i] || !ends.is_known[i] || x.is_bounded(axis)) {
      open.push_back(i);
      continue;
    }
    ranges[static_cast<std::size_t>(axis)] = taken_range(x.size(axis), starts.bounds[i], ends.bounds[i], steps[i]);
    if (steps[i] < 0) {
      reversed.push_back(axis);
    }
  }
  x = reverse(sliced_box(x, ranges), reversed);
  for (const std::size_t i : open) {
    const std::int64_t axis = node.dimension(axes[i], x.rank());
    x = open_slice(
        x, axis, slice_number(node, starts, i), slice_number(node, ends, i), steps[i],
        starts.is_known[i] ? max_distance(node, starts.bounds[i], i) : std::numeric_limits<std::int64_t>::max());
  }
  return {x};
}

// --- Range ---

namespace {

// Returns the number of elements from `start` on, before `limit`: of reals, or of integers without rounding.
std::optional<std::int64_t> range_count(double start, double limit, double delta) {
  const double count = std::ceil((limit - start) / delta);
  if (!(std::abs(count) < 0x1p62)) {
    return {};
  }
  return std::max<std::int64_t>(static_cast<std::int64_t>(count), 0);
}
std::optional<std::int64_t> range_count(std::int64_t start, std::int64_t limit, std::int64_t delta) {
  std::int64_t length = 0;
  if (delta == 0 || delta == std::numeric_limits<std::int64_t>::min() ||
      __builtin_sub_overflow(limit, start, &length) || length == std::numeric_limits<std::int64_t>::min()) {
    return {};
  }
  const std::int64_t count = length / delta + (length % delta != 0 && (length < 0) == (delta < 0) ? 1 : 0);
  return std::max<std::int64_t>(count, 0);
}

// Counts from constants to a limit that has a bound: forwards, in integers.
Values range_to_bound(const Node &node) {
  const std::int64_t start = node.known_integer(0), delta = node.known_integer(2);
  const SizeIntegers limit = node.size_integers(1);
  if (node.builder().has_failed()) {
    return {};
  }
  const auto bound = limit.bounds.size() == 1 && delta > 0 ? range_count(start, limit.bounds[0], delta) : std::nullopt;
  if (!bound) {
    return node.unsupported("the number of elements from start to limit has no bound, expected a positive delta");
  }
  const ElementType type = node.input(0).type();
  const auto real = [](std::int64_t number) { return static_cast<double>(number); };
  const Array numbers = node.builder().iota(type, Integers{*bound}, 0) * real(delta) + real(start);
  if (limit.are_known()) {
    return {numbers};
  }
  const Array length = limit.value(0) - real(start) + real(delta - 1);
  return {with_run_time_size(numbers, 0, maximum(length / real(delta), 0))};
}

}  // namespace

// The number of elements must be known, or that of integers have a bound. Types of 16 bits, which there are since
// version 27, are computed in f32, or f64 if `stash_type` says so.
Values lower_range(const Node &node) {
  const Array start = reshape(node.input(0), {}), delta = reshape(node.input(2), {});
  const ElementType type = start.type();
  std::optional<std::int64_t> count;
  if (!ir::is_floating(type) && node.may_be_bounded() && !node.input(1).integers(Known::Given) &&
      node.input(1).ranges()) {
    return range_to_bound(node);
  }
  if (ir::is_floating(type)) {
    const std::vector<double> a = node.known_reals(0), b = node.known_reals(1), c = node.known_reals(2);
    count = a.size() == 1 && b.size() == 1 && c.size() == 1 ? range_count(a[0], b[0], c[0]) : std::nullopt;
  } else {
    count = range_count(node.known_integer(0), node.known_integer(1), node.known_integer(2));
  }
  if (!count || node.builder().has_failed()) {
    return node.fail("the number of elements from start to limit is not finite, or too large");
  }
  const bool is_double = compute_type(type) != type && node.integer("stash_type", 1) == 11;
  const ElementType wide = is_double ? ElementType::F64 : compute_type(type);
  const Array steps = node.builder().iota(wide, Integers{*count}, 0);
  return {convert(convert(start, wide) + steps * convert(delta, wide), type)};
}

}  // namespace bp::import::onnx
