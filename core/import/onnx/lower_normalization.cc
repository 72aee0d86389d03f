// Operators that normalize, and losses.
#include <algorithm>
#include <cmath>

#include "core/import/array/normalization.h"
#include "core/import/onnx/lower.h"
#include "core/import/onnx/spatial_window.h"

namespace bp::import::onnx {
namespace {

using ir::AttributeKey;

// Returns the dimensions [first, last).
Integers normalized_range(std::int64_t first, std::size_t last) {
  Integers dimensions;
  for (std::int64_t i = first; i < static_cast<std::int64_t>(last); ++i) {
    dimensions.push_back(i);
  }
  return dimensions;
}

// --- Softmax ---

// Returns the dimensions over which softmax normalizes.
Integers softmax_dimensions(const Node &node, const Array &x) {
  const bool is_flat = node.version() < 13;
  if (x.rank() == 0) {
    return {};
  }
  const std::int64_t axis = node.dimension(node.integer("axis", is_flat ? 1 : -1), x.rank());
  // Up to version 12, the dimensions from the axis on are joined.
  return is_flat ? normalized_range(axis, x.rank()) : Integers{axis};
}

// --- Batches ---

// Whether batches are normalized by their own mean and variance.
bool is_batch_training(const Node &node) {
  if (node.version() >= 14) {
    return node.flag("training_mode");
  }
  // From version 7 on, a model for training is one that asks for the mean.
  return node.version() < 7 ? !node.flag("is_test") : node.has_output(1);
}

// Returns all dimensions but that of the channels; all of one dimension, which has one channel.
Integers dimensions_but_channels(std::size_t rank) {
  Integers dimensions = normalized_range(0, rank);
  if (rank > 1) {
    dimensions.erase(dimensions.begin() + 1);
  }
  return dimensions;
}

// --- Losses ---

// Returns x[n, labels[n, ...], ...] for x of [batch, classes, ...]. Labels that are out of range, which may be those
// that are ignored, stand for the first or last class.
Array at_labels(const Node &node, const Array &x, const Array &labels) {
  Integers expected = x.sizes();
  if (expected.size() >= 2) {
    expected.erase(expected.begin() + 1);
  }
  if (x.rank() < 2 || labels.sizes() != expected || x.size(1) == 0) {
    node.fail("the labels are {} for scores of {}", ir::to_string(labels.shape()), ir::to_string(x.shape()));
    return {&node.builder(), ir::no_instruction};
  }
  const Array flat = flatten(x, 2, std::ssize(expected) + 1);
  const Array index = reshape(labels, {flat.size(0), flat.size(2)});
  const Array chosen = x.builder().add(Opcode::Gather, {flat, index}, [&](ir::Module &m, ir::InstructionId id) {
    m.set_numbers(id, AttributeKey::OffsetDims, {});
    m.set_numbers(id, AttributeKey::CollapsedSliceDims, {1});
    m.set_numbers(id, AttributeKey::StartIndexMap, {1});
    m.set_number(id, AttributeKey::IndexVectorDim, 2);
    m.set_numbers(id, AttributeKey::SliceSizes, {1, 1, 1});
    m.set_numbers(id, AttributeKey::OperandBatchingDims, {0, 2});
    m.set_numbers(id, AttributeKey::StartIndicesBatchingDims, {0, 1});
  });
  return reshape(chosen, expected);
}

// Returns the loss of samples whose labels have these logarithms of probabilities: with weights per class, 0 for labels
// that are ignored, and the mean or the sum, as attributes say.
Array label_loss(const Node &node, const Array &logarithms, const Array &labels, std::int64_t classes) {
  const std::string_view reduction = node.text("reduction", "mean");
  if (reduction != "none" && reduction != "mean" && reduction != "sum") {
    node.fail("reduction is \"{}\", expected none, mean or sum", reduction);
  }
  Array loss = -logarithms, weights;
  if (const Array given = node.optional_input(2)) {
    const Array vector = convert(reshape(given, {classes}), loss.type());
    weights = vector.is_valid() ? take(vector, labels, 0) : vector;
    loss = loss * weights;
  }
  if (node.has("ignore_index")) {
    const Array ignored = labels == number(static_cast<double>(node.integer("ignore_index")), labels);
    loss = select(ignored, 0, loss);
    weights = weights ? select(ignored, 0, weights) : select(ignored, number(0, loss), number(1, loss));
  }
  if (reduction == "none") {
    return loss;
  }
  const Integers all = normalized_range(0, loss.rank());
  if (reduction == "mean" && !weights.is_present()) {
    return reduce_mean(loss, all, KeepSizes::No);
  }
  const Array sum = reduce_sum(loss, all, KeepSizes::No);
  return reduction == "sum" ? sum : sum / reduce_sum(weights, all, KeepSizes::No);
}

}  // namespace

Values lower_softmax(const Node &node) {
  const Array x = node.input(0);
  return {softmax_over(x, softmax_dimensions(node, x))};
}
Values lower_log_softmax(const Node &node) {
  const Array x = node.input(0);
  return {convert(log_softmax_over(convert(x, compute_type(x.type())), softmax_dimensions(node, x)), x.type())};
}

Values lower_batch_normalization(const Node &node) {
  const Array x = node.input(0);
  const ElementType type = compute_type(x.type());
  const Array wide = convert(x, type);
  // Before version 9, each element of an image may have a mean of its own.
  const bool is_spatial = node.version() >= 9 || node.flag("spatial", true);
  const Integers reduced = is_spatial ? dimensions_but_channels(x.rank()) : Integers{0};
  const auto vector = [&](std::size_t input) {
    const Array array = convert(node.input(input), type);
    return is_spatial ? per_channel(array, x) : array;
  };
  const Array scale = vector(1), bias = vector(2);
  Moments used = {vector(3), vector(4)};
  Values results = {Value()};
  if (is_batch_training(node)) {
    const Moments running = used, batch = moments(wide, reduced);
    const auto output = [&](const Array &array, std::size_t input) {
      return convert(reshape(array, node.input(input).sizes()), node.input(input).type());
    };
    used = {reshape(batch.mean, running.mean.sizes()), reshape(batch.variance, running.variance.sizes())};
    const double momentum = node.real("momentum", 0.9F);
    results.push_back(output(running.mean * momentum + used.mean * (1 - momentum), 3));
    results.push_back(output(running.variance * momentum + used.variance * (1 - momentum), 4));
    results.push_back(output(used.mean, 3));
    results.push_back(output(used.variance, 4));
  }
  // One product and one sum for each element: the rest is computed on the vectors.
  const Array factor = scale / sqrt(used.variance + node.real("epsilon", 1e-5F));
  results[0] = convert(wide * factor + (bias - used.mean * factor), x.type());
  return results;
}

Values lower_instance_normalization(const Node &node) {
  const Array x = node.input(0);
  const Array wide = convert(x, compute_type(x.type()));
  const auto [mean, variance] = moments(wide, normalized_range(2, x.rank()));
  const auto vector = [&](std::size_t input) { return per_channel(convert(node.input(input), wide.type()), x); };
  const Array factor = vector(1) / sqrt(variance + node.real("epsilon", 1e-5F));
  return {convert((wide - mean) * factor + vector(2), x.type())};
}

Values lower_group_normalization(const Node &node) {
  const Array x = node.input(0);
  const std::int64_t groups = node.integer("num_groups");
  if (x.rank() < 2 || groups < 1 || x.size(1) % groups != 0) {
    return node.fail("num_groups is {} for {}, expected a divisor of dimension 1", groups, ir::to_string(x.shape()));
  }
  const std::int64_t members = x.size(1) / groups;
  const Array wide = convert(x, compute_type(x.type()));
  Integers split = x.sizes();
  split[1] = groups;
  split.insert(split.begin() + 2, members);
  const auto vector = [&](std::size_t input) {
    const Array array = convert(node.input(input), wide.type());
    // In version 18 there is one number per group, later one per channel.
    Integers sizes(split.size() - 1, 1);
    sizes[0] = groups;
    sizes[1] = node.version() < 21 ? 1 : members;
    return reshape(array, sizes);
  };
  const Array grouped = reshape(wide, split);
  const auto [mean, variance] = moments(grouped, normalized_range(2, split.size()));
  const Array factor = vector(1) / sqrt(variance + node.real("epsilon", 1e-5F));
  return {convert(reshape((grouped - mean) * factor + vector(2), x.shape().sizes()), x.type())};
}

Values lower_layer_normalization(const Node &node) {
  const Array x = node.input(0);
  const ElementType stash = node.element_type("stash_type", ElementType::F32);
  const Array wide = convert(x, compute_type(stash));
  const Integers reduced = normalized_range(node.dimension(node.integer("axis", -1), x.rank()), x.rank());
  const auto [mean, variance] = moments(wide, reduced);
  const Array inverse = 1 / sqrt(variance + node.real("epsilon", 1e-5F));
  const ElementType type = compute_type(x.type());
  const auto operand = [&](std::size_t input) { return broadcast_to(convert(node.input(input), type), x.sizes()); };
  Array result = convert((wide - mean) * inverse, type) * operand(1);
  if (node.has_input(2)) {
    result = result + operand(2);
  }
  return {convert(result, x.type()), convert(mean, stash), convert(inverse, stash)};
}

Values lower_rms_normalization(const Node &node) {
  const Array x = node.input(0), scale = node.input(1);
  const Array wide = convert(x, compute_type(node.element_type("stash_type", ElementType::F32)));
  const Integers reduced = normalized_range(node.dimension(node.integer("axis", -1), x.rank()), x.rank());
  const Array mean = reduce_mean(squared(wide), reduced, KeepSizes::Yes);
  const Array normalized = wide / sqrt(mean + node.real("epsilon", 1e-5F));
  const ElementType type = compute_type(scale.type());
  const Array factor = broadcast_to(convert(scale, type), x.sizes());
  return {convert(convert(normalized, type) * factor, scale.type())};
}

Values lower_mean_variance_normalization(const Node &node) {
  const Array x = node.input(0);
  const Array wide = convert(x, compute_type(x.type()));
  const auto [mean, variance] = moments(wide, node.dimensions(node.integers("axes", {0, 2, 3}), x.rank()));
  return {convert((wide - mean) / (sqrt(variance) + 1e-9), x.type())};
}

Values lower_lp_normalization(const Node &node) {
  const Array x = node.input(0);
  const std::int64_t p = node.integer("p", 2);
  if (p != 1 && p != 2) {
    return node.fail("p is {}, expected 1 or 2", p);
  }
  const Integers axis = {node.dimension(node.integer("axis", -1), x.rank())};
  const Array wide = convert(x, compute_type(x.type()));
  const Array norm =
      p == 1 ? reduce_sum(abs(wide), axis, KeepSizes::Yes) : sqrt(reduce_sum(squared(wide), axis, KeepSizes::Yes));
  return {convert(select(norm == 0, 0, wide / norm), x.type())};
}

Values lower_lrn(const Node &node) {
  const Array x = node.input(0);
  const std::int64_t size = node.integer("size");
  if (size < 1 || x.rank() < 2) {
    return node.fail("size is {} and the image {}, expected at least 1 and batch and channels", size,
                     ir::to_string(x.shape()));
  }
  const Array wide = convert(x, compute_type(x.type()));
  WindowDimensions window(x.rank());
  const std::int64_t others = std::max<std::int64_t>(x.size(1) - 1, 0);
  window[1].pad_low = std::min((size - 1) / 2, others);
  window[1].pad_high = std::min(size - 1 - (size - 1) / 2, others);
  window[1].size = window[1].pad_low + 1 + window[1].pad_high;
  const Array sum = reduce_window(Opcode::Add, number(0, wide), squared(wide), window);
  const Array base = sum * (node.real("alpha", 1e-4F) / static_cast<double>(size)) + node.real("bias", 1);
  return {convert(wide / power(base, number(node.real("beta", 0.75), base)), x.type())};
}

Values lower_negative_log_likelihood_loss(const Node &node) {
  const Array x = node.input(0), labels = node.input(1);
  const Array chosen = convert(at_labels(node, x, labels), compute_type(x.type()));
  return {convert(label_loss(node, chosen, labels, x.size(1)), x.type())};
}
Values lower_softmax_cross_entropy_loss(const Node &node) {
  const Array x = node.input(0), labels = node.input(1);
  const Array chosen = convert(at_labels(node, x, labels), compute_type(x.type()));
  if (!chosen.is_valid()) {
    return {};
  }
  const Array wide = convert(x, chosen.type());
  const Integers classes = {1};
  const Array highest = reduce_max(wide, classes, KeepSizes::Yes);
  const Array total = log(reduce_sum(exp(wide - highest), classes, KeepSizes::Yes));
  const Array logarithms = chosen - squeeze(highest, classes) - squeeze(total, classes);
  return {convert(label_loss(node, logarithms, labels, x.size(1)), x.type()),
          convert(wide - highest - total, x.type())};
}

}  // namespace bp::import::onnx
