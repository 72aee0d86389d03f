// Replaces collectives by what is left of them where there is one replica of one partition: everything sent comes back
// to the sender.
#include <algorithm>

#include "core/ir/device_groups.h"
#include "core/passes/expansion.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::InstructionId;
using ir::Opcode;

// Whether each group is one device; the program is for more than one otherwise.
bool is_alone(ir::Instruction collective) {
  const auto groups = ir::decode_device_groups(collective.text(AttributeKey::ReplicaGroups));
  return groups.ok() && std::ranges::all_of(*groups, [](const auto &group) { return group.size() <= 1; });
}

// The operands, as the one value or the tuple that the collective gives. Itself if they have other shapes.
InstructionId operands_of(Expansion &b, ir::Instruction collective) {
  const std::vector<InstructionId> operands(collective.operands().begin(), collective.operands().end());
  const ir::Shape shape = collective.shape();
  if (shape.is_tuple() ? shape.elements().size() != operands.size() : operands.size() != 1) {
    return collective.id();
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!ir::same(b.shape(operands[i]), shape.is_tuple() ? shape.elements()[i] : shape, ir::CompareLayout::No)) {
      return collective.id();
    }
  }
  return shape.is_tuple() ? b.tuple(operands) : operands[0];
}

// Who receives nothing gets zeros.
InstructionId permuted(Expansion &b, ir::Instruction permute) {
  const auto pairs = permute.numbers(AttributeKey::SourceTargetPairs);
  if (permute.has(AttributeKey::PermuteSliceSizes)) {
    return permute.id();
  }
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (pairs[i + 1] == 0) {
      return pairs[i] == 0 ? operands_of(b, permute) : permute.id();
    }
  }
  if (!permute.shape().is_tuple()) {
    return b.zeros(ir::Shape(permute.shape()));
  }
  std::vector<InstructionId> zeros;
  for (const ir::Shape &shape : std::vector(permute.shape().elements().begin(), permute.shape().elements().end())) {
    zeros.push_back(b.zeros(shape));
  }
  return b.tuple(zeros);
}

}  // namespace

Result<bool> collective_expansion(ir::Module &module, const PassContext &context) {
  if (module.header().replica_count != 1 || module.header().num_partitions != 1) {
    return false;
  }
  return expand_all(module, context, [&](ir::Instruction instruction) -> Result<InstructionId> {
    Expansion b(module, instruction);
    switch (instruction.opcode()) {
      case Opcode::ReplicaId:
      case Opcode::PartitionId: return b.constant(ir::ElementType::U32, 0);
      case Opcode::CollectivePermute: return permuted(b, instruction);
      case Opcode::AllGather:
      case Opcode::AllReduce:
      case Opcode::AllToAll:
      case Opcode::CollectiveBroadcast:
      case Opcode::CollectiveReduce:
      case Opcode::ReduceScatter: return is_alone(instruction) ? operands_of(b, instruction) : instruction.id();
      default: return instruction.id();
    }
  });
}

}  // namespace bp::passes
