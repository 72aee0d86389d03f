#include "core/import/stablehlo/operations.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/suggestion.h"

namespace bp::import::stablehlo {

// Declares the function of each row; some are declared more than once.
#define BP_OPERATION(name, results, lower, opcode, ...) Result<Values> lower_##lower(Lowering &, const Operation &);
#include "core/import/stablehlo/operations.def"

namespace {

constexpr AttributeRow A(std::string_view name, std::string_view pretty_name, ir::AttributeKey key) {
  return {name, pretty_name, key};
}

const std::unordered_map<std::string_view, OperationRow> &table() {
  using enum ir::AttributeKey;
  static const std::unordered_map<std::string_view, OperationRow> rows = {
#define BP_OPERATION(name, results, lower, opcode, ...) \
  {name, {name, ShortResults::results, lower_##lower, ir::Opcode::opcode, {__VA_ARGS__}}},
#include "core/import/stablehlo/operations.def"
  };
  return rows;
}

}  // namespace

const OperationRow *find_row(std::string_view name) {
  auto found = table().find(name);
  return found == table().end() ? nullptr : &found->second;
}

const OperationRow *find_row_of(ir::Opcode opcode) {
  static const std::unordered_map<ir::Opcode, const OperationRow *> rows = [] {
    std::unordered_map<ir::Opcode, const OperationRow *> first;
    for (const std::string_view name : {
#define BP_OPERATION(name, ...) std::string_view(name),
#include "core/import/stablehlo/operations.def"
         }) {
      const OperationRow &row = table().at(name);
      first.try_emplace(row.opcode, &row);
    }
    first.erase(ir::Opcode::Invalid);
    return first;
  }();
  const auto found = rows.find(opcode);
  return found == rows.end() ? nullptr : found->second;
}

namespace {

constexpr std::pair<std::string_view, ir::Opcode> targets[] = {
#define BP_TARGET(target, opcode) {target, ir::Opcode::opcode},
#include "core/import/stablehlo/operations.def"
};

}  // namespace

ir::Opcode opcode_of_target(std::string_view target) {
  const auto *found = std::ranges::find(targets, target, [](const auto &row) { return row.first; });
  return found == std::end(targets) ? ir::Opcode::CustomCall : found->second;
}

std::string_view target_of(ir::Opcode opcode) {
  const auto *found = std::ranges::find(targets, opcode, [](const auto &row) { return row.second; });
  return found == std::end(targets) ? std::string_view() : found->first;
}

std::string_view reason_to_refuse(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> refused[] = {
#define BP_REFUSED(name, reason) {name, reason},
#include "core/import/stablehlo/operations.def"
  };
  const auto *found = std::ranges::find_if(refused, [&](const auto &row) { return name.starts_with(row.first); });
  return found == std::end(refused) ? std::string_view() : found->second;
}

std::string did_you_mean(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto &[known, row] : table()) {
    names.push_back(known);
  }
  std::ranges::sort(names);
  return suggestion(name, names);
}

}  // namespace bp::import::stablehlo
