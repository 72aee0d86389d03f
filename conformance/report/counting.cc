#include "conformance/report/counting.h"

#include "core/ir/op.h"

namespace bp::conformance {
namespace {

// Operations that the core, not a device, carries out; whoever copies or adds would pass their cases.
struct Uncounted {
  ir::Opcode opcode;
  std::string_view reason;
};
constexpr std::string_view names_a_value = "only names or passes on a value",
                           is_replaced = "the core puts its content in its place",
                           is_fixed = "always the same on one device", is_async = "the core runs what it contains";
constexpr Uncounted uncounted[] = {
    {ir::Opcode::Parameter, names_a_value},
    {ir::Opcode::Constant, names_a_value},
    {ir::Opcode::Tuple, names_a_value},
    {ir::Opcode::GetTupleElement, names_a_value},
    {ir::Opcode::Bitcast, names_a_value},
    {ir::Opcode::Reshape, "the core makes it a bitcast or a copy"},
    {ir::Opcode::Domain, names_a_value},
    {ir::Opcode::OptimizationBarrier, names_a_value},
    {ir::Opcode::AfterAll, names_a_value},
    {ir::Opcode::AddDependency, names_a_value},
    {ir::Opcode::GetDimensionSize, is_fixed},
    {ir::Opcode::ReplicaId, is_fixed},
    {ir::Opcode::PartitionId, is_fixed},
    {ir::Opcode::Call, is_replaced},
    {ir::Opcode::Fusion, is_replaced},
    {ir::Opcode::CustomCall, "the suite's custom call is a probe, which copies"},
    {ir::Opcode::AsyncStart, is_async},
    {ir::Opcode::AsyncUpdate, is_async},
    {ir::Opcode::AsyncDone, is_async},
    {ir::Opcode::CopyStart, is_async},
    {ir::Opcode::CopyDone, is_async},
};

// Reports of versions that did not say which cases are trivial have them too: the shape class without elements.
bool is_trivial(const Record &record) {
  return record.verdict.is_trivial || record.id.find("/empty/") != std::string::npos;
}

}  // namespace

std::string_view why_uncounted(std::string_view op) {
  const auto opcode = ir::opcode_from_string(op);
  if (!opcode) {
    return "";
  }
  if (ir::info(*opcode).has(ir::Trait::Collective)) {
    return "one device has nobody to communicate with";
  }
  for (const Uncounted &row : uncounted) {
    if (row.opcode == *opcode) {
      return row.reason;
    }
  }
  return "";
}

bool counts(const Record &record) {
  const CaseStatus status = record.verdict.status;
  return !record.verdict.op.empty() && record.verdict.is_evidence && status != CaseStatus::Blocked &&
         status != CaseStatus::NotRun && status != CaseStatus::Weak && !is_trivial(record) &&
         why_uncounted(record.verdict.op).empty();
}

Share &Share::operator+=(const Share &other) {
  passed += other.passed;
  failed += other.failed;
  unsupported += other.unsupported;
  return *this;
}

Shares counted_shares(const Report &report) {
  Shares shares;
  for (const Record &record : report.records) {
    if (!counts(record)) {
      continue;
    }
    Share &share = shares[{record.verdict.op, record.verdict.type}];
    const CaseStatus status = record.verdict.status;
    const bool passed = status == CaseStatus::Pass || status == CaseStatus::UnexpectedPass;
    ++(passed ? share.passed : status == CaseStatus::Unsupported ? share.unsupported : share.failed);
  }
  return shares;
}

}  // namespace bp::conformance
