#include "tools/command/memory_plan.h"

#include <optional>
#include <tuple>

#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/schedule.h"
#include "core/compile/compile.h"
#include "core/passes/pipeline.h"

namespace bp::command {
namespace {

Status add_statistics(Planned &planned) {
  BP_ASSIGN(planned.statistics, buffers::measure(planned.module, planned.plan));
  BP_ASSIGN(planned.updates, buffers::out_of_place_updates(planned.module, planned.plan));
  planned.peak = planned.statistics.total_bytes;
  return {};
}

Result<Planned> plan_without_device(ir::Module module) {
  Planned planned;
  planned.module = std::move(module);
  BP_TRY(passes::run_passes(planned.module, passes::default_passes()));
  BP_TRY(buffers::schedule(planned.module));
  BP_TRY(buffers::insert_copies(planned.module));
  BP_ASSIGN(planned.plan, buffers::assign(planned.module));
  BP_TRY(add_statistics(planned));
  return planned;
}

// Keeps the program that needs the most memory.
class LargestProgram final : public compile::Observer {
 public:
  Status module(const std::string &, const ir::Module &) override { return {}; }
  Status program(const std::string &, const ir::Module &module, const buffers::Plan &plan, const host::Image &,
                 std::span<const std::byte>) override {
    if (const std::int64_t bytes = buffers::bytes_in_space(plan, 0); !largest || bytes > bytes_) {
      bytes_ = bytes;
      largest = {module, plan};
    }
    return {};
  }

  std::optional<std::pair<ir::Module, buffers::Plan>> largest;

 private:
  std::int64_t bytes_ = 0;
};

// Plans the module like a run on the device.
Result<Planned> plan_on(const Backend &backend, const ir::Module &module, std::int64_t memory_limit) {
  LargestProgram observer;
  compile::Options options;
  options.observer = &observer;
  options.memory_limit = memory_limit;
  BP_ASSIGN(const Compiled compiled, compile::compile(module, backend.devices(), options));
  if (!observer.largest) {
    return unsupported("no instruction of {} runs on {}: there is nothing to plan", module.name(), backend.name());
  }
  Planned planned;
  std::tie(planned.module, planned.plan) = *std::move(observer.largest);
  BP_TRY(add_statistics(planned));
  planned.programs = compiled.report.programs;
  if (const auto &program = compiled.executable.program()) {
    planned.peak = program->memory().peak();
    planned.scratch = program->memory().scratch;
    planned.scratch_in_main = program->scratch_space() == 0 ? planned.scratch : 0;
    planned.staging = program->memory().staging;
  }
  return planned;
}

}  // namespace

Result<Planned> plan_memory(ir::Module module, const BackendChoice &choice, std::int64_t capacity) {
  if (choice.name().empty()) {
    return plan_without_device(std::move(module));
  }
  BP_ASSIGN(const Backend backend, choice.load());
  if (backend.is_interpreter()) {
    return invalid_input("the interpreter has no memory plan, expected a device for --on");
  }
  // A module that does not fit is planned without the limit.
  Result<Planned> planned = plan_on(backend, module, capacity);
  const bool is_too_large = !planned.ok() && capacity != 0 && planned.error().code() == ErrorCode::DoesNotFit;
  return is_too_large ? plan_on(backend, module, 0) : std::move(planned);
}

}  // namespace bp::command
