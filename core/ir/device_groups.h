// Groups of replicas or devices, as attribute replica_groups writes them: {{0,1},{2,3}} or [2,2]<=[4] or
// [2,2]<=[2,2]T(1,0), numbers counted up, transposed and cut into groups; or mesh['a'=2,'b'=4] {'b'}, those that differ
// in their place along these axes alone, also along a part of an axis, 'b':(2)2.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::ir {

// What the numbers in replica_groups and source_target_pairs are; xla_data.proto's CollectiveOpGroupMode. Of
// CrossReplicaAndPartition: replicas, each with all its partitions.
enum class GroupMode { CrossReplica, CrossPartition, CrossReplicaAndPartition, Flattened };

GroupMode group_mode(const Instruction &collective);

// "replica", "partition" or "device".
std::string_view what_numbers_are(GroupMode mode);

// The count of such numbers in a program for so many replicas and partitions, at most the largest int64.
std::int64_t number_limit(GroupMode mode, std::int64_t replicas, std::int64_t partitions);

using DeviceGroups = std::vector<std::vector<std::int64_t>>;

// `text` is canonical, as the reader left it. Empty: no groups are named, all devices form one. InvalidInput for a list
// that cannot be.
Result<DeviceGroups> decode_device_groups(std::string_view text);

}  // namespace bp::ir
