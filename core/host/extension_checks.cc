#include "core/host/extension_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <string>

#include "core/host/diagnostics.h"
#include "core/host/table_checks.h"

namespace bp::host {

Status check_extension(const bp_device_kernels_t *kernels) {
  return check_functions(BP_EXT_KERNELS, {BP_FUNCTION(kernels, find)});
}

Status check_extension(const bp_device_memory_t *memory) {
  BP_TRY(check_functions(BP_EXT_MEMORY,
                         {BP_FUNCTION(memory, alloc), BP_FUNCTION(memory, release), BP_FUNCTION(memory, copy)}));
  if (memory->spaces == nullptr || memory->space_count == 0) {
    return broken(fmt::format("{} lists no spaces, expected at least one", BP_EXT_MEMORY));
  }
  for (std::uint64_t i = 0; i < memory->space_count; ++i) {
    const bp_space_t &space = memory->spaces[i];
    if (space.name == nullptr || !std::has_single_bit(space.alignment)) {
      return broken(fmt::format("{}: space {} has the name {} and the alignment {}, expected a name and a power of two",
                                BP_EXT_MEMORY, i, space.name == nullptr ? "nothing" : printable(space.name),
                                space.alignment));
    }
  }
  return {};
}

Status check_extension(const bp_device_compiler_t *compiler) {
  return check_functions(BP_EXT_COMPILER,
                         {BP_FUNCTION(compiler, claim), BP_FUNCTION(compiler, compile), BP_FUNCTION(compiler, load)});
}

Status check_extension(const bp_device_queue_t *queue) {
  BP_TRY(check_functions(BP_EXT_QUEUE, {BP_FUNCTION(queue, submit)}));
  if (queue->queues == nullptr || queue->queue_count == 0) {
    return broken(fmt::format("{} lists no queues, expected at least one", BP_EXT_QUEUE));
  }
  return {};
}

Status check_queue_takes(const bp_device_queue_t *queue, std::uint32_t kind, std::string_view name) {
  const std::span queues(queue->queues, queue->queue_count);
  if (std::ranges::none_of(queues, [&](std::uint32_t kinds) { return (kinds >> kind & 1) != 0; })) {
    return broken(fmt::format("{} lists no queue that takes commands of kind {}, expected one", BP_EXT_QUEUE, name));
  }
  return {};
}

Status check_extension(const bp_device_native_sync_t *native_sync) {
  return check_functions(BP_EXT_NATIVE_SYNC, {BP_FUNCTION(native_sync, wait)});
}

Status check_extension(const bp_device_rewrite_t *rewrite) {
  return check_functions(BP_EXT_REWRITE, {BP_FUNCTION(rewrite, rewrite)});
}

Status check_extension(const bp_device_fusion_t *fusion) {
  return fusion->limits != nullptr ? Status()
                                   : broken(fmt::format("{}: limits is null, expected limits", BP_EXT_FUSION));
}

Status check_extension(const bp_device_layout_t *layout) {
  return check_functions(BP_EXT_LAYOUT, {BP_FUNCTION(layout, preferences)});
}

Status check_extension(const bp_device_custom_call_t *custom_call) {
  if (custom_call->routines == nullptr && custom_call->routine_count != 0) {
    return broken(
        fmt::format("{}: routines is null, expected {} routines", BP_EXT_CUSTOM_CALL, custom_call->routine_count));
  }
  for (std::uint64_t i = 0; i < custom_call->routine_count; ++i) {
    if (custom_call->routines[i].target == nullptr || custom_call->routines[i].kernel == nullptr) {
      return broken(fmt::format("{}: routine {} lacks a target or a kernel, expected both", BP_EXT_CUSTOM_CALL, i));
    }
    for (std::uint64_t k = 0; k < i; ++k) {
      if (std::string_view(custom_call->routines[k].target) == custom_call->routines[i].target) {
        return broken(fmt::format("{}: routines {} and {} are both called {}, expected different targets",
                                  BP_EXT_CUSTOM_CALL, k, i, printable(custom_call->routines[i].target)));
      }
    }
  }
  return {};
}

Status check_extension(const bp_device_host_call_t *host_call) {
  constexpr std::uint32_t known = BP_CALLS_INFEED | BP_CALLS_OUTFEED | BP_CALLS_FUNCTIONS;
  return (host_call->kinds & ~known) == 0
             ? Status()
             : broken(fmt::format("{}: kinds is {:#x}, expected BP_CALLS_* and nothing else", BP_EXT_HOST_CALL,
                                  host_call->kinds));
}

Status check_extension(const bp_device_counters_t *table) {
  if (table->counters == nullptr || table->counter_count == 0) {
    return broken(fmt::format("{}: there are no counters, expected at least one", BP_EXT_COUNTERS));
  }
  const std::span counters(table->counters, table->counter_count);
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const std::string name = printable(text_or_empty(counters[i].name));
    if (name.empty() || counters[i].help == nullptr) {
      return broken(fmt::format("{}: counter {} lacks a name or a help text, expected both", BP_EXT_COUNTERS, i));
    }
    if (counters[i].unit < BP_UNIT_EVENTS || counters[i].unit > BP_UNIT_OPERATIONS) {
      return broken(fmt::format("{}: the unit of {} is {}, expected {} to {}", BP_EXT_COUNTERS, name, counters[i].unit,
                                +BP_UNIT_EVENTS, +BP_UNIT_OPERATIONS));
    }
    const auto same = [&](const bp_counter_desc_t &other) { return std::string_view(other.name) == counters[i].name; };
    if (std::ranges::any_of(counters.first(i), same)) {
      return broken(fmt::format("{}: two counters are called {}, expected different names", BP_EXT_COUNTERS, name));
    }
  }
  return {};
}

Status check_extension(const bp_device_info_t *info) {
  return check_functions(BP_EXT_DEVICE_INFO, {BP_FUNCTION(info, report)});
}

Status check_extension(const bp_device_aot_t *aot) {
  return check_functions(BP_EXT_AOT, {BP_FUNCTION(aot, describe), BP_FUNCTION(aot, write_object)});
}

Status check_external_memory(const bp_device_external_memory_t *external, const bp_device_memory_t *memory) {
  BP_TRY(check_functions(BP_EXT_EXTERNAL_MEMORY,
                         {BP_FUNCTION(external, import_memory), BP_FUNCTION(external, export_memory)}));
  if (memory == nullptr || external->support == nullptr) {
    return broken(fmt::format("{}: the device has {}, expected both {} and a table of what each space supports",
                              BP_EXT_EXTERNAL_MEMORY, memory == nullptr ? "no memory" : "no such table",
                              BP_EXT_MEMORY));
  }
  for (std::uint64_t i = 0; i < memory->space_count; ++i) {
    const bp_external_support_t &support = external->support[i];
    if (!std::has_single_bit(support.host_alignment) || !std::has_single_bit(support.file_alignment) ||
        (support.exports & 1u << BP_HANDLE_HOST) != 0) {
      return broken(
          fmt::format("{}: space {} has the alignments {} and {} and exports the kinds {:#x}, expected powers "
                      "of two and no BP_HANDLE_HOST",
                      BP_EXT_EXTERNAL_MEMORY, i, support.host_alignment, support.file_alignment, support.exports));
    }
  }
  return {};
}

}  // namespace bp::host
