#include "core/buffers/live_range.h"

#include <algorithm>

namespace bp::buffers {

using ir::Opcode;

Timeline flatten_schedule(const Dataflow &dataflow) {
  const ir::Module &module = dataflow.module();
  Timeline timeline;
  timeline.at.assign(module.instruction_id_limit(), 0);
  timeline.call.assign(module.instruction_id_limit(), 0);
  timeline.begin.assign(module.computation_id_limit(), 0);
  timeline.end.assign(module.computation_id_limit(), 0);
  auto tick = [&](ir::InstructionId id) {
    timeline.instructions.push_back(id);
    return static_cast<Tick>(timeline.instructions.size() - 1);
  };
  struct Frame {
    ir::ComputationId computation;
    std::size_t next_instruction = 0, next_callee = 0;
  };
  std::vector<Frame> stack = {{module.entry().id()}};  // no recursion: programs may nest deeply
  timeline.begin[index(module.entry().id())] = tick(ir::no_instruction);
  while (!stack.empty()) {
    Frame &frame = stack.back();
    auto ids = module.computation(frame.computation).instruction_ids();
    if (frame.next_instruction == ids.size()) {
      timeline.end[index(frame.computation)] = tick(ir::no_instruction);
      stack.pop_back();
      continue;
    }
    ir::Instruction instruction = module.instruction(ids[frame.next_instruction]);
    if (instruction.is(ir::Trait::CallsControl) && frame.next_callee < instruction.calls().size()) {
      if (frame.next_callee == 0) {
        timeline.call[index(instruction.id())] = tick(ir::no_instruction);
      }
      ir::ComputationId callee = instruction.calls()[frame.next_callee++];
      timeline.begin[index(callee)] = tick(ir::no_instruction);
      stack.push_back({callee});  // `frame` is invalid from here on
      continue;
    }
    timeline.at[index(instruction.id())] = tick(instruction.id());
    ++frame.next_instruction;
    frame.next_callee = 0;
  }
  timeline.last = static_cast<Tick>(timeline.instructions.size() - 1);
  return timeline;
}

std::vector<Tick> independent_until(const Dataflow &dataflow, const Timeline &timeline, Tick window) {
  const ir::Module &module = dataflow.module();
  const auto count = static_cast<Tick>(timeline.instructions.size());
  window = std::min<Tick>(window, 64);
  // Bit k - 1: the instruction needs the one k ticks before, directly or through others.
  std::vector<std::uint64_t> needs(count);
  std::vector<Tick> until(count);
  for (Tick t = 0; t < count; ++t) {
    until[t] = t;
    const ir::InstructionId id = timeline.instructions[t];
    if (id == ir::no_instruction) {
      continue;
    }
    for (auto before : {module.instruction(id).operands(), module.instruction(id).control_predecessors()}) {
      for (ir::InstructionId needed : before) {
        const Tick distance = t - timeline.at[index(needed)];
        if (distance > 0 && distance <= window) {
          needs[t] |= std::uint64_t{1} << (distance - 1);
          needs[t] |= distance < 64 ? needs[t - distance] << distance : 0;
        }
      }
    }
  }
  for (Tick t = 0; t < count; ++t) {
    for (Tick next = t + 1; next < count && next - t <= window; ++next) {
      const bool waits = (needs[next] >> (next - t - 1) & 1) != 0;
      if (waits || timeline.instructions[next] == ir::no_instruction) {
        break;
      }
      until[t] = next;
    }
  }
  return until;
}

namespace {

Tick definition_tick(const Dataflow &dataflow, const Timeline &timeline, ir::Instruction instruction) {
  ir::ComputationId computation = instruction.parent().id();
  switch (instruction.opcode()) {
    case Opcode::Parameter: return timeline.begin[index(computation)];
    case Opcode::Constant: return timeline.begin[index(dataflow.module().entry().id())];
    default: return timeline.at[index(instruction.id())];
  }
}

}  // namespace

std::vector<LiveRange> live_ranges(const Dataflow &dataflow, const Timeline &timeline) {
  const ir::Module &module = dataflow.module();
  std::vector<LiveRange> ranges;
  ranges.reserve(dataflow.values().size());
  for (const Value &value : dataflow.values()) {
    ir::Instruction instruction = module.instruction(value.instruction);
    Tick begin = definition_tick(dataflow, timeline, instruction);
    ranges.push_back({begin, instruction.opcode() == Opcode::Constant ? timeline.last : begin});
  }
  auto use = [&](ValueId value, Tick at) { ranges[index(value)].end = std::max(ranges[index(value)].end, at); };
  auto use_all = [&](ir::InstructionId id, Tick at) {
    for (const Leaf &leaf : dataflow.positions().of(module.instruction(id)).leaves) {
      use(dataflow.value_at(id, leaf.position), at);
    }
  };
  auto use_in_while = [&](ir::Instruction loop) {
    ir::InstructionId initial = loop.operands()[0], condition = loop.called(0).parameter_ids()[0];
    for (const Leaf &leaf : dataflow.positions().of(loop).leaves) {
      ValueId value = dataflow.value_at(initial, leaf.position);
      ValueId state = dataflow.value_at(condition, leaf.position);
      if (value == state) {
        use(value, timeline.at[index(loop.id())]);
      } else {
        use(value, timeline.call[index(loop.id())]);
        use(state, timeline.end[index(loop.called(0).id())]);
      }
    }
  };
  for (ir::ComputationId id : dataflow.control_computations()) {
    for (ir::Instruction instruction : module.computation(id).instructions()) {
      if (instruction.opcode() == Opcode::While) {
        use_in_while(instruction);
      } else if (!is_forwarding(instruction)) {
        const auto &when = instruction.is(ir::Trait::CallsControl) ? timeline.call : timeline.at;
        for (ir::InstructionId operand : instruction.operands()) {
          use_all(operand, when[index(instruction.id())]);
        }
      }
    }
    use_all(module.computation(id).root().id(), timeline.end[index(id)]);
  }
  return ranges;
}

}  // namespace bp::buffers
