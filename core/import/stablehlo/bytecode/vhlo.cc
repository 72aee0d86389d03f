#include "core/import/stablehlo/bytecode/vhlo.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "core/base/check.h"

namespace bp::import::stablehlo::bytecode {
namespace {

// Takes the text up to the character, which is skipped; the whole text if there is none.
std::string_view take(std::string_view &text, char end) {
  const std::size_t size = std::min(text.find(end), text.size());
  const std::string_view result = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return result;
}

// Reads what may stand after an attribute: nothing, `?` or `?1`.
void set_mark(VhloAttribute &row, std::string_view mark) {
  row.is_optional = mark.starts_with('?');
  if (mark.size() > 1) {
    std::from_chars(mark.data() + 1, mark.data() + mark.size(), row.repeated.emplace());
  }
}

const std::unordered_map<std::string_view, VhloAttribute> &attributes() {
  static const std::unordered_map<std::string_view, VhloAttribute> rows = {
#define BP_VHLO_ATTRIBUTE(name, pretty_name, kind) {name, {name, pretty_name, AttributeKind::kind, {}, {}, false, {}}},
#include "core/import/stablehlo/bytecode/vhlo_attributes.def"
  };
  return rows;
}

std::vector<VhloAttribute> parse_attributes(std::string_view text) {
  std::vector<VhloAttribute> result;
  const auto add = [&](std::string_view name, std::string_view group, std::string_view form, std::string_view mark) {
    VhloAttribute row = attributes().at(name);
    row.group = group;
    row.form = form;
    set_mark(row, mark);
    result.push_back(row);
  };
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" =?");
    if (end == std::string_view::npos || text[end] != '=') {
      const std::string_view item = take(text, ' ');
      const std::string_view name = item.substr(0, item.find('?'));
      add(name, {}, {}, item.substr(name.size()));
      continue;
    }
    const std::string_view group = take(text, '=');
    take(text, '#');
    const std::string_view form = take(text, '(');
    std::string_view members = take(text, ')');
    const std::string_view mark = take(text, ' ');
    while (!members.empty()) {
      add(take(members, ' '), group, form, mark);
    }
  }
  return result;
}

std::string stablehlo_name(std::string_view name) {
  name = name.substr(0, name.rfind("_v"));
  const bool is_function = name == "func" || name == "call" || name == "return";
  return fmt::format("{}.{}", is_function ? "func" : "stablehlo", name);
}

Version version_of(std::string_view text) {
  if (text == "latest") {
    return newest_version;
  }
  const std::optional<Version> version = parse_version(text);
  BP_CHECK(version.has_value());
  return *version;
}

}  // namespace

std::string to_string(Version version) {
  return fmt::format("{}.{}.{}", version.major_number, version.minor_number, version.patch);
}

std::optional<Version> parse_version(std::string_view text) {
  Version version;
  const char *next = text.data(), *end = text.data() + text.size();
  for (int *part : {&version.major_number, &version.minor_number, &version.patch}) {
    const auto [after, code] = std::from_chars(next, end, *part);
    const bool is_last = part == &version.patch;
    if (code != std::errc() || *part < 0 || (after == end) != is_last || (!is_last && *after != '.')) {
      return std::nullopt;
    }
    next = after + 1;
  }
  return version;
}

namespace {

const std::unordered_map<std::string_view, VhloOperation> &operations() {
  static const auto rows = [] {
    std::unordered_map<std::string_view, VhloOperation> table;
    const auto add = [&](std::string_view row, std::string_view first, std::string_view last, std::string_view list) {
      table.emplace(
          row, VhloOperation{row, stablehlo_name(row), version_of(first), version_of(last), parse_attributes(list)});
    };
#define BP_VHLO(name, first, last, attributes) add(name, first, last, attributes);
#include "core/import/stablehlo/bytecode/vhlo.def"
    return table;
  }();
  return rows;
}

}  // namespace

const VhloOperation *find_vhlo(std::string_view name) {
  const auto found = operations().find(name);
  return found == operations().end() ? nullptr : &found->second;
}

const VhloOperation *find_vhlo_of(std::string_view stablehlo, Version version) {
  static const auto rows = [] {
    std::unordered_multimap<std::string_view, const VhloOperation *> table;
    for (const auto &[name, operation] : operations()) {
      table.emplace(operation.stablehlo, &operation);
    }
    return table;
  }();
  for (auto [row, end] = rows.equal_range(stablehlo == "stablehlo.return" ? "func.return" : stablehlo); row != end;
       ++row) {
    if (row->second->first <= version && version <= row->second->last) {
      return row->second;
    }
  }
  return nullptr;
}

const VhloAttribute *find_vhlo_attribute(std::string_view name) {
  const auto found = attributes().find(name);
  return found == attributes().end() ? nullptr : &found->second;
}

}  // namespace bp::import::stablehlo::bytecode
