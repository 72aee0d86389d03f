#include "core/buffers/colocation.h"

#include <algorithm>
#include <map>

namespace bp::buffers {

using ir::Opcode;
using Obstacle = BufferSets::Obstacle;

namespace {

bool is_entry_parameter(const Dataflow &dataflow, ValueId value) {
  ir::Instruction instruction = dataflow.instruction(value);
  return instruction.opcode() == Opcode::Parameter && instruction.parent() == dataflow.module().entry();
}

std::vector<ValueId> input_values(const Dataflow &dataflow) {
  std::vector<ValueId> inputs;
  for (ir::InstructionId parameter : dataflow.module().entry().parameter_ids()) {
    auto values = dataflow.leaf_values(parameter);
    inputs.insert(inputs.end(), values.begin(), values.end());
  }
  return inputs;
}

}  // namespace

std::string describe(const Dataflow &dataflow, const BufferSets::Conflict &conflict, std::size_t first_added) {
  auto original = [&](ValueId value) {
    while (index(dataflow.value(value).instruction) >= first_added) {
      value = dataflow.value_at(dataflow.instruction(value).operands()[0], 0);
    }
    return value;
  };
  ValueId first_value = original(conflict.first), second_value = original(conflict.second);
  std::string first = describe(dataflow, first_value), second = describe(dataflow, second_value);
  switch (conflict.obstacle) {
    case Obstacle::Overlap:
      if (first_value == second_value) {
        return fmt::format("{} is needed in two slices at the same time", first);
      }
      return index(dataflow.value(conflict.second).instruction) >= first_added
                 ? fmt::format("{} would replace {}, which is still needed", second, first)
                 : fmt::format("{} is made while {} is still needed", second, first);
    case Obstacle::ReadOnly:
      if (is_entry_parameter(dataflow, first_value)) {
        return fmt::format("{} is a parameter that is not donated", first);
      }
      return fmt::format("{} is a constant", first);
    case Obstacle::TwoBindings:
      return first_value == second_value
                 ? fmt::format("{} is already bound to the memory of another input or output", first)
                 : fmt::format("{} and {} are bound to the memory of different inputs or outputs", first, second);
    case Obstacle::Unlike: return fmt::format("{} and {} differ in size or memory space", first, second);
  }
  return {};
}

void bind_inputs(const Dataflow &dataflow, std::span<const Donation> donations, BufferSets &sets) {
  std::vector<ValueId> inputs = input_values(dataflow);
  std::vector<bool> is_donated(inputs.size());
  for (const Donation &donation : donations) {
    is_donated[static_cast<std::size_t>(donation.input)] = true;
    sets.allow_donation(donation.input, donation.output);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (is_donated[i]) {
      sets.bind_donated(inputs[i], static_cast<std::int64_t>(i));
    } else {
      sets.bind_read_only(inputs[i], static_cast<std::int64_t>(i));
    }
  }
  for (std::uint32_t i = 0; i < dataflow.values().size(); ++i) {
    if (dataflow.instruction(static_cast<ValueId>(i)).opcode() == Opcode::Constant) {
      sets.bind_read_only(static_cast<ValueId>(i), -1);
    }
  }
}

Status bind_outputs(const Dataflow &dataflow, BufferSets &sets) {
  std::vector<ValueId> outputs = dataflow.leaf_values(dataflow.module().entry().root().id());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto conflict = sets.bind_output(outputs[i], static_cast<std::int64_t>(i));
    if (!conflict) {
      continue;
    }
    std::string name = describe(dataflow, outputs[i]);
    std::string_view what = conflict->obstacle == Obstacle::TwoBindings ? "another output or not donated to this one"
                            : is_entry_parameter(dataflow, outputs[i])  ? "a parameter that is not donated"
                                                                        : "a constant";
    return invalid_input("output {}: {} is {}, expected an array of its own (run copy-insertion first)", i, name, what);
  }
  return {};
}

Status join_must_aliases(const Dataflow &dataflow, BufferSets &sets) {
  for (const MustAlias &pair : must_aliases(dataflow)) {
    if (auto conflict = sets.join(pair.a, pair.b, BufferSets::Reason::Demanded)) {
      ir::Instruction because = dataflow.module().instruction(pair.because);
      return invalid_input("{}: {} and {} must share memory, but {} (run copy-insertion first)",
                           describe(because, pair.position), describe(dataflow, pair.a), describe(dataflow, pair.b),
                           describe(dataflow, *conflict))
          .at(because.location());
    }
  }
  return {};
}

Status join_donations(const Dataflow &dataflow, std::span<const Donation> donations, BufferSets &sets) {
  std::vector<ValueId> inputs = input_values(dataflow);
  std::vector<ValueId> outputs = dataflow.leaf_values(dataflow.module().entry().root().id());
  for (const Donation &donation : donations) {
    ValueId input = inputs[static_cast<std::size_t>(donation.input)];
    ValueId output = outputs[static_cast<std::size_t>(donation.output)];
    auto conflict = sets.join(input, output);
    if (conflict && donation.must) {
      return invalid_input(
          "input_output_alias: {} must share memory with output {}, but {} (run the pass copy-insertion "
          "first)",
          describe(dataflow, input), donation.output, describe(dataflow, *conflict));
    }
  }
  return {};
}

Status colocate(const Dataflow &dataflow, BufferSets &sets) {
  BP_ASSIGN(std::vector<Donation> donated, donations(dataflow));
  bind_inputs(dataflow, donated, sets);
  BP_TRY(bind_outputs(dataflow, sets));
  BP_TRY(join_must_aliases(dataflow, sets));
  BP_TRY(join_donations(dataflow, donated, sets));
  for (ValueId input : input_values(dataflow)) {
    if (sets.binding(input).output < 0 && sets.is_shared(input)) {
      return invalid_input(
          "{} is overwritten, but it is not in the memory of an output it is donated to (run copy-insertion first)",
          describe(dataflow, input));
    }
  }
  return {};
}

void overwrite_in_place(const Dataflow &dataflow, BufferSets &sets) {
  for (bool saves_copy : {true, false}) {
    for (std::uint32_t i = 0; i < dataflow.values().size(); ++i) {
      auto value = static_cast<ValueId>(i);
      ir::Instruction instruction = dataflow.instruction(value);
      bool rewrites_part = instruction.is(ir::Trait::InPlace) || instruction.opcode() == Opcode::Fusion ||
                           instruction.opcode() == Opcode::CustomCall;
      if (instruction.is(ir::Trait::CallsControl) || rewrites_part != saves_copy) {
        continue;
      }
      for (OperandPart part : overwritable_operands(instruction, dataflow.value(value).position)) {
        ValueId operand = dataflow.value_at(instruction.operands()[part.operand], part.position);
        if (!sets.join(operand, value)) {
          break;
        }
      }
    }
  }
}

void use_outputs_early(const Dataflow &dataflow, BufferSets &sets) {
  // Per value, so that the time is not quadratic when many outputs have the same size.
  constexpr std::size_t max_attempts = 8;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<ValueId>> outputs;  // by memory space and size
  for (ValueId output : dataflow.leaf_values(dataflow.module().entry().root().id())) {
    outputs[{dataflow.value(output).memory_space, dataflow.value(output).size}].push_back(output);
  }
  for (std::uint32_t i = 0; i < dataflow.values().size(); ++i) {
    auto value = static_cast<ValueId>(i);
    if (sets.find(value) != value || !sets.binding(value).is_free()) {
      continue;
    }
    auto found = outputs.find({dataflow.value(value).memory_space, dataflow.value(value).size});
    if (found == outputs.end()) {
      continue;
    }
    for (std::size_t k = 0; k < std::min(max_attempts, found->second.size()); ++k) {
      if (!sets.join(found->second[k], value)) {
        break;
      }
    }
  }
}

}  // namespace bp::buffers
