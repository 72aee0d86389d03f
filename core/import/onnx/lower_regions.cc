// Operators on regions of images: RoiAlign and MaxRoiPool.
#include <algorithm>
#include <cmath>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

constexpr std::int64_t max_region_samples = 64;  // of a result that are computed at once, not in a loop
constexpr std::int64_t max_pooled_size = 1 << 20;

// --- RoiAlign ---

// The regions along one dimension of the image; each array has an element per region.
struct RegionSide {
  Array start, step;  // of the results
  Array samples;      // per result
  std::int64_t pooled = 1, size = 1;
};

// The samples of each result along one dimension: [regions, pooled size, samples].
struct RegionSamples {
  Array low, high;  // elements of the image
  Array low_weight, high_weight;
  Array is_inside;  // of the image
  Array is_sample;  // [regions, samples]: whether there is such a sample
};

// `numbers`: those of the samples, [samples].
RegionSamples region_samples(const RegionSide &side, const Array &numbers) {
  const std::int64_t regions = side.start.size(0), samples = numbers.size(0);
  const Integers sizes = {regions, side.pooled, samples}, first = {0}, last = {2};
  const auto per_region = [&](const Array &x) { return broadcast_in(x, sizes, first); };
  const Array place = numbers.builder().iota(side.start.type(), sizes, 1);
  const Array part = broadcast_in(numbers, sizes, last) + 0.5;
  const Array y =
      per_region(side.start) + place * per_region(side.step) + part * per_region(side.step) / per_region(side.samples);
  RegionSamples result;
  const auto end = static_cast<double>(side.size - 1);
  result.is_inside = (y >= -1) && (y <= static_cast<double>(side.size));
  const Array inside = clamp(number(0, y), y, number(end, y));
  const Array low = floor(inside);
  result.high_weight = inside - low;
  result.low_weight = 1 - result.high_weight;
  result.low = convert(low, ElementType::S32);
  result.high = convert(minimum(low + 1, end), ElementType::S32);
  const Integers pairs = {regions, samples}, second = {1};
  result.is_sample = broadcast_in(numbers, pairs, second) < broadcast_in(side.samples, pairs, first);
  return result;
}

// Operands of a pool of regions: rows of elements, [images x height x width, channels], and for each region the row at
// which its image begins.
struct RegionImages {
  Array rows, bases;
};

// Pools samples of all regions: [regions, pooled height, pooled width, channels], and -inf where there is no sample of
// which a maximum is taken.
Array pool_samples(const RegionImages &images, const RegionSide &vertical, const RegionSide &horizontal,
                   const Array &rows, const Array &columns, bool is_max) {
  const RegionSamples y = region_samples(vertical, rows), x = region_samples(horizontal, columns);
  const Integers sizes = {vertical.start.size(0), vertical.pooled, horizontal.pooled, rows.size(0)};
  const Integers of_y = {0, 1, 3}, of_x = {0, 2, 3}, of_region = {0}, of_sample = {0, 3};
  const auto high = [&](const Array &array) { return broadcast_in(array, sizes, of_y); };
  const auto wide = [&](const Array &array) { return broadcast_in(array, sizes, of_x); };
  Integers all = sizes;
  all.push_back(images.rows.size(1));
  const auto per_channel = [&](const Array &array) {
    const Integers kept = {0, 1, 2, 3};
    return broadcast_in(array, all, kept);
  };
  const Array base = broadcast_in(images.bases, sizes, of_region);
  Array combined;
  for (int corner = 0; corner < 4; ++corner) {
    const bool is_low = corner < 2, is_left = corner % 2 == 0;
    const Array row = high(is_low ? y.low : y.high), column = wide(is_left ? x.low : x.high);
    const Array weight = high(is_low ? y.low_weight : y.high_weight) * wide(is_left ? x.low_weight : x.high_weight);
    const Array index = base + row * static_cast<double>(horizontal.size) + column;
    const Array value = take(images.rows, index, 0) * per_channel(weight);
    combined = corner == 0 ? value : is_max ? maximum(combined, value) : combined + value;
  }
  combined = select(per_channel(high(y.is_inside) && wide(x.is_inside)), combined, 0);
  const Array is_sample = broadcast_in(y.is_sample && x.is_sample, sizes, of_sample);
  const double none = is_max ? -HUGE_VAL : 0;
  const Integers summed = {3};
  return reduce(is_max ? Opcode::Maximum : Opcode::Add, none, select(per_channel(is_sample), combined, none), summed,
                KeepSizes::No);
}

// Pools samples one after the other in a loop: their number depends on the sizes of the regions.
Array pool_in_loop(const RegionImages &images, const RegionSide &vertical, const RegionSide &horizontal, bool is_max) {
  GraphBuilder &builder = images.rows.builder();
  const Integers regions = {0};
  const Array rows = reduce_max(vertical.samples, regions, KeepSizes::No);
  const Array columns = reduce_max(horizontal.samples, regions, KeepSizes::No);
  const Array count = convert(rows * columns, ElementType::S32);
  const Integers sizes = {vertical.start.size(0), vertical.pooled, horizontal.pooled, images.rows.size(1)};
  const Arrays values = {builder.filled(images.rows.type(), sizes, is_max ? -HUGE_VAL : 0),
                         images.rows,
                         images.bases,
                         vertical.start,
                         vertical.step,
                         vertical.samples,
                         horizontal.start,
                         horizontal.step,
                         horizontal.samples,
                         convert(columns, ElementType::S32)};
  const Arrays results =
      builder.loop(count, values, [&](GraphBuilder &, const Array &iteration, const Arrays &v) -> Arrays {
        const RegionSide inner_vertical = {v[3], v[4], v[5], vertical.pooled, vertical.size};
        const RegionSide inner_horizontal = {v[6], v[7], v[8], horizontal.pooled, horizontal.size};
        const Array row = reshape(convert(iteration / v[9], v[0].type()), {1});
        const Array column = reshape(convert(remainder(iteration, v[9]), v[0].type()), {1});
        const Array next = pool_samples({v[1], v[2]}, inner_vertical, inner_horizontal, row, column, is_max);
        Arrays result = v;
        result[0] = is_max ? maximum(v[0], next) : v[0] + next;
        return result;
      });
  return results.empty() ? Array() : results[0];
}

// `begin`, `end`: columns of the regions that have their borders.
RegionSide region_side(const Node &node, const Array &regions, std::int64_t begin, bool has_half_pixel,
                       std::int64_t pooled, std::int64_t size) {
  const double scale = node.real("spatial_scale", 1), offset = has_half_pixel ? 0.5 : 0;
  const auto border = [&](std::int64_t column) {
    return reshape(slice(regions, 1, column, column + 1), {regions.size(0)}) * scale - offset;
  };
  RegionSide side;
  side.start = border(begin);
  Array extent = border(begin + 2) - side.start;
  if (!has_half_pixel) {
    extent = maximum(extent, 1);
  }
  side.step = extent / static_cast<double>(pooled);
  const std::int64_t ratio = node.integer("sampling_ratio", 0);
  side.samples = ratio > 0 ? node.builder().filled(side.step.type(), side.step.sizes(), static_cast<double>(ratio))
                           : maximum(ceil(side.step), 0);
  side.pooled = pooled;
  side.size = size;
  return side;
}

bool is_region_input(const Node &node, const Array &x, const Array &regions, std::int64_t columns) {
  if (x.rank() != 4 || regions.rank() != 2 || regions.size(1) != columns || x.count() == 0 || x.count() > (1 << 30) ||
      regions.count() > (1 << 30)) {
    node.fail("the images are {} and the regions {}, expected sizes [N,C,H,W] and [R,{}]", ir::to_string(x.shape()),
              ir::to_string(regions.shape()), columns);
    return false;
  }
  return true;
}

bool is_pooled_size(const Node &node, std::int64_t height, std::int64_t width) {
  if (height < 1 || width < 1 || height > max_pooled_size || width > max_pooled_size) {
    node.fail("the regions become {} x {} elements", height, width);
    return false;
  }
  return true;
}

}  // namespace

Values lower_roi_align(const Node &node) {
  const Array x = node.input(0), given = node.input(1), given_numbers = node.input(2);
  const std::int64_t height = node.integer("output_height", 1), width = node.integer("output_width", 1);
  const std::string_view mode = node.text("mode", "avg");
  const std::string_view coordinates =
      node.version() < 16 ? "output_half_pixel" : node.text("coordinate_transformation_mode", "half_pixel");
  const bool is_max = mode == "max", has_half_pixel = coordinates == "half_pixel";
  if ((!is_max && mode != "avg") || (!has_half_pixel && coordinates != "output_half_pixel")) {
    return node.fail("mode is \"{}\" and coordinate_transformation_mode is \"{}\"", mode, coordinates);
  }
  if (!is_region_input(node, x, given, 4) || !is_pooled_size(node, height, width)) {
    return {};
  }
  const std::int64_t regions = given.size(0), ratio = node.integer("sampling_ratio", 0);
  const Array numbers = filled_to_bounds(given_numbers, number(0, given_numbers));
  if (numbers.sizes() != Integers{regions} || ratio < 0 || ratio > max_pooled_size) {
    return node.fail("there are {} regions, batch_indices is {} and sampling_ratio is {}", regions,
                     ir::to_string(numbers.shape()), ratio);
  }
  if (regions == 0) {
    return {node.builder().filled(x.type(), Integers{0, x.size(1), height, width}, 0)};
  }
  const ElementType type = compute_type(x.type());
  const Array boxes = convert(filled_to_bounds(given, number(0, given)), type);
  const RegionSide vertical = region_side(node, boxes, 1, has_half_pixel, height, x.size(2));
  const RegionSide horizontal = region_side(node, boxes, 0, has_half_pixel, width, x.size(3));
  const Array image = clamp(number(0, numbers), numbers, number(static_cast<double>(x.size(0) - 1), numbers));
  const RegionImages images = {flatten(transpose(convert(x, type), {0, 2, 3, 1}), 0, 3),
                               convert(image, ElementType::S32) * static_cast<double>(x.size(2) * x.size(3))};
  Array pooled;
  if (ratio > 0 && ratio * ratio <= max_region_samples) {
    const Integers grid = {ratio, ratio};
    const auto samples = [&](std::int64_t dimension) {
      return flatten(node.builder().iota(type, grid, dimension), 0, 2);
    };
    pooled = pool_samples(images, vertical, horizontal, samples(0), samples(1), is_max);
  } else {
    pooled = pool_in_loop(images, vertical, horizontal, is_max);
  }
  const Array count = reshape(vertical.samples * horizontal.samples, {regions, 1, 1, 1});
  pooled = is_max ? select(broadcast_to(count, pooled.shape().sizes()) > 0, pooled, 0) : pooled / maximum(count, 1);
  const Array result = convert(transpose(pooled, {0, 3, 1, 2}), x.type());
  return {given.is_bounded(0) ? with_run_time_size(result, 0, run_time_size(given, 0)) : result};
}

// --- MaxRoiPool ---

namespace {

// Returns whether each element of a dimension is in a result of each region: [regions, pooled, size].
Array elements_in_pools(const Array &begin, const Array &end, std::int64_t pooled, std::int64_t size) {
  const Integers sizes = {begin.size(0), pooled, size}, first = {0};
  const auto per_region = [&](const Array &x) { return broadcast_in(x, sizes, first); };
  const Array step = per_region(maximum(end - begin + 1, 1) / static_cast<double>(pooled));
  const Array place = begin.builder().iota(begin.type(), sizes, 1);
  const Array element = begin.builder().iota(begin.type(), sizes, 2) - per_region(begin);
  return (element >= floor(place * step)) && (element < ceil((place + 1) * step));
}

}  // namespace

Values lower_max_roi_pool(const Node &node) {
  const Array x = node.input(0), regions = node.input(1);
  const Integers pooled = node.integers("pooled_shape");
  if (pooled.size() != 2) {
    return node.fail("pooled_shape has {} numbers, expected 2", pooled.size());
  }
  if (!is_region_input(node, x, regions, 5) || !is_pooled_size(node, pooled[0], pooled[1])) {
    return {};
  }
  const ElementType type = compute_type(x.type());
  const std::int64_t count = regions.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
  const Integers sizes = {count, channels, pooled[0], pooled[1]};
  if (count == 0) {
    return {node.builder().filled(x.type(), sizes, 0)};
  }
  const double scale = node.real("spatial_scale", 1);
  const Array wide = convert(regions, type);
  const auto column = [&](std::int64_t i) { return reshape(slice(wide, 1, i, i + 1), {count}); };
  const auto border = [&](std::int64_t i) { return apply(Opcode::RoundNearestAfz, column(i) * scale); };
  const Array in_rows = elements_in_pools(border(2), border(4), pooled[0], height);
  const Array in_columns = elements_in_pools(border(1), border(3), pooled[1], width);
  // One region after the other: the image is read for each one.
  const Arrays values = {node.builder().filled(type, sizes, 0), convert(x, type), convert(column(0), ElementType::S32),
                         in_rows, in_columns};
  const Arrays results =
      node.builder().loop(count, values, [&](GraphBuilder &b, const Array &iteration, const Arrays &v) -> Arrays {
        const Array zero = b.scalar(ElementType::S32, 0);
        const Array number = reshape(dynamic_slice(v[2], {iteration}, Integers{1}), {});
        const Array image = dynamic_slice(v[1], {number, zero, zero, zero}, Integers{1, channels, height, width});
        const auto own = [&](const Array &flags) {
          return dynamic_slice(flags, {iteration, zero, zero}, Integers{1, flags.size(1), flags.size(2)});
        };
        const Array rows = own(v[3]), columns = own(v[4]);
        const Integers last = {3}, of_columns = {0, 3, 4}, of_image = {0, 1, 2, 4}, of_rows = {0, 2, 3};
        const Integers by_columns = {1, channels, height, pooled[1], width};
        const Integers by_rows = {1, channels, pooled[0], height, pooled[1]}, of_maxima = {0, 1, 3, 4};
        const Integers innermost = {4};
        const Array maxima = reduce_max(
            select(broadcast_in(columns, by_columns, of_columns), broadcast_in(image, by_columns, of_image), -HUGE_VAL),
            innermost, KeepSizes::No);
        const Array result = reduce_max(
            select(broadcast_in(rows, by_rows, of_rows), broadcast_in(maxima, by_rows, of_maxima), -HUGE_VAL), last,
            KeepSizes::No);
        Arrays next = v;
        next[0] = dynamic_update_slice(v[0], result, {iteration, zero, zero, zero});
        return next;
      });
  const auto any = [&](const Array &flags, std::int64_t dimension) {
    const Integers last = {2}, kept = {0, dimension};
    return broadcast_in(reduce(Opcode::Or, 0, flags, last, KeepSizes::No), sizes, kept);
  };
  return {convert(select(any(in_rows, 2) && any(in_columns, 3), results[0], 0), x.type())};
}

}  // namespace bp::import::onnx
