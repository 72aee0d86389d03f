// Models, cut into programs: what they do to a device is what people will do to it, and each is small enough that a wrong
// result says where it comes from. What one piece makes and another needs, the other is given as a parameter.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/compile/partition.h"
#include "core/ir/module.h"

namespace bp::conformance {

struct Model {
  std::string name;  // of the file, without its folder and extension
  ir::Module module;
};

// Part of this executable, verified.
const std::vector<Model> &sample_models();
// Of a file, verified.
Result<Model> read_model(const std::string &path);

// The entry computation from front to back, in parts of `size` instructions that do something, or more: no tuple and no
// token that one of them makes is needed by another, and a tuple is taken apart where it is made.
std::vector<compile::Part> cut(const ir::Module &model, std::size_t size);
// One of these parts as a program; its results are a tuple.
compile::Extract extract_piece(const ir::Module &model, const std::vector<compile::Part> &parts, std::size_t index);

}  // namespace bp::conformance
