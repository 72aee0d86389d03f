// The values of tensors as files of MLIR bytecode store them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo::bytecode {

// `bytes`: the elements, low byte first, in row-major order; narrow types take a byte each. One element stands for all.
// Elements of i1 are packed, eight in a byte, or take a byte each in old files.
Result<Elements> read_elements(const Type &type, std::string_view bytes);

// Converts the bits of a number to a double; `type`: one of floats.
double real_of(ir::ElementType type, std::uint64_t bits);

// Returns the bytes that read_elements() reads. Elements of i1 are packed.
std::string element_bytes(const Elements &elements);

// Returns the bits of a number, which is a flag, an integer or a real number, in the type; nothing if it is something
// else. Unused bits are zero.
std::optional<std::uint64_t> bits_of(ir::ElementType type, const Attribute &number);

}  // namespace bp::import::stablehlo::bytecode
