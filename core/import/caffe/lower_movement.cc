// Layers that move elements.
#include <algorithm>
#include <numeric>

#include "core/import/array/support.h"
#include "core/import/caffe/blob.h"
#include "core/import/caffe/lower.h"

namespace bp::import::caffe {
namespace {

// Returns the axis of Concat and Slice, which has an old name too; that one counts from the front only.
std::int64_t axis_of(const Layer &layer, std::string_view old_name) {
  const Message &parameters = layer.parameters();
  if (!parameters.has(old_name)) {
    return layer.axis("axis", 1, layer.bottom().rank());
  }
  if (parameters.has("axis")) {
    layer.fail_in(old_name, fmt::format("both axis and {} are given, expected one of them", old_name));
  }
  return layer.integer(old_name, 1, 0, static_cast<std::int64_t>(layer.bottom().rank()) - 1);
}

}  // namespace

// http://caffe.berkeleyvision.org/tutorial/layers/concat.html
Arrays lower_concat(const Layer &layer) {
  const std::int64_t axis = axis_of(layer, "concat_dim");
  for (std::size_t i = 0; i < layer.bottoms().size() && !layer.has_failed(); ++i) {
    Integers sizes = layer.bottom(i).sizes(), first = layer.bottom().sizes();
    if (sizes.size() == first.size()) {
      sizes[static_cast<std::size_t>(axis)] = first[static_cast<std::size_t>(axis)];
    }
    if (sizes != first) {
      return layer.fail(fmt::format("bottom {} is {}, expected the sizes of bottom 0, {}, but for dimension {}", i,
                                    sizes_text(layer.bottom(i).sizes()), sizes_text(layer.bottom().sizes()), axis));
    }
  }
  return layer.has_failed() ? Arrays{} : Arrays{concatenate(layer.bottoms(), axis)};
}

// http://caffe.berkeleyvision.org/tutorial/layers/flatten.html
Arrays lower_flatten(const Layer &layer) {
  const Array &x = layer.bottom();
  const std::int64_t first = layer.axis("axis", 1, x.rank()), last = layer.axis("end_axis", -1, x.rank());
  if (layer.has_failed()) {
    return {};
  }
  if (first > last) {
    return layer.fail_in("end_axis", fmt::format("end_axis is {}, expected at least axis, {}", last, first));
  }
  return {flatten(x, first, last + 1)};
}

// Exchanges dimensions: PermuteParameter of the branch of SSD. Those that `order` does not name follow in their order.
Arrays lower_permute(const Layer &layer) {
  const Array &x = layer.bottom();
  Integers order = layer.parameters().integers("order");
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] < 0 || order[i] >= static_cast<std::int64_t>(x.rank()) ||
        std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i), order[i]) !=
            order.begin() + static_cast<std::ptrdiff_t>(i)) {
      return layer.fail_in(
          "order", fmt::format("order is {}, expected different dimensions of {}", sizes_text(order), x.rank()));
    }
  }
  for (const std::int64_t dimension : dimensions_from(0, x.rank())) {
    if (std::ranges::find(order, dimension) == order.end()) {
      order.push_back(dimension);
    }
  }
  return {transpose(x, order)};
}

// http://caffe.berkeleyvision.org/tutorial/layers/reshape.html
Arrays lower_reshape(const Layer &layer) {
  const Array &x = layer.bottom();
  const auto rank = static_cast<std::int64_t>(x.rank());
  const std::int64_t axis = layer.axis("axis", 0, x.rank(), Layer::End::Allowed);
  const std::int64_t count = layer.integer("num_axes", -1, -1, std::max<std::int64_t>(rank - axis, 0));
  const Result<Integers> stated = read_sizes(layer.parameters().part("shape"), -1);
  if (!stated.ok()) {
    layer.builder().fail(stated.error());
  }
  if (layer.has_failed()) {
    return {};
  }
  const std::int64_t end = count == -1 ? rank : axis + count;
  const Integers own = x.sizes();
  Integers sizes(own.begin(), own.begin() + axis);
  std::optional<std::size_t> open;  // the size that follows from the others
  for (const std::int64_t size : *stated) {
    const std::size_t at = sizes.size();
    if (size == 0 && static_cast<std::int64_t>(at) >= end) {
      return layer.fail_in("shape", fmt::format("size {} of the shape is 0, which is that of dimension {} of {}",
                                                at - static_cast<std::size_t>(axis), at, sizes_text(own)));
    }
    if (size == -1 && open) {
      return layer.fail_in("shape", "two sizes of the shape are -1, expected at most one");
    }
    open = size == -1 ? at : open;
    sizes.push_back(size == 0 ? own[at] : size == -1 ? 1 : size);
  }
  sizes.insert(sizes.end(), own.begin() + end, own.end());
  const std::int64_t known = ir::product(sizes);
  if (open && known > 0) {
    sizes[*open] = x.count() / known;
  }
  if (sizes.size() > ir::max_rank || ir::product(sizes) != x.count()) {
    return layer.fail_in(
        "shape", fmt::format("{} cannot become {}: expected as many elements", sizes_text(own), sizes_text(sizes)));
  }
  return {reshape(x, sizes)};
}

// A layer that takes arrays which nothing else needs.
Arrays lower_silence(const Layer &) {
  return {};
}

// http://caffe.berkeleyvision.org/tutorial/layers/slice.html
Arrays lower_slice(const Layer &layer) {
  const Array &x = layer.bottom();
  const std::int64_t axis = axis_of(layer, "slice_dim");
  if (layer.has_failed()) {
    return {};
  }
  const auto count = static_cast<std::int64_t>(layer.top_count());
  const std::int64_t size = x.size(axis);
  Integers ends = layer.parameters().integers("slice_point");
  if (ends.empty()) {
    if (size % count != 0) {
      return layer.fail(fmt::format("{} elements of dimension {} are no multiple of {} tops", size, axis, count));
    }
    for (std::int64_t i = 1; i < count; ++i) {
      ends.push_back(size / count * i);
    }
  }
  ends.push_back(size);
  if (static_cast<std::int64_t>(ends.size()) != count) {
    return layer.fail_in("slice_point",
                         fmt::format("{} points of {} tops, expected {}", ends.size() - 1, count, count - 1));
  }
  Arrays tops;
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    if (end < begin || end > size || (end == begin && size != 0)) {
      return layer.fail_in("slice_point", fmt::format("the points {}, expected ascending ones within {} elements",
                                                      sizes_text(layer.parameters().integers("slice_point")), size));
    }
    tops.push_back(slice(x, axis, begin, end));
    begin = end;
  }
  return tops;
}

// http://caffe.berkeleyvision.org/tutorial/layers/split.html
Arrays lower_split(const Layer &layer) {
  return Arrays(layer.top_count(), layer.bottom());
}

// http://caffe.berkeleyvision.org/tutorial/layers/tile.html
Arrays lower_tile(const Layer &layer) {
  const Array &x = layer.bottom();
  const std::int64_t axis = layer.axis("axis", 1, x.rank());
  const std::int64_t tiles = layer.positive("tiles");
  if (layer.has_failed()) {
    return {};
  }
  const auto at = static_cast<std::size_t>(axis);
  Integers repeated = x.sizes(), dimensions = dimensions_from(0, x.rank());
  repeated.insert(repeated.begin() + axis, tiles);
  std::for_each(dimensions.begin() + axis, dimensions.end(), [](std::int64_t &dimension) { ++dimension; });
  if (repeated[at + 1] > max_number / tiles) {
    return layer.fail_in("tiles", fmt::format("{} tiles of {} elements, expected at most {} in all", tiles,
                                              repeated[at + 1], max_number));
  }
  return {flatten(broadcast_in(x, repeated, dimensions), axis, axis + 2)};
}

// Weights that are an array of the net. http://caffe.berkeleyvision.org/tutorial/layers/parameter.html
Arrays lower_parameter(const Layer &layer) {
  const Result<Integers> sizes = read_sizes(layer.parameters().part("shape"), 0);
  if (!sizes.ok()) {
    layer.builder().fail(sizes.error());
  }
  return layer.has_failed() || !layer.has_blobs(1) ? Arrays{} : Arrays{layer.blob(0, *sizes)};
}

// Its tops are the inputs of the net. http://caffe.berkeleyvision.org/tutorial/layers/input.html
Arrays lower_input(const Layer &) {
  return {};
}

}  // namespace bp::import::caffe
