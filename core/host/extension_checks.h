// Checks of the tables that a device gives for its extensions: whether each has all that its header promises. Nothing
// of the device is called. Errors say which table, what it has and what was expected.
#pragma once

#include <cstdint>
#include <string_view>

#include "backplane/backplane.h"
#include "backplane/ext/draft/aot.h"
#include "backplane/ext/draft/counters.h"
#include "backplane/ext/draft/custom_call.h"
#include "backplane/ext/draft/device_info.h"
#include "backplane/ext/draft/external_memory.h"
#include "backplane/ext/draft/fusion.h"
#include "backplane/ext/draft/host_call.h"
#include "backplane/ext/draft/layout.h"
#include "core/base/result.h"

namespace bp::host {

Status check_extension(const bp_device_kernels_t *kernels);
Status check_extension(const bp_device_memory_t *memory);
Status check_extension(const bp_device_compiler_t *compiler);
Status check_extension(const bp_device_queue_t *queue);
// Checks that some queue takes commands of the kind (BP_COMMAND_*), which is called `name`.
Status check_queue_takes(const bp_device_queue_t *queue, std::uint32_t kind, std::string_view name);
Status check_extension(const bp_device_native_sync_t *native_sync);
Status check_extension(const bp_device_rewrite_t *rewrite);
Status check_extension(const bp_device_fusion_t *fusion);
Status check_extension(const bp_device_layout_t *layout);
Status check_extension(const bp_device_custom_call_t *custom_call);
Status check_extension(const bp_device_host_call_t *host_call);
Status check_extension(const bp_device_counters_t *table);
Status check_extension(const bp_device_info_t *info);
Status check_extension(const bp_device_aot_t *aot);
// memory: that of the device, whose spaces the table is about; nullptr if it has none.
Status check_external_memory(const bp_device_external_memory_t *external, const bp_device_memory_t *memory);

}  // namespace bp::host
