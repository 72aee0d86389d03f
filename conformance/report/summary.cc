#include "conformance/report/summary.h"

#include <algorithm>
#include <set>

#include "conformance/report/workload.h"
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
        verdict.status == CaseStatus::NotRun || !verdict.is_evidence) {
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

namespace {

// The weights that pairs of op and type have in the score, before they are divided by their sums.
struct Weights {
  std::map<std::pair<std::string, std::string>, double> used;  // by workloads; no entry: by none
  double pairs = 0, uses = 0;                                  // sums

  explicit Weights(const Shares &shares) : pairs(static_cast<double>(shares.size())) {
    for (const Workload &workload : named_workloads()) {
      for (const WorkloadOp &op : workload.ops) {
        if (shares.contains({op.op, op.type})) {
          const double part = static_cast<double>(op.count) / static_cast<double>(workload.instructions());
          used[{op.op, op.type}] += part;
          uses += part;
        }
      }
    }
  }

  // The sum over all pairs is 1.
  double of(const std::pair<std::string, std::string> &pair) const {
    const auto found = used.find(pair);
    return uses == 0 ? 1 / pairs : (1 / pairs + (found == used.end() ? 0 : found->second / uses)) / 2;
  }
};

}  // namespace

std::vector<FamilyScore> family_scores(const Report &report) {
  const Shares shares = counted_shares(report);
  const Weights weights(shares);
  std::vector<FamilyScore> families;
  std::string last_op;
  for (const std::string &op : by_op(report).ops) {
    for (auto at = shares.lower_bound({op, ""}); at != shares.end() && at->first.first == op; ++at) {
      const std::string name = family_of(op);
      auto family = std::ranges::find(families, name, &FamilyScore::family);
      if (family == families.end()) {
        families.push_back({name});
        family = families.end() - 1;
      }
      family->ops += op == last_op ? 0 : 1;
      last_op = op;
      const double weight = weights.of(at->first);
      family->weight += weight;
      family->score += weight * at->second.of_all();
      family->share += at->second;
    }
  }
  for (FamilyScore &family : families) {
    family.score /= family.weight;
  }
  return families;
}

double score(const Report &report) {
  double sum = 0;
  for (const FamilyScore &family : family_scores(report)) {
    sum += family.weight * family.score;
  }
  return sum;
}

}  // namespace bp::conformance
