// Values of a graph while it is imported.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/import/array/array.h"

namespace bp::import::onnx {

// Operators are lowered to arithmetic on arrays, whose names are used as if they were of this room.
using namespace array;

// An input or output of a node: an array, a sequence of values, texts, or nothing.
class Value {
 public:
  Value() = default;
  Value(Array array) : array_(array) {}
  static Value sequence(std::vector<Value> elements);
  static Value texts(std::vector<std::string_view> texts);

  bool is_present() const { return array_.is_present() || elements_ || texts_; }
  bool is_array() const { return array_.is_present(); }
  bool is_sequence() const { return elements_ != nullptr; }
  bool has_texts() const { return texts_ != nullptr; }
  const Array &array() const { return array_; }
  const std::vector<Value> &elements() const { return *elements_; }
  const std::vector<std::string_view> &texts() const { return *texts_; }

 private:
  Array array_;
  std::shared_ptr<const std::vector<Value>> elements_;
  std::shared_ptr<const std::vector<std::string_view>> texts_;
};

using Values = std::vector<Value>;

}  // namespace bp::import::onnx
