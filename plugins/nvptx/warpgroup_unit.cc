#include "plugins/nvptx/warpgroup_unit.h"

namespace bp::nvptx {

SliceDescriptors slice_descriptors(llvm::IRBuilderBase &b, llvm::Value *offset, bool has_contracted_lines) {
  SliceDescriptors descriptors;
  for (std::size_t step = 0; step < gpu::steps_of_slice; ++step) {
    const gpu::SliceLayout layout = gpu::slice_layout(step, has_contracted_lines);
    const SliceDescriptor fields = {.start = layout.start, .leading = layout.leading, .stride = layout.stride};
    descriptors[step] = b.CreateAdd(b.CreateLShr(offset, 4), b.getInt64(fields.bits()));
  }
  return descriptors;
}

}  // namespace bp::nvptx
