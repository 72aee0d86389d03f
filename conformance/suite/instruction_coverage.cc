#include "conformance/suite/instruction_coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/suite/attribute_case.h"
#include "conformance/suite/op_case.h"
#include "core/debugging/random_instruction.h"

namespace bp::conformance {
namespace {

std::string name_of(const coverage::InstructionKind &kind) {
  return kind.attribute == nullptr ? "any" : fmt::format("{}: {}", kind.attribute->attribute, kind.attribute->value);
}

}  // namespace

InstructionCoverage::InstructionCoverage() {
  for (const ir::Opcode opcode : debugging::varied_ops()) {
    for (const ir::ElementTypeInfo &row : ir::element_types()) {
      if (ir::is_opaque(row.type) || !debugging::random_instruction(0, opcode, row.type, 64)) {
        continue;
      }
      for (const coverage::InstructionKind &kind : coverage::instruction_kinds(opcode, row.type)) {
        rows_[{opcode, row.type}].push_back({kind});
      }
    }
  }
}

void InstructionCoverage::add(const ir::Instruction &instruction, ir::ElementType type) {
  const auto rows = rows_.find({instruction.opcode(), type});
  if (rows == rows_.end()) {
    return;
  }
  for (Row &row : rows->second) {
    row.is_covered = row.is_covered || row.kind.holds(instruction);
  }
}

void InstructionCoverage::add(const Subject &subject, std::string_view id) {
  if (const auto attributes = AttributeCase::parse(id)) {
    if (const auto module = attributes->module(subject)) {
      add(module->entry().root(), attributes->type);
    }
  } else if (const auto op = OpCase::parse(id)) {
    if (const auto module = op->module(); module.ok()) {
      add(module->entry().root(), op->type);
    }
  }
}

std::vector<OpCoverage> InstructionCoverage::rows() const {
  std::vector<OpCoverage> found;
  for (const ir::Opcode opcode : debugging::varied_ops()) {
    OpCoverage one{opcode};
    std::map<std::string, std::size_t> missing;
    for (const auto &[key, rows] : rows_) {
      for (const Row &row : key.first == opcode ? rows : std::vector<Row>{}) {
        ++one.kinds;
        one.covered += row.is_covered ? 1 : 0;
        if (!row.is_covered) {
          ++missing[name_of(row.kind)];
        }
      }
    }
    one.missing.assign(missing.begin(), missing.end());
    std::ranges::stable_sort(one.missing, std::greater{}, [](const auto &pair) { return pair.second; });
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace bp::conformance
