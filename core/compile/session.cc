#include "core/compile/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/passes/pipeline.h"

namespace bp::compile {
namespace {

// Returns the maximum bytes for a program: the capacity of the device's space 0, which holds all of it, if the device
// states one, or the limit of the caller if that is lower; 0: no limit.
std::int64_t limit_of(const host::Device &device, std::int64_t allowed) {
  const std::uint64_t capacity = device.memory() == nullptr ? 0 : device.memory()->spaces[0].capacity;
  if (capacity == 0 || capacity > INT64_MAX) {
    return allowed;
  }
  const auto there_are = static_cast<std::int64_t>(capacity);
  return allowed > 0 ? std::min(allowed, there_are) : there_are;
}

}  // namespace

Session::Session(std::shared_ptr<const host::Device> for_device, const Options &given)
    : device(std::move(for_device)),
      options(given),
      receiver(device->opset(), {device->host_call_kinds(), given.host_functions}),
      memory_limit(limit_of(*device, given.memory_limit)) {}

Status Session::observe(const std::string &name, const ir::Module &module) const {
  return options.observer == nullptr ? Status() : options.observer->module(name, module);
}

Status Session::check_wanted() const {
  return options.cancellation == nullptr ? Status() : options.cancellation->check();
}

bool Session::is_enabled(std::string_view pass) const {
  return std::ranges::find(options.disabled_passes, pass) == options.disabled_passes.end();
}

Status Session::run_stage(ir::Module &module, passes::Stage stage, passes::PassContext context) {
  Stopwatch watch(report.passes);
  return run_passes(module, passes_of(stage), std::move(context));
}

Status Session::run_passes(ir::Module &module, std::span<const passes::Pass> list, passes::PassContext context) {
  passes::PipelineOptions pipeline;
  pipeline.context = std::move(context);
  pipeline.context.memory_limit = memory_limit;
  pipeline.context.has_f64 = has_f64;
  pipeline.compare = options.compare;
  pipeline.verify_between_passes = options.verify;
  if (!options.fold_constants) {
    pipeline.context.max_folding_work = 0;
  }
  pipeline.after_pass = [&](const ir::Module &after, const passes::PassReport &pass) -> Status {
    BP_TRY(check_wanted());
    return pass.changed ? observe(fmt::format("{:02}-{}", ++pass_count, pass.name), after) : Status();
  };
  std::vector<passes::Pass> enabled;
  std::ranges::copy_if(list, std::back_inserter(enabled),
                       [&](const passes::Pass &pass) { return is_enabled(pass.name); });
  return passes::run_passes(module, enabled, pipeline);
}

}  // namespace bp::compile
