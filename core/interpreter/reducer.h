// Reducers that consist of one op, as functions on the sum type. All reductions by these ops are defined here.
#pragma once

#include "core/interpreter/complex_functions.h"
#include "core/interpreter/loops.h"

namespace bp::interpreter {

// Calls body(combine) with the function of the op on wide values; does not call it for ops that are not among them. W:
// a SumType.
template <class W, class Body>
void visit_plain_reducer(ir::Opcode opcode, Body &&body) {
  using ir::Opcode;
  if constexpr (is_complex_number<W>) {
    switch (opcode) {
      case Opcode::Add: return body([](W x, W y) { return x + y; });
      case Opcode::Multiply: return body([](W x, W y) { return W(multiply_precisely(Extended(x), Extended(y))); });
      default: return;
    }
  } else if constexpr (std::is_floating_point_v<W>) {
    switch (opcode) {
      case Opcode::Add: return body([](W x, W y) { return x + y; });
      case Opcode::Multiply: return body([](W x, W y) { return x * y; });
      case Opcode::Maximum: return body([](W x, W y) { return maximum(x, y); });
      case Opcode::Minimum: return body([](W x, W y) { return minimum(x, y); });
      default: return;
    }
  } else {
    using Bits = std::uint64_t;
    switch (opcode) {
      case Opcode::Add: return body([](W x, W y) { return static_cast<W>(Bits(x) + Bits(y)); });
      case Opcode::Multiply: return body([](W x, W y) { return static_cast<W>(Bits(x) * Bits(y)); });
      case Opcode::Maximum: return body([](W x, W y) { return maximum(x, y); });
      case Opcode::Minimum: return body([](W x, W y) { return minimum(x, y); });
      case Opcode::And: return body([](W x, W y) { return static_cast<W>(x & y); });
      case Opcode::Or: return body([](W x, W y) { return static_cast<W>(x | y); });
      case Opcode::Xor: return body([](W x, W y) { return static_cast<W>(x ^ y); });
      default: return;
    }
  }
}

}  // namespace bp::interpreter
