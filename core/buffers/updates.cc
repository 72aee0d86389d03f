// Repeats the steps of assign(), and for each pair that does not share a slice asks what prevents it.
#include "core/buffers/updates.h"

#include <algorithm>

#include "core/buffers/colocation.h"

namespace bp::buffers {
namespace {

using ir::Opcode;

// Returns the operands one of which an update must overwrite so that the unchanged rest need not be copied.
std::vector<OperandPart> updated_operands(ir::Instruction instruction, std::size_t position) {
  if (instruction.opcode() != Opcode::Fusion) {
    bool is_update = instruction.is(ir::Trait::InPlace) || instruction.opcode() == Opcode::CustomCall;
    return is_update ? overwritable_operands(instruction, position) : std::vector<OperandPart>();
  }
  ir::Instruction root = instruction.called(0).root();
  if (instruction.shape().is_tuple() && root.opcode() == Opcode::Tuple) {
    auto indices = instruction.shape().index_of_subshape(position);
    root = root.operand(static_cast<std::size_t>(indices.at(0)));
  }
  while (is_forwarding(root) && root.operand_count() == 1) {
    root = root.operand(0);
  }
  if (root.opcode() != Opcode::DynamicUpdateSlice && root.opcode() != Opcode::Scatter) {
    return {};
  }
  ir::Instruction updated = root.operand(0);
  while (is_forwarding(updated) && updated.operand_count() == 1) {
    updated = updated.operand(0);
  }
  if (updated.opcode() != Opcode::Parameter) {
    return {};
  }
  return {{static_cast<std::size_t>(updated.parameter_number()), 0}};
}

std::string reason_for(const Dataflow &dataflow, BufferSets &sets, ir::Instruction instruction, const Leaf &leaf,
                       OperandPart part) {
  auto allowed = overwritable_operands(instruction, leaf.position);
  ir::Instruction operand = instruction.operand(part.operand);
  if (std::ranges::find(allowed, part) == allowed.end()) {
    return fmt::format("{} reads other parts of {}, too", instruction.name(), operand.name());
  }
  ValueId before = dataflow.value_at(operand.id(), part.position);
  auto conflict = sets.join(before, dataflow.value_at(instruction.id(), leaf.position));
  if (!conflict) {
    return "another operand was chosen";
  }
  if (conflict->obstacle == BufferSets::Obstacle::Overlap &&
      dataflow.value(conflict->second).instruction == instruction.id() &&
      std::ranges::count(instruction.operands(), operand.id()) > 1) {
    return fmt::format("{} reads {} twice", instruction.name(), operand.name());
  }
  return describe(dataflow, *conflict);
}

}  // namespace

Result<std::vector<OutOfPlaceUpdate>> out_of_place_updates(const ir::Module &module, const Plan &plan) {
  BP_ASSIGN(Dataflow dataflow, Dataflow::analyze(module));
  Timeline timeline = flatten_schedule(dataflow);
  BufferSets sets(dataflow, live_ranges(dataflow, timeline));
  BP_TRY(colocate(dataflow, sets));
  overwrite_in_place(dataflow, sets);
  std::vector<OutOfPlaceUpdate> updates;
  for (const Value &value : dataflow.values()) {
    ir::Instruction instruction = module.instruction(value.instruction);
    Leaf leaf{value.position, value.size, value.memory_space};
    for (OperandPart part : updated_operands(instruction, value.position)) {
      ir::InstructionId operand = instruction.operands()[part.operand];
      if (value.size > 0 && plan.slice(operand, part.position) != plan.slice(instruction.id(), value.position)) {
        updates.push_back({instruction.id(), operand, value.position, value.size,
                           reason_for(dataflow, sets, instruction, leaf, part)});
      }
    }
  }
  return updates;
}

}  // namespace bp::buffers
