// A net as it is stored: NetParameter, as text (.prototxt) or as bytes (.caffemodel).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/caffe/message.h"

namespace bp::import::caffe {

// LayerParameter, or V1LayerParameter.
struct LayerProto {
  std::string name, type;  // the type as in LayerParameter, also of V1; the number if V1 has none of that number
  Message message;
  // The first thing in it that does not fit caffe.proto: an error once it is clear that the layer is needed and its
  // type known.
  std::optional<Error> problem;
};

// Refers to its own members: it stays where it is.
struct Net {
  Net() = default;
  Net(const Net &) = delete;

  Origin origin;
  Message message;  // NetParameter, without its layers
  std::vector<LayerProto> layers;
};

}  // namespace bp::import::caffe
