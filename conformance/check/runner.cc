#include "conformance/check/runner.h"

#include <algorithm>
#include <map>

#include "conformance/check/reference.h"
#include "core/analysis/call_graph.h"
#include "core/compile/claims.h"
#include "core/interpreter/simulation.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::conformance {
namespace {

// Returns what one device of several runs as a program of its own.
ir::Module program_of(const interpreter::DeviceProgram &device, const interpreter::Exchange &exchange) {
  ir::Module module = device.computation.module();
  module.set_entry(device.computation.id());
  const analysis::CallGraph calls(module);
  module.set_computation_order({calls.callees_first().begin(), calls.callees_first().end()});
  module.header().replica_count = exchange.replicas();
  module.header().num_partitions = exchange.partitions();
  return module;
}

// Whether only the host can run what it has run: transfers to it, and what the interpreter prints.
bool is_for_host(const compile::OnHost &one) {
  constexpr ir::Opcode transfers[] = {ir::Opcode::Infeed,   ir::Opcode::Outfeed, ir::Opcode::Send,
                                      ir::Opcode::SendDone, ir::Opcode::Recv,    ir::Opcode::RecvDone};
  return std::ranges::find(transfers, one.opcode) != std::end(transfers) ||
         one.reason.starts_with("target \"interpreter.") || one.reason.ends_with(compile::connected_by_host);
}

// Fails unless the devices run all that they can.
Status check_on_devices(const EnsembleExecutable &executable) {
  for (const compile::Report &report : executable.reports()) {
    for (const compile::OnHost &one : report.on_host) {
      if (!is_for_host(one)) {
        return unsupported("{} is not claimed: {}", one.name, one.reason).at(one.location);
      }
    }
  }
  return {};
}

class CheckedRun {
 public:
  CheckedRun(const ir::Module &program, std::vector<Literal> arguments, Policy policy)
      : program_(program), arguments_(std::move(arguments)), policy_(policy) {}

  Status start(const Backend &backend, const Inspect &inspect) {
    CompileOptions options;
    options.device_only = true;
    options.fold_constants = false;
    options.verify = true;
    BP_ASSIGN(Compiled compiled, backend.compile(program_, options));
    interpreter::Options watching;
    watching.on_probe = [&](const ir::Instruction &probe, const Literal &value) {
      probed_[probe_name(probe)].push_back(value);
    };
    if (inspect) {
      BP_TRY(inspect(compiled.executable, arguments_));
    }
    BP_ASSIGN(result_, compiled.executable.run(arguments_, watching));
    return {};
  }

  // The interpreter runs the program, and an ensemble what it starts on several devices.
  Status start_ensembles(const LoadEnsemble &load) {
    interpreter::Options options;
    options.on_devices = [&](interpreter::Exchange &exchange,
                             std::span<const interpreter::DeviceProgram> devices) -> Result<std::vector<Literal>> {
      std::vector<ir::Module> modules;
      std::vector<std::vector<Literal>> arguments;
      for (const interpreter::DeviceProgram &device : devices) {
        modules.push_back(program_of(device, exchange));
        arguments.push_back(device.arguments);
      }
      BP_ASSIGN(const Ensemble ensemble, load(std::ssize(devices)));
      CompileOptions compile_options;
      compile_options.fold_constants = false;
      compile_options.verify = true;
      BP_ASSIGN(const EnsembleExecutable executable, ensemble.compile_each(std::move(modules), compile_options));
      BP_TRY(check_on_devices(executable));
      return executable.run(exchange, std::move(arguments));
    };
    BP_ASSIGN(result_, interpreter::interpret(program_, arguments_, options));
    return {};
  }

  // Appends a remark if the check did not hold, or held only against the correctly rounded result.
  Status judge(const Check &check, Outcome &outcome) const {
    BP_ASSIGN(Literal found, value_of(check.found, check));
    BP_ASSIGN(Literal expected, value_of(check.expected, check));
    if (check.is_serialized) {
      BP_ASSIGN(expected, text::parse_literal(text::print(expected), expected.shape()));
    }
    if (!found.shape().is_static() && expected.shape().is_static()) {  // an array that is stored as it came out
      BP_ASSIGN(found, ir::cut_to_run_time_sizes(found));
      if (!ir::same_sizes(found.shape(), expected.shape())) {
        outcome.failures.push_back(
            {check.location, fmt::format("the result is {}, expected {}", ir::to_string(found.shape()),
                                         ir::to_string(expected.shape()))});
        return {};
      }
    }
    const Rule rule = under_policy(check.rule, policy_, found.shape().element_type());
    const auto mismatch = find_mismatch(found, expected, rule);
    if (!mismatch) {
      return {};
    }
    Remark remark{check.location, to_string(*mismatch, rule)};
    // A stored value that is compared with the tolerance of Near is right: it has to be met itself.
    const bool may_be_off = rule.kind == RuleKind::Close || rule.kind == RuleKind::AlmostEqual;
    if (may_be_off && check.found.output && !check.expected.output) {
      if (const auto exact = correctly_rounded(program_, arguments_, *check.found.output)) {
        if (!find_mismatch(found, expected, rule, &*exact)) {
          outcome.stored_values_off.push_back(std::move(remark));
          return {};
        }
      }
    }
    outcome.failures.push_back(std::move(remark));
    return {};
  }

 private:
  Result<Literal> value_of(const Side &side, const Check &check) const {
    if (side.output) {
      return result_.tuple_elements()[*side.output];
    }
    if (side.probe.empty()) {
      return side.value;
    }
    const auto seen = probed_.find(side.probe);
    const std::size_t count = seen == probed_.end() ? 0 : seen->second.size();
    if (side.iteration < 0 || static_cast<std::size_t>(side.iteration) >= count) {
      return invalid_input("the probe {} saw {} values, expected more than {}", side.probe, count, side.iteration)
          .at(check.location);
    }
    return seen->second[static_cast<std::size_t>(side.iteration)];
  }

  const ir::Module &program_;
  const std::vector<Literal> arguments_;
  const Policy policy_;
  Literal result_;
  std::map<std::string, std::vector<Literal>> probed_;
};

}  // namespace

Result<Outcome> run(const ir::Module &module, const Backend &backend, Policy policy, const Inspect &inspect,
                    const LoadEnsemble &load_ensemble) {
  BP_ASSIGN(SelfChecking program, split_checks(module));
  return run(std::move(program), backend, policy, inspect, load_ensemble);
}

Result<Outcome> run(SelfChecking program, const Backend &backend, Policy policy, const Inspect &inspect,
                    const LoadEnsemble &load_ensemble) {
  CheckedRun run(program.program, std::move(program.arguments), policy);
  if (starts_devices(program.program) && !backend.is_interpreter()) {
    const LoadEnsemble by_name = [&](std::int64_t count) { return Ensemble::load(backend.name(), count); };
    BP_TRY(run.start_ensembles(load_ensemble ? load_ensemble : by_name));
  } else {
    BP_TRY(run.start(backend, inspect));
  }
  Outcome outcome;
  outcome.checks = program.checks.size();
  for (const Check &check : program.checks) {
    BP_TRY(run.judge(check, outcome));
  }
  return outcome;
}

}  // namespace bp::conformance
