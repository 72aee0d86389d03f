// Layers of SSD, from https://github.com/weiliu89/caffe/tree/ssd
#include <algorithm>
#include <array>
#include <cmath>

#include "core/import/caffe/lower.h"

namespace bp::import::caffe {
namespace {

// Returns the ratios of width to height: 1, then those that are stated, each with its inverse if `flip` says so.
std::vector<double> aspect_ratios(const Layer &layer) {
  std::vector<double> ratios = {1};
  const bool is_flipped = layer.parameters().flag("flip", true);
  for (const double stated : layer.parameters().reals("aspect_ratio")) {
    if (!(stated > 0)) {
      layer.fail_in("aspect_ratio", fmt::format("aspect_ratio is {}, expected more than 0", stated));
      return ratios;
    }
    if (std::ranges::any_of(ratios, [&](double known) { return std::abs(stated - known) < 1e-6; })) {
      continue;
    }
    ratios.push_back(stated);
    if (is_flipped) {
      ratios.push_back(1 / stated);
    }
  }
  return ratios;
}

// Returns a number of the image's height and width: of the fields name_h and name_w, or of `name` for both.
std::array<double, 2> height_and_width(const Layer &layer, const std::string &whole, const std::string &part,
                                       std::array<double, 2> if_absent) {
  const Message &parameters = layer.parameters();
  const auto value = [&](const std::string &name) {
    return parameters.real(name, static_cast<double>(parameters.integer(name)));
  };
  const bool has_both = parameters.has(part + "_h") && parameters.has(part + "_w");
  std::array<double, 2> result = if_absent;
  if (parameters.has(whole)) {
    result = {value(whole), value(whole)};
  } else if (has_both) {
    result = {value(part + "_h"), value(part + "_w")};
  }
  if (!(result[0] > 0) || !(result[1] > 0)) {
    layer.fail_in(whole, fmt::format("{} is {} and {}, expected more than 0", part, result[0], result[1]));
  }
  return result;
}

// Returns width and height of the boxes around each place, in pixels.
std::vector<std::array<double, 2>> box_sizes(const Layer &layer) {
  const std::vector<double> &least = layer.parameters().reals("min_size"), &most = layer.parameters().reals("max_size");
  const std::vector<double> ratios = aspect_ratios(layer);
  std::vector<std::array<double, 2>> boxes;
  if (least.empty() || (!most.empty() && most.size() != least.size())) {
    layer.fail_in("max_size", fmt::format("{} min_size and {} max_size, expected at least one, and as many or none",
                                          least.size(), most.size()));
    return {};
  }
  for (std::size_t i = 0; i < least.size(); ++i) {
    if (!(least[i] > 0) || (!most.empty() && !(most[i] > least[i]))) {
      layer.fail_in("min_size", fmt::format("min_size is {}, expected more than 0 and less than max_size", least[i]));
      return {};
    }
    boxes.push_back({least[i], least[i]});
    if (!most.empty()) {
      const double middle = std::sqrt(least[i] * most[i]);
      boxes.push_back({middle, middle});
    }
    for (const double ratio : ratios) {
      if (std::abs(ratio - 1) >= 1e-6) {
        boxes.push_back({least[i] * std::sqrt(ratio), least[i] / std::sqrt(ratio)});
      }
    }
  }
  return boxes;
}

}  // namespace

// [1, 2, boxes * 4]: the corners of boxes around each place of bottom 0, relative to the size of the image, bottom 1;
// then their variances.
Arrays lower_prior_box(const Layer &layer) {
  const Array &places = layer.bottom(0), &image = layer.bottom(1);
  const Message &parameters = layer.parameters();
  if (places.rank() != 4 || image.rank() != 4 || places.count() < 1) {
    return layer.fail(fmt::format("the bottoms are {} and {}, expected 4 dimensions", sizes_text(places.sizes()),
                                  sizes_text(image.sizes())));
  }
  const std::int64_t height = places.size(2), width = places.size(3);
  const std::vector<std::array<double, 2>> boxes = box_sizes(layer);
  const std::array<double, 2> image_size = height_and_width(
      layer, "img_size", "img", {static_cast<double>(image.size(2)), static_cast<double>(image.size(3))});
  const std::array<double, 2> step = height_and_width(
      layer, "step", "step", {image_size[0] / static_cast<double>(height), image_size[1] / static_cast<double>(width)});
  const std::vector<double> &stated = parameters.reals("variance");
  if (stated.size() > 1 && stated.size() != 4) {
    return layer.fail_in("variance", fmt::format("{} variances, expected 1 or 4", stated.size()));
  }
  if (layer.has_failed()) {
    return {};
  }
  // Corners in order: left, top, right, bottom. [height, width, boxes, 4], as Caffe computes it in f32.
  GraphBuilder &builder = layer.builder();
  const auto box_count = static_cast<std::int64_t>(boxes.size());
  const double offset = parameters.real("offset", 0.5);
  const Integers grid = {height, width, 1, 1};
  const Array across = (builder.iota(ElementType::F32, grid, 1) + offset) * step[1];
  const Array down = (builder.iota(ElementType::F32, grid, 0) + offset) * step[0];
  std::vector<double> reaches;
  for (const auto &[box_width, box_height] : boxes) {
    reaches.insert(reaches.end(), {-box_width / 2, -box_height / 2, box_width / 2, box_height / 2});
  }
  const Array reach = reshape(builder.reals(reaches, ElementType::F32), {box_count, 4});
  const double scales[] = {image_size[1], image_size[0], image_size[1], image_size[0]};
  Array corners = (concatenate({across, down, across, down}, 3) + reach) / builder.reals(scales, ElementType::F32);
  if (parameters.flag("clip", false)) {
    corners = minimum(maximum(corners, 0), 1);
  }
  std::vector<double> variances = stated.empty() ? std::vector<double>{0.1} : stated;
  variances.resize(4, variances[0]);
  const Array variance = broadcast_to(builder.reals(variances, ElementType::F32), {{height, width, box_count, 4}});
  const std::int64_t count = corners.count();
  return {concatenate({reshape(corners, {1, 1, count}), reshape(variance, {1, 1, count})}, 1)};
}

}  // namespace bp::import::caffe
