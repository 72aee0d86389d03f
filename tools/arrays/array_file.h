// Files that hold the arguments of a run, and those that keep its results: .npy and .npz of NumPy, a TensorProto (.pb)
// as ONNX's test data, the bytes of the elements (.bin, .raw), or a literal in HLO's notation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ir/literal.h"

namespace bp::arrays {

// The files that were named as inputs, with the parameters that they are for.
class InputFiles {
 public:
  // One input: a file, NAME=FILE for the parameter of that name or number, or an archive (.npz), whose arrays are for
  // the parameters of their names, or if these are arr_0, arr_1, ..., for the parameters in this order.
  // Files without a name are for the parameters in this order.
  static Result<InputFiles> read(const std::vector<std::string> &inputs);

  std::size_t size() const { return inputs_.size(); }
  // Returns the number of the input for a parameter; nothing if there is none.
  std::optional<std::size_t> find(std::size_t parameter, const std::string &name) const;
  // Returns the name that was given for an input, but that no parameter has; empty if there is none.
  std::string find_surplus(const std::vector<std::string> &parameter_names) const;
  // Returns the value of an input as an argument of this shape.
  Result<ir::Literal> value(std::size_t input, const ir::Shape &shape) const;
  // Returns the sizes of an input of this rank, as far as the file shows them.
  Result<std::vector<std::int64_t>> sizes(std::size_t input, const ir::Shape &shape) const;

 private:
  struct Input {
    std::string parameter;  // name or number; empty: by order
    std::string file;       // for messages
    std::string bytes;
  };
  std::vector<Input> inputs_;
};

// Writes the results of a run: as .npz with their names, or as .npy if there is one and the file ends so.
Status write_results(const std::string &file, const ir::Literal &result, const std::vector<std::string> &names);

}  // namespace bp::arrays
