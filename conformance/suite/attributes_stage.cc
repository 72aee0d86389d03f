// Compares one instruction with the interpreter, with attributes, shapes and layouts that are drawn anew for each case
// and each --seed: windows, paddings, strides, dimension numbers, combiners.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/suite/attribute_case.h"
#include "conformance/suite/instruction_trial.h"
#include "conformance/suite/stage.h"
#include "conformance/suite/sum_bound.h"
#include "conformance/suite/values.h"
#include "core/debugging/random_instruction.h"
#include "core/ir/result_accuracy.h"
#include "core/ir/verifier.h"

namespace bp::conformance {
namespace {

using ir::ElementType;
using ir::Opcode;

// Sums are mostly those of small integers, which have to be exact, as most products; reductions by comparison get what
// is never larger than a wrong initial value; what moves or compares elements gets special values too.
Values values_for(const AttributeCase &one, const ir::Module &module, std::uint64_t seed) {
  using enum Values;
  const auto choose = [&](std::initializer_list<Values> kinds) { return kinds.begin()[seed % kinds.size()]; };
  const ir::Instruction root = module.entry().root();
  if (multiplies_by_function(root)) {
    return choose({Random, Factors, Factors, Factors});
  }
  if (one.op->has(ir::Trait::Contraction) && ir::is_integer(one.type)) {
    return choose({Random, Least, Most, Random});
  }
  if (one.op->has(ir::Trait::Reduction) && root.called(0).root().opcode() != Opcode::Add) {
    return choose({Random, Negative, Uniform, Rare, Neutral});
  }
  if (one.op->accuracy.closeness == Closeness::Sum) {
    return choose({Random, Small, Wide, Rare, Random, Small, Negative, Uniform});
  }
  if (one.op->opcode == Opcode::Sort || one.op->opcode == Opcode::TopK) {
    return choose({Random, Edge, Rare, Alike, Ordered, Edge});
  }
  return one.op->accuracy.special_values == SpecialValueSet::None ? Random : choose({Random, Edge, Rare, Edge});
}

// Unsupported if there is no such instruction.
Result<InstructionTrial> trial_of_attributes(Subject &subject, const std::string &id) {
  const auto one = AttributeCase::parse(id);
  if (!one) {
    return invalid_input("there is no case {}", id);
  }
  auto module = one->module(subject);
  if (!module) {
    return make_error(ErrorCode::Unsupported, "there is no such instruction");
  }
  BP_TRY(ir::verify(*module));
  const std::uint64_t seed = subject.seed_of(id);
  const Values values = values_for(*one, *module, seed / 16);
  BP_ASSIGN(std::vector<ir::Literal> arguments, make_arguments(*module, values, one->op->accuracy.special_values,
                                                               one->op->has(ir::Trait::Elementwise), seed));
  InstructionTrial trial{.key = id,
                         .module = std::move(*module),
                         .arguments = std::move(arguments),
                         .values = values,
                         .type = one->type,
                         .way = static_cast<Way>(seed / 256 % way_count),
                         .seed = seed / 4096};
  if (trial.seed % 2 == 0) {
    store_in_tiles(subject, trial);
  } else {
    store_packed(subject, trial);
  }
  return trial;
}

Result<CaseProgram> program_of_attributes(Subject &subject, const std::string &id) {
  BP_ASSIGN(InstructionTrial trial, trial_of_attributes(subject, id));
  std::string allowed = to_string(ir::accuracy_of(trial.module.entry().root()), trial.type);
  return CaseProgram{std::move(trial.module), std::move(trial.arguments), std::move(allowed)};
}

// Ops whose attributes or start indices have the most combinations.
bool has_many_attributes(Opcode opcode) {
  constexpr Opcode ops[] = {Opcode::Convolution,       Opcode::Dot,          Opcode::Gather,
                            Opcode::Scatter,           Opcode::ReduceWindow, Opcode::DynamicSlice,
                            Opcode::DynamicUpdateSlice};
  return std::ranges::find(ops, opcode) != std::end(ops);
}

// Whether the op has no attributes: then only shapes and layouts vary, and operands that are one value twice.
bool is_plain(Opcode opcode) {
  constexpr Opcode others[] = {Opcode::Compare, Opcode::Select, Opcode::Clamp, Opcode::ReducePrecision,
                               Opcode::Convert};
  return ir::info(opcode).has(ir::Trait::Elementwise) && std::ranges::find(others, opcode) == std::end(others);
}

// Types that quick mode tries several times; each other type gets one case, or none of an op without attributes.
bool is_common(const ir::OpInfo &op, ElementType type) {
  using enum ElementType;
  constexpr ElementType common[] = {Pred, S32, BF16, F32};
  return std::ranges::find(common, type) != std::end(common) || (op.has(ir::Trait::Movement) && type == S4) ||
         (op.has(ir::Trait::Contraction) && type == S8) || (op.opcode == Opcode::Fft && type == C64);
}

std::vector<std::string> list_attributes(const Subject &subject) {
  std::vector<std::string> ids;
  for (const Opcode opcode : debugging::varied_ops()) {
    for (const ir::ElementTypeInfo &row : ir::element_types()) {
      if (ir::is_opaque(row.type) || !debugging::random_instruction(0, opcode, row.type, 64)) {
        continue;
      }
      const bool takes_accuracy = ir::info(opcode).takes(ir::AttributeKey::ResultAccuracy);
      const std::size_t of_common = has_many_attributes(opcode) ? 36 : takes_accuracy ? 4 : is_plain(opcode) ? 2 : 10;
      const std::size_t of_others = is_plain(opcode) && !takes_accuracy ? 0 : 1;
      const bool is_tried_often = is_common(ir::info(opcode), row.type);
      const std::size_t count =
          !subject.is_full() ? (is_tried_often ? of_common : of_others)
                             : std::max(cases_of_all_kinds(opcode, row.type), is_tried_often ? 50 * of_common : 0);
      for (std::size_t i = 0; i < count; ++i) {
        ids.push_back(AttributeCase{&ir::info(opcode), row.type, i}.id());
      }
    }
  }
  return ids;
}

Verdict run_attributes(Subject &subject, const std::string &id) {
  const auto trial = trial_of_attributes(subject, id);
  if (!trial.ok()) {
    Verdict verdict = verdict_or_error(trial.error());
    verdict.is_evidence = verdict.status != CaseStatus::Unsupported;
    return verdict;
  }
  Verdict verdict = judge_on_device(subject, *trial);
  verdict.allowed = to_string(ir::accuracy_of(trial->module.entry().root()), trial->type);
  mark_trivial(subject, id, trial->module, verdict);
  return verdict;
}

void describe(std::string_view id, Verdict &verdict) {
  if (const auto one = AttributeCase::parse(id)) {
    verdict.op = one->op->text;
    verdict.type = ir::to_string(one->type);
    if (verdict.allowed.empty()) {
      verdict.allowed = to_string(one->op->accuracy, one->type);
    }
  }
}

constexpr RuleCases rules_of_attributes[] = {{"BP-PRECISION-01", "attributes/*", "bp.compiler/1"}};

}  // namespace

const Stage attributes_stage = {.name = "attributes",
                                .summary = "single operations with random attributes, shapes and layouts",
                                .list = list_attributes,
                                .run = run_attributes,
                                .describe = describe,
                                .program = program_of_attributes,
                                .trial = trial_of_attributes,
                                .rules = rules_of_attributes};

}  // namespace bp::conformance
