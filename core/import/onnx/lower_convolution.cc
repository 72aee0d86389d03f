// Operators that are convolutions.
#include <algorithm>

#include "core/import/onnx/lower.h"
#include "core/import/onnx/spatial_window.h"

namespace bp::import::onnx {
namespace {

using ir::AttributeKey;

// Adds the bias, an optional input with an element per channel.
Array with_bias(const Node &node, const Array &image, std::size_t input) {
  const Array bias = node.optional_input(input);
  return bias ? image + per_channel(bias, image) : image;
}

// Returns the sizes of the filter in the spatial dimensions; nothing and an error if it does not fit.
std::optional<Integers> kernel_sizes(const Node &node, const Array &filter, std::size_t spatial_count) {
  const Integers sizes = filter.sizes();
  if (sizes.size() != spatial_count + 2) {
    node.fail("the filter is {}, expected {} dimensions", ir::to_string(filter.shape()), spatial_count + 2);
    return {};
  }
  for (std::size_t i = 2; i < sizes.size(); ++i) {
    if (sizes[i] < 1 || sizes[i] > max_window_number) {
      node.fail("the filter is {}, expected sizes of 1 to {}", ir::to_string(filter.shape()), max_window_number);
      return {};
    }
  }
  const Integers kernel(sizes.begin() + 2, sizes.end());
  return has_kernel_shape(node, kernel) ? std::optional(kernel) : std::nullopt;
}

// Returns the attribute group, which must divide the sizes; 0 and an error otherwise.
std::int64_t group_count(const Node &node, std::string_view name, std::initializer_list<std::int64_t> sizes) {
  const std::int64_t groups = node.integer(name, 1);
  if (groups < 1 || std::ranges::any_of(sizes, [&](std::int64_t size) { return size % groups != 0; })) {
    node.fail("{} is {}, which does not divide [{}]", name, groups, fmt::join(sizes, ","));
    return 0;
  }
  return groups;
}

// Sets the padding of one dimension of a transposed convolution, whose window slides over the image with gaps, so that
// the result has a size: the stated one, or that of the formula. `extra`: output_padding.
bool pad_transposed(const Node &node, ir::WindowDimension &window, std::int64_t size, std::int64_t extra,
                    std::optional<std::int64_t> output) {
  const std::int64_t extent = (window.size - 1) * window.rhs_dilate + 1;
  const std::int64_t full = (size - 1) * window.lhs_dilate + extent + extra;
  const std::string_view mode = padding_mode(node);
  if (!output && (mode == "SAME_UPPER" || mode == "SAME_LOWER")) {
    output = size * window.lhs_dilate;
  }
  std::int64_t begin = window.pad_low;
  if (output) {
    // Nothing is cut off from a result that is too small: it is extended at the end.
    const std::int64_t total = std::max<std::int64_t>(0, full - *output);
    begin = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
  } else {
    output = full - window.pad_low - window.pad_high;
  }
  if (*output < 0) {
    node.fail("pads cut off more than the size {}", full);
    return false;
  }
  const std::int64_t dilated = size == 0 ? 0 : (size - 1) * window.lhs_dilate + 1;
  window.pad_low = extent - 1 - begin;
  window.pad_high = *output + begin - dilated;
  return true;
}

// Returns the window of a transposed convolution.
std::optional<WindowDimensions> transposed_window(const Node &node, Span sizes, Span kernel) {
  const std::size_t count = sizes.size();
  const auto strides = spatial_numbers(node, "strides", count, 1, 1);
  const auto dilations = spatial_numbers(node, "dilations", count, 1, 1);
  const auto extra = spatial_numbers(node, "output_padding", count, 0, 0);
  const bool is_given = padding_mode(node) == "NOTSET";
  const auto pads = is_given ? spatial_numbers(node, "pads", 2 * count, 0, 0) : Integers(2 * count);
  Integers outputs;
  if (node.has("output_shape")) {
    Integers stated = node.integers("output_shape");
    // Some models write batch and channels as well.
    stated.erase(stated.begin(), stated.begin() + (stated.size() == count + 2 ? 2 : 0));
    if (stated.size() != count ||
        std::ranges::any_of(stated, [](std::int64_t size) { return size < 0 || size > max_window_number; })) {
      node.fail("output_shape is [{}], expected {} sizes", fmt::join(stated, ","), count);
      return {};
    }
    outputs = std::move(stated);
  }
  if (!strides || !dilations || !extra || !pads) {
    return {};
  }
  WindowDimensions result;
  for (std::size_t i = 0; i < count; ++i) {
    ir::WindowDimension window = {.size = kernel[i],
                                  .pad_low = (*pads)[i],
                                  .pad_high = (*pads)[count + i],
                                  .lhs_dilate = (*strides)[i],
                                  .rhs_dilate = (*dilations)[i],
                                  .reversal = 1};
    if (!pad_transposed(node, window, sizes[i], (*extra)[i],
                        outputs.empty() ? std::nullopt : std::optional(outputs[i]))) {
      return {};
    }
    result.push_back(window);
  }
  return result;
}

// --- Col2Im ---

// The largest sum of the sizes of a block that is added up in as many steps.
constexpr std::int64_t max_added_columns = 32;

// Returns, for each dimension, where in the image each element of each block lies: [elements of a block, blocks]. The
// last dimension of the result is that of the coordinates.
Array column_coordinates(GraphBuilder &builder, const WindowDimensions &window, Span blocks) {
  Integers sizes;
  for (const ir::WindowDimension &dimension : window) {
    sizes.push_back(dimension.size);
  }
  sizes.insert(sizes.end(), blocks.begin(), blocks.end());
  Integers with_coordinate = sizes;
  with_coordinate.push_back(1);
  Arrays coordinates;
  for (std::size_t i = 0; i < window.size(); ++i) {
    const auto within = static_cast<std::int64_t>(i), block = static_cast<std::int64_t>(window.size() + i);
    const Array at = builder.iota(ElementType::S64, sizes, block) * static_cast<double>(window[i].stride) +
                     builder.iota(ElementType::S64, sizes, within) * static_cast<double>(window[i].rhs_dilate) -
                     static_cast<double>(window[i].pad_low);
    coordinates.push_back(reshape(at, with_coordinate));
  }
  return concatenate(coordinates, static_cast<std::int64_t>(sizes.size()));
}

// Returns the window of Col2Im and the number of blocks in each dimension.
std::optional<std::pair<WindowDimensions, Integers>> column_window(const Node &node, Span image, Span block) {
  const std::size_t count = image.size();
  const auto strides = spatial_numbers(node, "strides", count, 1, 1);
  const auto dilations = spatial_numbers(node, "dilations", count, 1, 1);
  const auto pads = spatial_numbers(node, "pads", 2 * count, 0, 0);
  if (count == 0 || count > max_spatial_count || block.size() != count) {
    node.fail("image_shape has {} sizes and block_shape {}, expected as many, 1 to {}", count, block.size(),
              max_spatial_count);
  }
  if (node.builder().has_failed()) {
    return {};
  }
  std::pair<WindowDimensions, Integers> result;
  for (std::size_t i = 0; i < count; ++i) {
    if (image[i] < 0 || image[i] > max_window_number || block[i] < 1 || block[i] > max_window_number) {
      node.fail("image_shape has the size {} and block_shape {}, expected at least 0 and 1", image[i], block[i]);
      return {};
    }
    const ir::WindowDimension window = {.size = block[i],
                                        .stride = (*strides)[i],
                                        .pad_low = (*pads)[i],
                                        .pad_high = (*pads)[count + i],
                                        .rhs_dilate = (*dilations)[i]};
    const std::int64_t room = image[i] + window.pad_low + window.pad_high - (window.size - 1) * window.rhs_dilate - 1;
    result.first.push_back(window);
    result.second.push_back(room < 0 ? 0 : room / window.stride + 1);
  }
  return result;
}

// Returns the image of blocks by one scatter. `blocks`: [batch, channels, block..., number of blocks...].
Array scatter_columns(const Array &blocks, const std::pair<WindowDimensions, Integers> &window, Span image) {
  GraphBuilder &builder = blocks.builder();
  Integers sizes = {blocks.size(0), blocks.size(1)}, spatial;
  for (std::size_t i = 0; i < image.size(); ++i) {
    spatial.push_back(static_cast<std::int64_t>(i) + 2);
    sizes.push_back(image[i]);
  }
  const ir::ComputationId add = builder.scalar_computation(Opcode::Add, blocks.type());
  const Array coordinates = column_coordinates(builder, window.first, window.second);
  return builder.add(
      Opcode::Scatter, {builder.filled(blocks.type(), sizes, 0), coordinates, blocks},
      [&](ir::Module &m, ir::InstructionId id) {
        m.set_numbers(id, AttributeKey::UpdateWindowDims, {0, 1});
        m.set_numbers(id, AttributeKey::InsertedWindowDims, spatial);
        m.set_numbers(id, AttributeKey::ScatterDimsToOperandDims, spatial);
        m.set_number(id, AttributeKey::IndexVectorDim, 2 * std::ssize(image));
      },
      std::span(&add, 1));
}

// Returns the image of blocks by sums, one dimension after the other, which are fast for short blocks.
Array add_columns(Array blocks, const WindowDimensions &window, Span image) {
  for (std::size_t i = image.size(); i-- > 0;) {
    // The blocks are [batch, channels, block 0 to i, number of blocks 0 to i, image from i + 1 on].
    const auto within = static_cast<std::int64_t>(2 + i), along = static_cast<std::int64_t>(2 + 2 * i);
    const std::int64_t count = blocks.size(along + 1);
    const std::int64_t dilated = count == 0 ? 0 : (count - 1) * window[i].stride + 1;
    Array sum;
    for (std::int64_t k = 0; k < window[i].size; ++k) {
      const Array part = squeeze(slice(blocks, within, k, k + 1), Integers{within});
      std::vector<ir::PaddingDimension> padding(part.rank());
      if (!part.is_valid()) {
        return part;
      }
      const std::int64_t low = k * window[i].rhs_dilate - window[i].pad_low;
      padding[static_cast<std::size_t>(along)] = {low, image[i] - dilated - low, window[i].stride - 1};
      const Array placed = pad(part, number(0, part), padding);
      sum = sum ? sum + placed : placed;
    }
    blocks = sum;
  }
  return blocks;
}

// --- DeformConv ---

// The sizes of a deformable convolution: x is [batch, offset_groups * channels, elements], the result
// [batch, output channels, outputs], where elements and outputs may have several dimensions.
struct Deformation {
  std::int64_t batch = 0, channels = 0, elements = 0, offset_groups = 0, kernel = 0, outputs = 0;
  Integers sizes;              // of the image
  Integers output_sizes = {};  // of the result
  WindowDimensions window;
};

// Where the image is read, and what is multiplied by what is there: [batch, offset groups, kernel, outputs, 2, ..., 2],
// with one dimension of size 2 for the two neighbors in each dimension of the image.
struct Samples {
  Array index, weight;
};

// Returns the coordinates of the window's elements without offsets along a spatial dimension: [kernel, outputs].
Array regular_coordinates(GraphBuilder &builder, const Deformation &d, std::size_t dimension, ElementType type) {
  Integers sizes;
  for (const ir::WindowDimension &window : d.window) {
    sizes.push_back(window.size);
  }
  sizes.insert(sizes.end(), d.output_sizes.begin(), d.output_sizes.end());
  const ir::WindowDimension &window = d.window[dimension];
  const auto within = static_cast<std::int64_t>(dimension);
  const auto output = static_cast<std::int64_t>(d.window.size() + dimension);
  const Array result = builder.iota(type, sizes, output) * static_cast<double>(window.stride) +
                       builder.iota(type, sizes, within) * static_cast<double>(window.rhs_dilate) -
                       static_cast<double>(window.pad_low);
  return reshape(result, {d.kernel, d.outputs});
}

// Returns the places of linear interpolation. Neighbors outside of the image have the weight 0.
Samples deformed_samples(const Array &offset, const Deformation &d) {
  GraphBuilder &builder = offset.builder();
  const auto count = static_cast<std::int64_t>(d.window.size());
  const Array offsets = reshape(offset, {d.batch, d.offset_groups, d.kernel, count, d.outputs});
  const ElementType index_type = d.elements <= max_window_number ? ElementType::S32 : ElementType::S64;
  Samples result;
  for (std::size_t i = 0; i < d.window.size(); ++i) {
    const auto number_of = static_cast<std::int64_t>(i);
    Integers sizes = {d.batch, d.offset_groups, d.kernel, d.outputs};
    const Array moved =
        reshape(slice(offsets, 3, number_of, number_of + 1), sizes) + regular_coordinates(builder, d, i, offset.type());
    sizes.resize(4 + d.window.size(), 1);
    const Array position = reshape(moved, sizes);
    Integers neighbor_sizes(4 + d.window.size(), 1);
    neighbor_sizes[4 + i] = 2;
    const Array at = floor(position) + builder.iota(offset.type(), neighbor_sizes, 4 + number_of);
    const double last = static_cast<double>(d.sizes[i]) - 1;
    const Array weight = select((at >= 0) && (at <= last), 1 - abs(position - at), 0);
    const Array index = convert(clamp(number(0, at), at, number(last, at)), index_type);
    result.index = i == 0 ? index : result.index * static_cast<double>(d.sizes[i]) + index;
    result.weight = i == 0 ? weight : result.weight * weight;
  }
  return result;
}

// Returns what the window's elements see: [batch, offset groups * channels, kernel, outputs].
Array sampled(const Array &x, const Samples &samples, const Deformation &d) {
  const std::int64_t neighbors = std::int64_t{1} << d.window.size();
  const std::int64_t batches = ir::product(Integers{d.batch, d.offset_groups});
  const std::int64_t places = ir::product(Integers{d.kernel, d.outputs});
  const Array image = reshape(x, {batches, d.channels, d.elements});
  const Array index = reshape(samples.index, {batches, ir::product(Integers{places, neighbors})});
  const Array values = x.builder().add(Opcode::Gather, {image, index}, [&](ir::Module &m, ir::InstructionId id) {
    m.set_numbers(id, AttributeKey::OffsetDims, {1});
    m.set_numbers(id, AttributeKey::CollapsedSliceDims, {2});
    m.set_numbers(id, AttributeKey::StartIndexMap, {2});
    m.set_number(id, AttributeKey::IndexVectorDim, 2);
    m.set_numbers(id, AttributeKey::SliceSizes, {1, d.channels, 1});
    m.set_numbers(id, AttributeKey::OperandBatchingDims, {0});
    m.set_numbers(id, AttributeKey::StartIndicesBatchingDims, {0});
  });
  const Array weighted = reshape(values, {batches, d.channels, places, neighbors}) *
                         reshape(samples.weight, {batches, 1, places, neighbors});
  return reshape(reduce_sum(weighted, Integers{3}, KeepSizes::No),
                 {d.batch, d.offset_groups * d.channels, d.kernel, d.outputs});
}

// Returns the sizes; nothing and an error if inputs and attributes do not agree.
std::optional<Deformation> deformation(const Node &node, const Array &x, const Array &filter, const Array &offset) {
  const auto sizes = spatial_sizes(node, x);
  const auto kernel = sizes ? kernel_sizes(node, filter, sizes->size()) : std::nullopt;
  const auto window = kernel ? spatial_window(node, *sizes, *kernel, false) : std::nullopt;
  const std::int64_t groups = window ? group_count(node, "offset_group", {x.size(1)}) : 0;
  if (groups == 0) {
    return {};
  }
  Deformation result = {.batch = x.size(0),
                        .channels = x.size(1) / groups,
                        .elements = ir::product(*sizes),
                        .offset_groups = groups,
                        .kernel = ir::product(*kernel),
                        .sizes = *sizes,
                        .window = window->dimensions};
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    const ir::WindowDimension &dimension = window->dimensions[i];
    const std::int64_t room =
        (*sizes)[i] + dimension.pad_low + dimension.pad_high - (dimension.size - 1) * dimension.rhs_dilate - 1;
    result.output_sizes.push_back(room < 0 ? 0 : room / dimension.stride + 1);
  }
  result.outputs = ir::product(result.output_sizes);
  Integers expected = {result.batch, ir::product(Integers{groups, result.kernel, std::ssize(*sizes)})};
  expected.insert(expected.end(), result.output_sizes.begin(), result.output_sizes.end());
  if (offset.sizes() != expected) {
    node.fail("the offset is {}, expected [{}]", ir::to_string(offset.shape()), fmt::join(expected, ","));
    return {};
  }
  return result;
}

}  // namespace

Values lower_conv(const Node &node) {
  const Array x = node.input(0), filter = node.input(1);
  const auto sizes = spatial_sizes(node, x);
  const auto kernel = sizes ? kernel_sizes(node, filter, sizes->size()) : std::nullopt;
  const auto window = kernel ? spatial_window(node, *sizes, *kernel, false) : std::nullopt;
  if (!window) {
    return {};
  }
  return {with_bias(node, convolution(x, filter, window->dimensions, node.integer("group", 1)), 2)};
}

Values lower_conv_transpose(const Node &node) {
  const Array x = node.input(0), filter = node.input(1);
  const auto sizes = spatial_sizes(node, x);
  const auto kernel = sizes ? kernel_sizes(node, filter, sizes->size()) : std::nullopt;
  const auto window = kernel ? transposed_window(node, *sizes, *kernel) : std::nullopt;
  const std::int64_t groups = window ? group_count(node, "group", {x.size(1), filter.size(0)}) : 0;
  if (groups == 0) {
    return {};
  }
  return {with_bias(node, convolution(x, transposed_filter(filter, groups), *window, groups), 2)};
}

// Samples the image at places that are moved by offsets, with linear interpolation, and multiplies by the filter.
Values lower_deform_conv(const Node &node) {
  const Array x = node.input(0), filter = node.input(1);
  const ElementType type = compute_type(x.type());
  const Array offset = convert(node.input(2), type);
  const auto sizes = deformation(node, x, filter, offset);
  const std::int64_t groups = sizes ? group_count(node, "group", {x.size(1), filter.size(0)}) : 0;
  if (groups == 0) {
    return {};
  }
  Samples samples = deformed_samples(offset, *sizes);
  if (node.has_input(4)) {
    Integers mask_sizes = {sizes->batch, sizes->offset_groups, sizes->kernel, sizes->outputs};
    mask_sizes.resize(4 + sizes->window.size(), 1);
    samples.weight = samples.weight * reshape(convert(node.input(4), type), mask_sizes);
  }
  const Array values = sampled(convert(x, type), samples, *sizes);
  const std::int64_t terms = ir::product(Integers{x.size(1) / groups, sizes->kernel});
  const std::int64_t outputs = filter.size(0) / groups;
  const Array result = dot(reshape(convert(filter, type), {groups, outputs, terms}),
                           reshape(values, {sizes->batch, groups, terms, sizes->outputs}), {{0}, {1}, {2}, {2}});
  Integers result_sizes = {sizes->batch, filter.size(0)};
  result_sizes.insert(result_sizes.end(), sizes->output_sizes.begin(), sizes->output_sizes.end());
  return {with_bias(node, convert(reshape(transpose(result, {2, 0, 1, 3}), result_sizes), x.type()), 3)};
}

// Adds up the elements of blocks where they lie in the image: [batch, channels * block, blocks] -> image.
Values lower_col2im(const Node &node) {
  if (node.value(0).has_texts()) {
    return node.unsupported("texts are not added");
  }
  const Array x = node.input(0);
  const Integers image = node.known_integers(1), block = node.known_integers(2);
  const auto window = column_window(node, image, block);
  const std::int64_t elements = ir::product(block);
  if (!window || x.rank() != 3 || elements < 1 || x.size(1) % elements != 0) {
    return node.fail("the input is {}, expected [batch, channels * {}, blocks]", ir::to_string(x.shape()), elements);
  }
  Integers sizes = {x.size(0), x.size(1) / elements};
  sizes.insert(sizes.end(), block.begin(), block.end());
  sizes.insert(sizes.end(), window->second.begin(), window->second.end());
  const Array blocks = reshape(convert(x, compute_type(x.type())), sizes);
  std::int64_t terms = 0;
  for (const std::int64_t size : block) {
    terms += size;
  }
  const bool is_short = terms <= max_added_columns;
  return {convert(is_short ? add_columns(blocks, window->first, image) : scatter_columns(blocks, *window, image),
                  x.type())};
}

}  // namespace bp::import::onnx
