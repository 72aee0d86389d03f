// Options of an import of an ONNX model.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/ir/literal.h"

namespace bp::import::onnx {

// The kinds of inputs and outputs. In a program, an element of a sequence is a parameter or result of its own, and an
// optional value is one or none.
enum class Form { Array, Sequence, Optional, OptionalSequence };

// The length of an optional value that is absent.
inline constexpr std::int64_t absent = -1;

struct Options {
  std::string file;  // for messages; files of weights lie in its folder
  // If set, owns the bytes of the model, and the module may keep views into them in place of copies.
  std::shared_ptr<const void> owner = {};
  // Shapes of the parameters, in order; invalid ones are not given.
  std::vector<ir::Shape> shapes = {};
  // Elements of parameters, by number. Used only if sizes depend on them: then the program is for these elements.
  std::map<std::size_t, ir::Literal> values = {};
  // Numbers of elements of inputs that are sequences, by the number of the input; or `absent`. The parameters above are
  // these elements.
  std::map<std::size_t, std::int64_t> lengths = {};
  // If set, receives the numbers of the parameters whose elements were used. Not owned.
  std::vector<std::size_t> *used = nullptr;
  // If set, receives the number of elements of each output: 1 of an array, or `absent`. Not owned.
  std::vector<std::int64_t> *result_lengths = nullptr;
};

}  // namespace bp::import::onnx
