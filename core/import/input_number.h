// Inputs of a program that the caller names.
#pragma once

#include <string>

#include "core/base/result.h"

namespace bp::import {

// Returns the number of an input, given by its name, as x or %x, or its number. `inputs`: a range of structs with a
// name.
template <class Inputs>
Result<std::size_t> input_number(const Inputs &inputs, const std::string &wanted, const std::string &file) {
  std::string names;
  std::size_t number = 0;
  for (const auto &input : inputs) {
    if (input.name == wanted || "%" + input.name == wanted || std::to_string(number) == wanted) {
      return number;
    }
    names += (names.empty() ? "" : ", ") + input.name;
    ++number;
  }
  return invalid_input("{}: the input \"{}\" is given, expected one of {}", file, wanted, names);
}

}  // namespace bp::import
