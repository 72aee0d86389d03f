// Builds models field by field, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/import/protobuf/tests/fields.h"

namespace bp::import::onnx::testing {

using protobuf::Writer, protobuf::testing::bytes, protobuf::testing::varint;

inline constexpr std::int64_t float_type = 1, int64_type = 7, string_type = 8;

// ValueInfoProto of an array of these sizes; a negative size is open and has the name n.
inline std::string value(std::string_view name, std::initializer_list<std::int64_t> sizes,
                         std::int64_t type = float_type) {
  std::string dims;
  for (const std::int64_t size : sizes) {
    dims += bytes(1, size < 0 ? bytes(2, "n") : varint(1, size));
  }
  return bytes(1, name) + bytes(2, bytes(1, varint(1, type) + bytes(2, dims)));
}

inline std::string node(std::string_view operation, std::initializer_list<std::string_view> inputs,
                        std::initializer_list<std::string_view> outputs, std::string_view attributes = {}) {
  std::string text;
  for (const std::string_view input : inputs) {
    text += bytes(1, input);
  }
  for (const std::string_view output : outputs) {
    text += bytes(2, output);
  }
  return bytes(1, text + bytes(4, operation) + std::string(attributes));
}

inline std::string integer_attribute(std::string_view name, std::int64_t number) {
  return bytes(5, bytes(1, name) + varint(3, number) + varint(20, 2));
}

// A model with x: f32[2,3], and the output y of the same sizes.
inline std::string model(std::string_view nodes, std::string_view rest = {}, std::int64_t version = 17,
                         std::initializer_list<std::int64_t> sizes = {2, 3}) {
  return varint(1, 8) + bytes(8, varint(2, version)) +
         bytes(7, std::string(nodes) + bytes(2, "g") + bytes(11, value("x", sizes)) + bytes(12, value("y", sizes)) +
                      std::string(rest));
}

// A one-dimensional initializer of int64.
inline std::string initializer(std::string_view name, std::initializer_list<std::int64_t> elements) {
  Writer list;
  list.integers({7, {}}, std::vector<std::int64_t>(elements));
  return bytes(
      5, varint(1, static_cast<std::int64_t>(elements.size())) + varint(2, int64_type) + bytes(8, name) + list.take());
}

}  // namespace bp::import::onnx::testing
