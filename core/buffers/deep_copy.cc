#include "core/buffers/deep_copy.h"

#include <algorithm>
#include <set>

namespace bp::buffers {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

// `from` is the part of the original at `position`; all positions to be copied are within it.
InstructionId CopyEditor::rebuild(InstructionId from, std::uint32_t position, std::span<const std::uint32_t> positions,
                                  ir::ComputationId computation, DeepCopy &result, Added &added) {
  ir::Shape shape = module_.instruction(from).shape();
  if (!shape.is_tuple()) {
    InstructionId copy = module_.add_instruction(computation, Opcode::Copy, shape, {from});
    added.push_back(copy);
    result.parts.push_back({position, copy, true});
    return copy;
  }
  std::vector<InstructionId> elements;
  std::uint32_t begin = position + 1;
  for (std::size_t i = 0; i < shape.elements().size(); ++i) {
    const ir::Shape &element = shape.elements()[i];
    InstructionId part = module_.add_instruction(computation, Opcode::GetTupleElement, element, {from});
    module_.set_number(part, ir::AttributeKey::Index, static_cast<std::int64_t>(i));
    added.push_back(part);
    auto end = begin + static_cast<std::uint32_t>(element.subshape_count());
    auto first = std::ranges::lower_bound(positions, begin), last = std::ranges::lower_bound(positions, end);
    elements.push_back(first == last ? part : rebuild(part, begin, {first, last}, computation, result, added));
    begin = end;
  }
  InstructionId tuple = module_.add_instruction(computation, Opcode::Tuple, shape, elements);
  added.push_back(tuple);
  return tuple;
}

DeepCopy CopyEditor::build(InstructionId original, ir::ComputationId computation, const Positions &positions,
                           Added &added) {
  DeepCopy result;
  result.original = original;
  result.rebuilt = rebuild(original, 0, positions, computation, result, added);
  return result;
}

std::vector<DeepCopy> CopyEditor::copy_parameters(ir::ComputationId computation,
                                                  std::span<const std::pair<InstructionId, Positions>> parameters) {
  auto ids = module_.computation(computation).instruction_ids();
  std::vector<InstructionId> users(ids.begin(), ids.end());
  InstructionId root = module_.computation(computation).root().id();
  std::unordered_map<std::uint32_t, InstructionId> rebuilt;
  std::vector<DeepCopy> results;
  for (const auto &[parameter, positions] : parameters) {
    results.push_back(build(parameter, computation, positions, after_[index(parameter)]));
    rebuilt.emplace(index(parameter), results.back().rebuilt);
  }
  for (InstructionId user : users) {
    for (std::size_t i = 0; i < module_.instruction(user).operand_count(); ++i) {
      auto found = rebuilt.find(index(module_.instruction(user).operands()[i]));
      if (found != rebuilt.end()) {
        module_.set_operand(user, i, found->second);
      }
    }
  }
  if (auto found = rebuilt.find(index(root)); found != rebuilt.end()) {
    module_.set_root(computation, found->second);
  }
  return results;
}

DeepCopy CopyEditor::copy_operand(InstructionId user, std::size_t operand, const Positions &positions) {
  Instruction instruction = module_.instruction(user);
  DeepCopy result = build(instruction.operands()[operand], instruction.parent().id(), positions, before_[index(user)]);
  module_.set_operand(user, operand, result.rebuilt);
  return result;
}

DeepCopy CopyEditor::copy_root(ir::ComputationId computation, const Positions &positions) {
  InstructionId root = module_.computation(computation).root().id();
  DeepCopy result = build(root, computation, positions, at_end_[index(computation)]);
  module_.set_root(computation, result.rebuilt);
  return result;
}

void CopyEditor::place() {
  std::vector<ir::ComputationId> computations(module_.computation_ids().begin(), module_.computation_ids().end());
  for (ir::ComputationId computation : computations) {
    auto ids = module_.computation(computation).instruction_ids();
    if (ids.empty() || !is_added(ids.back())) {
      continue;
    }
    std::vector<InstructionId> order;
    auto append = [&](const std::unordered_map<std::uint32_t, Added> &where, std::uint32_t key) {
      if (auto found = where.find(key); found != where.end()) {
        order.insert(order.end(), found->second.begin(), found->second.end());
      }
    };
    for (InstructionId id : ids) {
      if (!is_added(id)) {
        append(before_, index(id));
        order.push_back(id);
        append(after_, index(id));
      }
    }
    append(at_end_, index(computation));
    module_.set_instruction_order(computation, std::move(order));
  }
}

void CopyEditor::remove(std::span<const DeepCopy> deep_copies, std::span<const InstructionId> also) {
  Replacements replacements(module_.instruction_id_limit(), ir::no_instruction);
  std::vector<bool> is_candidate(module_.instruction_id_limit());
  std::set<ir::ComputationId> touched, rebuilt;
  auto replace_copy = [&](InstructionId copy) {
    replacements[index(copy)] = module_.instruction(copy).operands()[0];
    is_candidate[index(copy)] = true;
  };
  for (const DeepCopy &deep_copy : deep_copies) {
    ir::ComputationId computation = module_.instruction(deep_copy.rebuilt).parent().id();
    touched.insert(computation);
    if (std::ranges::none_of(deep_copy.parts, &DeepCopy::Part::is_kept)) {
      replacements[index(deep_copy.rebuilt)] = deep_copy.original;
      continue;
    }
    rebuilt.insert(computation);
    for (const DeepCopy::Part &part : deep_copy.parts) {
      if (!part.is_kept) {
        replace_copy(part.copy);
      }
    }
  }
  for (InstructionId copy : also) {
    replace_copy(copy);
    touched.insert(module_.instruction(copy).parent().id());
  }
  module_.replace_uses(replacements);
  std::ranges::fill(replacements, ir::no_instruction);
  for (ir::ComputationId computation : rebuilt) {
    simplify_tuples(module_.computation(computation), replacements);
  }
  module_.replace_uses(replacements);
  for (std::size_t i = 0; i < is_candidate.size(); ++i) {
    is_candidate[i] = is_candidate[i] || i >= first_added_ || replacements[i] != ir::no_instruction;
  }
  for (ir::ComputationId computation : touched) {
    drop_unused(module_.computation(computation), is_candidate);
  }
}

// get-tuple-element(tuple(a, b), 0) is a; tuple(get-tuple-element(x, 0), get-tuple-element(x, 1)) is x. Applied only
// where an added instruction is involved: all others belong to the program.
void CopyEditor::simplify_tuples(ir::Computation computation, Replacements &replacements) const {
  auto resolve = [&](InstructionId id) {
    return replacements[index(id)] == ir::no_instruction ? id : replacements[index(id)];
  };
  for (Instruction instruction : computation.instructions()) {
    if (instruction.opcode() == Opcode::GetTupleElement) {
      Instruction tuple = module_.instruction(resolve(instruction.operands()[0]));
      if (tuple.opcode() == Opcode::Tuple && (is_added(tuple.id()) || is_added(instruction.id()))) {
        replacements[index(instruction.id())] =
            resolve(tuple.operands()[static_cast<std::size_t>(instruction.tuple_index())]);
      }
    } else if (instruction.opcode() == Opcode::Tuple && is_added(instruction.id())) {
      InstructionId whole = ir::no_instruction;
      bool is_whole = instruction.operand_count() != 0;
      for (std::size_t i = 0; i < instruction.operand_count() && is_whole; ++i) {
        Instruction part = module_.instruction(resolve(instruction.operands()[i]));
        is_whole = part.opcode() == Opcode::GetTupleElement && part.tuple_index() == static_cast<std::int64_t>(i);
        if (is_whole) {
          InstructionId from = resolve(part.operands()[0]);
          is_whole = i == 0 || from == whole;
          whole = from;
        }
      }
      if (is_whole && module_.instruction(whole).shape_id() == instruction.shape_id()) {
        replacements[index(instruction.id())] = whole;
      }
    }
  }
}

// Removes candidates without users, then the tuples and elements that only they used.
void CopyEditor::drop_unused(ir::Computation computation, const std::vector<bool> &is_candidate) {
  std::unordered_map<std::uint32_t, int> uses;
  for (Instruction instruction : computation.instructions()) {
    for (auto list : {instruction.operands(), instruction.control_predecessors()}) {
      for (InstructionId id : list) {
        ++uses[index(id)];
      }
    }
  }
  ++uses[index(computation.root().id())];
  auto ids = computation.instruction_ids();
  std::vector<InstructionId> kept;
  std::unordered_map<std::uint32_t, bool> lost_use;
  for (std::size_t i = ids.size(); i-- > 0;) {
    Instruction instruction = module_.instruction(ids[i]);
    bool is_tuple = instruction.opcode() == Opcode::Tuple || instruction.opcode() == Opcode::GetTupleElement;
    bool may_go = is_candidate[index(ids[i])] || (is_tuple && lost_use[index(ids[i])]);
    if (!may_go || uses[index(ids[i])] != 0) {
      kept.push_back(ids[i]);
      continue;
    }
    for (auto list : {instruction.operands(), instruction.control_predecessors()}) {
      for (InstructionId id : list) {
        --uses[index(id)];
        lost_use[index(id)] = true;
      }
    }
  }
  std::ranges::reverse(kept);
  module_.set_instruction_order(computation.id(), std::move(kept));
}

}  // namespace bp::buffers
