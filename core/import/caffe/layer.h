// A layer of the net, as the functions that lower layers see it: its bottoms as arrays, its parameters and its weights.
// An error is one of the builder (core/import/array/array.h), and the caller goes on with an array that is not valid.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/import/array/array.h"
#include "core/import/caffe/net.h"

namespace bp::import::caffe {

// Layers are lowered to arithmetic on arrays, whose names are used as if they were of this room.
using namespace array;

// The largest size, stride, dilation or padding: products of two fit.
inline constexpr std::int64_t max_number = 0x7fffffff;

class Layer {
 public:
  // `parameters`: the name of the field that has them. `blobs`: its weights, BlobProto. All must outlive the layer.
  Layer(GraphBuilder &builder, const LayerProto &proto, std::string_view parameters, Arrays bottoms,
        const std::vector<Message> &blobs, std::string weights_file)
      : builder_(builder),
        proto_(proto),
        parameters_(proto.message.part(parameters)),
        bottoms_(std::move(bottoms)),
        blobs_(blobs),
        weights_file_(std::move(weights_file)) {}

  GraphBuilder &builder() const { return builder_; }
  const LayerProto &proto() const { return proto_; }
  std::string description() const;  // for messages: Convolution "conv1"

  // Keep an error about this layer, or about a field of its parameters. Return no arrays.
  Arrays fail(std::string message) const;
  Arrays fail_in(std::string_view field, std::string message) const;
  Arrays unsupported_in(std::string_view field, std::string message) const;
  bool has_failed() const { return builder_.has_failed(); }

  const Array &bottom(std::size_t i = 0) const { return bottoms_[i]; }
  const Arrays &bottoms() const { return bottoms_; }
  std::size_t top_count() const { return proto_.message.texts("top").size(); }
  const Message &parameters() const { return parameters_; }
  std::size_t blob_count() const { return blobs_.size(); }

  // Checks that there are so many blobs of weights.
  bool has_blobs(std::size_t count) const;
  // Returns a blob, which must have these sizes: so as Caffe compares them, in four dimensions if the file says so.
  Array blob(std::size_t i, Span sizes) const;

  // Return a parameter, which must be in this range; `least` and an error otherwise.
  std::int64_t integer(std::string_view name, std::int64_t if_absent, std::int64_t least,
                       std::int64_t most = max_number) const;
  std::int64_t positive(std::string_view name) const;  // which must be there
  // Returns a parameter that names an axis of an array of this rank, of which negative ones count from the end. With
  // `End::Allowed` it may also be the rank.
  enum class End { Refused, Allowed };
  std::int64_t axis(std::string_view name, std::int64_t if_absent, std::size_t rank, End end = End::Refused) const;

 private:
  GraphBuilder &builder_;
  const LayerProto &proto_;
  const Message &parameters_;
  Arrays bottoms_;
  const std::vector<Message> &blobs_;
  std::string weights_file_;
};

// Returns "[2,3]".
std::string sizes_text(Span sizes);

}  // namespace bp::import::caffe
