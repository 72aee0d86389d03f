// A general dot as a contraction: any number of batch, free and contracted dimensions in any layout.
#pragma once

#include "plugins/llvm/contraction/contraction.h"
#include "plugins/llvm/contraction/contraction_kernel.h"

namespace bp::emit {

struct DotDimension {
  int64_t size = 1;
  int64_t lhs_stride = 0;  // in elements; zero if the operand does not have the dimension
  int64_t rhs_stride = 0;
  int64_t out_stride = 0;
};

// out[batch, lhs_free, rhs_free] = sum over contracted of lhs[batch, lhs_free, contracted] * rhs[batch, contracted,
// rhs_free]. An empty contraction stores zeros; if another dimension has size zero, the kernel has no items.
struct Dot {
  std::vector<DotDimension> batch;
  std::vector<DotDimension> lhs_free;
  std::vector<DotDimension> rhs_free;
  std::vector<DotDimension> contracted;
  ContractionTypes types;
  Epilogue epilogue;
};

Contraction contraction_of(const Dot &dot);
Kernel emit_dot(llvm::Module &module, const std::string &name, const VectorTarget &target, const Dot &dot);

}  // namespace bp::emit
