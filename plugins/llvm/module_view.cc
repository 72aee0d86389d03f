#include "plugins/llvm/module_view.h"

#include <algorithm>

namespace bp::emit {

bool Shape::is_array() const {
  return dtype != BP_DTYPE_TUPLE && dtype != BP_DTYPE_OPAQUE && dtype != BP_DTYPE_TOKEN && dtype != BP_DTYPE_B;
}

const Shape &InstructionView::operand_shape(std::size_t i) const {
  return module_->shape_of(operand(i));
}

const Shape &InstructionView::shape(std::size_t i) const {
  return module_->shape_of(result(i));
}

ComputationView InstructionView::called(std::size_t i) const {
  return {module_, calls()[i]};
}

plugin::Result<std::unique_ptr<ModuleView>> ModuleView::open(const bp_module_t *image) {
  std::unique_ptr<ModuleView> view(new ModuleView(image));
  for (std::uint32_t i = 0; i < image->shapes.count; ++i) {
    if (!view->add_shape(plugin::Shape(image, i))) {
      return plugin::Error(BP_INVALID, "module image: shape " + std::to_string(i) + " has more than 2^56 elements");
    }
  }
  return view;
}

plugin::Error error_at(InstructionView instruction, bp_status status, std::string_view problem) {
  return plugin::Error(status, std::string(instruction.name()) + " " + std::string(problem), instruction.id());
}

bool ModuleView::add_shape(plugin::Shape from) {
  Shape &shape = shapes_.emplace_back();
  shape.dtype = from.dtype();
  shape.element_bits = from.element_bits();
  shape.dims.assign(from.dims().begin(), from.dims().end());
  for (const std::int64_t size : shape.dims) {
    if (__builtin_mul_overflow(shape.elements, size, &shape.elements) || shape.elements > (std::int64_t{1} << 56)) {
      return false;
    }
  }
  shape.minor_to_major.assign(from.minor_to_major().begin(), from.minor_to_major().end());
  shape.strides.resize(shape.rank());
  std::uint64_t stride = 1;  // may overflow for an array without elements, whose strides nobody reads
  for (const std::int64_t dimension : shape.minor_to_major) {
    const auto d = static_cast<std::size_t>(dimension);
    shape.strides[d] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(std::max<std::int64_t>(shape.dims[d], 1));
  }
  shape.tiled = from.tile_count() != 0;
  if (from.tile_count() == 1) {
    shape.tile.assign(from.tile(0).begin(), from.tile(0).end());
  }
  return true;
}

}  // namespace bp::emit
