// Checks the devices that a collective names. Follows XLA's HloVerifier (CheckReplicaGroups and its callers).
#include <algorithm>
#include <unordered_set>

#include "core/ir/device_count.h"
#include "core/ir/device_groups.h"
#include "core/ir/verifier_checks.h"

namespace bp::ir {
namespace {

Status check_pairs(const Instruction &permute) {
  const auto numbers = permute.numbers(AttributeKey::SourceTargetPairs);
  const ModuleHeader &header = permute.module().header();
  const GroupMode mode = group_mode(permute);
  const std::int64_t limit = number_limit(mode, header.replica_count, header.num_partitions);
  const bool is_limited = device_count(permute.module()) > 1;
  std::unordered_set<std::int64_t> seen[2];
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string_view side = i % 2 == 0 ? "source" : "target";
    if (numbers[i] < 0) {
      return invalid_input("source_target_pairs has {} below 0", side);
    }
    if (!seen[i % 2].insert(numbers[i]).second) {
      return invalid_input("source_target_pairs has {} {} twice", side, numbers[i]);
    }
    if (is_limited && numbers[i] >= limit) {
      return invalid_input("source_target_pairs has {} {}, expected a {} less than {}", side, numbers[i],
                           what_numbers_are(mode), limit);
    }
  }
  return {};
}

// Returns result i: an element of the tuple, or the array if there is only one.
const Shape &part(const Shape &shape, std::size_t i) {
  return shape.is_tuple() ? shape.elements()[i] : shape;
}

// Checks that one side is `members` times as long as the other along the dimension.
Status check_lengths(const Instruction &collective, const Shape &result, std::int64_t members, bool result_is_larger) {
  const auto along = static_cast<std::size_t>(collective.dimensions()[0]);
  for (std::size_t i = 0; i < collective.operand_count(); ++i) {
    const std::int64_t operand = collective.operand(i).shape().size(along), length = part(result, i).size(along);
    if (operand == unbounded || length == unbounded) {
      continue;
    }
    std::int64_t large = 0;
    const bool overflows = __builtin_mul_overflow(result_is_larger ? operand : length, members, &large);
    if (overflows || large != (result_is_larger ? length : operand)) {
      return invalid_input("dimension {} of the result has size {}, expected {} {} {}: {} operand {} {} each device",
                           along, length, operand, result_is_larger ? "*" : "/", members,
                           result_is_larger ? "all of" : "a part of", i, result_is_larger ? "from" : "for");
    }
  }
  return {};
}

Status check_all_to_all(const Instruction &exchange, std::int64_t members) {
  if (!exchange.has(AttributeKey::Dimensions)) {
    return exchange.operand_count() == static_cast<std::size_t>(members)
               ? Status()
               : invalid_input("{} operands for groups of {} devices, expected one for each", exchange.operand_count(),
                               members);
  }
  const auto along = static_cast<std::size_t>(exchange.dimensions()[0]);
  for (std::size_t i = 0; i < exchange.operand_count(); ++i) {
    const std::int64_t size = exchange.operand(i).shape().size(along);
    if (size != unbounded && size % members != 0) {
      return invalid_input("dimension {} of operand {} has size {}, expected a multiple of {} devices", along, i, size,
                           members);
    }
  }
  return {};
}

// Checks the shapes of a collective whose groups all have `members` devices.
Status check_shapes(const Instruction &collective, std::int64_t members) {
  switch (collective.opcode()) {
    case Opcode::AllGather: return check_lengths(collective, collective.shape(), members, true);
    case Opcode::AllGatherStart: return check_lengths(collective, collective.shape().elements()[1], members, true);
    case Opcode::ReduceScatter: return check_lengths(collective, collective.shape(), members, false);
    case Opcode::AllToAll: return check_all_to_all(collective, members);
    default: return {};
  }
}

bool may_differ_in_size(Opcode opcode) {
  return opcode == Opcode::AllReduce || opcode == Opcode::AllReduceStart || opcode == Opcode::CollectiveBroadcast ||
         opcode == Opcode::CollectiveReduce;
}

}  // namespace

Status CollectiveVerifier::verify(const Instruction &instruction) {
  if (!instruction.is(Trait::Collective)) {
    return {};
  }
  if (instruction.has(AttributeKey::SourceTargetPairs)) {
    return check_pairs(instruction);
  }
  BP_ASSIGN(const Groups groups, groups_of(instruction));
  BP_TRY(check_numbers(instruction, groups));
  const Module &module = instruction.module();
  if (groups.group_size < 0 || device_count(module) == 1) {
    return {};
  }
  const ModuleHeader &header = module.header();
  const GroupMode mode = group_mode(instruction);
  std::int64_t members =
      groups.count > 0 ? groups.group_size : number_limit(mode, header.replica_count, header.num_partitions);
  // In this mode each number stands for all partitions of a replica.
  const bool overflows =
      mode == GroupMode::CrossReplicaAndPartition && __builtin_mul_overflow(members, header.num_partitions, &members);
  return overflows ? Status() : check_shapes(instruction, members);
}

// A file may contain a module without its header, which then looks like one for a single device: the numbers are not
// limited in that case.
Status CollectiveVerifier::check_numbers(const Instruction &collective, const Groups &groups) {
  const GroupMode mode = group_mode(collective);
  const bool names_all = groups.count > 0 && collective.opcode() != Opcode::CollectiveBroadcast;
  if (names_all && groups.largest >= groups.number_count) {
    return invalid_input("replica_groups names {} {}s, the largest is {}, expected all of 0, 1, 2, ...",
                         groups.number_count, what_numbers_are(mode), groups.largest);
  }
  if (groups.group_size < 0 && !may_differ_in_size(collective.opcode())) {
    return invalid_input("the groups in replica_groups differ in size, expected groups of equal size");
  }
  if (device_count(collective.module()) == 1) {
    return {};
  }
  const ModuleHeader &header = collective.module().header();
  const std::int64_t limit = number_limit(mode, header.replica_count, header.num_partitions);
  if (groups.largest >= limit) {
    return invalid_input("replica_groups names {} {}, expected less than {}", what_numbers_are(mode), groups.largest,
                         limit);
  }
  if (names_all && groups.number_count < limit) {
    return invalid_input("replica_groups names {} of {} {}s, expected all", groups.number_count, limit,
                         what_numbers_are(mode));
  }
  return {};
}

Result<CollectiveVerifier::Groups> CollectiveVerifier::groups_of(const Instruction &collective) {
  const std::string_view text = collective.text(AttributeKey::ReplicaGroups);
  if (const auto known = groups_.find(text); known != groups_.end()) {
    return known->second;
  }
  BP_ASSIGN(Groups groups, read_groups(text));
  return groups_.emplace(text, groups).first->second;
}

Result<CollectiveVerifier::Groups> CollectiveVerifier::read_groups(std::string_view text) {
  BP_ASSIGN(const DeviceGroups lists, decode_device_groups(text));
  Groups groups{std::ssize(lists), 0, -1, lists.empty() ? 0 : std::ssize(lists[0])};
  std::unordered_set<std::int64_t> seen;
  for (const std::vector<std::int64_t> &list : lists) {
    if (list.empty()) {
      return invalid_input("replica_groups is {}, expected groups that are not empty", text);
    }
    if (std::ssize(list) != groups.group_size) {
      groups.group_size = -1;
    }
    for (std::int64_t number : list) {
      if (!seen.insert(number).second) {
        return invalid_input("replica_groups names {} twice", number);
      }
      groups.largest = std::max(groups.largest, number);
    }
  }
  groups.number_count = std::ssize(seen);
  return groups;
}

}  // namespace bp::ir
