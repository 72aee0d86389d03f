// Conversion between literals and buffers; the only code that knows both. A literal is dense and row-major; a buffer
// follows the layout of a shape: its minor-to-major order, its tiles and its stored element width. Packed elements
// begin at the low bits.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/result.h"
#include "core/ir/literal.h"

namespace bp::ir {

// Returns the number of bits that an element of this array takes in a buffer.
std::int64_t stored_element_bits(const Shape &array);

// Whether the buffer of this array has exactly the bytes of the literal.
bool is_stored_as_literal(const Shape &array);

// Writes the literal, which has the sizes and element type of `shape`, into a buffer of shape.byte_size() bytes.
// Padding is set to zero. Dynamic dimensions have their bound as size.
void store(const Literal &literal, const Shape &shape, std::span<std::byte> buffer);

// Reads a literal from a buffer of shape.byte_size() bytes. Fails only with OutOfMemory.
Result<Literal> load(std::span<const std::byte> buffer, const Shape &shape);
// Same as above, into an existing literal of this shape.
void load(std::span<const std::byte> buffer, const Shape &shape, Literal &literal);

}  // namespace bp::ir
