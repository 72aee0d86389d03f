#include "core/remote/usage.h"

#include "plugin_api/cpp/module_view.h"

namespace bp::remote {
namespace {

using Kind = MemoryUse::Kind;

bp_loc_t location_of(const void *address) {
  return {0, reinterpret_cast<std::uint64_t>(address)};
}

}  // namespace

Usage usage_of_copy(bp_loc_t to, bp_loc_t from, std::uint64_t size) {
  return {nullptr, {{to, size, Kind::Written}, {from, size, Kind::Read}}, {{0, 0, size}}};
}

Usage usage_of_fill(bp_loc_t to, std::uint64_t size) {
  return {nullptr, {{to, size, Kind::Written}}, {{0, 0, size}}};
}

Usage usage_of(const bp_call_t &call) {
  const plugin::Instruction instruction = plugin::ModuleView(call.module).instruction(call.instr);
  Usage usage{call.module};
  for (std::uint32_t i = 0; i < instruction.operand_count(); ++i) {
    usage.memory.push_back({location_of(call.operands[i]), instruction.operand(i).size(), Kind::Read});
  }
  for (std::uint32_t i = 0; i < instruction.result_count(); ++i) {
    const std::uint64_t size = instruction.result(i).size();
    usage.results.push_back({static_cast<std::uint32_t>(usage.memory.size()), 0, size, instruction.result_id(i)});
    usage.memory.push_back({location_of(call.results[i]), size, Kind::Written});
  }
  return usage;
}

Usage usage_of(const bp_module_t *module, const bp_run_t &run, std::uint64_t scratch_size) {
  Usage usage{module};
  for (std::uint64_t i = 0; i < run.allocation_count; ++i) {
    MemoryUse use{run.allocations[i], 0, Kind::Unknown};
    if (module != nullptr && i < module->allocations.count) {
      const bp_allocation_t &allocation = *BP_AT(module, allocations, bp_allocation_t, i);
      const bool is_donated = allocation.kind == BP_ALLOC_OUTPUT && allocation.alias != BP_NONE;
      use.size = allocation.size;
      use.kind = allocation.kind == BP_ALLOC_CONSTANT ? Kind::Constant
                 : allocation.kind == BP_ALLOC_INPUT  ? Kind::Read
                 : is_donated                         ? Kind::Updated
                                                      : Kind::Written;
    }
    usage.memory.push_back(use);
  }
  usage.memory.push_back({run.scratch, scratch_size, Kind::Written});
  if (module != nullptr) {
    for (const plugin::Value root : plugin::ModuleView(module).entry().roots()) {
      if (root.has_slice() && root.allocation() < run.allocation_count && root.size() > 0) {
        usage.results.push_back({root.allocation(), root.offset(), root.size(), root.id()});
      }
    }
  }
  return usage;
}

Usage usage_of_constants(const bp_module_t *module, std::span<const bp_loc_t> constants) {
  Usage usage{module};
  for (std::uint64_t i = 0; i < constants.size(); ++i) {
    const bool is_known = module != nullptr && i < module->allocations.count;
    usage.memory.push_back({constants[i], is_known ? BP_AT(module, allocations, bp_allocation_t, i)->size : 0,
                            is_known ? Kind::Read : Kind::Unknown});
  }
  return usage;
}

}  // namespace bp::remote
