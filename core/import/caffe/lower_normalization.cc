// Layers that normalize.
#include <algorithm>

#include "core/import/array/image.h"
#include "core/import/array/normalization.h"
#include "core/import/array/support.h"
#include "core/import/caffe/lower.h"

namespace bp::import::caffe {
namespace {

// Returns the mean of squares in a square window around each element, of which the padding counts.
Array mean_square_within(const Array &x, std::int64_t size) {
  WindowDimensions window;
  for (std::int64_t dimension = 2; dimension < 4; ++dimension) {
    window.push_back({.size = size, .pad_low = (size - 1) / 2, .pad_high = (size - 1) / 2});
  }
  return window_sum(squared(x), window) / static_cast<double>(size * size);
}

// Returns the sum of squares of `size` channels around each one.
Array sum_square_across(const Array &x, std::int64_t size) {
  WindowDimensions window(x.rank());
  // Beyond the channels there is nothing: a window need not be larger than all of them.
  const std::int64_t reach = std::min((size - 1) / 2, std::max<std::int64_t>(x.size(1) - 1, 0));
  window[1] = {.size = 2 * reach + 1, .pad_low = reach, .pad_high = reach};
  return reduce_window(Opcode::Add, number(0, x), squared(x), window);
}

}  // namespace

// The weights are the sums of the means and variances of training, and the factor that they are to be divided by.
// http://caffe.berkeleyvision.org/tutorial/layers/batchnorm.html
Arrays lower_batch_norm(const Layer &layer) {
  const Array &x = layer.bottom();
  if (x.rank() < 1) {
    return layer.fail("the bottom is a scalar, expected an array");
  }
  const std::int64_t channels = x.rank() == 1 ? 1 : x.size(1);
  const double epsilon = layer.parameters().real("eps", 1e-5);
  Integers sizes(x.rank(), 1);
  if (x.rank() > 1) {
    sizes[1] = channels;
  }
  if (!layer.parameters().flag("use_global_stats", true)) {
    Integers dimensions = dimensions_from(0, x.rank());
    if (x.rank() > 1) {
      dimensions.erase(dimensions.begin() + 1);
    }
    const auto [mean, variance] = moments(x, dimensions);
    return {(x - mean) / sqrt(variance + epsilon)};
  }
  if (!layer.has_blobs(3)) {
    return {};
  }
  const Array divisor = layer.blob(2, Integers{1});
  // A factor of 0 is that of a net that was not trained: then mean and variance are 0.
  const Array scale = select(divisor == 0, number(0, x), 1 / divisor);
  const Array mean = layer.blob(0, Integers{channels}) * scale, variance = layer.blob(1, Integers{channels}) * scale;
  return {(x - reshape(mean, sizes)) / reshape(sqrt(variance + epsilon), sizes)};
}

// http://caffe.berkeleyvision.org/tutorial/layers/lrn.html. Within a channel, k is not used: Caffe computes it by a
// layer Power with the shift 1.
Arrays lower_lrn(const Layer &layer) {
  const Array &x = layer.bottom();
  const std::int64_t size = layer.integer("local_size", 5, 1);
  const Message &parameters = layer.parameters();
  const double alpha = parameters.real("alpha", 1), beta = parameters.real("beta", 0.75);
  if (size % 2 == 0) {
    return layer.fail_in("local_size", fmt::format("local_size is {}, expected an odd number", size));
  }
  if (x.rank() != 4) {
    return layer.fail(fmt::format("the bottom is {}, expected 4 dimensions", sizes_text(x.sizes())));
  }
  const bool is_within = parameters.integer("norm_region") == 1;
  const Array base = is_within
                         ? mean_square_within(x, size) * alpha + 1
                         : sum_square_across(x, size) * (alpha / static_cast<double>(size)) + parameters.real("k", 1);
  return {x * power(base, number(-beta, base))};
}

// http://caffe.berkeleyvision.org/tutorial/layers/mvn.html
Arrays lower_mvn(const Layer &layer) {
  const Array &x = layer.bottom();
  const std::int64_t first = layer.parameters().flag("across_channels", false) ? 1 : 2;
  if (x.rank() < 2) {
    return layer.fail(fmt::format("the bottom is {}, expected at least 2 dimensions", sizes_text(x.sizes())));
  }
  const Integers dimensions = dimensions_from(first, x.rank() - static_cast<std::size_t>(first));
  const auto [mean, variance] = moments(x, dimensions);
  if (!layer.parameters().flag("normalize_variance", true)) {
    return {x - mean};
  }
  return {(x - mean) / (sqrt(variance) + layer.parameters().real("eps", 1e-9))};
}

// Divides by the Euclidean norm, and multiplies by weights: NormalizeBBoxParameter of the branch of SSD.
Arrays lower_normalize(const Layer &layer) {
  const Array &x = layer.bottom();
  const Message &parameters = layer.parameters();
  if (x.rank() < 2 || !layer.has_blobs(1)) {
    return layer.fail(fmt::format("the bottom is {}, expected at least 2 dimensions", sizes_text(x.sizes())));
  }
  const std::size_t count = parameters.flag("across_spatial", true) ? x.rank() - 1 : 1;
  const Array norm =
      sqrt(reduce_sum(squared(x), dimensions_from(1, count), KeepSizes::Yes) + parameters.real("eps", 1e-10));
  const bool is_shared = parameters.flag("channel_shared", true);
  const Array weights = layer.blob(0, is_shared ? Integers{} : Integers{x.size(1)});
  return {x / norm * (is_shared ? weights : per_channel(weights, x))};
}

// http://caffe.berkeleyvision.org/tutorial/layers/softmax.html
Arrays lower_softmax(const Layer &layer) {
  const Array &x = layer.bottom();
  const std::int64_t axis = layer.axis("axis", 1, x.rank());
  return layer.has_failed() ? Arrays{} : Arrays{softmax_over(x, Integers{axis})};
}

}  // namespace bp::import::caffe
