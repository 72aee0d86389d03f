#include "core/interpreter/simulated_collectives.h"

#include <algorithm>

#include "core/interpreter/exchange.h"
#include "core/interpreter/scalar_function.h"
#include "core/interpreter/strided_copy.h"
#include "core/ir/device_groups.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;
using Group = std::vector<DeviceNumber>;

// What the numbers in replica_groups are; xla_data.proto's CollectiveOpGroupMode.
enum class GroupMode { CrossReplica, CrossPartition, CrossReplicaAndPartition, Flattened };

GroupMode group_mode(const Instruction &instruction) {
  const bool has_channel = instruction.number(AttributeKey::ChannelId) > 0;
  const bool global = instruction.number(AttributeKey::UseGlobalDeviceIds) != 0;
  switch (instruction.opcode()) {
    case Opcode::AllToAll:
    case Opcode::CollectiveBroadcast:
    case Opcode::CollectivePermute:
    case Opcode::CollectivePermuteStart: return has_channel ? GroupMode::CrossPartition : GroupMode::CrossReplica;
    default: break;
  }
  return !has_channel ? GroupMode::CrossReplica : global ? GroupMode::Flattened : GroupMode::CrossReplicaAndPartition;
}

class Collective {
 public:
  Collective(Evaluator &evaluator, const Instruction &instruction)
      : evaluator_(evaluator),
        instruction_(instruction),
        exchange_(*evaluator.options().exchange),
        mode_(group_mode(instruction)),
        replica_(evaluator.options().replica_id),
        partition_(evaluator.options().partition_id),
        self_(device(replica_, partition_)) {}

  Result<std::vector<Literal>> run(Operands operands) {
    if (instruction_.opcode() == Opcode::CollectivePermute || instruction_.opcode() == Opcode::CollectivePermuteStart) {
      return permute(operands);
    }
    BP_ASSIGN(Group group, own_group());
    if (group.empty()) {  // only a collective-broadcast may leave devices out
      return zeros(operands);
    }
    BP_ASSIGN(auto brought, meet(group, operands));
    const auto position = static_cast<std::size_t>(std::ranges::find(group, self_) - group.begin());
    std::vector<Literal> results;
    if (instruction_.opcode() == Opcode::AllToAll && !instruction_.has(AttributeKey::Dimensions)) {
      // Operand i goes to member i.
      for (std::vector<Literal> &values : brought) {
        results.push_back(values.at(position));
      }
      return results;
    }
    if (instruction_.number(AttributeKey::HasDynamicRoot) != 0) {
      return from_roots(brought);
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      std::vector<Literal> values;
      for (const std::vector<Literal> &of_member : brought) {
        values.push_back(of_member.at(i));
      }
      BP_ASSIGN(Literal result, combine(values, position));
      results.push_back(std::move(result));
    }
    return results;
  }

 private:
  // Devices of a group's numbers, seen from this device.
  Group members(const std::vector<std::int64_t> &numbers) const {
    const bool all_partitions = mode_ == GroupMode::CrossReplicaAndPartition;
    Group group;
    for (std::int64_t p = 0; p < (all_partitions ? exchange_.partitions() : 1); ++p) {
      for (std::int64_t number : numbers) {
        switch (mode_) {
          case GroupMode::CrossReplica: group.push_back(device(number, partition_)); break;
          case GroupMode::CrossPartition: group.push_back(device(replica_, number)); break;
          case GroupMode::CrossReplicaAndPartition: group.push_back(device(number, p)); break;
          case GroupMode::Flattened: group.push_back(number); break;
        }
      }
    }
    return group;
  }
  DeviceNumber device(std::int64_t replica, std::int64_t partition) const {
    return replica * exchange_.partitions() + partition;
  }

  std::int64_t limit() const {
    switch (mode_) {
      case GroupMode::CrossPartition: return exchange_.partitions();
      case GroupMode::Flattened: return exchange_.replicas() * exchange_.partitions();
      default: return exchange_.replicas();
    }
  }

  // Empty if no group holds this device.
  Result<Group> own_group() const {
    BP_ASSIGN(ir::DeviceGroups groups, ir::decode_device_groups(instruction_.text(AttributeKey::ReplicaGroups)));
    if (groups.empty()) {
      for (std::int64_t number = 0; number < limit(); ++number) {
        groups.resize(1);
        groups[0].push_back(number);
      }
    }
    for (const std::vector<std::int64_t> &numbers : groups) {
      for (std::int64_t number : numbers) {
        if (number < 0 || number >= limit()) {
          return invalid_input("a group names {} {}, expected less than {}",
                               mode_ == GroupMode::CrossPartition ? "partition" : "replica", number, limit());
        }
      }
      Group group = members(numbers);
      if (std::ranges::find(group, self_) != group.end()) {
        return group;
      }
    }
    if (instruction_.opcode() == Opcode::CollectiveBroadcast) {
      return Group();
    }
    return invalid_input("no group holds replica {}, partition {}", replica_, partition_);
  }

  Result<std::vector<std::vector<Literal>>> meet(const Group &group, Operands operands) {
    const std::string key = fmt::format("{} {}", instruction_.op().text, instruction_.number(AttributeKey::ChannelId));
    BP_ASSIGN(auto brought, exchange_.meet(self_, key, group, {operands.begin(), operands.end()}));
    for (const std::vector<Literal> &values : brought) {
      const bool same = std::ranges::equal(values, operands, [](const Literal &theirs, const Literal &own) {
        return ir::same(theirs.shape(), own.shape(), ir::CompareLayout::No);
      });
      if (!same) {
        return invalid_input("members of a group bring values of different shapes");
      }
    }
    return brought;
  }

  Result<std::vector<Literal>> zeros(Operands operands) const {
    std::vector<Literal> nothing;
    for (const Literal &operand : operands) {
      BP_ASSIGN(Literal literal, evaluator_.allocate(operand.shape()));
      nothing.push_back(std::move(literal));
    }
    return nothing;
  }

  // The last operand says, for each of the others, which member of the group sends it.
  Result<std::vector<Literal>> from_roots(std::vector<std::vector<Literal>> &brought) const {
    const Literal roots = brought[0].back();
    std::vector<Literal> results;
    for (std::size_t i = 0; i + 1 < brought[0].size(); ++i) {
      const std::int64_t root = i < roots.elements<std::int32_t>().size() ? roots.elements<std::int32_t>()[i] : -1;
      if (root < 0 || static_cast<std::size_t>(root) >= brought.size()) {
        return invalid_input("the root of operand {} is member {} of a group of {}", i, root, brought.size());
      }
      results.push_back(brought[static_cast<std::size_t>(root)][i]);
    }
    return results;
  }

  // Who receives from nobody gets zeros. All of the cross section meet, so that nobody has to know who sends.
  Result<std::vector<Literal>> permute(Operands operands) {
    std::vector<std::int64_t> all;
    for (std::int64_t number = 0; number < limit(); ++number) {
      all.push_back(number);
    }
    BP_ASSIGN(auto brought, meet(members(all), operands));
    const std::int64_t own = mode_ == GroupMode::CrossPartition ? partition_ : replica_;
    const std::span<const std::int64_t> pairs = instruction_.numbers(AttributeKey::SourceTargetPairs);
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      if (pairs[i + 1] == own) {
        if (pairs[i] < 0 || pairs[i] >= limit()) {
          return invalid_input("a pair sends from {}, expected less than {}", pairs[i], limit());
        }
        return std::move(brought[static_cast<std::size_t>(pairs[i])]);
      }
    }
    return zeros(operands);
  }

  // One operand of the collective, by member.
  Result<Literal> combine(std::vector<Literal> &values, std::size_t position) {
    switch (instruction_.opcode()) {
      case Opcode::CollectiveBroadcast: return std::move(values[0]);
      case Opcode::AllGather:
      case Opcode::AllGatherStart: return join(values, instruction_.dimensions()[0]);
      case Opcode::AllReduce:
      case Opcode::AllReduceStart: return reduce(values);
      case Opcode::ReduceScatter: {
        BP_ASSIGN(Literal sum, reduce(values));
        return part_of(sum, instruction_.dimensions()[0], values.size(), position);
      }
      case Opcode::AllToAll: {
        std::vector<Literal> parts;
        for (const Literal &value : values) {
          BP_ASSIGN(Literal part, part_of(value, instruction_.dimensions()[0], values.size(), position));
          parts.push_back(std::move(part));
        }
        return join(parts, instruction_.dimensions()[0]);
      }
      default: return unsupported("the simulation knows no {}", instruction_.op().text);
    }
  }

  // In the order of the members.
  Result<Literal> reduce(std::vector<Literal> &values) {
    BP_ASSIGN(ScalarFunction * function, evaluator_.scalar_function(instruction_.called(0)));
    Literal sum = values[0];
    for (std::size_t i = 1; i < values.size(); ++i) {
      std::byte *result = sum.mutable_bytes().data();
      const std::byte *arguments[] = {result, values[i].bytes().data()};
      BP_TRY((*function)(arguments, std::span(&result, 1), static_cast<std::size_t>(sum.shape().element_count())));
    }
    return sum;
  }

  Result<Literal> join(const std::vector<Literal> &parts, std::int64_t dimension) const {
    const auto d = static_cast<std::size_t>(dimension);
    const Shape &shape = parts[0].shape();
    Dimensions sizes(shape.sizes().begin(), shape.sizes().end());
    sizes[d] *= static_cast<std::int64_t>(parts.size());
    BP_ASSIGN(Literal result, evaluator_.allocate(Shape::array(shape.element_type(), sizes)));
    Walk to = dense_walk(sizes);
    for (const Literal &part : parts) {
      strided_copy(evaluator_, shape.sizes(), result.mutable_bytes().data(), to, part.bytes().data(),
                   dense_walk(shape.sizes()), static_cast<std::size_t>(ir::byte_width(shape.element_type())));
      to.offset += shape.size(d) * to.strides[d];
    }
    return result;
  }

  // The number-th of `count` equal parts along a dimension.
  Result<Literal> part_of(const Literal &whole, std::int64_t dimension, std::size_t count, std::size_t number) const {
    const auto d = static_cast<std::size_t>(dimension);
    const Shape &shape = whole.shape();
    const auto parts = static_cast<std::int64_t>(count);
    if (shape.size(d) % parts != 0) {
      return invalid_input("dimension {} of {} cannot be cut into {} parts", d, ir::to_string(shape), parts);
    }
    Dimensions sizes(shape.sizes().begin(), shape.sizes().end());
    sizes[d] /= parts;
    Walk from = dense_walk(shape.sizes());
    from.offset = static_cast<std::int64_t>(number) * sizes[d] * from.strides[d];
    return gathered(evaluator_, Shape::array(shape.element_type(), sizes), whole, from);
  }

  Evaluator &evaluator_;
  const Instruction &instruction_;
  Exchange &exchange_;
  const GroupMode mode_;
  const std::int64_t replica_, partition_;
  const DeviceNumber self_;
};

}  // namespace

Result<std::vector<Literal>> exchange_with_group(Evaluator &evaluator, const Instruction &instruction,
                                                 Operands operands) {
  return Collective(evaluator, instruction).run(operands);
}

}  // namespace bp::interpreter
