// Asynchronous ops, which do all their work at the start, and channels between the devices of a simulation.
#include "core/interpreter/collectives.h"
#include "core/interpreter/exchange.h"
#include "core/interpreter/host_calls.h"

namespace bp::interpreter {

using ir::AttributeKey;

Result<Literal> evaluate_replica_id(Evaluator &evaluator, const Instruction &, Operands) {
  return Literal::scalar(ElementType::U32, evaluator.options().replica_id);
}
Result<Literal> evaluate_partition_id(Evaluator &evaluator, const Instruction &, Operands) {
  return Literal::scalar(ElementType::U32, evaluator.options().partition_id);
}

// The value of a start op contains the finished result at the place that its shape has for it; updates pass it on and
// done takes it out.
Result<Literal> evaluate_asynchronous(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  // Checks for a tuple (operands, results, contexts ...).
  auto check_shape = [&]() -> Status {
    return instruction.shape().is_tuple() && instruction.shape().elements().size() >= 2
               ? Status()
               : unsupported("{} has shape {}, expected a tuple of operands, results and contexts",
                             instruction.op().text, ir::to_string(instruction.shape()));
  };
  auto started = [&](Operands inputs, Literal output) -> Result<Literal> {
    BP_TRY(check_shape());
    BP_ASSIGN(Literal value, Literal::zeros(instruction.shape()));
    std::vector<Literal> parts(value.tuple_elements().begin(), value.tuple_elements().end());
    bool is_first_alone = instruction.opcode() == Opcode::CopyStart || instruction.has(AttributeKey::PermuteSliceSizes);
    parts[0] = parts[0].shape().is_tuple() && !is_first_alone
                   ? Literal::tuple(std::vector<Literal>(inputs.begin(), inputs.end()))
                   : inputs[0];
    parts[1] = std::move(output);
    return Literal::tuple(std::move(parts));
  };
  switch (instruction.opcode()) {
    case Opcode::AllReduceStart: return evaluate_collective(evaluator, instruction, operands);
    case Opcode::AllReduceDone: return std::move(operands[0]);
    case Opcode::AllGatherStart:
    case Opcode::CollectivePermuteStart: {
      BP_TRY(check_shape());
      std::vector<Literal> inputs(operands.begin(), operands.end());
      BP_ASSIGN(Literal output, exchanged(evaluator, instruction, operands, instruction.shape().elements()[1]));
      return started(inputs, std::move(output));
    }
    case Opcode::CopyStart: {
      Literal copy = operands[0];
      return started(operands, std::move(copy));
    }
    case Opcode::AsyncStart: {
      std::vector<Literal> inputs(operands.begin(), operands.end());
      BP_ASSIGN(Literal output, evaluator.run(instruction.called(0), inputs));
      return started(inputs, std::move(output));
    }
    case Opcode::AsyncUpdate: return std::move(operands[0]);
    case Opcode::CopyDone: return operands[0].take_element(0);
    default: return operands[0].take_element(1);
  }
}

// Channels between the devices of a simulation, where the start of a receive returns the received value, and with the
// application.
Result<Literal> evaluate_channel(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  Exchange *exchange = evaluator.options().exchange;
  if (exchange == nullptr && (instruction.opcode() == Opcode::Infeed || instruction.opcode() == Opcode::Outfeed)) {
    return execute_on_host(evaluator.options(), instruction, operands);
  }
  if (exchange == nullptr) {
    return unsupported("{} exchanges values with another device, expected a simulation of several devices",
                       instruction.op().text);
  }
  if (instruction.opcode() == Opcode::Outfeed) {
    return Literal::token();  // outfed values are discarded
  }
  auto check = [](const Literal &value, const ir::Shape &expected) -> Status {
    return ir::same(value.shape(), expected, ir::CompareLayout::No)
               ? Status()
               : invalid_input("received {}, expected {}", ir::to_string(value.shape()), ir::to_string(expected));
  };
  if (instruction.opcode() == Opcode::Infeed) {
    BP_ASSIGN(Literal value, exchange->next_input());
    BP_TRY(check(value, instruction.shape().elements()[0]));
    return Literal::tuple({std::move(value), Literal::token()});
  }
  const std::int64_t channel = instruction.number(AttributeKey::ChannelId);
  const DeviceNumber self = evaluator.options().replica_id * exchange->partitions() + evaluator.options().partition_id;
  auto started = [](Literal value) {
    return Literal::tuple({std::move(value), Literal::scalar<std::uint32_t>(ElementType::U32, 0), Literal::token()});
  };
  switch (instruction.opcode()) {
    case Opcode::Send: exchange->send(channel, operands[0]); return started(std::move(operands[0]));
    case Opcode::SendDone: return Literal::token();
    case Opcode::Recv: {
      BP_ASSIGN(Literal value, exchange->receive(self, channel, evaluator.options().terms));
      BP_TRY(check(value, instruction.shape().elements()[0]));
      return started(std::move(value));
    }
    default: return Literal::tuple({operands[0].take_element(0), Literal::token()});
  }
}

}  // namespace bp::interpreter
