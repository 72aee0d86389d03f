// Programs that are large enough to be timed, and what a run of them has to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/module.h"

namespace bp::conformance {

struct PerformanceProgram {
  std::string name;                  // the op, and which of its programs: "reduce.rows"
  std::string text;                  // HLO; perhaps not valid for the element type
  double operations_per_result = 0;  // for each element of the result; 0: elements are moved, not computed with
  bool reads_a_part = false;         // of an operand, as much as the result has
};

// One program per op where there is one, some with several; of arrays of about a million elements if elementwise.
std::vector<std::string> timed_op_names();
Result<PerformanceProgram> op_program(std::string_view name, ir::ElementType type);

// [size,size] times [size,size]; integers add up in s32.
PerformanceProgram dot_program(ir::ElementType type, std::int64_t size);
// `length` elementwise instructions, one after the other; multiply and add in turn, with a second array.
PerformanceProgram chain_program(ir::ElementType type, std::int64_t size, std::int64_t length);
// One elementwise instruction on `size` elements; for devices that have few, there are several to try, the commonest first.
std::vector<PerformanceProgram> simple_programs(ir::ElementType type, std::int64_t size);
// Moves memory and computes next to nothing: several to try.
std::vector<PerformanceProgram> memory_programs(ir::ElementType type, std::int64_t size);

// Bytes of parameters and result, an array, and the operations of a run.
struct Work {
  double bytes = 0, operations = 0;
};
Work work_of(const ir::Module &module, const PerformanceProgram &program);

}  // namespace bp::conformance
