// Groups of replicas or devices, as attribute replica_groups writes them: {{0,1},{2,3}} or [2,2]<=[4] or
// [2,2]<=[2,2]T(1,0), numbers counted up, transposed and cut into groups; or mesh['a'=2,'b'=4] {'b'}, those that differ
// in their place along these axes alone, also along a part of an axis, 'b':(2)2.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace bp::ir {

using DeviceGroups = std::vector<std::vector<std::int64_t>>;

// `text` is canonical, as the reader left it. Empty: no groups are named, all devices form one. InvalidInput for a list
// that cannot be.
Result<DeviceGroups> decode_device_groups(std::string_view text);

}  // namespace bp::ir
