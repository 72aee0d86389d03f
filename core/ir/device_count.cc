#include "core/ir/device_count.h"

#include <algorithm>
#include <limits>

#include "core/ir/annotations.h"

namespace bp::ir {
namespace {

constexpr std::string_view shardy = "xla.sdy.";  // prefix of the names under which XLA stores the data of Shardy

bool has_sharding(const Instruction &i) {
  const std::string_view target = i.text(AttributeKey::CustomCallTarget);
  return i.has(AttributeKey::Sharding) || target == "Sharding" || target.starts_with(shardy) ||
         i.text(AttributeKey::FrontendAttributes).find(shardy) != std::string_view::npos;
}

}  // namespace

bool distinguishes_devices(const Instruction &i) {
  switch (i.opcode()) {
    case Opcode::PartitionId:
    case Opcode::ReplicaId: return true;
    case Opcode::Recv:
    case Opcode::Send: return i.number(AttributeKey::IsHostTransfer) == 0;
    default: return i.is(Trait::Collective);
  }
}

std::int64_t device_count(const Module &module) {
  std::int64_t count = 0;
  const bool overflows = __builtin_mul_overflow(module.header().replica_count, module.header().num_partitions, &count);
  return overflows ? std::numeric_limits<std::int64_t>::max() : count;
}

bool awaits_partitioner(const Module &module) {
  if (device_count(module) == 1) {
    return false;
  }
  bool is_sharded = std::ranges::any_of(module.header().rest, [](const auto &attribute) {
    return attribute.first == "frontend_attributes" && attribute.second.find(shardy) != std::string::npos;
  });
  for (Computation computation : module.computations()) {
    for (Instruction i : computation.instructions()) {
      if (distinguishes_devices(i)) {
        return false;
      }
      is_sharded = is_sharded || has_sharding(i);
    }
  }
  return is_sharded;
}

Status check_one_device(const Module &module) {
  const std::int64_t count = device_count(module);
  if (count == 1 || awaits_partitioner(module)) {
    return {};
  }
  for (Computation computation : module.computations()) {
    for (Instruction i : computation.instructions()) {
      if (annotation_of(i) == Annotation::Division) {
        return unsupported(
                   "{} is for {} devices (replica_count={}, num_partitions={}) and waits for a partitioner, as {} "
                   "divides values between them; XLA writes such programs partitioned with "
                   "XLA_FLAGS=\"--xla_dump_to=FOLDER --xla_dump_hlo_pass_re=spmd-partitioning\"",
                   module.name(), count, module.header().replica_count, module.header().num_partitions, i.name())
            .at(i.location());
      }
    }
  }
  const std::string what =
      fmt::format("{} needs {} devices (replica_count={}, num_partitions={}), but would run on one", module.name(),
                  count, module.header().replica_count, module.header().num_partitions);
  return count > max_ensemble_devices ? unsupported("{}; at most {} run a program together", what, max_ensemble_devices)
                                      : unsupported("{}; `run --devices {}` runs it on all of them", what, count);
}

}  // namespace bp::ir
