// Memory accesses of programs: each of its buffers lies between guards, memory that it must not write is protected if
// it is host memory, and everything except inputs holds poison before the run. The result must not depend on the
// addresses of buffers or on their previous content.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "conformance/suite/direct_program.h"
#include "conformance/suite/program_judge.h"
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
  const DevicePointer &device;
  const std::string &sample;
  const ir::Module &module;
  const std::shared_ptr<const DirectParts> &parts;
  const DirectProgram &program;
  std::vector<Literal> arguments, others;
  std::uint64_t seed;
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

// Judges a result by that of the interpreter.
Status expect_right(const ir::Module &module, const std::vector<Literal> &arguments, const DirectParts &parts,
                    const Outputs &outputs) {
  if (outputs.size() != count_arrays(parts.result)) {
    return {};  // parts of the result are no arrays
  }
  const auto judge = ProgramJudge::make(module, arguments);
  if (!judge.ok()) {
    return {};  // there is nothing to compare with
  }
  std::span<const std::vector<std::byte>> rest = outputs;
  BP_ASSIGN(const Literal found, literal_of(parts.result, rest));
  BP_ASSIGN(const std::string mismatch, judge->find_mismatch(found));
  return mismatch.empty() ? Status() : make_error(ErrorCode::PluginFailure, "{}", mismatch);
}
Status computes_result(const Trial &trial) {
  BP_ASSIGN(const Outputs outputs, trial.program.run(trial.arguments, ends));
  return expect_right(trial.module, trial.arguments, *trial.parts, outputs);
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

// Changes arrays so that they are easily taken for what they were.
template <class Change>
std::vector<Literal> changed(std::vector<Literal> arguments, Change change) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    ir::visit_element_type(arguments[i].shape().element_type(),
                           [&]<class T>() { change(i, arguments[i].mutable_elements<T>()); });
  }
  return arguments;
}
std::vector<Literal> with_other_last_elements(const std::vector<Literal> &arguments,
                                              const std::vector<Literal> &others) {
  return changed(arguments, [&]<class T>(std::size_t i, std::span<T> elements) {
    if (!elements.empty()) {
      elements.back() = others[i].elements<T>().back();
    }
  });
}
std::vector<Literal> in_reverse_order(const std::vector<Literal> &arguments) {
  return changed(arguments, [](std::size_t, auto elements) { std::ranges::reverse(elements); });
}

// BP-RUN-04, with inputs that differ little from those of the run before.
Status remembers_nothing_similar(const Trial &trial) {
  const std::pair<std::vector<Literal>, std::string_view> changes[] = {
      {with_other_last_elements(trial.arguments, trial.others),
       "after a run with inputs that differ in their last elements (BP-RUN-04)"},
      {in_reverse_order(trial.arguments), "after a run with the same inputs in reverse order (BP-RUN-04)"},
  };
  for (const auto &[inputs, what] : changes) {
    // Another program computes the expected bits, between runs with quite other inputs.
    BP_ASSIGN(const std::unique_ptr<DirectProgram> other, DirectProgram::load(trial.device, trial.parts));
    BP_ASSIGN([[maybe_unused]] const Outputs before, trial.program.run(trial.others, ends));
    BP_ASSIGN(const Outputs expected, other->run(inputs, ends));
    BP_ASSIGN([[maybe_unused]] const Outputs after, trial.program.run(trial.others, ends));
    BP_ASSIGN([[maybe_unused]] const Outputs first, trial.program.run(trial.arguments, ends));
    BP_ASSIGN(const Outputs found, trial.program.run(inputs, ends));
    BP_TRY(expect_same(found, expected, what));
  }
  return {};
}

LoadingPlace place_for(const DirectParts &a, const DirectParts &b) {
  LoadingPlace place;
  place.module.reserve(std::max(a.image.bytes().size(), b.image.bytes().size()));
  place.artifact.reserve(std::max(a.artifact.size(), b.artifact.size()));
  return place;
}
// Loads a program, runs it once and destroys it.
Result<Outputs> run_once(const Trial &trial, const std::shared_ptr<const DirectParts> &parts,
                         const std::vector<Literal> &arguments, LoadingPlace &place) {
  BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(trial.device, parts, &place));
  return program->run(arguments, ends);
}

// BP-RUN-04, across programs: the first run of one after another of the same signature was destroyed, with the same
// inputs and often at the same address.
Status forgets_what_was_destroyed(const Trial &trial) {
  const auto next = successor_of_sample(trial.sample);
  BP_ASSIGN(const auto parts, DirectParts::compile(trial.device, *next));
  if (parts == nullptr) {
    return make_error(ErrorCode::Unsupported, "the core leaves nothing of the next sample for the device to do");
  }
  BP_ASSIGN(const std::unique_ptr<DirectProgram> own, DirectProgram::load(trial.device, parts));
  BP_ASSIGN(const Outputs expected_first, trial.program.run(trial.arguments, ends));
  BP_ASSIGN(const Outputs expected_next, own->run(trial.arguments, ends));
  LoadingPlace place = place_for(*trial.parts, *parts);
  constexpr int rounds = 3;
  for (int i = 0; i < rounds; ++i) {
    BP_ASSIGN(const Outputs first, run_once(trial, trial.parts, trial.arguments, place));
    BP_TRY(expect_same(first, expected_first, "after another program was destroyed (BP-RUN-04)"));
    BP_ASSIGN(const Outputs second, run_once(trial, parts, trial.arguments, place));
    BP_TRY(expect_same(second, expected_next, "after another program was destroyed (BP-RUN-04)"));
  }
  return {};
}

constexpr std::int64_t larger_size = 2051;

// BP-RUN-04, across programs: the same one with larger arrays, loaded from the same memory.
Status forgets_size(const Trial &trial) {
  const auto larger = sample_program_of_size(trial.sample, larger_size);
  BP_ASSIGN(const auto parts, DirectParts::compile(trial.device, *larger));
  if (parts == nullptr) {
    return make_error(ErrorCode::Unsupported, "the core leaves nothing of the program for the device to do");
  }
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(*larger, trial.seed));
  LoadingPlace place = place_for(*trial.parts, *parts);
  BP_ASSIGN([[maybe_unused]] const Outputs small, run_once(trial, trial.parts, trial.arguments, place));
  BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(trial.device, parts, &place));
  BP_ASSIGN(const Outputs first, program->run(arguments, ends));
  BP_TRY(expect_right(*larger, arguments, *parts, first));
  BP_ASSIGN(const Outputs second, program->run(arguments, starts));
  return expect_same(second, first, "when buffers have other addresses and other bytes before the run");
}

struct Check {
  std::string_view name;
  Status (*run)(const Trial &trial);
  // Whether there is such a check of the sample. nullptr: there is.
  bool (*applies)(const std::string &sample) = nullptr;
};
constexpr Check checks[] = {
    {"end", keeps_within_end},
    {"start", keeps_within_start},
    {"elsewhere", does_not_depend_on_addresses},
    {"result", computes_result},
    {"again", remembers_nothing},
    {"similar", remembers_nothing_similar},
    {"successor", forgets_what_was_destroyed,
     [](const std::string &sample) { return successor_of_sample(sample).has_value(); }},
    {"larger", forgets_size,
     [](const std::string &sample) { return sample_program_of_size(sample, larger_size).has_value(); }},
};

std::vector<std::string> list_buffers(const Subject &subject) {
  std::vector<std::string> ids;
  if (subject.is_interpreter()) {
    return ids;
  }
  for (const std::string &name : sample_program_names()) {
    for (const Check &check : checks) {
      if (check.applies == nullptr || check.applies(name)) {
        ids.push_back(fmt::format("buffers/{}/{}", name, check.name));
      }
    }
  }
  return ids;
}

// Compiles a sample for a device. The checks of a sample, which follow each other, share the result.
Result<std::shared_ptr<const DirectParts>> compile_sample(const DevicePointer &device, const std::string &name,
                                                          const ir::Module &module) {
  struct Last {
    std::weak_ptr<const host::Device> device;
    std::string name;
    Result<std::shared_ptr<const DirectParts>> parts;
  };
  static std::optional<Last> last;
  if (!last || last->name != name || last->device.lock() != device) {
    last.emplace(Last{device, name, DirectParts::compile(device, module)});
  }
  return last->parts;
}

Result<Verdict> judge(Subject &subject, const std::string &name, std::string_view check_name,
                      const std::string &group) {
  BP_ASSIGN(const ir::Module module, sample_program(name));
  BP_ASSIGN(const Backend *backend, subject.backend());
  const auto parts = compile_sample(backend->device(), name, module);
  if (!parts.ok()) {
    return verdict_of_compilation(subject, module, parts.error());
  }
  if (*parts == nullptr) {
    return nothing_to_do();
  }
  BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(backend->device(), *parts));
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of(group)));
  BP_ASSIGN(std::vector<Literal> others, interpreter::random_arguments(module, subject.seed_of(group) + 1));
  const Trial trial{backend->device(),     name, module, *parts, *program, std::move(arguments), std::move(others),
                    subject.seed_of(group)};
  const auto *check = std::ranges::find(checks, check_name, &Check::name);
  if (check == std::end(checks) || (check->applies != nullptr && !check->applies(name))) {
    return invalid_input("there is no check {} of {}", check_name, name);
  }
  const Status status = check->run(trial);
  return status.ok() ? Verdict() : verdict_or_error(status.error());
}

Verdict run_buffers(Subject &subject, const std::string &id) {
  const std::size_t begin = id.find('/') + 1, end = id.rfind('/');
  const auto verdict = judge(subject, id.substr(begin, end - begin), id.substr(end + 1), id.substr(0, end));
  return verdict.ok() ? *verdict : failure(verdict.error().to_string());
}

constexpr RuleCases rules_of_buffers[] = {
    {"BP-RUN-01", "buffers/*/end", "bp.compiler/1"},         {"BP-RUN-01", "buffers/*/start", "bp.compiler/1"},
    {"BP-RUN-04", "buffers/*/again", "bp.compiler/1"},       {"BP-LOAD-02", "buffers/constants/*", "bp.compiler/1"},
    {"BP-KERNEL-01", "buffers/*/end", "bp.kernels/1"},       {"BP-KERNEL-01", "buffers/*/start", "bp.kernels/1"},
    {"BP-KERNEL-02", "buffers/*/again", "bp.kernels/1"},     {"BP-RUN-04", "buffers/*/similar", "bp.compiler/1"},
    {"BP-KERNEL-02", "buffers/*/similar", "bp.kernels/1"},   {"BP-RUN-04", "buffers/*/successor", "bp.compiler/1"},
    {"BP-KERNEL-02", "buffers/*/successor", "bp.kernels/1"}, {"BP-RUN-04", "buffers/*/larger", "bp.compiler/1"},
    {"BP-KERNEL-02", "buffers/*/larger", "bp.kernels/1"},
};

}  // namespace

const Stage buffers_stage = {
    .name = "buffers",
    .summary = "the same bits with guarded buffers, protected inputs, poisoned memory and other addresses",
    .list = list_buffers,
    .run = run_buffers,
    .program = [](Subject &subject,
                  const std::string &id) { return program_of_sample(subject, id, id.substr(0, id.rfind('/'))); },
    .shares_programs = true,
    .rules = rules_of_buffers};

}  // namespace bp::conformance
