// Dataflow: determines which value each array of the program is. Ops that only forward (tuple, get-tuple-element,
// bitcast, opt-barrier, add-dependency, domain, call, parameters of control computations) make no values: their
// positions show the value of their source. A while makes a value for each element of its state that the body changes,
// at its result and at the parameters of condition and body; a conditional makes one where its branches differ. Every
// other instruction makes a value per array, a reshape too: where it moves no data, the pass bitcast-recognition has
// turned it into a bitcast.
//
// Computations are walked once, callees first; a callee's parameters get values of their own that are merged into the
// caller's operands when the call is reached. Near linear.
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/buffers/positions.h"

namespace bp::buffers {

enum class ValueId : std::uint32_t {};
inline constexpr ValueId no_value{0xffffffff};
constexpr std::uint32_t index(ValueId id) {
  return static_cast<std::uint32_t>(id);
}

// An array that some instruction writes, or that exists from the start.
struct Value {
  // Instruction that makes it; the value of a while's state is also shown at parameters.
  ir::InstructionId instruction = ir::no_instruction;
  std::uint32_t position = 0;  // position in the instruction's shape
  std::int64_t size = 0;       // bytes
  std::int64_t memory_space = 0;
};

class Dataflow {
 public:
  // Requires a verified module whose control computations are each called from one place (the pass flatten_call_graph)
  // and that has no asynchronous ops; otherwise fails with InvalidInput or Unsupported. The result refers to the
  // module.
  static Result<Dataflow> analyze(const ir::Module &module);

  const ir::Module &module() const { return *module_; }
  const PositionTable &positions() const { return positions_; }
  std::span<const Value> values() const { return values_; }
  const Value &value(ValueId id) const { return values_[index(id)]; }
  ir::Instruction instruction(ValueId id) const { return module_->instruction(value(id).instruction); }

  // Returns the value shown at a position; no_value for tuples, tokens and instructions outside control computations.
  ValueId value_at(ir::InstructionId instruction, std::size_t position) const {
    return shown_[positions_.first(instruction) + position];
  }
  // The values of an instruction's arrays, in the order of ShapePositions::leaves.
  std::vector<ValueId> leaf_values(ir::InstructionId instruction) const;

  // Returns the entry and all computations it reaches through while, conditional and call: callees before callers.
  std::span<const ir::ComputationId> control_computations() const { return control_computations_; }
  // Returns the instruction that calls a control computation; no_instruction for the entry and all other computations.
  ir::InstructionId caller(ir::ComputationId computation) const { return callers_[index(computation)]; }

 private:
  friend class DataflowBuilder;
  Dataflow(const ir::Module &module, PositionTable positions) : module_(&module), positions_(std::move(positions)) {}

  const ir::Module *module_;
  PositionTable positions_;
  std::vector<Value> values_;
  std::vector<ValueId> shown_;  // by position
  std::vector<ir::ComputationId> control_computations_;
  std::vector<ir::InstructionId> callers_;  // by ComputationId
};

// Whether the result of an instruction is its operand's bytes unchanged, or a rearrangement of tuples: no code runs.
bool is_forwarding(ir::Instruction instruction);

// Returns "add.3{1,0}": an instruction's name and, if its result is a tuple, the index of the part.
std::string describe(ir::Instruction instruction, std::size_t position);
std::string describe(const Dataflow &dataflow, ir::Instruction instruction, std::size_t position);
std::string describe(const Dataflow &dataflow, ValueId value);

}  // namespace bp::buffers
