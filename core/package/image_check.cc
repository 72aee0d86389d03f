#include "core/package/image_check.h"

#include "core/host/image_leaves.h"
#include "core/ir/storage.h"

namespace bp::package {
namespace {

std::string with_layout(const ir::Shape &shape) {
  return to_string(shape, ir::PrintLayout::Always);
}

// Whether the image's value is a buffer of this shape. Memory spaces are not part of an image's shapes.
bool is_buffer_of(plugin::Value value, const ir::Shape &shape) {
  const ir::Shape found = host::read_shape(value.shape());
  if (!same(found, shape, ir::CompareLayout::No)) {
    return false;
  }
  return !shape.is_array() || (found.layout().minor_to_major == shape.layout().minor_to_major &&
                               found.layout().tiles == shape.layout().tiles && found.byte_size() == shape.byte_size());
}

Status check_values(std::string_view what, plugin::ModuleView view, plugin::Views<plugin::Value> values,
                    std::span<const host::Leaf> leaves) {
  if (values.size() != leaves.size()) {
    return invalid_input("its image has {} {}, but the index has {}", values.size(), what, leaves.size());
  }
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const plugin::Value value = values[i];
    const ir::Shape &shape = *leaves[i].shape;
    if (!is_buffer_of(value, shape)) {
      return invalid_input("number {} of the {} has shape {} in its image, but {} in the index", i, what,
                           with_layout(host::read_shape(value.shape())), with_layout(shape));
    }
    if (!shape.is_array()) {
      continue;
    }
    const std::uint16_t kind = view.allocations()[value.allocation()].kind;
    if (kind != BP_ALLOC_INPUT && kind != BP_ALLOC_OUTPUT) {
      return invalid_input("number {} of the {} is in an allocation of kind {}, expected an input or output", i, what,
                           kind);
    }
  }
  return {};
}

Status check_slices(plugin::ModuleView view) {
  for (const plugin::Computation computation : view.computations()) {
    if (computation.is_embedded()) {
      continue;
    }
    for (const plugin::Instruction instruction : computation.instructions()) {
      for (const plugin::Value value : instruction.results()) {
        const ir::Shape shape = host::read_shape(value.shape());
        if (shape.is_array() && (!value.has_slice() || value.size() != static_cast<std::uint64_t>(shape.byte_size()))) {
          return invalid_input("a value of {} has {} bytes of memory, expected {} for {}", instruction.index(),
                               value.has_slice() ? value.size() : 0, shape.byte_size(), with_layout(shape));
        }
      }
    }
  }
  return {};
}

void append(const ir::Shape &shape, std::vector<host::Leaf> &leaves) {
  const std::vector<host::Leaf> more = host::leaves_of(shape).leaves;
  leaves.insert(leaves.end(), more.begin(), more.end());
}

}  // namespace

Status check_image(std::span<const std::byte> bytes, const ProgramEntry &program) {
  BP_TRY(host::validate_image(bytes));
  const auto *image = reinterpret_cast<const bp_module_t *>(bytes.data());
  BP_TRY(host::verify_image(image));
  if (image->stage != BP_STAGE_FINAL) {
    return invalid_input("its image is of stage {}, expected {}, the final one", image->stage, +BP_STAGE_FINAL);
  }
  const plugin::ModuleView view(image);
  BP_TRY(check_slices(view));
  std::vector<host::Leaf> parameters, results;
  for (const ir::Shape &shape : program.parameters) {
    append(shape, parameters);
  }
  append(program.result, results);
  BP_TRY(check_values("parameters", view, view.entry().parameters(), parameters));
  return check_values("results", view, view.entry().roots(), results);
}

Status check_device(const bp_module_t *image, const host::Device &device) {
  if (image->opset > device.description().opset) {
    return unsupported("its image has opset {}, but backend {} knows opsets up to {}: take a newer one", image->opset,
                       device.id(), device.description().opset);
  }
  const std::uint64_t spaces = device.memory() == nullptr ? 1 : device.memory()->space_count;
  for (const bp_allocation_t &allocation : plugin::ModuleView(image).allocations()) {
    if (allocation.space >= spaces) {
      return invalid_input("its image uses memory space {}, but backend {} has {}", allocation.space, device.id(),
                           spaces);
    }
  }
  for (const plugin::Instruction instruction : plugin::ModuleView(image).instructions()) {
    if (instruction.is_host_call() && device.host_call_kinds() == 0) {
      return invalid_input("{} of its image calls the application, but backend {} does not have {}", instruction.name(),
                           device.id(), BP_EXT_HOST_CALL);
    }
  }
  return {};
}

std::vector<ir::Shape> constant_shapes(const bp_module_t *image) {
  const plugin::ModuleView view(image);
  std::vector<ir::Shape> shapes(view.allocations().size());
  for (const plugin::Instruction instruction : view.instructions()) {
    if (instruction.op() != BP_OP_CONSTANT || !instruction.result().has_slice()) {
      continue;
    }
    ir::Shape &shape = shapes[instruction.result().allocation()];
    if (!shape.is_valid()) {
      shape = host::read_shape(instruction.result().shape());
    }
  }
  return shapes;
}

}  // namespace bp::package
