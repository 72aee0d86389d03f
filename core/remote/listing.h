// Listing: a call in readable form, and the comparison of two outcomes of a call.
#pragma once

#include <string>
#include <vector>

#include "core/remote/wire.h"

namespace bp::remote {

// An input or an output of a call.
struct Item {
  std::string name;   // "instruction", "result add.3"; may be empty
  std::string value;  // "12", "yes"
  bool is_compared = true;
  // The bytes of an array, which stand instead of `value`. `dtype` and `element_bits` are those of bp_shape.
  Bytes array = {};
  std::uint16_t dtype = 0;
  std::uint32_t element_bits = 0;

  std::string to_string() const;
};

struct Listing {
  std::vector<Item> inputs, outputs;

  void in(std::string name, std::string value) { inputs.push_back({std::move(name), std::move(value)}); }
  void out(std::string name, std::string value, bool is_compared = true) {
    outputs.push_back({std::move(name), std::move(value), is_compared});
  }
};

// Returns the differences between the outputs, one line each, and no more than a few.
std::vector<std::string> compare(const Listing &recorded, const Listing &came);

}  // namespace bp::remote
