// The layers of a net that are for TEST, and its inputs.
#pragma once

#include <string>
#include <vector>

#include "core/import/caffe/layer_table.h"
#include "core/import/caffe/net.h"
#include "core/ir/shape.h"

namespace bp::import::caffe {

struct ChosenLayer {
  const LayerProto *proto = nullptr;
  const LayerRow *row = nullptr;
};

// Returns the layers that are in the net for the phase TEST, as Net::FilterNet of Caffe chooses them. Errors: rules
// that contradict each other; types that are not imported, all at once; what does not fit caffe.proto.
Result<std::vector<ChosenLayer>> choose_layers(const Net &net);

struct Input {
  std::string name;
  ir::Shape shape;                    // f32; invalid: the net does not state it
  const LayerProto *layer = nullptr;  // that gives it; nullptr: the net states it without a layer
};

// Returns the inputs: those that the net states, the tops of Input layers, and those of layers that give data, if some
// other layer than a loss uses them.
Result<std::vector<Input>> inputs_of(const Net &net, const std::vector<ChosenLayer> &layers);

}  // namespace bp::import::caffe
