// Models cut into programs: they use a device as real workloads do, and each piece is small enough that a wrong result
// shows where it comes from. A value that one piece computes and another needs becomes a parameter of the other.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/compile/partition.h"
#include "core/ir/module.h"

namespace bp::conformance {

struct Model {
  std::string name;  // file name without its folder and extension
  ir::Module module;
};

// Returns the models embedded in this executable, verified.
const std::vector<Model> &sample_models();
// Reads and verifies a model file.
Result<Model> read_model(const std::string &path);

// Cuts the entry computation, from front to back, into parts of at least `size` instructions that compute something. No
// tuple or token made in one part is needed by another: a tuple is taken apart in the part that makes it.
std::vector<compile::Part> cut(const ir::Module &model, std::size_t size);
// Returns one of these parts as a program whose results are a tuple.
compile::Extract extract_piece(const ir::Module &model, const std::vector<compile::Part> &parts, std::size_t index);

}  // namespace bp::conformance
