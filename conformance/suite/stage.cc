#include "conformance/suite/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <regex>

namespace bp::conformance {

std::span<const Stage> stages() {
  static const Stage all[] = {x_ray_stage,      life_cycle_stage, contract_stage,    ops_stage,
                              attributes_stage, identities_stage, patterns_stage,    loops_stage,
                              programs_stage,   buffers_stage,    concurrency_stage, faults_stage,
                              claims_stage,     fuzz_stage,       performance_stage, front_ends_stage};
  return all;
}

std::vector<std::string> cases_of(const Stage &stage, const Subject &subject) {
  return stage.tests_devices && !subject.has_device() ? std::vector<std::string>() : stage.list(subject);
}

const Stage *find_stage(std::string_view name) {
  const auto all = stages();
  const auto found = std::ranges::find(all, name, &Stage::name);
  return found == all.end() ? nullptr : &*found;
}

const Stage *stage_of_case(std::string_view id) {
  return find_stage(id.substr(0, id.find('/')));
}

std::vector<TestedRule> tested_rules(const Subject &subject) {
  static const std::regex rule_in_name("BP-[A-Z]+-[0-9][0-9]");
  std::vector<TestedRule> all;
  for (const Stage &stage : stages()) {
    const std::vector<std::string> ids = cases_of(stage, subject);
    if (ids.empty()) {
      continue;
    }
    for (const std::string &id : ids) {
      if (std::smatch found; std::regex_search(id, found, rule_in_name)) {
        all.push_back({found.str(), id});
      }
    }
    for (const RuleCases &row : stage.rules) {
      if (row.extension.empty() || subject.has(row.extension)) {
        all.push_back({std::string(row.rule), std::string(row.cases)});
      }
    }
  }
  return all;
}

std::vector<std::string> list_cases(std::string_view stage, std::span<const NamedCase> cases) {
  std::vector<std::string> ids;
  for (const NamedCase &one : cases) {
    ids.push_back(fmt::format("{}/{}", stage, one.name));
  }
  return ids;
}

Verdict run_case(std::string_view stage, std::span<const NamedCase> cases, Subject &subject, std::string_view id) {
  const auto found = std::ranges::find(cases, id.substr(std::min(id.size(), stage.size() + 1)), &NamedCase::name);
  return found == cases.end() ? failure(fmt::format("there is no case {}", id)) : found->run(subject);
}

std::optional<std::size_t> number_of_case(std::string_view id) {
  const std::string_view digits = id.substr(id.rfind('/') + 1);
  std::size_t number = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && rest == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

Verdict verdict_or_error(const Result<Verdict> &verdict) {
  if (verdict.ok()) {
    return *verdict;
  }
  Verdict of_error = failure(verdict.error().to_string());
  if (verdict.error().code() == ErrorCode::Unsupported) {
    of_error.status = CaseStatus::Unsupported;
  }
  return of_error;
}

namespace {

bool has_elements(const ir::Shape &shape) {
  return shape.is_tuple() ? std::ranges::any_of(shape.elements(), has_elements)
                          : !shape.is_array() || std::ranges::count(shape.sizes(), 0) == 0;
}

}  // namespace

void mark_trivial(const Subject &subject, std::string_view key, const ir::Module &module, Verdict &verdict) {
  const ir::Instruction root = module.entry().root();
  const bool copies =
      verdict.status == CaseStatus::Pass && root.opcode() != ir::Opcode::Copy && subject.only_copies(key);
  verdict.is_trivial = verdict.status != CaseStatus::Fail && (copies || !has_elements(root.shape()));
}

Verdict nothing_to_do() {
  return {.status = CaseStatus::Unsupported, .message = "the core leaves nothing for the device to do"};
}

Verdict verdict_of_compilation(Subject &subject, const ir::Module &module, const Error &error, const std::string &key) {
  const auto backend = subject.backend();
  if (error.code() != ErrorCode::Unsupported || !backend.ok() || (*backend)->is_interpreter()) {
    return failure(error.to_string());
  }
  const auto survey = subject.survey(key, module);
  if (survey.ok() && survey->on_host.empty()) {
    // The device may claim the program but not the copies that the plan needs: then it can be compiled with parts on
    // the host.
    CompileOptions options;
    options.fold_constants = false;
    const auto divided = (*backend)->compile(module, options);
    if (!divided.ok() || divided->report.on_host.empty()) {
      return failure("claimed, then declined: " + error.to_string());
    }
  }
  return {.status = CaseStatus::Unsupported, .message = error.message()};
}

}  // namespace bp::conformance
