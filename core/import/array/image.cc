#include "core/import/array/image.h"

#include <algorithm>
#include <cmath>

namespace bp::import::array {
namespace {

// Returns the number of elements that each window of one dimension covers, as a vector of a type. Padding counts if
// `has_padding`, but not what is beyond it.
Array covered_count(const Array &x, std::int64_t size, ir::WindowDimension window, std::int64_t given_high,
                    bool has_padding) {
  if (has_padding) {
    size += window.pad_low + given_high;
    window.pad_high -= given_high;
    window.pad_low = 0;
  }
  const Array ones = x.builder().filled(x.type(), Integers{size}, 1);
  const Array count = reduce_window(Opcode::Add, number(0, x), ones, std::span(&window, 1));
  const auto known = count.literal();
  return known ? x.builder().constant(*known) : count;
}

// Returns the larger of two elements with its place, of equal ones the first. NaN is larger than all others.
ir::ComputationId larger_with_index(GraphBuilder &builder, ElementType type, ElementType index_type) {
  const Shape element = Shape::scalar(type), index = Shape::scalar(index_type);
  const Shape parameters[] = {element, index, element, index};
  return builder.computation("larger", parameters, [](GraphBuilder &b, const Arrays &p) {
    const Array first = (p[0] > p[2]) || is_nan(p[0]) || ((p[0] == p[2]) && (p[1] < p[3]));
    return b.tuple(Arrays{select(first, p[0], p[2]), select(first, p[1], p[3])});
  });
}

}  // namespace

WindowDimensions image_window(const WindowDimensions &window) {
  WindowDimensions result(2);
  result.insert(result.end(), window.begin(), window.end());
  return result;
}

Array convolution(const Array &image, const Array &filter, const WindowDimensions &window, std::int64_t groups) {
  if (!image.is_present()) {
    return image;
  }
  Integers labels = {0, 1, 1, 0, 0, 1};
  for (int part = 0; part < 3; ++part) {
    for (std::size_t i = 0; i < window.size(); ++i) {
      labels.push_back(static_cast<std::int64_t>(i) + 2);
    }
  }
  return image.builder().add(Opcode::Convolution, {image, filter}, [&](ir::Module &m, ir::InstructionId id) {
    m.set_window(id, window);
    m.set_numbers(id, ir::AttributeKey::DimLabels, labels);
    if (groups != 1) {
      m.set_number(id, ir::AttributeKey::FeatureGroupCount, groups);
    }
  });
}

Array per_channel(const Array &vector, const Array &image) {
  Integers sizes(image.rank() < 2 ? image.rank() : image.rank() - 1, 1);
  if (image.rank() >= 2) {
    sizes[0] = image.size(1);
  }
  return reshape(vector, sizes);
}

Array window_sum(const Array &x, const WindowDimensions &window) {
  return reduce_window(Opcode::Add, number(0, x), x, image_window(window));
}

Array divided_by_count(const Array &sum, const Array &x, const SpatialWindow &window, bool has_padding) {
  double same = 1;  // the product of the dimensions in which all windows cover as much
  Array count;
  for (std::size_t i = 0; i < window.dimensions.size(); ++i) {
    const ir::WindowDimension &dimension = window.dimensions[i];
    if (has_padding ? dimension.pad_high <= window.given_high[i] : dimension.pad_low == 0 && dimension.pad_high <= 0) {
      same *= static_cast<double>(dimension.size);
      continue;
    }
    Integers sizes(window.dimensions.size() - i, 1);
    sizes[0] = sum.size(static_cast<std::int64_t>(i) + 2);
    const Array along =
        covered_count(sum, x.size(static_cast<std::int64_t>(i) + 2), dimension, window.given_high[i], has_padding);
    count = count ? count * reshape(along, sizes) : reshape(along, sizes);
  }
  return count ? sum / (count * same) : sum / same;
}

double pool_identity(const Array &x) {
  return ir::is_floating(x.type()) ? -HUGE_VAL : -0x1p64;  // which saturates
}

PlacedMaximum max_pool_with_places(const Array &x, const WindowDimensions &window) {
  if (!x.is_present()) {
    return {x, x};
  }
  GraphBuilder &builder = x.builder();
  const Integers sizes = x.sizes();
  const std::int64_t image = ir::product(Span(sizes).subspan(2));
  const ElementType index_type = image <= max_window_number ? ElementType::S32 : ElementType::S64;
  Integers spatial(sizes.begin() + 2, sizes.end());
  const Array places = broadcast_to(reshape(builder.iota(index_type, Integers{image}, 0), spatial), sizes);
  const ir::ComputationId larger = larger_with_index(builder, x.type(), index_type);
  const Array none = builder.scalar(index_type, static_cast<double>(std::min(image, max_window_number)));
  const Array both = builder.add(
      Opcode::ReduceWindow, {x, places, number(pool_identity(x), x), none},
      [&](ir::Module &m, ir::InstructionId id) { m.set_window(id, image_window(window)); }, std::span(&larger, 1));
  return {builder.element(both, 0), builder.element(both, 1)};
}

Array transposed_filter(const Array &filter, std::int64_t groups) {
  const Integers sizes = filter.sizes();
  Integers split = {groups, sizes[0] / groups}, joined = {ir::product(Integers{groups, sizes[1]}), sizes[0] / groups};
  split.insert(split.end(), sizes.begin() + 1, sizes.end());
  joined.insert(joined.end(), sizes.begin() + 2, sizes.end());
  Integers permutation = {0, 2, 1};
  for (std::size_t i = 3; i < split.size(); ++i) {
    permutation.push_back(static_cast<std::int64_t>(i));
  }
  return reshape(transpose(reshape(filter, split), permutation), joined);
}

}  // namespace bp::import::array
