// The functions whose precision is measured, each with a reference for its result.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/check/exact_functions.h"
#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::precision {

using conformance::Number;

struct Function {
  std::string name;          // name of the op, or of chlo's operation
  std::string_view program;  // HLO or StableHLO text with the fields {name}, {from}, {to} and {count}
  int operands = 1;
  // Maximum deviation of a result from the correctly rounded one, in representable values of their type.
  int budget = 1;
  // Relative error bound of `unary` and `binary`; 0: rounding their result gives the correctly rounded result.
  double error = 0;
  // References for arguments of all float types except f64.
  double (*unary)(double x) = nullptr;
  double (*binary)(double x, double y) = nullptr;
  // Whether it is monotonically increasing: a property of the results of two arguments then holds for all between them.
  bool is_monotone = false;
  // References where `error` is not 0: with a hundred digits, as conformance::ExactFunction, for finite arguments; may
  // throw a std::exception.
  Number (*exact_unary)(const Number &x) = nullptr;
  Number (*exact_binary)(const Number &x, const Number &y) = nullptr;

  bool is_exact() const { return error == 0; }
  // Returns a module that applies the function to `count` arguments.
  Result<ir::Module> module(ir::ElementType from, ir::ElementType to, std::int64_t count) const;
};

// Returns all ops of the op table that take floats and return a float, and the functions that chlo adds. Internal if an
// op of the table is missing here.
Result<std::vector<Function>> functions();
// Returns the conversion of a float to another type: "convert".
Function conversion();

// Rewrites the functions of a module as for devices that support neither them nor f64: with complex-expansion and
// function-expansion.
Status expand_functions(ir::Module &module);

}  // namespace bp::precision
