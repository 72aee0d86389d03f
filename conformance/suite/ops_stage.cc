// Compares each operation with the interpreter, within the table of tolerances. Operands are parameters, so nothing is
// computed before the run. Everything runs on the device, otherwise the case is unsupported, with the device's reason.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/suite/instruction_trial.h"
#include "conformance/suite/op_case.h"
#include "conformance/suite/stage.h"

namespace bp::conformance {
namespace {

Result<InstructionTrial> trial_of_ops(Subject &subject, const std::string &id) {
  const auto one = OpCase::parse(id);
  BP_ASSIGN(ir::Module module, one ? one->module() : Result<ir::Module>(invalid_input("there is no case {}", id)));
  BP_ASSIGN(std::vector<Literal> arguments,
            make_arguments(module, one->values, one->op->accuracy.special_values, one->op->has(ir::Trait::Elementwise),
                           subject.seed_of(one->id()), std::uint64_t{one->highest_byte} << 24));
  InstructionTrial trial{.key = id.substr(0, id.rfind('/')),
                         .module = std::move(module),
                         .arguments = std::move(arguments),
                         .values = one->values,
                         .type = one->type,
                         .seed = subject.seed_of(id)};
  if (one->shape.storage == Storage::Tiled && !store_in_tiles(subject, trial, Tiles::Same)) {
    return make_error(ErrorCode::Unsupported, "the device does not run this with arrays in tiles");
  }
  return trial;
}

std::vector<std::string> list_ops(const Subject &subject) {
  std::vector<std::string> ids;
  for (const ir::OpInfo &op : ir::ops()) {
    std::ranges::move(list_op_cases(op, subject.choice().mode), std::back_inserter(ids));
  }
  return ids;
}

Verdict run_ops(Subject &subject, const std::string &id) {
  const auto trial = trial_of_ops(subject, id);
  if (!trial.ok()) {
    Verdict verdict = verdict_or_error(trial.error());
    verdict.is_evidence = verdict.status != CaseStatus::Unsupported;
    return verdict;
  }
  Verdict verdict = judge_on_device(subject, *trial);
  mark_trivial(subject, trial->key, trial->module, verdict);
  return verdict;
}

Result<CaseProgram> program_of_ops(Subject &subject, const std::string &id) {
  BP_ASSIGN(InstructionTrial trial, trial_of_ops(subject, id));
  const OpCase one = *OpCase::parse(id);
  return CaseProgram{std::move(trial.module), std::move(trial.arguments), to_string(one.op->accuracy, one.type)};
}

void describe(std::string_view id, Verdict &verdict) {
  if (const auto one = OpCase::parse(id)) {
    verdict.op = one->op->text;
    verdict.type = one->type == ir::ElementType::Invalid ? "-" : ir::to_string(one->type);
    verdict.allowed = to_string(one->op->accuracy, one->type);
  }
}

}  // namespace

const Stage ops_stage = {.name = "ops",
                         .summary = "every operation, on each of its element types, compared with the interpreter",
                         .list = list_ops,
                         .run = run_ops,
                         .describe = describe,
                         .program = program_of_ops,
                         .trial = trial_of_ops,
                         .shares_programs = true};

}  // namespace bp::conformance
