// The rules of the headers that can be seen from outside while the plugin works: the validate layer watches it compile and
// run the sample programs. A case for each rule; and cases for rules that take a call of their own.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/validate.h"

namespace bp::conformance {
namespace {

// Rule, and the extension without which it says nothing.
struct Watched {
  std::string_view rule, extension;
};
constexpr Watched watched[] = {
    {"BP-ALLOC-02", "bp.memory/1"},
    {"BP-CLAIM-01", "bp.compiler/1"},
    {"BP-CLAIM-03", "bp.compiler/1"},
    {"BP-CLAIM-04", "bp.compiler/1"},
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
    {"BP-MODULE-04", ""},
    {"BP-RUN-01", "bp.compiler/1"},
    {"BP-SIGNAL-01", "bp.queue/1"},
    {"BP-SIGNAL-02", "bp.queue/1"},
    {"BP-STREAM-01", "bp.compiler/1"},
    {"bp_status", ""},
};

// Everything the suite can make it do in a short time, watched.
Result<std::vector<layers::Violation>> watch(Subject &subject) {
  auto violations = std::make_shared<layers::Violations>();
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
        continue;  // other stages say so
      }
      BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of(name)));
      for (int i = 0; i < 2; ++i) {
        static_cast<void>(compiled->executable.run(arguments));
      }
    }
  }
  return violations->all();
}

Verdict expect_unbroken(Subject &subject, std::string_view rule) {
  // The cases of a worker share one look.
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

// The first sample gives the same bits under other circumstances.
Result<Literal> run_first_sample(const Subject &subject, const Backend &backend, const ir::Module &module) {
  CompileOptions options;
  options.fold_constants = false;
  BP_ASSIGN(const Compiled compiled, backend.compile(module, options));
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of("contract")));
  return compiled.executable.run(arguments);
}

Result<Verdict> works_without(Subject &subject, const std::vector<std::string> &services) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const Literal expected, run_first_sample(subject, *backend, module));
  BackendOptions options = subject.backend_options();
  options.withdrawn_services = {services.begin(), services.end()};
  BP_ASSIGN(const Backend without, Backend::load(subject.choice().name, options));
  BP_ASSIGN(const Literal found, run_first_sample(subject, without, module));
  return found.identical(expected)
             ? Verdict()
             : failure(fmt::format("BP-HOST-01: the result has other bits without {}", fmt::join(services, " and ")));
}

Verdict without_log(Subject &subject) {
  return verdict_or_error(works_without(subject, {"bp.log/1"}));
}
Verdict without_threads(Subject &subject) {
  return verdict_or_error(works_without(subject, {"bp.thread-pool/1"}));
}
Verdict without_services(Subject &subject) {
  return verdict_or_error(works_without(subject, {"bp.log/1", "bp.thread-pool/1"}));
}

constexpr NamedCase direct[] = {
    {"BP-HOST-01/log", without_log},
    {"BP-HOST-01/threads", without_threads},
    {"BP-HOST-01/all", without_services},
};

std::vector<std::string> list(const Subject &subject) {
  std::vector<std::string> ids;
  if (subject.is_interpreter()) {
    return ids;
  }
  for (const Watched &one : watched) {
    if (one.extension.empty() || subject.has(one.extension)) {
      ids.push_back(fmt::format("contract/{}/watched", one.rule));
    }
  }
  for (std::string &id : list_cases("contract", direct)) {
    ids.push_back(std::move(id));
  }
  return ids;
}

Verdict run(Subject &subject, const std::string &id) {
  constexpr std::string_view begin = "contract/", end = "/watched";
  if (id.ends_with(end)) {
    return expect_unbroken(subject, std::string_view(id).substr(begin.size(), id.size() - begin.size() - end.size()));
  }
  return run_case("contract", direct, subject, id);
}

}  // namespace

const Stage contract_stage = {.name = "contract",
                              .summary = "the rules of the headers, watched while the plugin works",
                              .list = list,
                              .run = run,
                              .deadline_seconds = 120};

}  // namespace bp::conformance
