// Stores a literal in the inputs of an execution.
#pragma once

#include <cstddef>

#include "core/ir/literal.h"
#include "core/ir/storage.h"
#include "core/runtime/program.h"

namespace bp::measure {

// Stores the arrays of a literal from input number `leaf` on, and adds their number to `leaf`.
inline void store_input(const ir::Literal &literal, const runtime::Program &program, runtime::Execution &execution,
                        std::size_t &leaf) {
  if (literal.shape().is_tuple()) {
    for (const ir::Literal &element : literal.tuple_elements()) {
      store_input(element, program, execution, leaf);
    }
  } else if (literal.shape().is_array()) {
    ir::store(literal, program.inputs()[leaf].shape, execution.input(leaf));
    ++leaf;
  }
}

}  // namespace bp::measure
