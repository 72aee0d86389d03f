// The stages of the suite: each a list of cases with stable names, and a function that runs one of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/record.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

// A rule of the headers, and a pattern of cases that test it. Cases with a rule in their names need no such row.
struct RuleCases {
  std::string_view rule, cases;
  std::string_view extension = {};  // of the plugins that the rule is about; empty: of all
};

struct Stage {
  std::string_view name;  // what the ids of its cases begin with: "ops"
  std::string_view summary;
  // The ids, the same ones in the same order each time. Runs nothing of the plugin.
  std::vector<std::string> (*list)(const Subject &subject);
  // In a worker process, which has loaded nothing yet when its first case begins.
  Verdict (*run)(Subject &subject, const std::string &id);
  // Says what a case is about, by its id alone: op and type of the verdict. Null: about none.
  void (*describe)(std::string_view id, Verdict &verdict) = nullptr;
  // Says how to go on where a case has cost its worker. Null: nothing to say.
  std::string (*advice)(const Subject &subject, std::string_view id) = nullptr;
  double deadline_seconds = 30;  // of one case
  // Cases that differ only after the last '/' are given to one worker, one after the other.
  bool shares_programs = false;
  // Each case gets a worker of its own: it looks at the process as a whole.
  bool is_alone = false;
  // One case at a time: what runs beside it would be measured too.
  bool is_timed = false;
  // If this case does not pass, nothing after it is tried.
  std::string_view gate = {};
  std::span<const RuleCases> rules = {};
};

// In the order they run.
std::span<const Stage> stages();
// Null if there is none.
const Stage *find_stage(std::string_view name);
const Stage *stage_of_case(std::string_view id);

// The rules that the stages test on a plugin, with the ids or patterns of the cases; in the order of the stages.
struct TestedRule {
  std::string rule, cases;
};
std::vector<TestedRule> tested_rules(const Subject &subject);

// A part of a stage's table that needs no more than a name and a function: "x_ray/one_symbol".
struct NamedCase {
  std::string_view name;
  Verdict (*run)(Subject &subject);
};
std::vector<std::string> list_cases(std::string_view stage, std::span<const NamedCase> cases);
Verdict run_case(std::string_view stage, std::span<const NamedCase> cases, Subject &subject, std::string_view id);

// Of a program that did not compile: unsupported if the device does not claim all of it, as it says itself; a failure if
// it did, and then declined.
Verdict verdict_of_compilation(Subject &subject, const ir::Module &module, const Error &error);

// Where something could not even be tried: unsupported if that is the error, else a failure.
Verdict verdict_or_error(const Result<Verdict> &verdict);

// Of a program that the core has emptied: whatever the device is, it has no part in the result.
Verdict nothing_to_do();

// One per file.
extern const Stage x_ray_stage, life_cycle_stage, contract_stage, ops_stage, programs_stage, buffers_stage,
    concurrency_stage, faults_stage, claims_stage, fuzz_stage, performance_stage;

}  // namespace bp::conformance
