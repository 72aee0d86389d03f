#include "core/import/stablehlo/bytecode/version_rules.h"

#include <algorithm>

#include "core/import/stablehlo/bytecode/stored_attributes.h"
#include "core/import/stablehlo/bytecode/type_writer.h"

namespace bp::import::stablehlo::bytecode {
namespace {

bool is_one_of(const Operation &operation, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, operation.name) != names.end();
}

bool is_multiple_collective(const Program &, const Operation &operation) {
  return operation.operands.size() > 1 &&
         is_one_of(operation, {"stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all"});
}

bool has_regions(const Program &, const Operation &operation) {
  return operation.name == "stablehlo.composite" && !operation.regions.empty();
}

bool is_custom_call_of_futures(const Program &program, const Operation &operation) {
  if (operation.name != "stablehlo.custom_call") {
    return false;
  }
  for (std::uint32_t i = 0; i < operation.result_count; ++i) {
    if (program.type(operation.result(i)).is_future) {
      return true;
    }
  }
  return std::ranges::any_of(operation.operands, [&](ValueId operand) { return program.type(operand).is_future; });
}

// Whether the computation of a reduction has other element types than its operands.
bool promotes(const Program &program, const Operation &operation) {
  if (!is_one_of(operation, {"stablehlo.reduce", "stablehlo.all_reduce", "stablehlo.reduce_scatter",
                             "stablehlo.reduce_window", "stablehlo.scatter", "stablehlo.select_and_scatter"}) ||
      operation.regions.empty()) {
    return false;
  }
  const Region &region = operation.regions.back();
  const std::size_t count =
      std::min({region.arguments.size(), operation.operands.size(), std::max<std::size_t>(operation.result_count, 1)});
  for (std::size_t i = 0; i < count; ++i) {
    const Type &argument = program.type(region.arguments[i]), &operand = program.type(operation.operands[i]);
    if (argument.shape.is_array() && operand.shape.is_array() &&
        argument.shape.element_type() != operand.shape.element_type()) {
      return true;
    }
  }
  return false;
}

// Source: the log of versions in VhloDialect.td of StableHLO.
struct Rule {
  Version first;
  std::string_view what;
  bool (*applies)(const Program &, const Operation &);
};
constexpr Rule rules[] = {
    {{0, 17, 0}, "a computation of other element types than those of the operands", promotes},
    {{1, 5, 0}, "more than one operand", is_multiple_collective},
    {{1, 14, 0}, "a region", has_regions},
    {{1, 17, 0}, "an operand or a result that is a future", is_custom_call_of_futures},
};

bool is_empty(const Attribute &attribute) {
  const auto *list = attribute.get<std::vector<Attribute>>();
  const auto *elements = attribute.get<Elements>();
  return (list != nullptr && list->empty()) ||
         (elements != nullptr && elements->type.shape.is_static() && elements->type.shape.element_count() == 0);
}

}  // namespace

Status check_version_rules(const Program &program, const Operation &operation, Version target) {
  for (const Rule &rule : rules) {
    if (target < rule.first && rule.applies(program, operation)) {
      return needs(rule.what, rule.first, target);
    }
  }
  return {};
}

Status check_attributes(const Program &program, const Operation &operation, const VhloOperation &newest,
                        const VhloOperation &form, Version target) {
  if (&newest == &form) {
    return {};
  }
  BP_ASSIGN(const std::vector<StoredAttribute> attributes, stored_attributes(program, operation, newest));
  for (const StoredAttribute &attribute : attributes) {
    const VhloAttribute &row = *attribute.row;
    const bool is_known = std::ranges::find(form.attributes, row.name, &VhloAttribute::name) != form.attributes.end();
    if (!is_known && !is_absent(row, attribute.value) && !is_empty(attribute.value)) {
      const std::string name =
          row.group.empty() ? fmt::format("'{}'", row.name) : fmt::format("'{}' in '{}'", row.name, row.group);
      return needs("the attribute " + name, newest.first, target);
    }
  }
  return {};
}

std::uint64_t bytecode_version(Version version) {
  constexpr std::pair<Version, std::uint64_t> first_with[] = {
      {{0, 15, 0}, 6}, {{0, 14, 0}, 4}, {{0, 12, 0}, 3}, {{0, 10, 0}, 1}};
  for (const auto &[first, number] : first_with) {
    if (first <= version) {
      return number;
    }
  }
  return 0;
}

std::optional<Version> first_version_of(std::string_view stablehlo) {
  const VhloOperation *newest = find_vhlo_of(stablehlo);
  if (newest == nullptr) {
    return std::nullopt;
  }
  const std::string_view name = newest->name.substr(0, newest->name.rfind("_v"));
  const VhloOperation *oldest = find_vhlo(fmt::format("{}_v1", name));
  return oldest == nullptr ? newest->first : oldest->first;
}

}  // namespace bp::import::stablehlo::bytecode
