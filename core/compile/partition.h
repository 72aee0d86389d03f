// Partition: determines which parts of a program run on the device, and their order with the parts that the host runs.
//
// Phases alternate: host, device, host, device ... An instruction goes into the first phase of its kind that is not
// before the phase of anything it depends on: operands, control predecessors, and, if it has side effects, the last
// instruction with side effects. All device instructions of one phase form one part. Because phases never decrease
// along dependencies, every part is convex, and the number of parts is the minimum that the longest chain allows.
// Linear.
#pragma once

#include <vector>

#include "core/ir/module.h"

namespace bp::compile {

// Where an instruction of the entry computation runs.
enum class Placement : std::uint8_t {
  Device,
  Host,
  // Parameters, constants and tuples only name values. get-tuple-element is where its operand is; so is bitcast, but on
  // the host if its operand is Nowhere.
  Nowhere,
};

struct Part {
  Placement placement = Placement::Host;  // Device: instructions form one program; Host: they run one after another
  std::vector<ir::InstructionId> instructions;  // in the module's order; Host: including those of placement Nowhere
};

// Whether it has a token as operand or result; tokens cannot leave a program.
bool uses_token(ir::Instruction instruction);

// `on_device`: by instruction id, whether the device runs it; read only for instructions of the entry computation that
// do something. Instructions with tokens run on the host unless all instructions run on the device. Returns the parts
// in an order in which they can run.
std::vector<Part> partition(const ir::Module &module, const std::vector<bool> &on_device);

// A part as a separate module, whose parameters are the values it needs, and whose root is the tuple of the values that
// others need.
struct Extract {
  ir::Module module;
  std::vector<ir::InstructionId> inputs;   // by parameter number: the instruction in the original module
  std::vector<ir::InstructionId> outputs;  // by element of the root: the same
};
Extract extract(const ir::Module &module, const Part &part, const std::vector<bool> &available);

}  // namespace bp::compile
