// Memory accesses of programs: each of its buffers lies between guards, memory that it must not write is protected if
// it is host memory, and everything except inputs holds poison before the run. The result must not depend on the
// addresses of buffers or on their previous content.
#include <fmt/format.h>

#include <functional>

#include "conformance/suite/direct_program.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/interpreter/random_inputs.h"

namespace bp::conformance {
namespace {

using Side = GuardedBlock::Side;
using Outputs = DirectProgram::Outputs;

constexpr DirectProgram::Arrangement ends{.side = Side::AtEnd, .poison = std::byte{0xff}, .is_protected = true};
constexpr DirectProgram::Arrangement starts{
    .side = Side::AtStart, .poison = std::byte{0x2a}, .is_reversed = true, .is_protected = true};

Status expect_same(const Outputs &found, const Outputs &expected, std::string_view what) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (found[i] != expected[i]) {
      return make_error(ErrorCode::PluginFailure, "output {} differs in bits {}", i, what);
    }
  }
  return {};
}

struct Trial {
  const DirectProgram &program;
  std::vector<Literal> arguments, others;
};

// Checks that nothing is accessed past the end of a buffer.
Status keeps_within_end(const Trial &trial) {
  BP_ASSIGN([[maybe_unused]] const Outputs outputs, trial.program.run(trial.arguments, ends));
  return {};
}
Status keeps_within_start(const Trial &trial) {
  BP_ASSIGN([[maybe_unused]] const Outputs outputs, trial.program.run(trial.arguments, starts));
  return {};
}
Status does_not_depend_on_addresses(const Trial &trial) {
  BP_ASSIGN(const Outputs first, trial.program.run(trial.arguments, ends));
  BP_ASSIGN(const Outputs second, trial.program.run(trial.arguments, starts));
  return expect_same(second, first, "when buffers have other addresses and other bytes before the run");
}
// BP-RUN-04: no observable state.
Status remembers_nothing(const Trial &trial) {
  BP_ASSIGN(const Outputs first, trial.program.run(trial.arguments, ends));
  BP_ASSIGN(const Outputs between, trial.program.run(trial.others, starts));
  BP_ASSIGN(const Outputs again, trial.program.run(trial.arguments, ends));
  BP_ASSIGN(const Outputs others_again, trial.program.run(trial.others, ends));
  BP_TRY(expect_same(again, first, "after a run with other inputs (BP-RUN-04)"));
  return expect_same(others_again, between, "after a run with other inputs (BP-RUN-04)");
}

struct Check {
  std::string_view name;
  Status (*run)(const Trial &trial);
};
constexpr Check checks[] = {
    {"end", keeps_within_end},
    {"start", keeps_within_start},
    {"elsewhere", does_not_depend_on_addresses},
    {"again", remembers_nothing},
};

std::vector<std::string> list_buffers(const Subject &subject) {
  std::vector<std::string> ids;
  if (subject.is_interpreter()) {
    return ids;
  }
  for (const std::string &name : sample_program_names()) {
    for (const Check &check : checks) {
      ids.push_back(fmt::format("buffers/{}/{}", name, check.name));
    }
  }
  return ids;
}

Result<Verdict> judge(Subject &subject, const std::string &name, std::string_view check_name,
                      const std::string &group) {
  BP_ASSIGN(const ir::Module module, sample_program(name));
  BP_ASSIGN(const Backend *backend, subject.backend());
  const auto parts = DirectParts::compile(backend->device(), module);
  if (!parts.ok()) {
    return verdict_of_compilation(subject, module, parts.error());
  }
  if (*parts == nullptr) {
    return nothing_to_do();
  }
  BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(backend->device(), *parts));
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of(group)));
  BP_ASSIGN(std::vector<Literal> others, interpreter::random_arguments(module, subject.seed_of(group) + 1));
  const Trial trial{*program, std::move(arguments), std::move(others)};
  for (const Check &check : checks) {
    if (check.name == check_name) {
      return verdict_of(check.run(trial));
    }
  }
  return invalid_input("there is no check {}", check_name);
}

Verdict run_buffers(Subject &subject, const std::string &id) {
  const std::size_t begin = id.find('/') + 1, end = id.rfind('/');
  const auto verdict = judge(subject, id.substr(begin, end - begin), id.substr(end + 1), id.substr(0, end));
  return verdict.ok() ? *verdict : failure(verdict.error().to_string());
}

constexpr RuleCases rules_of_buffers[] = {
    {"BP-RUN-01", "buffers/*/end", "bp.compiler/1"},     {"BP-RUN-01", "buffers/*/start", "bp.compiler/1"},
    {"BP-RUN-04", "buffers/*/again", "bp.compiler/1"},   {"BP-LOAD-02", "buffers/constants/*", "bp.compiler/1"},
    {"BP-KERNEL-01", "buffers/*/end", "bp.kernels/1"},   {"BP-KERNEL-01", "buffers/*/start", "bp.kernels/1"},
    {"BP-KERNEL-02", "buffers/*/again", "bp.kernels/1"},
};

}  // namespace

const Stage buffers_stage = {
    .name = "buffers",
    .summary = "the same bits with guarded buffers, protected inputs, poisoned memory and other addresses",
    .list = list_buffers,
    .run = run_buffers,
    .program = [](Subject &subject,
                  const std::string &id) { return program_of_sample(subject, id, id.substr(0, id.rfind('/'))); },
    .rules = rules_of_buffers};

}  // namespace bp::conformance
