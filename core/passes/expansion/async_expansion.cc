// Rewrites asynchronous ops as synchronous ones at the place of their start. The value of a start becomes a tuple of
// operands, results and contexts; contexts are zeros that nothing reads. The done instruction takes the results out.
#include <algorithm>
#include <optional>

#include "core/passes/array_builder.h"
#include "core/passes/inlining.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::InstructionId;
using ir::Opcode;

struct AsyncPair {
  Opcode asynchronous, synchronous;
};
constexpr AsyncPair starts[] = {
    {Opcode::AllGatherStart, Opcode::AllGather},
    {Opcode::AllReduceStart, Opcode::AllReduce},
    {Opcode::CollectivePermuteStart, Opcode::CollectivePermute},
    {Opcode::CopyStart, Opcode::Copy},
    {Opcode::AsyncStart, Opcode::Call},
};

const AsyncPair *find_start(Opcode opcode) {
  auto found = std::ranges::find(starts, opcode, &AsyncPair::asynchronous);
  return found == std::end(starts) ? nullptr : &*found;
}

// For an update or done: the tuple element that it reads from its operand, the value of a start; no element: all of it.
struct Continuation {
  Opcode opcode;
  std::optional<std::int64_t> element;
};
constexpr Continuation continuations[] = {
    {Opcode::AllGatherDone, 1}, {Opcode::AllReduceDone, std::nullopt}, {Opcode::CollectivePermuteDone, 1},
    {Opcode::CopyDone, 0},      {Opcode::AsyncUpdate, std::nullopt},   {Opcode::AsyncDone, 1},
};

const Continuation *find_continuation(Opcode opcode) {
  auto found = std::ranges::find(continuations, opcode, &Continuation::opcode);
  return found == std::end(continuations) ? nullptr : &*found;
}

// Returns, by instruction id, the starts to keep: those that the device runs or whose update or done is kept.
std::vector<bool> starts_to_keep(const ir::Module &module, const PassContext &context) {
  std::vector<bool> keep(module.instruction_id_limit());
  for (ir::Computation computation : module.computations()) {
    const std::vector<bool> pinned = control_ordered(computation);
    const auto order = computation.instruction_ids();
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      const ir::Instruction instruction = module.instruction(*id);
      const bool is_continuation = find_continuation(instruction.opcode()) != nullptr;
      if (!is_continuation && find_start(instruction.opcode()) == nullptr) {
        continue;
      }
      const bool is_pinned = index(*id) < pinned.size() && pinned[index(*id)];
      if (is_pinned || (context.is_native && context.is_native(instruction))) {
        keep[index(*id)] = true;
      }
      if (is_continuation && keep[index(*id)]) {
        keep[index(instruction.operands()[0])] = true;
      }
    }
  }
  return keep;
}

// Returns the results of the op that an asynchronous start begins: one value, or a tuple.
InstructionId begin(ArrayBuilder &b, ir::Module &module, ir::Instruction start, const ir::Shape &results) {
  if (start.opcode() == Opcode::AsyncStart) {
    const std::vector<InstructionId> arguments(start.operands().begin(), start.operands().end());
    return add_call(b, start.calls()[0], arguments);
  }
  const std::vector<InstructionId> operands(start.operands().begin(), start.operands().end());
  const std::vector<ir::ComputationId> calls(start.calls().begin(), start.calls().end());
  InstructionId id = module.clone_instruction(b.computation(), start, operands, calls);
  module.set_opcode(id, find_start(start.opcode())->synchronous);
  module.set_shape(id, results);
  return id;
}

}  // namespace

Result<bool> async_expansion(ir::Module &module, const PassContext &context) {
  const std::vector<bool> keep = starts_to_keep(module, context);
  std::unordered_set<ir::ComputationId> begun;
  Result<bool> changed = rewrite_all(module, [&](ir::Instruction instruction) -> Result<InstructionId> {
    ArrayBuilder b(module, instruction);
    if (const Continuation *continuation = find_continuation(instruction.opcode())) {
      // Operands are already rewritten: if the start was rewritten, the operand is no start any more.
      const InstructionId value = instruction.operands()[0];
      const Opcode from = instruction.operand(0).opcode();
      if (find_start(from) != nullptr || find_continuation(from) != nullptr) {
        return instruction.id();
      }
      return continuation->element ? b.get_tuple_element(value, *continuation->element) : value;
    }
    if (find_start(instruction.opcode()) == nullptr || keep[index(instruction.id())]) {
      return instruction.id();
    }
    if (instruction.opcode() == Opcode::AsyncStart) {
      begun.insert(instruction.calls()[0]);
    }
    const ir::Shape shape = instruction.shape();
    if (instruction.opcode() == Opcode::AllReduceStart) {
      return begin(b, module, instruction, shape);
    }
    const std::size_t result = instruction.opcode() == Opcode::CopyStart ? 0 : 1;
    std::vector<InstructionId> parts(2);
    parts[result] = begin(b, module, instruction, shape.elements()[result]);
    // Starts of permutes in place have the array that is sent as element 0, without a tuple.
    const bool are_operands_a_tuple =
        result == 1 && shape.elements()[0].is_tuple() && !instruction.has(ir::AttributeKey::PermuteSliceSizes);
    const std::vector<InstructionId> operands(instruction.operands().begin(), instruction.operands().end());
    parts[1 - result] = are_operands_a_tuple ? b.tuple(operands) : operands[0];
    for (const ir::Shape &context_shape : shape.elements().subspan(2)) {
      BP_ASSIGN(ir::Literal zeros, ir::Literal::zeros(context_shape));
      parts.push_back(b.constant(std::move(zeros)));
    }
    return b.tuple(parts);
  });
  if (changed.ok()) {
    inline_calls_of(module, context, begun);
  }
  return changed;
}

}  // namespace bp::passes
