// Options of an import of a Caffe net.
#pragma once

#include <string>
#include <vector>

#include "core/ir/shape.h"

namespace bp::import::caffe {

struct Options {
  std::string file;  // for messages
  // Shapes of the inputs, in order; invalid ones are those that the net states.
  std::vector<ir::Shape> shapes = {};
  std::vector<std::string> *warnings = nullptr;  // are appended; not owned
  std::string weights_file = {};                 // for messages; empty: there is none
};

}  // namespace bp::import::caffe
