#include "plugins/nvptx/warpgroup_unit.h"

namespace bp::nvptx {

using Unit = emit::WarpgroupUnit;

SliceDescriptors slice_descriptors(llvm::IRBuilderBase &b, llvm::Value *offset, bool has_contracted_lines) {
  constexpr std::uint64_t lines_bytes = Unit::lines_together * Unit::line_bytes;
  // Within lines along the contracted axis; or to other lines, of 16 elements of two bytes.
  const std::uint64_t step = has_contracted_lines ? Unit::line_bytes / steps_of_slice : 16 * Unit::line_bytes;
  const std::uint64_t leading = has_contracted_lines ? 0 : Unit::block_bytes;
  SliceDescriptors descriptors;
  for (std::uint64_t i = 0; i < steps_of_slice; ++i) {
    const SliceDescriptor fields = {.start = i * step, .leading = leading, .stride = lines_bytes};
    descriptors[i] = b.CreateAdd(b.CreateLShr(offset, 4), b.getInt64(fields.bits()));
  }
  return descriptors;
}

}  // namespace bp::nvptx
