// Partition: which parts of a program run on the device, and in which order with what the host runs.
//
// Phases alternate: host, device, host, device ... An instruction goes into the first phase of its kind that is not
// before the phase of anything it depends on: operands, control predecessors, and the last instruction with side
// effects if it has some itself. All of the device's instructions of one phase make one part. As phases only grow along
// dependencies, every part is convex, and their number is the least that the longest chain allows. Linear.
#pragma once

#include <vector>

#include "core/ir/module.h"

namespace bp::compile {

// Where an instruction of the entry computation runs.
enum class Place : std::uint8_t {
  Device,
  Host,
  // Parameters, constants, tuples only name values. get-tuple-element is where its operand is; so is bitcast, but on
  // the host if that is nowhere.
  Nowhere,
};

struct Part {
  Place place = Place::Host;                    // Device: instructions form one program; Host: one after the other
  std::vector<ir::InstructionId> instructions;  // in the module's order; Host: also those of place Nowhere
};

// Whether it takes or gives a token, which cannot leave a program.
bool touches_token(ir::Instruction instruction);

// `on_device`: by instruction id, whether the device runs it; read only for instructions of the entry computation that
// do something. Instructions that touch tokens run on the host unless all run on the device. The parts are in an order
// in which they can run.
std::vector<Part> partition(const ir::Module &module, const std::vector<bool> &on_device);

// A part as a module of its own, whose parameters are the values it needs, and whose root is the tuple of the values
// that others need.
struct Extract {
  ir::Module module;
  std::vector<ir::InstructionId> inputs;   // by parameter number: the instruction of the original
  std::vector<ir::InstructionId> outputs;  // by element of the root
};
Extract extract(const ir::Module &module, const Part &part, const std::vector<bool> &available);

}  // namespace bp::compile
