// Whole programs that say themselves what should come out (conformance/programs), part of this executable.
#include <fmt/format.h>

#include <charconv>

#include "conformance/check/case.h"
#include "conformance/check/runner.h"
#include "conformance/programs/embedded.h"
#include "conformance/suite/stage.h"

namespace bp::conformance {
namespace {

std::vector<std::string> list_programs(const Subject &) {
  std::vector<std::string> ids;
  for (const EmbeddedFile &file : embedded_programs()) {
    for (const Case &one : split_cases(file.text, std::string(file.name))) {
      ids.push_back(fmt::format("programs/{}:{}", file.name, one.part));
    }
  }
  return ids;
}

Result<Case> find_case(std::string_view id) {
  const std::size_t slash = id.find('/') + 1, colon = std::min(id.rfind(':'), id.size() - 1);
  for (const EmbeddedFile &file : embedded_programs()) {
    if (file.name != id.substr(slash, colon - slash)) {
      continue;
    }
    for (Case &one : split_cases(file.text, std::string(file.name))) {
      if (std::to_string(one.part) == id.substr(colon + 1)) {
        return std::move(one);
      }
    }
  }
  return invalid_input("there is no case {}", id);
}

Result<Verdict> judge(Subject &subject, const std::string &id) {
  BP_ASSIGN(const Case one, find_case(id));
  BP_ASSIGN(const ir::Module module, parse(one));
  BP_ASSIGN(const Backend *backend, subject.backend());
  const auto outcome = conformance::run(module, *backend, Policy::Device);
  if (!outcome.ok()) {
    BP_ASSIGN(const SelfChecking apart, take_apart(module));
    return verdict_of_compilation(subject, apart.program, outcome.error());
  }
  if (outcome->failures.empty()) {
    return Verdict();
  }
  const Remark &first = outcome->failures.front();
  return failure(fmt::format("{} of {} checks do not hold; {}:{}: {}", outcome->failures.size(), outcome->checks,
                             one.file, first.location.line, first.text));
}

Verdict run_programs(Subject &subject, const std::string &id) {
  const auto verdict = judge(subject, id);
  return verdict.ok() ? *verdict : failure(verdict.error().to_string());
}

constexpr RuleCases rules_of_programs[] = {
    {"BP-MODULE-05", "programs/*", "bp.compiler/1"},
    {"BP-MODULE-06", "programs/*", "bp.compiler/1"},
};

}  // namespace

const Stage programs_stage = {.name = "programs",
                              .summary = "whole programs that say themselves what should come out",
                              .list = list_programs,
                              .run = run_programs,
                              .rules = rules_of_programs};

}  // namespace bp::conformance
