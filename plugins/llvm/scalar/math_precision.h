// The arithmetic in which functions of f32 are computed.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "plugins/llvm/scalar/expression.h"

namespace bp::emit {

// avoid_f64() makes the f32 functions of math.h in this module use f32 arithmetic only, as suits GPUs, most of which
// have one f64 unit for 32 or 64 f32 units. In other modules many of them compute in f64.
void avoid_f64(llvm::Module &module);
bool avoids_f64(const llvm::IRBuilderBase &builder);

// Applies an f64 function to values of both types: f32 is computed in f64, so that only the error of the last rounding
// is left, or by a function of its own if f64 is avoided.
using FloatFunction = Expression (*)(const Expression &);
inline llvm::Value *of_both(llvm::IRBuilderBase &builder, llvm::Value *value, FloatFunction of_f64,
                            FloatFunction of_f32_alone) {
  const Expression x(builder, value);
  if (x.is_f64()) {
    return of_f64(x).value();
  }
  return avoids_f64(builder) ? of_f32_alone(x).value() : of_f64(x.to_f64()).to_f32().value();
}
using FloatFunctionOfTwo = Expression (*)(const Expression &, const Expression &);
inline llvm::Value *of_both(llvm::IRBuilderBase &builder, llvm::Value *x_value, llvm::Value *y_value,
                            FloatFunctionOfTwo of_f64, FloatFunctionOfTwo of_f32_alone) {
  const Expression x(builder, x_value), y(builder, y_value);
  if (x.is_f64()) {
    return of_f64(x, y).value();
  }
  return avoids_f64(builder) ? of_f32_alone(x, y).value() : of_f64(x.to_f64(), y.to_f64()).to_f32().value();
}

}  // namespace bp::emit
