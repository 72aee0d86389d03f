// How messages show arrays and programs: shortened, so that a message can be read, and with what is needed to see why
// an element is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::conformance {

// Returns the first elements with their shape: "f32[67] {1, -0, inf, and 64 more}". Tuples in parentheses.
std::string shortened(const ir::Literal &literal, std::size_t most = 8);

// Returns an element as messages print it. `offset`: as of interpreter::index_of(). Empty if there is none.
std::string element_at(const ir::Literal &array, std::int64_t offset);

// An element that differs from the expected one.
struct Deviation {
  std::vector<std::int64_t> output;  // index of its array in the tuple; empty if the result is one array
  std::int64_t offset = 0;
  std::vector<std::int64_t> index;
  std::string found, expected;
  double ulp = 0;  // distance in units in the last place of the type; of integers, their difference
};
// Returns the elements that differ most, the worst first. The shapes have to be the same.
std::vector<Deviation> worst_elements(const ir::Literal &found, const ir::Literal &expected, std::size_t most);

// Returns the elements of the arguments from which the element at this offset of the result was computed, as far as
// they lie at the same offset: "p0 = 1.5, p1 = -0"; the whole arguments, shortened, if shapes differ.
std::string operands_at(const ir::Module &module, std::span<const ir::Literal> arguments, std::int64_t offset);

// Returns the program as HLO text without its origins; long constants are elided.
std::string text_of(const ir::Module &module);

// Returns the message of a program of one instruction whose result is wrong: what is wrong, the operands there, and the
// program. `offset`: of the wrong element, if one is known.
std::string describe_failure(std::string mismatch, const ir::Module &module, std::span<const ir::Literal> arguments,
                             std::optional<std::int64_t> offset);

}  // namespace bp::conformance
