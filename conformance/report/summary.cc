#include "conformance/report/summary.h"

#include <algorithm>
#include <set>

#include "core/ir/element_type.h"
#include "core/ir/op.h"

namespace bp::conformance {

std::string family_of(std::string_view op) {
  const auto opcode = ir::opcode_from_string(op);
  if (!opcode) {
    return "other";
  }
  using ir::Opcode;
  const ir::OpInfo &info = ir::info(*opcode);
  if (info.has(ir::Trait::Collective)) {
    return "collective";
  }
  if (info.has(ir::Trait::Contraction)) {
    return "linear algebra";
  }
  if (info.has(ir::Trait::Reduction)) {
    return "reduction and order";
  }
  switch (*opcode) {
    case Opcode::Cholesky:
    case Opcode::TriangularSolve:
    case Opcode::Fft: return "linear algebra";
    case Opcode::BatchNormTraining:
    case Opcode::BatchNormInference:
    case Opcode::BatchNormGrad:
    case Opcode::Sort:
    case Opcode::TopK: return "reduction and order";
    case Opcode::Gather:
    case Opcode::Scatter:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice: return "indexing";
    case Opcode::Rng:
    case Opcode::RngBitGenerator:
    case Opcode::RngGetAndUpdateState: return "random";
    default: break;
  }
  if (info.has(ir::Trait::CallsControl) || info.has(ir::Trait::SideEffect)) {
    return "control";
  }
  return info.has(ir::Trait::Elementwise) ? "elementwise" : "movement";
}

std::vector<StageSummary> by_stage(const Report &report) {
  std::vector<StageSummary> stages;
  for (const Record &record : report.records) {
    auto stage = std::ranges::find(stages, record.stage, &StageSummary::name);
    if (stage == stages.end()) {
      stages.push_back({record.stage, {}});
      stage = stages.end() - 1;
    }
    ++stage->totals[record.verdict.status];
    stage->totals.seconds += record.seconds;
  }
  return stages;
}

OpMatrix by_op(const Report &report) {
  OpMatrix matrix;
  std::set<std::string> types;
  for (const Record &record : report.records) {
    const Verdict &verdict = record.verdict;
    if (verdict.op.empty() || verdict.status == CaseStatus::Blocked || verdict.status == CaseStatus::Weak ||
        !verdict.is_evidence) {
      continue;
    }
    OpCell &cell = matrix.cells[{verdict.op, verdict.type}];
    const bool passed = verdict.status == CaseStatus::Pass || verdict.status == CaseStatus::UnexpectedPass;
    ++(passed ? cell.passed : verdict.status == CaseStatus::Unsupported ? cell.unsupported : cell.failed);
    if (verdict.max_ulp) {
      cell.max_ulp = std::max(cell.max_ulp.value_or(0), *verdict.max_ulp);
    }
    cell.allowed = verdict.allowed;
    types.insert(verdict.type);
  }
  std::set<std::string> ops;
  for (const auto &[key, cell] : matrix.cells) {
    ops.insert(key.first);
  }
  for (const ir::OpInfo &op : ir::ops()) {
    if (ops.erase(std::string(op.text)) != 0) {
      matrix.ops.emplace_back(op.text);
    }
  }
  matrix.ops.insert(matrix.ops.end(), ops.begin(), ops.end());
  for (const ir::ElementTypeInfo &type : ir::element_types()) {
    if (types.erase(std::string(type.text)) != 0) {
      matrix.types.emplace_back(type.text);
    }
  }
  matrix.types.insert(matrix.types.end(), types.begin(), types.end());
  return matrix;
}

std::vector<FamilyScore> family_scores(const Report &report) {
  struct Share {
    double passed = 0, all = 0;
  };
  std::map<std::string, Share> ops;
  const OpMatrix matrix = by_op(report);
  for (const auto &[key, cell] : matrix.cells) {
    Share &share = ops[key.first];
    share.passed += static_cast<double>(cell.passed);
    share.all += static_cast<double>(cell.passed + cell.unsupported + cell.failed);
  }
  std::vector<FamilyScore> families;
  for (const std::string &op : matrix.ops) {
    const std::string name = family_of(op);
    auto family = std::ranges::find(families, name, &FamilyScore::family);
    if (family == families.end()) {
      families.push_back({name});
      family = families.end() - 1;
    }
    ++family->ops;
    family->score += ops[op].passed / ops[op].all;
  }
  for (FamilyScore &family : families) {
    family.score /= static_cast<double>(family.ops);
  }
  return families;
}

double score(const Report &report) {
  const std::vector<FamilyScore> families = family_scores(report);
  double sum = 0;
  for (const FamilyScore &family : families) {
    sum += family.score;
  }
  return families.empty() ? 0 : sum / static_cast<double>(families.size());
}

}  // namespace bp::conformance
