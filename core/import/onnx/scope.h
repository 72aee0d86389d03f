// The names that the nodes of a graph see.
#pragma once

#include <map>
#include <string_view>
#include <unordered_map>

#include "core/import/onnx/model.h"
#include "core/import/onnx/value.h"

namespace bp::import::onnx {

// The values that the nodes of a graph can name.
struct Scope {
  const Scope *outer = nullptr;  // of the same computation
  const OperatorSets *operator_sets = nullptr;
  std::unordered_map<std::string_view, Value> values = {};
  std::unordered_map<std::string_view, const Tensor *> tensors = {};  // constants that nothing has used so far
  // Values of the attributes that nodes refer to, in the body of a function.
  std::map<std::string_view, const Attribute *> attributes = {};
};

}  // namespace bp::import::onnx
