// Options of an import of an ONNX model.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ir/literal.h"

namespace bp::import::onnx {

struct Options {
  std::string file;  // for messages; files of weights lie in its folder
  // Shapes of the parameters, in order; invalid ones are not given.
  std::vector<ir::Shape> shapes = {};
  // Elements of parameters, by number. Used only if sizes depend on them: then the program is for these elements.
  std::map<std::size_t, ir::Literal> values = {};
  // If set, receives the numbers of the parameters whose elements were used. Not owned.
  std::vector<std::size_t> *used = nullptr;
};

}  // namespace bp::import::onnx
