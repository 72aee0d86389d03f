#include "plugins/llvm/contraction/fused_operands.h"

namespace bp::emit {

void bind_operands(Generator &generator, const KernelSite &site, std::span<llvm::Value *const> pointers) {
  for (std::size_t i = 0, next = 0; i < site.operands.size(); ++i) {
    if (site.operands[i] != nullptr) {
      generator.bind(site.instruction.operand(i), pointers[next++]);
    }
  }
  generator.bind_parameters(site.instruction.called(0), site.instruction.operands());
}

Indices indices_at(KernelBuilder &k, const Shape &shape, const Index &flat) {
  Indices indices;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    indices.push_back(k.part(flat, shape.strides[d], shape.dims[d]));
  }
  return indices;
}

}  // namespace bp::emit
