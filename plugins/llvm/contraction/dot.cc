#include "plugins/llvm/contraction/dot.h"

namespace bp::emit {

Contraction contraction_of(const Dot &dot) {
  auto axes = [](const std::vector<DotDimension> &dimensions) {
    std::vector<Axis> result;
    for (const DotDimension &dimension : dimensions) {
      result.push_back({dimension.size, dimension.lhs_stride, dimension.rhs_stride, dimension.out_stride});
    }
    return result;
  };
  Contraction contraction;
  contraction.batch = axes(dot.batch);
  contraction.lhs_free = axes(dot.lhs_free);
  contraction.rhs_free = axes(dot.rhs_free);
  contraction.contracted = axes(dot.contracted);
  contraction.types = dot.types;
  contraction.epilogue = dot.epilogue;
  return contraction;
}

Kernel emit_dot(llvm::Module &module, const std::string &name, const VectorTarget &target, const Dot &dot) {
  return emit_contractions(module, name, target, {contraction_of(dot)});
}

}  // namespace bp::emit
