// Checks that an image of a package is one that a program can be made of.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/host/image.h"
#include "core/package/index.h"

namespace bp::package {

// Checks what validate_image() and verify_image() check, that the image is final, that the entry takes and returns the
// shapes of the index in inputs and outputs, and that every value of a control computation has as much memory as its
// shape needs. The bytes are aligned to 64. InvalidInput says what does not fit.
Status check_image(std::span<const std::byte> bytes, const ProgramEntry &program);

// Checks that the device has the memory spaces and the opset of the image, which check_image() has accepted.
Status check_device(const bp_module_t *image, const host::Device &device);

// Returns the shape of each constant allocation, as an instruction that defines it has it; an invalid shape for other
// allocations.
std::vector<ir::Shape> constant_shapes(const bp_module_t *image);

}  // namespace bp::package
