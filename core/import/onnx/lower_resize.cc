// Operators that resample images along their dimensions: Resize and Upsample.
//
// All that says which elements of the operand an element of the result is made from is known while the graph is
// imported. So a dimension is resized by one contraction with a constant matrix of weights; "nearest" by one movement.
#include <algorithm>
#include <cmath>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

constexpr std::int64_t max_resize_matrix = 1 << 22;   // elements of a constant matrix, where there is another way
constexpr std::int64_t max_resize_weights = 1 << 26;  // of a dimension
constexpr std::int64_t max_resize_size = 1 << 30;     // of a dimension of the operand

// How a node samples: attributes, or that which older operators always do.
struct ResizeSampling {
  std::string_view mode = "nearest";
  std::string_view coordinates = "asymmetric";
  std::string_view nearest = "legacy";  // downwards, but upwards where the result is smaller
  double cubic_a = -0.75, extrapolation = 0;
  bool has_antialias = false, excludes_outside = false;
  bool crops() const { return coordinates == "tf_crop_and_resize"; }
};

struct ResizedDimension {
  std::int64_t dimension = 0, size = 0, result = 0;
  double scale = 1;
  double begin = 0, extent = 0;  // of the part of the operand that is resized, if the node crops
};

bool is_resize_choice(std::string_view text, std::initializer_list<std::string_view> texts) {
  return std::ranges::find(texts, text) != texts.end();
}

ResizeSampling resize_sampling(const Node &node) {
  ResizeSampling sampling;
  sampling.mode = node.text("mode", "nearest");
  const bool is_first = node.version() < 11;
  if (is_first && sampling.mode == "bilinear") {  // a name that the first Upsample had
    sampling.mode = "linear";
  }
  if (!is_first) {
    sampling.coordinates = node.text("coordinate_transformation_mode", "half_pixel");
    sampling.nearest = node.text("nearest_mode", "round_prefer_floor");
    sampling.cubic_a = node.real("cubic_coeff_a", -0.75);
    sampling.extrapolation = node.real("extrapolation_value", 0);
    sampling.has_antialias = node.flag("antialias");
    sampling.excludes_outside = node.flag("exclude_outside");
  }
  if (!is_resize_choice(sampling.mode, {"nearest", "linear"}) && (is_first || sampling.mode != "cubic")) {
    node.fail("mode is \"{}\", expected nearest, linear or cubic", sampling.mode);
  }
  if (!is_resize_choice(sampling.coordinates,
                        {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                         "tf_half_pixel_for_nn", "tf_crop_and_resize"})) {
    node.fail("coordinate_transformation_mode is \"{}\"", sampling.coordinates);
  }
  if (!is_resize_choice(sampling.nearest, {"legacy", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})) {
    node.fail("nearest_mode is \"{}\"", sampling.nearest);
  }
  return sampling;
}

// Returns the place in the operand that element i of the result stands for. A scale is the one that the node gives: the
// size of the result, times which it is rounded down to, need not be a whole number.
double original_place(const ResizeSampling &sampling, const ResizedDimension &d, std::int64_t i) {
  const auto x = static_cast<double>(i), size = static_cast<double>(d.size), last = size - 1;
  const double width = d.scale * size;
  if (sampling.coordinates == "asymmetric") {
    return x / d.scale;
  }
  if (sampling.coordinates == "tf_half_pixel_for_nn") {
    return (x + 0.5) / d.scale;
  }
  if (sampling.coordinates == "align_corners") {
    return d.result == 1 ? 0 : x * last / (width - 1);
  }
  if (sampling.crops()) {
    return d.begin + (d.result == 1 ? 0.5 * d.extent : x * d.extent / static_cast<double>(d.result - 1));
  }
  if (sampling.coordinates == "pytorch_half_pixel" && d.result == 1) {
    return 0;
  }
  const double place = (x + 0.5) / d.scale - 0.5;
  const double adjustment = static_cast<double>(d.result) / width;
  return sampling.coordinates == "half_pixel_symmetric" ? size / 2 * (1 - adjustment) + place : place;
}

// Returns the places for all elements of the result, and whether each one is outside of the operand and has the
// extrapolation's value.
struct ResizePlaces {
  std::vector<double> places;
  Integers is_outside;
};
ResizePlaces original_places(const ResizeSampling &sampling, const ResizedDimension &d) {
  ResizePlaces result;
  for (std::int64_t i = 0; i < d.result; ++i) {
    const double place = original_place(sampling, d, i);
    const auto last = static_cast<double>(d.size - 1);
    const bool is_inside = place >= 0 && place <= last;
    result.is_outside.push_back(sampling.crops() && !is_inside ? 1 : 0);
    // Further outside than this, all elements near the place are the one at the edge.
    result.places.push_back(std::isnan(place) ? 0 : std::clamp(place, -1e9, last + 1e9));
  }
  return result;
}

// --- Nearest ---

double nearest_place(std::string_view mode, double place, double scale) {
  if (mode == "round_prefer_floor") {
    return std::ceil(place - 0.5);
  }
  if (mode == "round_prefer_ceil") {
    return std::floor(place + 0.5);
  }
  return mode == "ceil" || (mode == "legacy" && scale < 1) ? std::ceil(place) : std::floor(place);
}

// Takes the elements with these indices along a dimension, by a cheaper movement if they are regular.
Array take_regular(const Array &x, const Integers &indices, std::int64_t dimension) {
  const auto count = static_cast<std::int64_t>(indices.size());
  const std::int64_t size = x.size(dimension);
  if (count == 0 || size == 0) {
    return take(x, x.builder().integers(indices, ElementType::S32), dimension);
  }
  const auto is_all = [&](auto &&index) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (indices[static_cast<std::size_t>(i)] != index(i)) {
        return false;
      }
    }
    return true;
  };
  const std::int64_t first = indices[0], step = count > 1 ? indices[1] - first : 1;
  if (step > 0 && is_all([&](std::int64_t i) { return first + i * step; })) {
    return slice(x, dimension, first, indices.back() + 1, step);
  }
  const std::int64_t factor = count / size;
  if (count % size == 0 && is_all([&](std::int64_t i) { return i / factor; })) {
    Integers sizes = x.sizes(), result = sizes, kept;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(sizes.size()); ++i) {
      kept.push_back(i <= dimension ? i : i + 1);
    }
    sizes.insert(sizes.begin() + dimension + 1, factor);
    result[static_cast<std::size_t>(dimension)] = count;
    return reshape(broadcast_in(x, sizes, kept), result);
  }
  return take(x, x.builder().integers(indices, ElementType::S32), dimension);
}

Array resize_nearest(const Array &x, const ResizeSampling &sampling, const ResizedDimension &d,
                     const std::vector<double> &places) {
  Integers indices;
  for (const double place : places) {
    const double nearest = nearest_place(sampling.nearest, place, d.scale);
    indices.push_back(static_cast<std::int64_t>(std::clamp(nearest, 0.0, static_cast<double>(d.size - 1))));
  }
  return take_regular(x, indices, d.dimension);
}

// --- Linear and cubic ---

// Returns the weight of an element at a distance from the place.
double sample_weight(const ResizeSampling &sampling, double distance) {
  const double x = std::abs(distance), a = sampling.cubic_a;
  if (sampling.mode == "linear") {
    return std::max(1 - x, 0.0);
  }
  return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// For each element of the result, `width` elements of the operand and their weights.
struct ResizeWeights {
  std::int64_t width = 0;
  Integers indices;
  std::vector<double> weights;
  bool is_identity = true;
};

ResizeWeights sample_weights(const Node &node, const ResizeSampling &sampling, const ResizedDimension &d,
                             const ResizePlaces &places) {
  ResizeWeights result;
  // Where the result is smaller, antialiasing makes the filter wider.
  const double factor = sampling.has_antialias ? std::min(d.scale, 1.0) : 1;
  const double half = std::ceil((sampling.mode == "linear" ? 1 : 2) / factor);
  if (!(half * 2 * static_cast<double>(d.result) <= static_cast<double>(max_resize_weights))) {
    node.unsupported("a filter of so many elements");
    return result;
  }
  result.width = static_cast<std::int64_t>(half) * 2;
  result.is_identity = d.size == d.result;
  for (std::int64_t i = 0; i < d.result; ++i) {
    const double place = places.places[static_cast<std::size_t>(i)];
    const bool is_outside = places.is_outside[static_cast<std::size_t>(i)] != 0;
    const std::int64_t first = static_cast<std::int64_t>(std::floor(place)) - result.width / 2 + 1;
    double sum = 0;
    for (std::int64_t index = first; index < first + result.width; ++index) {
      const bool is_excluded = is_outside || (sampling.excludes_outside && (index < 0 || index >= d.size));
      const double weight = is_excluded ? 0 : sample_weight(sampling, (static_cast<double>(index) - place) * factor);
      sum += weight;
      result.indices.push_back(std::clamp<std::int64_t>(index, 0, d.size - 1));
      result.weights.push_back(weight);
    }
    for (auto k = result.weights.end() - result.width; k != result.weights.end(); ++k) {
      *k = sum == 0 ? 0 : *k / sum;
      const std::int64_t index = result.indices[static_cast<std::size_t>(k - result.weights.begin())];
      result.is_identity = result.is_identity && (*k == 0 || (*k == 1 && index == i));
    }
  }
  return result;
}

// Adds the slices of the operand, each multiplied by its weight: for a dimension whose matrix would be huge.
Array resize_by_slices(const Array &x, const ResizeWeights &weights, const ResizedDimension &d) {
  Array sum;
  const auto width = static_cast<std::size_t>(weights.width);
  Integers sizes(x.rank(), 1);
  sizes[static_cast<std::size_t>(d.dimension)] = d.result;
  for (std::size_t k = 0; k < width; ++k) {
    Integers indices;
    std::vector<double> factors;
    for (std::size_t i = k; i < weights.indices.size(); i += width) {
      indices.push_back(weights.indices[i]);
      factors.push_back(weights.weights[i]);
    }
    const Array part = take(x, x.builder().integers(indices, ElementType::S32), d.dimension) *
                       reshape(x.builder().reals(factors, x.type()), sizes);
    sum = sum ? sum + part : part;
  }
  return sum;
}

// Multiplies by the matrix of weights. The dimension that is resized becomes the last one.
Array resize_by_matrix(const Array &x, const ResizeWeights &weights, const ResizedDimension &d) {
  std::vector<double> matrix(static_cast<std::size_t>(d.result * d.size));
  for (std::size_t i = 0; i < weights.indices.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / weights.width;
    matrix[static_cast<std::size_t>(row * d.size + weights.indices[i])] += weights.weights[i];
  }
  const Array factors = reshape(x.builder().reals(matrix, x.type()), {d.result, d.size});
  return dot(x, factors, {{}, {}, {d.dimension}, {1}});
}

// Returns the type in which weighted sums of elements are computed.
ElementType resize_type(ElementType type) {
  return ir::is_floating(type) || ir::is_complex(type) ? compute_type(type)
         : ir::bit_width(type) <= 16                   ? ElementType::F32
                                                       : ElementType::F64;
}

// Resizes dimensions by weighted sums. `order`: for each dimension of the result, which one it was; the contractions
// change it, and it is restored once.
Array resize_weighted(const Node &node, const Array &operand, const ResizeSampling &sampling,
                      const std::vector<ResizedDimension> &dimensions, const std::vector<ResizePlaces> &places) {
  Array x = convert(operand, resize_type(operand.type()));
  Integers order;
  for (std::size_t i = 0; i < operand.rank(); ++i) {
    order.push_back(static_cast<std::int64_t>(i));
  }
  for (std::size_t i = 0; i < dimensions.size() && !node.builder().has_failed(); ++i) {
    const ResizeWeights weights = sample_weights(node, sampling, dimensions[i], places[i]);
    if (node.builder().has_failed() || weights.is_identity) {
      continue;
    }
    ResizedDimension d = dimensions[i];
    const auto place = std::ranges::find(order, d.dimension);
    d.dimension = place - order.begin();
    const double count = static_cast<double>(d.size) * static_cast<double>(d.result);
    if (count > static_cast<double>(max_resize_matrix) && weights.width <= 4) {
      x = resize_by_slices(x, weights, d);
    } else if (count <= static_cast<double>(max_resize_weights)) {
      x = resize_by_matrix(x, weights, d);
      std::rotate(place, place + 1, order.end());
    } else {
      node.unsupported(fmt::format("the size {} becomes {} with a wide filter", d.size, d.result));
    }
  }
  Integers permutation(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    permutation[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  }
  return transpose(x, permutation);
}

// --- Sizes ---

// Returns the dimensions that the node's scales and sizes are about, in their order.
Integers resized_axes(const Node &node, std::size_t rank) {
  Integers axes;
  if (!node.has("axes") || node.version() < 18) {
    for (std::size_t i = 0; i < rank; ++i) {
      axes.push_back(static_cast<std::int64_t>(i));
    }
    return axes;
  }
  for (const std::int64_t number : node.integers("axes")) {
    axes.push_back(node.dimension(number, rank));
  }
  node.dimensions(axes, rank);
  return axes;
}

// The sizes are those of ONNX's shape inference: they do not depend on the region that is resized, although the text of
// the operator multiplies by its extent. Scales are f32, and so is their product with the size: 0.7 times 10 is 7, as
// in PyTorch and TensorFlow, which write such scales, and in ONNX Runtime.
void set_resize_scales(const Node &node, const std::vector<double> &scales, std::vector<ResizedDimension> &dimensions) {
  if (scales.size() != dimensions.size()) {
    node.fail("there are {} scales, expected {}", scales.size(), dimensions.size());
    return;
  }
  for (std::size_t i = 0; i < scales.size(); ++i) {
    ResizedDimension &d = dimensions[i];
    if (!(scales[i] > 0 && scales[i] <= 1e9)) {
      node.fail("the scale {}, expected a positive number", scales[i]);
      return;
    }
    d.scale = scales[i];
    const float product = static_cast<float>(d.size) * static_cast<float>(d.scale);
    d.result = static_cast<std::int64_t>(std::min(std::floor(static_cast<double>(product)), 0x1p40));
  }
}

void set_resize_sizes(const Node &node, const Integers &sizes, std::vector<ResizedDimension> &dimensions) {
  if (sizes.size() != dimensions.size()) {
    node.fail("there are {} sizes, expected {}", sizes.size(), dimensions.size());
    return;
  }
  const std::string_view policy = node.version() < 18 ? "stretch" : node.text("keep_aspect_ratio_policy", "stretch");
  if (!is_resize_choice(policy, {"stretch", "not_larger", "not_smaller"})) {
    node.fail("keep_aspect_ratio_policy is \"{}\"", policy);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ResizedDimension &d = dimensions[i];
    if (sizes[i] < 0 || (d.size == 0 && sizes[i] > 0)) {
      node.fail("the size {} becomes {}", d.size, sizes[i]);
      return;
    }
    d.result = sizes[i];
    d.scale = d.size == 0 ? 1 : static_cast<double>(sizes[i]) / static_cast<double>(d.size);
  }
  if (policy == "stretch" || dimensions.empty()) {
    return;
  }
  const auto [low, high] = std::ranges::minmax(dimensions, {}, &ResizedDimension::scale);
  const double scale = policy == "not_larger" ? low.scale : high.scale;
  for (ResizedDimension &d : dimensions) {
    d.scale = scale;
    d.result = static_cast<std::int64_t>(std::min(std::floor(scale * static_cast<double>(d.size) + 0.5), 0x1p40));
  }
}

void set_resize_crop(const Node &node, std::vector<ResizedDimension> &dimensions) {
  const std::vector<double> region = node.known_reals(1);
  if (region.size() != 2 * dimensions.size()) {
    node.fail("the region has {} numbers, expected {}", region.size(), 2 * dimensions.size());
    return;
  }
  // Products are rounded to the region's type: a place in the middle between two elements should stay there.
  const bool is_double = node.input(1).type() == ElementType::F64;
  const auto round = [&](double value) { return is_double ? value : static_cast<float>(value); };
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    ResizedDimension &d = dimensions[i];
    const auto last = static_cast<double>(d.size - 1);
    d.begin = round(region[i] * last);
    d.extent = round(round(region[dimensions.size() + i] - region[i]) * last);
  }
}

std::vector<ResizedDimension> resized_dimensions(const Node &node, const Array &x, const ResizeSampling &sampling) {
  std::vector<ResizedDimension> dimensions;
  for (const std::int64_t axis : resized_axes(node, x.rank())) {
    dimensions.push_back({axis, x.size(axis), x.size(axis)});
  }
  if (node.operation() == "Upsample" && node.version() < 9) {
    set_resize_scales(node, node.reals("scales"), dimensions);
    return dimensions;
  }
  if (node.version() < 11) {
    set_resize_scales(node, node.known_reals(1), dimensions);
    return dimensions;
  }
  if (sampling.crops()) {
    set_resize_crop(node, dimensions);
  }
  // Version 11 has empty scales if there are sizes.
  if (node.has_input(3) && node.input(3).count() > 0) {
    if (node.has_input(2) && node.input(2).count() > 0) {
      node.fail("there are scales and sizes, expected one of them");
    }
    set_resize_sizes(node, node.known_integers(3), dimensions);
  } else if (node.has_input(2)) {
    set_resize_scales(node, node.known_reals(2), dimensions);
  } else {
    node.fail("there are neither scales nor sizes");
  }
  return dimensions;
}

// Gives the elements outside of the region that is resized the value that an attribute says.
Array extrapolate_resized(const Array &x, const ResizeSampling &sampling,
                          const std::vector<ResizedDimension> &dimensions, const std::vector<ResizePlaces> &places) {
  Array outside;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (std::ranges::find(places[i].is_outside, 1) == places[i].is_outside.end()) {
      continue;
    }
    const Integers kept = {dimensions[i].dimension};
    const Array flags = broadcast_in(x.builder().integers(places[i].is_outside, ElementType::Pred), x.sizes(), kept);
    outside = outside ? outside || flags : flags;
  }
  return outside ? select(outside, sampling.extrapolation, x) : x;
}

Values resize_by(const Node &node, const ResizeSampling &sampling) {
  const Array x = node.input(0);
  const std::vector<ResizedDimension> dimensions = resized_dimensions(node, x, sampling);
  if (node.builder().has_failed()) {
    return {};
  }
  Integers sizes = x.sizes();
  for (const ResizedDimension &d : dimensions) {
    sizes[static_cast<std::size_t>(d.dimension)] = d.result;
    if (d.size > max_resize_size || d.result > max_resize_weights) {
      return node.unsupported(fmt::format("the size {} becomes {}", d.size, d.result));
    }
  }
  if (ir::product(sizes) == 0) {
    return {node.builder().filled(x.type(), sizes, 0)};
  }
  std::vector<ResizePlaces> places;
  for (const ResizedDimension &d : dimensions) {
    places.push_back(original_places(sampling, d));
  }
  Array result = x;
  if (sampling.mode != "nearest") {
    result = resize_weighted(node, x, sampling, dimensions, places);
  }
  for (std::size_t i = 0; i < dimensions.size() && sampling.mode == "nearest"; ++i) {
    result = resize_nearest(result, sampling, dimensions[i], places[i].places);
  }
  result = extrapolate_resized(result, sampling, dimensions, places);
  const bool is_rounded = ir::is_floating(result.type()) && !ir::is_floating(x.type());
  return {convert(is_rounded ? round_even(result) : result, x.type())};
}

}  // namespace

Values lower_resize(const Node &node) {
  return resize_by(node, resize_sampling(node));
}

}  // namespace bp::import::onnx
