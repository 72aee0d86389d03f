// Functions common to many unit tests: for a value or a program that must exist, and for its content.
#pragma once

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::testing {

// Returns the error, or "" if there is none.
template <class T>
std::string error_of(const Result<T> &result) {
  return result.ok() ? std::string() : result.error().to_string();
}

inline void require_ok(const Status &status) {
  INFO((status.ok() ? std::string() : status.error().to_string()));
  REQUIRE(status.ok());
}

template <class T>
T require_value(Result<T> result) {
  INFO(error_of(result));
  REQUIRE(result.ok());
  return std::move(result).value();
}

// Parses and verifies a module.
inline ir::Module parse(std::string_view text) {
  INFO(text);
  ir::Module module = require_value(text::parse_module(text));
  require_ok(ir::verify(module));
  return module;
}

inline bool contains(const ir::Module &module, ir::Opcode opcode) {
  for (const ir::Computation computation : module.computations()) {
    for (const ir::Instruction instruction : computation.instructions()) {
      if (instruction.opcode() == opcode) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace bp::testing
