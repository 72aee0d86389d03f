// Programs that are large enough to be timed, and the work that a run of them does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/module.h"

namespace bp::conformance {

struct PerformanceProgram {
  std::string name;                  // the op, and the variant of its program: "reduce.rows"
  std::string text;                  // HLO; may be invalid for the element type
  double operations_per_result = 0;  // per element of the result; 0: elements are moved, not computed with
  bool reads_a_part = false;         // reads only as many bytes of an operand as the result has
};

// Returns the ops that can be timed: one program per op where there is one, several for some ops. Elementwise programs
// work on arrays of about a million elements.
std::vector<std::string> timed_op_names();
Result<PerformanceProgram> op_program(std::string_view name, ir::ElementType type);

// Multiplies [size,size] by [size,size]; integers are accumulated in s32.
PerformanceProgram dot_program(ir::ElementType type, std::int64_t size);
// A chain of `length` elementwise instructions, alternately multiply and add, with a second array.
PerformanceProgram chain_program(ir::ElementType type, std::int64_t size, std::int64_t length);
// One elementwise instruction on `size` elements. There are several to try, the commonest op first, for devices that
// support few.
std::vector<PerformanceProgram> simple_programs(ir::ElementType type, std::int64_t size);
// Programs that move memory and compute almost nothing; several to try.
std::vector<PerformanceProgram> memory_programs(ir::ElementType type, std::int64_t size);

// Bytes of the parameters and of the result, which is an array, and the number of operations of a run.
struct Work {
  double bytes = 0, operations = 0;
};
Work work_of(const ir::Module &module, const PerformanceProgram &program);

}  // namespace bp::conformance
