// Nets of Caffe (NetParameter of caffe.proto) as modules: read by the phase TEST, with their weights as constants.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/import/caffe/options.h"
#include "core/ir/module.h"

namespace bp::import::caffe {

// Whether a file is a net, as text or as bytes, judging by its first fields.
bool is_caffe(std::string_view bytes);

// Reads and verifies a net. `bytes`: text (.prototxt) or bytes (.caffemodel). `weights`: the bytes of a .caffemodel
// whose layers of the same names have the weights; empty if there is none. Parameters are the inputs of the net, by
// name; the result is what no layer uses, a tuple if that are several arrays. Errors: InvalidInput, Unsupported, both
// with the place.
Result<ir::Module> read(std::string_view bytes, std::string_view weights, const Options &options);

struct InputInfo {
  std::string name;
  ir::Shape shape;  // invalid: the net does not state it
};

// Returns the inputs of a net, as it states them.
Result<std::vector<InputInfo>> inputs(std::string_view bytes, const Options &options);

// Returns the names of the layers that need weights and have none in the net itself.
Result<std::vector<std::string>> layers_without_weights(std::string_view bytes, const Options &options);

// Returns whether a net has weights for all of these layers.
bool has_weights(std::string_view bytes, const std::vector<std::string> &layers);

}  // namespace bp::import::caffe
