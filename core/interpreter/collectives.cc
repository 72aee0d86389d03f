// What replicas and partitions do together. A program that runs alone is one replica of one partition: each group has one
// member, so that everything sent comes back to the sender. Asynchronous ops do all their work at the start.
#include <fmt/ranges.h>

#include "core/interpreter/exchange.h"
#include "core/interpreter/simulated_collectives.h"
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;

// The values as a tuple, or the only one itself.
Result<Literal> one_or_tuple(std::span<Literal> values, bool tuple) {
  if (!tuple) {
    return std::move(values[0]);
  }
  return Literal::tuple(
      std::vector<Literal>(std::make_move_iterator(values.begin()), std::make_move_iterator(values.end())));
}

// In place, slices of operand 0 at the starts in operand 2 go into operand 1 at the starts in operand 3. Either one
// array, or a tuple of arrays with starts each; a start is a tuple of an integer per dimension, several a tuple of them.
Result<Literal> slices_received(const Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  bool is_tuple = operands[0].shape().is_tuple();
  auto slice_sizes = instruction.number_lists(AttributeKey::PermuteSliceSizes);
  auto next_sizes = slice_sizes.begin();
  std::vector<Literal> results;
  for (std::size_t i = 0; i < (is_tuple ? operands[0].tuple_elements().size() : 1); ++i) {
    auto part = [&](std::size_t operand) -> const Literal & {
      return is_tuple ? operands[operand].tuple_elements()[i] : operands[operand];
    };
    auto starts_in = [&](std::size_t operand) {
      const Literal &starts = part(operand);
      auto parts = starts.tuple_elements();
      return !parts.empty() && parts[0].shape().is_tuple() ? parts : std::span(&starts, 1);
    };
    const Literal &from = part(0);
    Literal to = part(1);
    for (std::size_t slice = 0; slice < starts_in(2).size(); ++slice) {
      std::span<const std::int64_t> sizes = *next_sizes++;
      auto reaches_outside = [&](const Literal &buffer) {
        return !std::ranges::equal(sizes, buffer.shape().sizes(),
                                   [](std::int64_t size, std::int64_t all) { return size >= 0 && size <= all; });
      };
      if (reaches_outside(from) || reaches_outside(to)) {
        return unsupported("a slice of sizes {{{}}} of {} in {}", fmt::join(sizes, ","), ir::to_string(from.shape()),
                           ir::to_string(to.shape()));
      }
      Walk to_walk = clamped_start(to.shape().sizes(), sizes, starts_in(3)[slice].tuple_elements());
      Walk from_walk = clamped_start(from.shape().sizes(), sizes, starts_in(2)[slice].tuple_elements());
      strided_copy(evaluator, sizes, to.mutable_bytes().data(), to_walk, from.bytes().data(), from_walk,
                   static_cast<std::size_t>(ir::byte_width(from.shape().element_type())));
    }
    results.push_back(std::move(to));
  }
  return one_or_tuple(results, is_tuple);
}

// Without a pair that ends here, nothing is received: zeros, or in place what was there.
Result<Literal> permuted(const Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  std::span<const std::int64_t> pairs = instruction.numbers(AttributeKey::SourceTargetPairs);
  bool in_place = instruction.has(AttributeKey::PermuteSliceSizes);
  bool channel = instruction.has(AttributeKey::ChannelId);
  std::int64_t self = channel ? evaluator.options().partition_id : evaluator.options().replica_id;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (pairs[i + 1] == self && pairs[i] != self) {
      return unsupported("a collective-permute from device {}: the interpreter is one device", pairs[i]);
    }
    if (pairs[i + 1] == self) {
      return in_place ? slices_received(evaluator, instruction, operands) : one_or_tuple(operands, operands.size() > 1);
    }
  }
  if (in_place) {
    return std::move(operands[1]);
  }
  std::vector<Literal> nothing;
  for (const Literal &operand : operands) {
    BP_ASSIGN(Literal zeros, evaluator.allocate(operand.shape()));
    nothing.push_back(std::move(zeros));
  }
  return one_or_tuple(nothing, nothing.size() > 1);
}

// Among the devices of a simulation.
Result<Literal> exchanged(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  BP_ASSIGN(std::vector<Literal> results, exchange_with_group(evaluator, instruction, operands));
  return one_or_tuple(results, results.size() > 1 || instruction.shape().is_tuple());
}

bool is_simulated(const Evaluator &evaluator) {
  return evaluator.options().exchange != nullptr;
}

}  // namespace

// all-gather, all-reduce, reduce-scatter, all-to-all and their like. Groups of one member leave shapes alone; if they
// do not, the program is for more devices than one.
Result<Literal> evaluate_exchange_with_self(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  if (is_simulated(evaluator)) {
    return exchanged(evaluator, instruction, operands);
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Shape &shape = instruction.shape().is_tuple() ? instruction.shape().elements()[i] : instruction.shape();
    if (!ir::same(operands[i].shape(), shape, ir::CompareLayout::No)) {
      return unsupported("{} from {} to {} needs more than one device", instruction.op().text,
                         ir::to_string(operands[i].shape()), ir::to_string(shape));
    }
  }
  return one_or_tuple(operands, instruction.shape().is_tuple());
}

Result<Literal> evaluate_collective_permute(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  if (!is_simulated(evaluator)) {
    return permuted(evaluator, instruction, operands);
  }
  if (instruction.has(AttributeKey::PermuteSliceSizes)) {
    return unsupported("a collective-permute in place between simulated devices");
  }
  return exchanged(evaluator, instruction, operands);
}

// Operands: input, output, input offsets, send sizes, output offsets, receive sizes, along the first dimension.
Result<Literal> evaluate_ragged_all_to_all(Evaluator &evaluator, const Instruction &, Operands operands) {
  std::int64_t numbers[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Literal &literal = operands[2 + i];
    if (literal.shape().element_count() != 1) {
      return unsupported("a ragged-all-to-all between {} devices", literal.shape().element_count());
    }
    numbers[i] = integers(literal)[0];
  }
  auto [from, size, to] = std::tuple(numbers[0], numbers[1], numbers[2]);
  Literal result = std::move(operands[1]);
  const Shape &input = operands[0].shape();
  if (from < 0 || size < 0 || to < 0 || from > input.size(0) - size || to > result.shape().size(0) - size) {
    return invalid_input("ragged-all-to-all of {} rows from {} to {} reaches outside", size, from, to);
  }
  Dimensions sizes(input.sizes().begin(), input.sizes().end());
  sizes[0] = size;
  Walk to_walk = dense_walk(result.shape().sizes()), from_walk = dense_walk(input.sizes());
  to_walk.offset = to * to_walk.strides[0];
  from_walk.offset = from * from_walk.strides[0];
  strided_copy(evaluator, sizes, result.mutable_bytes().data(), to_walk, operands[0].bytes().data(), from_walk,
               static_cast<std::size_t>(ir::byte_width(input.element_type())));
  return result;
}

Result<Literal> evaluate_replica_id(Evaluator &evaluator, const Instruction &, Operands) {
  return Literal::scalar(ElementType::U32, evaluator.options().replica_id);
}
Result<Literal> evaluate_partition_id(Evaluator &evaluator, const Instruction &, Operands) {
  return Literal::scalar(ElementType::U32, evaluator.options().partition_id);
}

// The value of a start op holds the finished result, at the place that its shape has for it; updates pass it on and
// done takes it out.
Result<Literal> evaluate_asynchronous(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  auto started = [&](Operands inputs, Literal output) -> Result<Literal> {
    // (operands, results, contexts ...)
    BP_ASSIGN(Literal value, Literal::zeros(instruction.shape()));
    std::vector<Literal> parts(value.tuple_elements().begin(), value.tuple_elements().end());
    if (parts.size() < 2) {
      return unsupported("{} of shape {}", instruction.op().text, ir::to_string(instruction.shape()));
    }
    bool is_first_alone = instruction.opcode() == Opcode::CopyStart || instruction.has(AttributeKey::PermuteSliceSizes);
    parts[0] = parts[0].shape().is_tuple() && !is_first_alone
                   ? Literal::tuple(std::vector<Literal>(inputs.begin(), inputs.end()))
                   : inputs[0];
    parts[1] = std::move(output);
    return Literal::tuple(std::move(parts));
  };
  switch (instruction.opcode()) {
    case Opcode::AllReduceStart: return evaluate_exchange_with_self(evaluator, instruction, operands);
    case Opcode::AllReduceDone: return std::move(operands[0]);
    case Opcode::CollectivePermuteStart: {
      std::vector<Literal> inputs(operands.begin(), operands.end());
      BP_ASSIGN(Literal output, evaluate_collective_permute(evaluator, instruction, operands));
      return started(inputs, std::move(output));
    }
    case Opcode::AllGatherStart: {
      std::vector<Literal> inputs(operands.begin(), operands.end());
      if (is_simulated(evaluator)) {
        BP_ASSIGN(std::vector<Literal> joined, exchange_with_group(evaluator, instruction, operands));
        return started(inputs, one_or_tuple(joined, joined.size() > 1).value());
      }
      Literal output = operands.size() == 1 ? operands[0] : Literal::tuple(inputs);
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

// Between the devices of a simulation: the start of a receive already has the value.
Result<Literal> evaluate_channel(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  Exchange *exchange = evaluator.options().exchange;
  if (exchange == nullptr) {
    return unsupported("{} needs somebody at the other end; the interpreter runs alone", instruction.op().text);
  }
  if (instruction.opcode() == Opcode::Outfeed) {
    return Literal::token();  // nobody looks at it
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
      BP_ASSIGN(Literal value, exchange->receive(self, channel));
      BP_TRY(check(value, instruction.shape().elements()[0]));
      return started(std::move(value));
    }
    default: return Literal::tuple({operands[0].take_element(0), Literal::token()});
  }
}

}  // namespace bp::interpreter
