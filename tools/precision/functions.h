// The functions whose precision is measured, each with what it should give.
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
  std::string name;          // of the op, or of chlo's operation
  std::string_view program;  // HLO or StableHLO text with the fields {name}, {from}, {to} and {count}
  int operands = 1;
  // What results may be off by, in values of their type between them and the correctly rounded one.
  int budget = 1;
  // Of what `unary` and `binary` give, relative; 0: what the correctly rounded result is rounded from.
  double error = 0;
  // For arguments of all floats but f64.
  double (*unary)(double x) = nullptr;
  double (*binary)(double x, double y) = nullptr;
  // Ascends where arguments do, so that what two of them have in common all between them have.
  bool is_monotone = false;
  // If there is an error. In a hundred digits, as conformance::ExactFunction: for finite arguments, may throw a
  // std::exception.
  Number (*exact_unary)(const Number &x) = nullptr;
  Number (*exact_binary)(const Number &x, const Number &y) = nullptr;

  bool is_exact() const { return error == 0; }
  // The function of `count` arguments.
  Result<ir::Module> module(ir::ElementType from, ir::ElementType to, std::int64_t count) const;
};

// Every op of floats with a float as the result, by the op table, and the functions that chlo adds. Internal if the op
// table has one that nothing is known about here.
Result<std::vector<Function>> functions();
// Of a float to another type: "convert".
Function conversion();

// Rewrites the functions of a module as devices get them that lack them and f64: by complex-expansion and
// function-expansion.
Status expand_functions(ir::Module &module);

}  // namespace bp::precision
