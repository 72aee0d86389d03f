#include "core/ensemble.h"

#include <algorithm>
#include <utility>

#include "core/interpreter/simulation.h"
#include "core/ir/device_count.h"

namespace bp {
namespace {

// Returns the name of a device's backend: of an instance, if there are several.
std::string instance_name(std::string_view name, std::int64_t device, std::uint32_t instances) {
  return instances > 1 ? fmt::format("{}:{}", name, device % instances) : std::string(name);
}

// Returns how many instances of its hardware the backend may be spread over.
Result<std::uint32_t> count_instances(const Backend &backend) {
  const std::string_view name = backend.name();
  const bool means_one = name.find(',') != name.npos || name.find(':', name.rfind('/') + 1) != name.npos;
  if (backend.is_interpreter() || means_one) {
    return std::uint32_t{1};
  }
  return backend.device()->plugin().probe(std::string(backend.device()->id()));
}

// Returns the device of `to` that stands where `device` does in `from`.
std::shared_ptr<const host::Device> counterpart(const Backend &from, const Backend &to, const host::Device &device) {
  const auto originals = from.devices(), others = to.devices();
  const auto found = std::ranges::find(originals, &device, &std::shared_ptr<const host::Device>::get);
  return others[static_cast<std::size_t>(found - originals.begin())];
}

bool have_same_targets(const Backend &a, const Backend &b) {
  const auto target = [](const std::shared_ptr<const host::Device> &device) { return device->target(); };
  return std::ranges::equal(a.devices(), b.devices(), {}, target, target);
}

}  // namespace

Result<Ensemble> Ensemble::load(std::string_view name, std::int64_t count, const BackendOptions &options) {
  if (count < 1 || count > ir::max_ensemble_devices) {
    return invalid_input("an ensemble of {} devices, expected 1 to {}", count, ir::max_ensemble_devices);
  }
  Ensemble ensemble;
  BP_ASSIGN(Backend first, Backend::load(name, options));
  BP_ASSIGN(const std::uint32_t instances, count_instances(first));
  ensemble.backends_.push_back(std::move(first));
  for (std::int64_t device = 1; device < count; ++device) {
    BP_ASSIGN(Backend backend, Backend::load(instance_name(name, device, instances), options));
    ensemble.backends_.push_back(std::move(backend));
  }
  return ensemble;
}

Status Ensemble::check_count(const Module &module) const {
  const std::int64_t expected = ir::device_count(module);
  return std::ssize(backends_) == expected
             ? Status()
             : invalid_input("the ensemble has {} devices, but {} is for {}: replica_count={} and num_partitions={}",
                             backends_.size(), module.name(), expected, module.header().replica_count,
                             module.header().num_partitions);
}

Result<EnsembleExecutable> Ensemble::compile(Module module, const CompileOptions &options) const {
  BP_TRY(check_count(module));
  EnsembleExecutable result;
  result.replicas_ = module.header().replica_count;
  result.partitions_ = module.header().num_partitions;
  CompileOptions first_options = options;
  first_options.keep_artifacts |= backends_.size() > 1;
  for (const Backend &backend : backends_) {
    const bool is_first = result.executables_.empty();
    if (!is_first && !backend.is_interpreter() && have_same_targets(backends_[0], backend)) {
      BP_ASSIGN(Executable executable, result.executables_[0].load_on([&](const host::Device &device) {
        return counterpart(backends_[0], backend, device);
      }));
      result.executables_.push_back(std::move(executable));
      continue;
    }
    BP_ASSIGN(Compiled compiled, backend.compile(module, is_first ? first_options : options));
    result.executables_.push_back(std::move(compiled.executable));
    if (is_first) {
      result.reports_.push_back(std::move(compiled.report));
    }
  }
  return result;
}

Result<EnsembleExecutable> Ensemble::compile_each(std::vector<Module> modules, const CompileOptions &options) const {
  if (modules.size() != backends_.size()) {
    return invalid_input("programs for {} devices, expected {}", modules.size(), backends_.size());
  }
  EnsembleExecutable result;
  result.replicas_ = modules[0].header().replica_count;
  result.partitions_ = modules[0].header().num_partitions;
  for (std::size_t device = 0; device < modules.size(); ++device) {
    BP_TRY(check_count(modules[device]));
    BP_ASSIGN(Compiled compiled, backends_[device].compile(std::move(modules[device]), options));
    result.executables_.push_back(std::move(compiled.executable));
    result.reports_.push_back(std::move(compiled.report));
  }
  return result;
}

Result<std::vector<Literal>> EnsembleExecutable::run(std::vector<std::vector<Literal>> arguments,
                                                     const interpreter::Options &host) const {
  interpreter::Exchange exchange(replicas_, partitions_);
  return run(exchange, std::move(arguments), host);
}

Result<std::vector<Literal>> EnsembleExecutable::run(interpreter::Exchange &exchange,
                                                     std::vector<std::vector<Literal>> arguments,
                                                     const interpreter::Options &host) const {
  if (arguments.size() != executables_.size()) {
    return invalid_input("arguments for {} devices, expected {}", arguments.size(), executables_.size());
  }
  return interpreter::run_together(exchange, host, [&](std::size_t device, const interpreter::Options &own) {
    return executables_[device].run(std::move(arguments[device]), own);
  });
}

}  // namespace bp
