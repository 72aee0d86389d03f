// Declarations of the functions that lower layers, from the rows of layers.def.
#pragma once

#include "core/import/caffe/layer.h"

namespace bp::import::caffe {

#define BP_CAFFE_LAYER(type, v1_name, v1_number, bottoms, tops, parameters, function) \
  Arrays lower_##function(const Layer &layer);
#define BP_CAFFE_DATA(type, v1_name, v1_number)
#define BP_CAFFE_LOSS(type, v1_name, v1_number)
#include "core/import/caffe/layers.def"

}  // namespace bp::import::caffe
