// Between literals and buffers, the only place where they meet. A literal is dense and row-major; a buffer follows the
// layout of a shape: its minor-to-major order, its tiles and its stored element width, packed elements low bits first.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/result.h"
#include "core/ir/literal.h"

namespace bp::ir {

// Bits an element of this array takes in a buffer.
std::int64_t stored_element_bits(const Shape &array);

// True if the buffer of this array holds the very bytes of the literal.
bool is_stored_as_literal(const Shape &array);

// Writes the literal, of the sizes and element type of `shape`, into a buffer of shape.byte_size() bytes. Padding
// becomes zero. A dynamic dimension takes its bound.
void store(const Literal &literal, const Shape &shape, std::span<std::byte> buffer);

// Reads a buffer of shape.byte_size() bytes. Fails only with OutOfMemory.
Result<Literal> load(std::span<const std::byte> buffer, const Shape &shape);
// As above, into a literal that has the shape already.
void load(std::span<const std::byte> buffer, const Shape &shape, Literal &literal);

}  // namespace bp::ir
