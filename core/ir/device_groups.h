// Groups of replicas or devices, as written in the attribute replica_groups: lists, {{0,1},{2,3}}; an iota, [2,2]<=[4]
// or [2,2]<=[2,2]T(1,0), whose numbers are reshaped, transposed and split into groups; or axes of a mesh,
// mesh['a'=2,'b'=4] {'b'}, where a group consists of the devices whose coordinates differ along these axes only. An
// axis may be split: 'b':(2)2 is a part of 'b'.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::ir {

// Meaning of the numbers in replica_groups and source_target_pairs; CollectiveOpGroupMode of xla_data.proto. In mode
// CrossReplicaAndPartition a number names a replica with all its partitions.
enum class GroupMode { CrossReplica, CrossPartition, CrossReplicaAndPartition, Flattened };

GroupMode group_mode(const Instruction &collective);

// Returns "replica", "partition" or "device".
std::string_view what_numbers_are(GroupMode mode);

// Returns how many such numbers a program for these replicas and partitions has, at most INT64_MAX.
std::int64_t number_limit(GroupMode mode, std::int64_t replicas, std::int64_t partitions);

using DeviceGroups = std::vector<std::vector<std::int64_t>>;

// Decodes canonical text, as the parser stores it. Returns an empty list if no groups are named, in which case all
// devices form one group. Returns InvalidInput for an invalid list.
Result<DeviceGroups> decode_device_groups(std::string_view text);

}  // namespace bp::ir
