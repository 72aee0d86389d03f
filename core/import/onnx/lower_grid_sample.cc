// Operators that read an image at places that are computed: GridSample, and AffineGrid, which computes such places.
#include <algorithm>
#include <cmath>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

enum class GridPadding { Zeros, Border, Reflection };

struct GridSampling {
  std::int64_t width = 2;  // elements of each dimension that a result depends on: 1 nearest, 2 linear, 4 cubic
  GridPadding padding = GridPadding::Zeros;
  bool aligns_corners = false;
};

GridSampling grid_sampling(const Node &node) {
  GridSampling sampling;
  const std::string_view mode = node.text("mode", "linear"), padding = node.text("padding_mode", "zeros");
  // The names with "bi" are those of version 16.
  if (mode == "nearest") {
    sampling.width = 1;
  } else if (mode == "cubic" || mode == "bicubic") {
    sampling.width = 4;
  } else if (mode != "linear" && mode != "bilinear") {
    node.fail("mode is \"{}\", expected nearest, linear or cubic", mode);
  }
  if (padding == "border") {
    sampling.padding = GridPadding::Border;
  } else if (padding == "reflection") {
    sampling.padding = GridPadding::Reflection;
  } else if (padding != "zeros") {
    node.fail("padding_mode is \"{}\", expected zeros, border or reflection", padding);
  }
  sampling.aligns_corners = node.flag("align_corners");
  return sampling;
}

// Moves the indices of elements outside of a dimension to its inside. The filters are symmetric, so that this does the
// same as moving the place that is sampled; only cubic filters at a border differ, which sample its outside too.
Array pad_indices(const Array &x, const GridSampling &sampling, std::int64_t size) {
  const auto last = static_cast<double>(size - 1);
  if (sampling.padding == GridPadding::Zeros) {
    return x;
  }
  if (sampling.padding == GridPadding::Border) {
    return clamp(number(0, x), x, number(last, x));
  }
  const double low = sampling.aligns_corners ? 0 : -0.5, range = sampling.aligns_corners ? last : last + 1;
  if (range == 0) {
    return x * 0.0;
  }
  const Array distance = remainder(abs(x - low), number(2 * range, x));
  return select(distance > range, 2 * range - distance, distance) + low;
}

// For each place, elements along one dimension: [..., width].
struct GridElements {
  Array indices, weights;
  Array is_inside;  // none if all are
};

// Returns the weights of cubic interpolation at distances of at most 2.
Array cubic_weights(const Array &distance) {
  constexpr double a = -0.75;
  const Array near = ((distance * (a + 2) - (a + 3)) * distance) * distance + 1;
  const Array far = ((distance * a - 5 * a) * distance + 8 * a) * distance - 4 * a;
  return select(distance <= 1, near, far);
}

// `places`: in the range -1 to 1, for a dimension of this size.
GridElements grid_elements(const Array &places, const GridSampling &sampling, std::int64_t size) {
  GraphBuilder &builder = places.builder();
  const auto length = static_cast<double>(size);
  Array x = sampling.aligns_corners ? (places + 1) / 2 * (length - 1) : ((places + 1) * length - 1) / 2;
  x = sampling.width == 1 ? round_even(x) : x;
  GridElements result;
  const Array base = floor(x);
  const auto rank = static_cast<std::int64_t>(x.rank());
  Integers sizes = x.sizes();
  sizes.push_back(sampling.width);
  const double first = sampling.width == 4 ? -1 : 0;
  const Array offsets = builder.iota(x.type(), sizes, rank) + first;
  Array indices = expand_dimension(base, rank) + offsets;
  if (sampling.width > 1) {
    const Array distance = abs(expand_dimension(x - base, rank) - offsets);
    result.weights = sampling.width == 2 ? 1 - distance : cubic_weights(distance);
  }
  if (sampling.padding == GridPadding::Zeros) {
    result.is_inside = (indices >= 0) && (indices <= length - 1);
  }
  indices = pad_indices(indices, sampling, size);
  // Places that are no numbers have an element too.
  result.indices = convert(clamp(number(0, indices), indices, number(length - 1, indices)), ElementType::S32);
  return result;
}

// Joins the elements of all dimensions: indices into the joined dimensions, products of the weights. The arrays are
// [batch, places, elements].
GridElements join_elements(const std::vector<GridElements> &dimensions, const Integers &sizes) {
  GridElements result;
  const auto rank = static_cast<std::int64_t>(dimensions.size());
  for (std::int64_t i = 0; i < rank; ++i) {
    const GridElements &d = dimensions[static_cast<std::size_t>(i)];
    Integers shape = {d.indices.size(0), d.indices.size(1)};
    shape.resize(static_cast<std::size_t>(rank + 2), 1);
    shape[static_cast<std::size_t>(i + 2)] = d.indices.size(2);
    const Array indices = reshape(d.indices, shape);
    const auto size = static_cast<double>(sizes[static_cast<std::size_t>(i)]);
    result.indices = i == 0 ? indices : result.indices * size + indices;
    if (d.weights) {
      const Array weights = reshape(d.weights, shape);
      result.weights = i == 0 ? weights : result.weights * weights;
    }
    if (d.is_inside) {
      const Array is_inside = reshape(d.is_inside, shape);
      result.is_inside = i == 0 ? is_inside : result.is_inside && is_inside;
    }
  }
  const auto joined = [&](const Array &x) { return x ? flatten(x, 2, rank + 2) : x; };
  return {joined(result.indices), joined(result.weights), joined(result.is_inside)};
}

// Returns x[n, :, indices[n, ...]] for each image n: [batch, channels, sizes of the indices].
Array take_of_images(const Array &x, const Array &indices) {
  Integers offset_dims = {1}, sizes = {1, x.size(1), 1};
  return x.builder().add(Opcode::Gather, {x, indices}, [&](ir::Module &m, ir::InstructionId id) {
    m.set_numbers(id, ir::AttributeKey::OffsetDims, offset_dims);
    m.set_numbers(id, ir::AttributeKey::CollapsedSliceDims, {2});
    m.set_numbers(id, ir::AttributeKey::StartIndexMap, {2});
    m.set_numbers(id, ir::AttributeKey::OperandBatchingDims, {0});
    m.set_numbers(id, ir::AttributeKey::StartIndicesBatchingDims, {0});
    m.set_number(id, ir::AttributeKey::IndexVectorDim, static_cast<std::int64_t>(indices.rank()));
    m.set_numbers(id, ir::AttributeKey::SliceSizes, sizes);
  });
}

// Reads images, [batch, channels, elements], and returns [batch, channels, places].
Array sample_images(const Array &x, const GridElements &elements) {
  Array values = take_of_images(x, elements.indices);
  const auto for_channels = [&](const Array &array) {
    const Integers kept = {0, 2, 3};
    return broadcast_in(array, values.shape().sizes(), kept);
  };
  if (elements.is_inside) {
    values = select(for_channels(elements.is_inside), values, 0);
  }
  if (!elements.weights.is_present()) {
    return reshape(values, {values.size(0), values.size(1), values.size(2)});
  }
  // Sums of integers are computed in a type that has fractions.
  const bool is_rounded = !ir::is_floating(x.type()) && !ir::is_complex(x.type());
  const ElementType type = is_rounded ? ElementType::F64 : compute_type(x.type());
  const Integers summed = {3};
  const Array sum =
      reduce_sum(convert(values, type) * for_channels(convert(elements.weights, type)), summed, KeepSizes::No);
  return convert(is_rounded ? round_even(sum) : sum, x.type());
}

}  // namespace

Values lower_grid_sample(const Node &node) {
  const Array x = node.input(0), grid = node.input(1);
  const GridSampling sampling = grid_sampling(node);
  const auto dimensions = static_cast<std::int64_t>(x.rank()) - 2;
  if (dimensions < 1 || grid.rank() != x.rank() || grid.size(-1) != dimensions || grid.size(0) != x.size(0)) {
    return node.fail("images are {} and places {}, expected sizes [N,C,D1,...,Dr] and [N,P1,...,Pr,r]",
                     ir::to_string(x.shape()), ir::to_string(grid.shape()));
  }
  const Integers images = x.sizes(), places = grid.sizes();
  Integers sizes = {images[0], images[1]};
  sizes.insert(sizes.end(), places.begin() + 1, places.end() - 1);
  if (dimensions > 6 || ir::product(Span(images).subspan(2)) > (1 << 30)) {
    return node.unsupported(fmt::format("images of {}", ir::to_string(x.shape())));
  }
  if (ir::product(sizes) == 0) {
    return {node.builder().filled(x.type(), sizes, 0)};
  }
  if (x.count() == 0) {
    return node.fail("the images have no elements");
  }
  const auto rank = static_cast<std::int64_t>(grid.rank());
  const Array positions = convert(flatten(grid, 1, rank - 1), compute_type(grid.type()));
  std::vector<GridElements> elements;
  for (std::int64_t i = 0; i < dimensions; ++i) {
    // Places name the innermost dimension first.
    const std::int64_t last = dimensions - 1 - i;
    const Array own = reshape(slice(positions, 2, last, last + 1), {positions.size(0), positions.size(1)});
    elements.push_back(grid_elements(own, sampling, images[static_cast<std::size_t>(i) + 2]));
  }
  const Integers spatial(images.begin() + 2, images.end());
  return {reshape(sample_images(flatten(x, 2, dimensions + 2), join_elements(elements, spatial)), sizes)};
}

Values lower_affine_grid(const Node &node) {
  const Array theta = node.input(0);
  const Integers size = node.known_integers(1);
  const auto dimensions = static_cast<std::int64_t>(size.size()) - 2;
  if ((dimensions != 2 && dimensions != 3) || theta.sizes() != Integers{size[0], dimensions, dimensions + 1}) {
    return node.fail("theta is {} and the size has {} numbers, expected [N,2,3] and 4 numbers or [N,3,4] and 5",
                     ir::to_string(theta.shape()), size.size());
  }
  Integers sizes = {size[0]};
  sizes.insert(sizes.end(), size.begin() + 2, size.end());
  sizes.push_back(dimensions);
  for (const std::int64_t s : sizes) {
    if (s < 0 || s > (1 << 30)) {
      return node.fail("the size {}", s);
    }
  }
  const bool aligns_corners = node.flag("align_corners");
  const Array matrix = convert(theta, compute_type(theta.type()));
  const Integers kept = {0, dimensions + 1};
  const auto column = [&](std::int64_t i) {
    return broadcast_in(reshape(slice(matrix, 2, i, i + 1), {size[0], dimensions}), sizes, kept);
  };
  Array result;
  for (std::int64_t i = 0; i < dimensions; ++i) {
    // Column i is for the dimension that is the i-th from the last one.
    const std::int64_t dimension = dimensions - i;
    const auto length = static_cast<double>(sizes[static_cast<std::size_t>(dimension)]);
    const double steps = aligns_corners ? std::max(length - 1, 1.0) : length;
    const Array index = node.builder().iota(matrix.type(), sizes, dimension);
    const Array place = (index * 2 + (aligns_corners ? 0 : 1)) / std::max(steps, 1.0) - 1;
    const Array part = place * column(i);
    result = i == 0 ? part : result + part;
  }
  return {convert(result + column(dimensions), theta.type())};
}

}  // namespace bp::import::onnx
