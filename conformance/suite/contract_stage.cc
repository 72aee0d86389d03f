// The rules of the headers that can be checked from outside while the plugin works: the validate layer watches it
// compile and run the sample programs. There is a case for each rule, and the trials of rules that need special calls.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/process_state.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/validate.h"

namespace bp::conformance {
namespace {

// A rule, and the extension to which it applies.
struct Watched {
  std::string_view rule, extension;
};
constexpr Watched watched[] = {
    {"BP-ALLOC-02", "bp.memory/1"},
    {"BP-CLAIM-01", "bp.compiler/1"},
    {"BP-CLAIM-03", "bp.compiler/1"},
    {"BP-CLAIM-04", "bp.compiler/1"},
    {"BP-COPY-01", "bp.memory/1"},
    {"BP-CREATE-01", ""},
    {"BP-DEVICE-04", ""},
    {"BP-DEVICE-05", ""},
    {"BP-DIAG-01", ""},
    {"BP-DIAG-02", ""},
    {"BP-FACTORY-01", ""},
    {"BP-FIND-01", "bp.kernels/1"},
    {"BP-FIND-03", "bp.kernels/1"},
    {"BP-KERNEL-01", "bp.kernels/1"},
    {"BP-LAW-01", ""},
    {"BP-LAW-04", ""},
    {"BP-LAYOUT-01", "bp.layout/draft-1"},
    {"BP-LOAD-02", "bp.compiler/1"},
    {"BP-LOG-01", ""},
    {"BP-MODULE-04", ""},
    {"BP-RUN-01", "bp.compiler/1"},
    {"BP-RUN-03", "bp.compiler/1"},
    {"BP-SIGNAL-01", "bp.queue/1"},
    {"BP-SIGNAL-02", "bp.queue/1"},
    {"BP-STATUS-03", ""},
    {"BP-STREAM-01", "bp.compiler/1"},
    {"bp_status", ""},
};

// Watches everything that the suite can make the plugin do in a short time.
Result<std::vector<layers::Violation>> watch(Subject &subject) {
  auto violations = std::make_shared<layers::Violations>();
  const ProcessState before = look_at_process();
  const std::int64_t written = output_size();
  {
    BackendOptions options = subject.backend_options();
    options.layers.push_back(layers::validate_layer(violations));
    BP_ASSIGN(const Backend backend, Backend::load(subject.choice().name, options));
    CompileOptions compile_options;
    compile_options.fold_constants = false;
    for (const std::string &name : sample_program_names()) {
      BP_ASSIGN(const ir::Module module, sample_program(name));
      const auto compiled = backend.compile(module, compile_options);
      if (!compiled.ok()) {
        continue;  // other stages report this
      }
      BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of(name)));
      for (int i = 0; i < 2; ++i) {
        static_cast<void>(compiled->executable.run(arguments));
      }
    }
  }
  if (const std::string text = output_after(written); !text.empty()) {
    violations->add("BP-LOG-01",
                    fmt::format("it writes to standard output or standard error: {}", host::printable(text)));
  }
  if (const std::string what = difference(before, look_at_process()); !what.empty()) {
    violations->add("BP-LAW-04", what);
  }
  return violations->all();
}

Verdict expect_unbroken(Subject &subject, std::string_view rule) {
  // The cases of a worker share the violations of one watched run.
  static const Result<std::vector<layers::Violation>> violations = watch(subject);
  if (!violations.ok()) {
    return failure(violations.error().to_string());
  }
  const auto found = std::ranges::find(*violations, rule, &layers::Violation::rule);
  if (found == violations->end()) {
    return {};
  }
  return failure(
      fmt::format("{}; {} times", found->message, std::ranges::count(*violations, rule, &layers::Violation::rule)));
}

// Returns the trials of all files.
std::vector<ContractTrial> trials() {
  std::vector<ContractTrial> all;
  for (const std::span<const ContractTrial> table :
       {host_trials, module_trials, queue_trials, memory_trials, point_trials, routine_trials, external_memory_trials,
        information_trials, claim_trials, compile_trials, run_trials, constant_trials, host_call_trials, traffic_trials,
        true_loss_trials, aot_trials}) {
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

std::vector<std::string> list_contract(const Subject &subject) {
  std::vector<std::string> ids;
  if (subject.is_interpreter()) {
    return ids;
  }
  for (const Watched &one : watched) {
    if (one.extension.empty() || subject.has(one.extension)) {
      ids.push_back(fmt::format("contract/{}/watched", one.rule));
    }
  }
  for (const ContractTrial &trial : trials()) {
    if (trial.extension.empty() || subject.has(trial.extension)) {
      ids.push_back(fmt::format("contract/{}", trial.name));
    }
  }
  return ids;
}

Verdict run_contract(Subject &subject, const std::string &id) {
  constexpr std::string_view begin = "contract/", end = "/watched";
  if (id.ends_with(end)) {
    return expect_unbroken(subject, std::string_view(id).substr(begin.size(), id.size() - begin.size() - end.size()));
  }
  const auto all = trials();
  const auto found = std::ranges::find(all, std::string_view(id).substr(begin.size()), &ContractTrial::name);
  return found == all.end() ? failure(fmt::format("there is no case {}", id)) : found->run(subject);
}

constexpr RuleCases rules_of_contract[] = {
    {"BP-STATUS-01", "contract/BP-CLAIM-03/watched", "bp.compiler/1"},
    {"BP-STATUS-01", "contract/BP-FIND-03/watched", "bp.kernels/1"},
    {"BP-STATUS-02", "contract/BP-RUN-03/watched", "bp.compiler/1"},
    {"BP-SUBMIT-03", "contract/BP-SIGNAL-01/watched", "bp.queue/1"},
    {"BP-SUBMIT-03", "contract/BP-SIGNAL-02/watched", "bp.queue/1"},
};

}  // namespace

const Stage contract_stage = {.name = "contract",
                              .summary = "the rules of the headers, checked while the plugin works",
                              .list = list_contract,
                              .run = run_contract,
                              .deadline_seconds = 120,
                              .rules = rules_of_contract};

}  // namespace bp::conformance
