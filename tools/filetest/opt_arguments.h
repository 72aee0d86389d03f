// The arguments of file tests of kind `opt`: passes, and settings for them.
//   // test: opt PASS,PASS SETTING...
// Settings are
//   rematerialization=BYTES    the pass of that name, with this limit of memory
//   fused-constant-bytes=N     size above which constants are moved out of fusions
//   refuses=NAME,NAME          a device that runs every instruction except those with one of these opcodes, or with one
//                              of these element types among the operands and results; it has no f64 if f64 is listed
//   layout=PLACE:LAYOUT        a device that needs a layout, for the first pass: of the result of the instruction
//                              PLACE, or of an operand, as in layout=y/0:{0,1} for operand 0 of y
//   layout=PLACE:LAYOUT:GAIN   the same of a device that saves GAIN nanoseconds with that layout, at 10 bytes read or
//                              written per nanosecond
// Without `refuses` there is no device to ask, and passes expand all that they can.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/passes/pipeline.h"

namespace bp::filetest {

struct OptArguments {
  std::vector<passes::Pass> passes;
  passes::PassContext context;
};

// `module`: the program, whose instructions the settings name.
Result<OptArguments> read_opt_arguments(std::string_view text, const ir::Module &module);

}  // namespace bp::filetest
