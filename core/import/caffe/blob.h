// Weights: BlobProto.
#pragma once

#include "core/import/caffe/message.h"
#include "core/ir/literal.h"

namespace bp::import::caffe {

// Returns the weights as f32, with these sizes. An error if the blob has others: older files have four dimensions, of
// which the first ones may be 1, and newer ones exactly those that are expected.
Result<ir::Literal> read_blob(const Message &blob, std::span<const std::int64_t> sizes);

// Returns the sizes that a BlobShape states, each at least `least`.
Result<std::vector<std::int64_t>> read_sizes(const Message &shape, std::int64_t least);

}  // namespace bp::import::caffe
