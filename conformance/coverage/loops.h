// Loops: ways to count, bodies, and numbers of iterations, in any combination. Devices take some loops for counted
// ones, unroll or repeat bodies several at a time, keep small states in registers, and must see which loops are none of
// these.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::coverage {

// How a loop counts its iterations.
struct Counting {
  std::string_view name;       // "down-to-zero"
  std::string_view state;      // "i=0 j={2n}": counters and their start values; "i=?": a parameter, which is n
  std::string_view condition;  // HLO that ends with the condition; `#` is the counters' type
  std::string_view body;       // HLO that computes i.next, and so on
  std::int64_t max_iterations = 1 << 12;
};

// The values that a loop computes beside its counters.
struct LoopBody {
  std::string_view name;            // "fibonacci"
  std::string_view state;           // "a:$[]:b": elements of the state, their shapes, and what they become
  std::string_view text;            // HLO; `at` is the iteration's first counter as s32, `number` the same as `$`
  std::string_view functions = {};  // what the text calls
  std::int64_t max_iterations = 1 << 13;
  bool multiplies = false;  // so that only integers stay exact
};

std::span<const Counting> countings();
std::span<const LoopBody> loop_bodies();
// Numbers of iterations: few, and next to those at which devices divide long loops.
std::span<const std::int64_t> iteration_counts();

struct Loop {
  const Counting *counting = nullptr;
  const LoopBody *body = nullptr;
  std::int64_t iterations = 0;
  ir::ElementType counter = ir::ElementType::S32, element = ir::ElementType::S32;
  bool counts_last = false;  // the counters are the last elements of the state, not the first ones
};

// Whether the counters' type has all numbers of the loop, and the body stays exact.
bool is_valid(const Loop &loop);
// Returns the program, verified: its result is the last state. Requires is_valid().
Result<ir::Module> program_of(const Loop &loop);
// Returns the parameter that has to be the number of iterations, if there is one.
std::optional<std::size_t> limit_parameter(const Loop &loop);

}  // namespace bp::coverage
