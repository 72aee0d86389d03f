#include "core/buffers/alias.h"

#include <algorithm>

namespace bp::buffers {

using ir::AttributeKey;
using ir::Opcode;

std::vector<MustAlias> must_aliases(const Dataflow &dataflow) {
  std::vector<MustAlias> pairs;
  for (ir::ComputationId id : dataflow.control_computations()) {
    for (ir::Instruction instruction : dataflow.module().computation(id).instructions()) {
      std::vector<ir::InstructionId> others;
      if (instruction.opcode() == Opcode::While) {
        others = {instruction.operands()[0], instruction.called(0).parameter_ids()[0],
                  instruction.called(1).parameter_ids()[0], instruction.called(1).root().id()};
      } else if (instruction.opcode() == Opcode::Conditional) {
        for (std::size_t branch = 0; branch < instruction.calls().size(); ++branch) {
          others.push_back(instruction.called(branch).root().id());
        }
      }
      for (const Leaf &leaf : dataflow.positions().of(instruction).leaves) {
        ValueId result = others.empty() ? no_value : dataflow.value_at(instruction.id(), leaf.position);
        for (ir::InstructionId other : others) {
          ValueId value = dataflow.value_at(other, leaf.position);
          // A result that is not a value of its own shows one that was not changed, or that all branches return.
          if (value != result && dataflow.value(result).instruction == instruction.id()) {
            pairs.push_back({result, value, instruction.id(), leaf.position});
          }
        }
      }
    }
  }
  return pairs;
}

Result<std::vector<Donation>> donations(const Dataflow &dataflow) {
  const ir::Module &module = dataflow.module();
  ir::Computation entry = module.entry();
  std::vector<std::int64_t> first_leaf = {0};  // by parameter number
  for (ir::InstructionId parameter : entry.parameter_ids()) {
    auto count = dataflow.positions().of(module.instruction(parameter)).leaves.size();
    first_leaf.push_back(first_leaf.back() + static_cast<std::int64_t>(count));
  }
  // Returns the number of a leaf within an instruction's shape; -1 if the index refers to no leaf.
  auto leaf_number = [&](ir::Instruction instruction, std::span<const std::int64_t> index) -> std::int64_t {
    std::int64_t position = instruction.shape().position_of_index(index);
    const auto &leaves = dataflow.positions().of(instruction).leaves;
    auto found = std::ranges::find(leaves, position, [](const Leaf &leaf) { return std::int64_t{leaf.position}; });
    return found == leaves.end() ? -1 : found - leaves.begin();
  };
  std::vector<Donation> pairs;
  for (const ir::InputOutputAlias &alias : module.header().input_output_alias) {
    std::int64_t output = leaf_number(entry.root(), alias.output_index);
    if (alias.parameter < 0 || static_cast<std::size_t>(alias.parameter) >= entry.parameter_count()) {
      return invalid_input("input_output_alias: parameter {} does not exist, the entry has {}", alias.parameter,
                           entry.parameter_count());
    }
    ir::Instruction parameter = entry.parameter(static_cast<std::size_t>(alias.parameter));
    std::int64_t input = leaf_number(parameter, alias.parameter_index);
    if (output < 0 || input < 0) {
      return invalid_input(
          "input_output_alias: {{{}}}: ({}, {{{}}}) does not name arrays of the entry's root and parameters",
          fmt::join(alias.output_index, ","), alias.parameter, fmt::join(alias.parameter_index, ","));
    }
    const Leaf &from = dataflow.positions().of(parameter).leaves[static_cast<std::size_t>(input)];
    const Leaf &to = dataflow.positions().of(entry.root()).leaves[static_cast<std::size_t>(output)];
    if (from.size == to.size && from.memory_space == to.memory_space) {
      pairs.push_back({first_leaf[static_cast<std::size_t>(alias.parameter)] + input, output, alias.must});
    } else if (alias.must) {
      return invalid_input(
          "input_output_alias: output {{{}}} has {} bytes in memory space {}, parameter {} has {} in {}: "
          "must-alias expects the same",
          fmt::join(alias.output_index, ","), to.size, to.memory_space, alias.parameter, from.size, from.memory_space);
    }
  }
  return pairs;
}

namespace {

using Operands = std::vector<OperandPart>;

int stored_bits(const ir::Shape &shape) {
  std::int64_t bits = shape.layout().element_bits;
  return bits != 0 ? static_cast<int>(bits) : std::max(8, static_cast<int>(ir::info(shape.element_type()).bits));
}

// Whether element i of one has the same byte offset as element i of the other.
bool same_element_offsets(const ir::Shape &a, const ir::Shape &b) {
  return a.is_array() && b.is_array() && ir::same_sizes(a, b) && a.layout() == b.layout() &&
         stored_bits(a) == stored_bits(b);
}

Operands elementwise_operands(ir::Instruction instruction) {
  Operands operands;
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    if (same_element_offsets(instruction.operand(i).shape(), instruction.shape())) {
      operands.push_back({i, 0});
    }
  }
  return operands;
}

// Returns the operand that the result is, except for some elements or their order, unless their layouts differ.
Operands updated_operand(ir::Instruction instruction, std::size_t number, const ir::Shape &result) {
  return same_element_offsets(instruction.operand(number).shape(), result) ? Operands{{number, 0}} : Operands();
}

// Returns the operands given by the output_to_operand_aliasing entries for one result position.
Operands declared_operands(ir::Instruction instruction, std::size_t position) {
  Operands operands;
  auto numbers = instruction.numbers(AttributeKey::OutputToOperandAliasing);
  auto take = [&](std::size_t count) {
    auto taken = numbers.first(std::min(count, numbers.size()));
    numbers = numbers.subspan(taken.size());
    return taken;
  };
  auto take_number = [&] {
    auto taken = take(1);
    return taken.empty() ? std::size_t{0} : static_cast<std::size_t>(taken[0]);
  };
  while (!numbers.empty()) {
    auto output_index = take(take_number());
    std::size_t operand = take_number();
    auto operand_index = take(take_number());
    if (operand < instruction.operand_count() &&
        instruction.shape().position_of_index(output_index) == static_cast<std::int64_t>(position)) {
      std::int64_t operand_position = instruction.operand(operand).shape().position_of_index(operand_index);
      if (operand_position >= 0) {
        operands.push_back({operand, static_cast<std::size_t>(operand_position)});
      }
    }
  }
  return operands;
}

// How a fused computation uses its parameters to compute one result. Instructions are numbered by their ids, starting
// from the lowest one.
class FusedUses {
 public:
  // `result`: the instruction that computes the result: the fused root or an element of it.
  FusedUses(ir::Computation fused, ir::Instruction result) : fused_(fused), result_(result) {
    auto ids = fused.instruction_ids();
    lowest_ = index(*std::ranges::min_element(ids));
    std::size_t span = index(*std::ranges::max_element(ids)) - lowest_ + std::size_t{1};
    streams_.assign(span, true);
    uses_.resize(span);
    for (std::size_t i = ids.size(); i-- > 0;) {
      ir::Instruction user = fused.module().instruction(ids[i]);
      // Another result may be computed later, from operands that this result has overwritten.
      bool is_other_result = user != result && (user == fused.root() ? !is_result_tuple(user) : uses(user) == 0);
      bool passes = !is_other_result && streams(user) && (user.is(ir::Trait::Elementwise) || is_result_tuple(user));
      for (ir::InstructionId id : user.operands()) {
        ir::Instruction operand = fused.module().instruction(id);
        ++uses_[number(operand)];
        bool is_same_index =
            is_result_tuple(user) ? is_computed_with(operand) : ir::same_sizes(operand.shape(), result.shape());
        if (!passes || !is_same_index) {
          streams_[number(operand)] = false;
        }
      }
    }
  }

  // Whether each use leads to the result element by element.
  bool streams(ir::Instruction instruction) const { return streams_[number(instruction)]; }
  std::uint32_t uses(ir::Instruction instruction) const { return uses_[number(instruction)]; }

  // Returns the parameter of whose array the result updates a part, and of which nothing else is read; looks through
  // bitcasts.
  ir::InstructionId updated_parameter() const {
    ir::Instruction update = behind_forwarding(result_);
    const bool is_update = update.opcode() == Opcode::DynamicUpdateSlice || update.opcode() == Opcode::Scatter;
    if (!is_update || !update.shape().is_array() || (update != fused_.root() && uses(update) != 1) ||
        !same_element_offsets(update.operand(0).shape(), update.shape())) {
      return ir::no_instruction;
    }
    ir::Instruction updated = behind_forwarding(update.operand(0));
    return updated.opcode() == Opcode::Parameter && uses(updated) == 1 ? updated.id() : ir::no_instruction;
  }

 private:
  std::size_t number(ir::Instruction instruction) const { return index(instruction.id()) - lowest_; }
  bool is_result_tuple(ir::Instruction user) const {
    return user == fused_.root() && user != result_ && user.opcode() == Opcode::Tuple;
  }
  // Results with the same elements in the same order are computed together: all results of an element before any is
  // stored.
  bool is_computed_with(ir::Instruction other) const {
    return other == result_ ||
           (ir::same_sizes(other.shape(), result_.shape()) && other.shape().layout() == result_.shape().layout() &&
            stored_bits(other.shape()) >= 8 && stored_bits(result_.shape()) >= 8);
  }
  ir::Instruction behind_forwarding(ir::Instruction instruction) const {
    while (instruction.shape().is_array() && instruction.operand_count() == 1 && is_forwarding(instruction) &&
           instruction.operand(0).shape().is_array() && (instruction == fused_.root() || uses(instruction) == 1)) {
      instruction = instruction.operand(0);
    }
    return instruction;
  }

  ir::Computation fused_;
  ir::Instruction result_;
  std::uint32_t lowest_ = 0;
  std::vector<bool> streams_;
  std::vector<std::uint32_t> uses_;
};

// Returns the instruction of a fused computation that computes a result; no_instruction for parts of nested tuples.
ir::InstructionId fused_result(ir::Instruction fusion, std::size_t position) {
  ir::Instruction root = fusion.called(0).root();
  if (fusion.shape().is_array()) {
    return root.id();
  }
  auto indices = fusion.shape().index_of_subshape(position);
  return root.opcode() == Opcode::Tuple && indices.size() == 1 ? root.operands()[static_cast<std::size_t>(indices[0])]
                                                               : ir::no_instruction;
}

Operands fusion_operands(ir::Instruction fusion, std::size_t position) {
  ir::InstructionId id = fusion.calls().empty() ? ir::no_instruction : fused_result(fusion, position);
  if (id == ir::no_instruction) {
    return {};
  }
  ir::Computation fused = fusion.called(0);
  ir::Instruction result = fused.module().instruction(id);
  FusedUses uses(fused, result);
  ir::InstructionId updated = uses.updated_parameter();
  Operands operands;
  for (std::size_t i = 0; i < fused.parameter_count() && i < fusion.operand_count(); ++i) {
    ir::Instruction parameter = fused.parameter(i);
    bool is_streamed =
        uses.uses(parameter) != 0 && uses.streams(parameter) && same_element_offsets(parameter.shape(), result.shape());
    if ((is_streamed || parameter.id() == updated) &&
        same_element_offsets(fusion.operand(i).shape(), parameter.shape())) {
      operands.push_back({i, 0});
    }
  }
  return operands;
}

}  // namespace

std::vector<OperandPart> overwritable_operands(ir::Instruction instruction, std::size_t position) {
  switch (instruction.opcode()) {
    case Opcode::Copy: return {};
    case Opcode::DynamicUpdateSlice:
    case Opcode::SetDimensionSize: return updated_operand(instruction, 0, instruction.shape());
    case Opcode::Scatter:
    case Opcode::Sort: {
      if (!instruction.shape().is_tuple()) {
        return updated_operand(instruction, 0, instruction.shape());
      }
      const auto number = static_cast<std::size_t>(instruction.shape().index_of_subshape(position).at(0));
      return updated_operand(instruction, number, instruction.shape().elements()[number]);
    }
    case Opcode::CustomCall: return declared_operands(instruction, position);
    case Opcode::Fusion: return fusion_operands(instruction, position);
    default: return instruction.is(ir::Trait::Elementwise) ? elementwise_operands(instruction) : Operands();
  }
}

bool is_identity_copy(ir::Instruction instruction) {
  return instruction.opcode() == Opcode::Copy && instruction.shape().is_array() &&
         instruction.shape_id() == instruction.operand(0).shape_id() && instruction.control_predecessors().empty();
}

}  // namespace bp::buffers
