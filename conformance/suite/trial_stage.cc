#include "conformance/suite/trial_stage.h"

#include "conformance/suite/instruction_trial.h"

namespace bp::conformance {

Verdict run_trial(Subject &subject, const std::string &id) {
  const auto trial = stage_of_case(id)->trial(subject, id);
  return trial.ok() ? judge_on_device(subject, *trial) : verdict_or_error(trial.error());
}

Result<CaseProgram> program_of_trial(Subject &subject, const std::string &id) {
  BP_ASSIGN(InstructionTrial trial, stage_of_case(id)->trial(subject, id));
  return CaseProgram{std::move(trial.module), std::move(trial.arguments), std::string(allowed_by_program_judge)};
}

}  // namespace bp::conformance
