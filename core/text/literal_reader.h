// Reads the value of a constant, guided by its shape: 42, {1,2}, { { nan, -inf }, { 1e-3, 2 } }, (1, -2) for a complex,
// ( {1}, 2 ) for a tuple, {...} for one left out.
#pragma once

#include "core/ir/literal.h"
#include "core/text/token_reader.h"

namespace bp::text {

// What the literals of one text share.
struct LiteralContext {
  std::uint64_t seed = 0;  // of the values that fill an elided literal
  // What elided literals may still take. A text without the values must not make us allocate at its word.
  std::int64_t elided_bytes_left = std::int64_t{1} << 30;
  std::vector<std::string> *warnings = nullptr;
};

Result<ir::Literal> read_literal(TokenReader &reader, const ir::Shape &shape, LiteralContext &context);

// What a constant holds: a literal, or a single value for an array, which XLA takes for its first element; the others
// are zero. A warning is given unless all are.
Result<ir::Literal> read_constant(TokenReader &reader, const ir::Shape &shape, LiteralContext &context);

}  // namespace bp::text
