#include "core/import/onnx/value.h"

namespace bp::import::onnx {

Value Value::sequence(std::vector<Value> elements) {
  Value value;
  value.elements_ = std::make_shared<const std::vector<Value>>(std::move(elements));
  return value;
}

Value Value::texts(std::vector<std::string_view> texts) {
  Value value;
  value.texts_ = std::make_shared<const std::vector<std::string_view>>(std::move(texts));
  return value;
}

}  // namespace bp::import::onnx
