// Reads the value of a constant of a given shape: 42, {1,2}, { { nan, -inf }, { 1e-3, 2 } }, (1, -2) for a complex
// number, ( {1}, 2 ) for a tuple, {...} for an elided literal.
#pragma once

#include "core/ir/literal.h"
#include "core/text/token_reader.h"

namespace bp::text {

// State shared by the literals of one text.
struct LiteralContext {
  // Whether a literal may have run-time sizes, as printed results have them: "size 2: {1, 2}" for f32[<=8]. The sizes
  // may be left out, and are then those that the elements show.
  bool has_run_time_sizes = false;
  std::uint64_t seed = 0;  // for the values that fill elided literals
  // Bytes that elided literals may still allocate: a short text must not cause arbitrarily large allocations.
  std::int64_t elided_bytes_left = std::int64_t{1} << 30;
  std::vector<std::string> *warnings = nullptr;
  const std::vector<ir::Literal> *elided = nullptr;  // if set, the values of elided literals in order; not owned
  std::size_t next_elided = 0;
};

Result<ir::Literal> read_literal(TokenReader &reader, const ir::Shape &shape, LiteralContext &context);

// Reads the value of a constant: a literal, or for an array a single value. XLA takes a single value as the first
// element and sets the others to zero; a warning is given unless all elements are zero.
Result<ir::Literal> read_constant(TokenReader &reader, const ir::Shape &shape, LiteralContext &context);

}  // namespace bp::text
