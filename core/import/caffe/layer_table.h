// The table of layers (layers.def), and the functions that lower them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/import/array/array.h"

namespace bp::import::caffe {

class Layer;

// Lowers a layer; returns its tops, in order. Errors are kept by the builder. The semantics are those of the layer's
// page in Caffe's documentation, of the comments in caffe.proto, and where these leave something open, of Caffe itself.
using LowerLayer = array::Arrays (*)(const Layer &layer);

struct LayerRow {
  enum class Role { Compute, Data, Loss };
  struct Count {
    std::size_t least, most;
  };
  std::string_view type;
  std::int64_t v1_number;  // 0: there is none
  Role role;
  bool has_weights;
  Count bottoms, tops;
  std::string_view parameters;  // the field of LayerParameter; "none"
  LowerLayer lower;             // nullptr: its role is not to compute
};

std::span<const LayerRow> all_layers();
// Return the row of a type; nullptr if there is none.
const LayerRow *find_layer(std::string_view type);
const LayerRow *find_v1_layer(std::int64_t number);

}  // namespace bp::import::caffe
