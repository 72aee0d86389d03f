#include "conformance/check/runner.h"

#include <map>

#include "conformance/check/reference.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::conformance {
namespace {

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

Result<Outcome> run(const ir::Module &module, const Backend &backend, Policy policy, const Inspect &inspect) {
  BP_ASSIGN(SelfChecking program, split_checks(module));
  return run(std::move(program), backend, policy, inspect);
}

Result<Outcome> run(SelfChecking program, const Backend &backend, Policy policy, const Inspect &inspect) {
  CheckedRun run(program.program, std::move(program.arguments), policy);
  BP_TRY(run.start(backend, inspect));
  Outcome outcome;
  outcome.checks = program.checks.size();
  for (const Check &check : program.checks) {
    BP_TRY(run.judge(check, outcome));
  }
  return outcome;
}

}  // namespace bp::conformance
