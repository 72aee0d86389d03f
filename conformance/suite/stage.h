// The stages of the suite. Each is a list of cases with stable names, and a function that runs one of them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/record.h"
#include "conformance/suite/case_program.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

struct InstructionTrial;

// A rule of the headers, and a pattern of the cases that test it. Cases whose names contain the rule need no such row.
struct RuleCases {
  std::string_view rule, cases;
  std::string_view extension = {};  // the rule applies only to plugins with this extension; empty: to all
};

struct Stage {
  std::string_view name;  // the first part of its case ids: "ops"
  std::string_view summary;
  // Returns the case ids, always the same in the same order. Runs nothing of the plugin. Called by cases_of().
  std::vector<std::string> (*list)(const Subject &subject);
  // Runs a case, in a worker process, which has loaded nothing yet when its first case begins.
  Verdict (*run)(Subject &subject, const std::string &id);
  // Sets the op and type of the verdict, derived from the case id. nullptr: cases are not about an op.
  void (*describe)(std::string_view id, Verdict &verdict) = nullptr;
  // Returns the program that the case runs, with its arguments. nullptr: cases make calls of their own.
  Result<CaseProgram> (*program)(Subject &subject, const std::string &id) = nullptr;
  // Returns the program with what is needed to judge its result. nullptr: results are not judged alone.
  Result<InstructionTrial> (*trial)(Subject &subject, const std::string &id) = nullptr;
  // Returns advice on how to continue after a case has ended its worker. nullptr: no advice.
  std::string (*advice)(const Subject &subject, std::string_view id) = nullptr;
  double deadline_seconds = 30;  // per case
  // Cases that differ only after the last '/' are given to one worker, one after the other.
  bool shares_programs = false;
  // Each case gets a worker of its own, because it examines the process as a whole.
  bool is_alone = false;
  // Only one case runs at a time, because cases that run at the same time would affect the measurement.
  bool is_timed = false;
  // Whether its cases need a device; a library with front ends alone has none.
  bool tests_devices = true;
  // If this case does not pass, no later case is run.
  std::string_view gate = {};
  std::span<const RuleCases> rules = {};
};

// Returns the stages in the order in which they run.
std::span<const Stage> stages();
// Returns the ids of the cases that the stage has for the subject.
std::vector<std::string> cases_of(const Stage &stage, const Subject &subject);
// Return nullptr if there is none.
const Stage *find_stage(std::string_view name);
const Stage *stage_of_case(std::string_view id);

// A rule that the stages test on a plugin, with the ids or patterns of its cases. tested_rules() returns them in the
// order of the stages.
struct TestedRule {
  std::string rule, cases;
};
std::vector<TestedRule> tested_rules(const Subject &subject);

// A case of a stage that needs no more than a name and a function: "x_ray/one_symbol".
struct NamedCase {
  std::string_view name;
  Verdict (*run)(Subject &subject);
};
std::vector<std::string> list_cases(std::string_view stage, std::span<const NamedCase> cases);
Verdict run_case(std::string_view stage, std::span<const NamedCase> cases, Subject &subject, std::string_view id);

// Returns the number after the last '/' of a case's id. nullopt: there is none.
std::optional<std::size_t> number_of_case(std::string_view id);

// Returns the verdict on a program that did not compile: unsupported if the device itself says that it does not claim
// all of it; a failure if it claimed the program and then declined it. `key`: as for Subject::survey().
Verdict verdict_of_compilation(Subject &subject, const ir::Module &module, const Error &error,
                               const std::string &key = {});

// Returns the verdict; for an error, unsupported if that is its code, otherwise a failure.
Verdict verdict_or_error(const Result<Verdict> &verdict);

// Marks the verdict on an instruction as trivial if its result has no elements, or if the device passes by copying,
// although the instruction is not a copy. A failure is none. `key`: that of Subject::compile().
void mark_trivial(const Subject &subject, std::string_view key, const ir::Module &module, Verdict &verdict);

// Returns the verdict on a program that the core has reduced to nothing: no device has a part in its result.
Verdict nothing_to_do();

// One stage per source file.
extern const Stage x_ray_stage, life_cycle_stage, contract_stage, ops_stage, attributes_stage, identities_stage,
    patterns_stage, loops_stage, programs_stage, buffers_stage, concurrency_stage, faults_stage, claims_stage,
    fuzz_stage, performance_stage, front_ends_stage;

}  // namespace bp::conformance
