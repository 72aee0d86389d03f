#include "conformance/report/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <span>

namespace bp::conformance {
namespace {

namespace json = boost::json;

using Facts = std::vector<std::pair<std::string_view, std::string>>;

// Everything that may explain why results differ. A path may differ between machines and explains nothing.
Facts facts_of(const Header &header) {
  std::vector<std::string> settings;
  for (const auto &[name, value] : header.settings) {
    settings.push_back(fmt::format("{}={}", name, value));
  }
  std::ranges::sort(settings);
  return {{"device", header.device},
          {"version", header.version},
          {"plugin SHA-256", header.plugin_sha256},
          {"expectations SHA-256", header.expectations_sha256},
          {"suite SHA-256", header.suite_sha256},
          {"tier", header.tier},
          {"settings", fmt::format("{}", fmt::join(settings, " "))},
          {"mutant", header.mutant},
          {"mode", header.mode},
          {"seed", std::to_string(header.seed)},
          {"challenge", header.challenge},
          {"selection", header.selection},
          {"models", fmt::format("{}", fmt::join(header.models, " "))},
          {"Backplane", header.host_version},
          {"machine", header.machine}};
}

std::vector<HeaderDifference> compare_headers(const Header &before, const Header &after) {
  const Facts old_facts = facts_of(before), new_facts = facts_of(after);
  std::vector<HeaderDifference> differences;
  for (std::size_t i = 0; i < old_facts.size(); ++i) {
    if (old_facts[i].second != new_facts[i].second) {
      differences.push_back({std::string(old_facts[i].first), old_facts[i].second, new_facts[i].second});
    }
  }
  return differences;
}

// A weak case says nothing about the device: other values may have been drawn for it.
bool is_judged(const Record *record) {
  constexpr CaseStatus not_judged[] = {CaseStatus::Blocked, CaseStatus::NotRun, CaseStatus::Weak};
  return record != nullptr && std::ranges::find(not_judged, record->verdict.status) == std::end(not_judged);
}

bool has_passed(const Record &record) {
  return record.verdict.status == CaseStatus::Pass || record.verdict.status == CaseStatus::UnexpectedPass;
}

bool is_unsupported(const Record &record) {
  return record.verdict.status == CaseStatus::Unsupported;
}

// The result itself counts, not whether it was expected: a list of expectations must not turn a pass into a
// regression.
int rank_of(const Record &record) {
  return has_passed(record) ? 2 : is_unexpected(record.verdict.status) ? 0 : 1;
}

std::vector<Turn> turns_of(const CaseDifference &one) {
  if (one.after == nullptr) {
    return {Turn::Vanished};
  }
  if (!is_judged(one.after)) {
    return is_judged(one.before) ? std::vector{Turn::NoLongerJudged} : std::vector<Turn>();
  }
  if (!is_judged(one.before)) {
    return {Turn::Added};
  }
  std::vector<Turn> turns;
  const int was = rank_of(*one.before), now = rank_of(*one.after);
  if (was != now) {
    turns.push_back(now < was ? Turn::Regressed : Turn::Mended);
  }
  if (is_unsupported(*one.before) != is_unsupported(*one.after)) {
    turns.push_back(is_unsupported(*one.after) ? Turn::BecameUnsupported : Turn::BecameSupported);
  }
  return turns;
}

// Fails unless the two runs say something about each other.
Status check_comparable(const Report &before, const Report &after) {
  for (const auto &[report, which] : {std::pair(&before, "old"), std::pair(&after, "new")}) {
    if (!report->totals) {
      return invalid_input("the {} report has no totals: the run was cut short, expected all of its cases", which);
    }
  }
  if (before.header.shard != after.header.shard) {
    const auto shown = [](const Header &header) {
      return header.shard.empty() ? "the whole run" : "shard " + header.shard;
    };
    return invalid_input("the old report is {}, the new one {}: combine the shards with `conform report` first",
                         shown(before.header), shown(after.header));
  }
  return {};
}

StageDifference &stage_named(Difference &difference, const std::string &name) {
  const auto found = std::ranges::find(difference.stages, name, &StageDifference::name);
  return found != difference.stages.end() ? *found : difference.stages.emplace_back(StageDifference{.name = name});
}

void count(const CaseDifference &one, const std::vector<Turn> &turns, StageDifference &counts) {
  if (one.before != nullptr) {
    ++counts.before;
    counts.passed_before += has_passed(*one.before) ? 1 : 0;
  }
  if (one.after != nullptr) {
    ++counts.after;
    counts.passed_after += has_passed(*one.after) ? 1 : 0;
  }
  for (const Turn turn : turns) {
    ++counts.turns[static_cast<std::size_t>(turn)];
  }
}

// Returns the first line, without control characters: a report may come from anybody.
std::string shown(std::string_view text) {
  std::string out(text.substr(0, text.find('\n')));
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return out;
}

std::string_view status_of(const Record *record) {
  return record == nullptr ? "-" : to_string(record->verdict.status);
}

std::string title_of(const Report &report) {
  return fmt::format("{} {}, {} run, {} cases", report.header.device, report.header.version, report.header.mode,
                     report.records.size());
}

Tone tone_of(Turn turn) {
  return turn == Turn::Mended || turn == Turn::BecameSupported ? Tone::Good
         : turn == Turn::Added                                 ? Tone::Title
                                                               : Tone::Bad;
}

json::object json_of(const StageDifference &stage) {
  json::object object{{"stage", stage.name},
                      {"cases", json::array{stage.before, stage.after}},
                      {"passed", json::array{stage.passed_before, stage.passed_after}}};
  for (std::size_t i = 0; i < turn_count; ++i) {
    object[turn_names[i]] = stage.turns[i];
  }
  return object;
}

json::object json_of(const CaseDifference &one) {
  json::object object{{"id", one.any().id}, {"old", status_of(one.before)}, {"new", status_of(one.after)}};
  for (const auto &[name, text] :
       {std::pair{"message", &one.any().verdict.message}, std::pair{"rerun", &one.any().rerun}}) {
    if (!text->empty()) {
      object[name] = *text;
    }
  }
  return object;
}

}  // namespace

Result<Difference> compare_reports(const Report &before, const Report &after) {
  BP_TRY(check_comparable(before, after));
  Difference difference;
  difference.before = &before, difference.after = &after;
  difference.header = compare_headers(before.header, after.header);
  // A case that was measured again is in a report twice: the last record counts.
  std::map<std::string_view, CaseDifference> pairs;
  std::vector<std::string_view> order;
  bool any_in_both = false;
  for (const Record &record : after.records) {
    const auto [at, is_new] = pairs.try_emplace(record.id);
    at->second.after = &record;
    if (is_new) {
      order.push_back(record.id);
    }
  }
  for (const Record &record : before.records) {
    const auto [at, is_new] = pairs.try_emplace(record.id);
    at->second.before = &record;
    any_in_both = any_in_both || at->second.after != nullptr;
    if (is_new) {
      order.push_back(record.id);
    }
  }
  if (!any_in_both) {
    return invalid_input("the two reports have no case in common");
  }
  for (const std::string_view id : order) {
    const CaseDifference &one = pairs.at(id);
    const std::vector<Turn> turns = turns_of(one);
    count(one, turns, stage_named(difference, one.any().stage));
    count(one, turns, difference.total);
    for (const Turn turn : turns) {
      difference.turns[static_cast<std::size_t>(turn)].push_back(one);
    }
  }
  return difference;
}

std::string to_text(const Difference &difference, std::size_t most,
                    const std::function<std::string(Tone, std::string_view)> &paint) {
  std::string out =
      fmt::format("old: {}\nnew: {}\n", shown(title_of(*difference.before)), shown(title_of(*difference.after)));
  for (const HeaderDifference &one : difference.header) {
    out += fmt::format("  {}: {} -> {}\n", one.name, one.old_value.empty() ? "none" : shown(one.old_value),
                       one.new_value.empty() ? "none" : shown(one.new_value));
  }
  for (std::size_t i = 0; i < turn_count; ++i) {
    const std::vector<CaseDifference> &cases = difference.turns[i];
    if (cases.empty()) {
      continue;
    }
    const auto turn = static_cast<Turn>(i);
    out += paint(tone_of(turn), fmt::format("{} {}", cases.size(), turn_titles[i])) + "\n";
    for (const CaseDifference &one : std::span(cases).first(std::min(most, cases.size()))) {
      out += fmt::format("  {}: {} -> {}\n", shown(one.any().id), status_of(one.before), status_of(one.after));
      const bool is_explained = turn == Turn::Regressed || turn == Turn::BecameUnsupported;
      if (is_explained && !one.after->verdict.message.empty()) {
        out += fmt::format("    {}\n", shown(one.after->verdict.message));
      }
      if (turn == Turn::Regressed && !one.after->rerun.empty()) {
        out += fmt::format("    rerun: {}\n", shown(one.after->rerun));
      }
    }
    if (cases.size() > most) {
      out += fmt::format("  ... and {} more\n", cases.size() - most);
    }
  }
  out += paint(Tone::Title, fmt::format("{:<14}{:>16}{:>18}", "stage", "cases", "pass")) + "\n";
  const auto row = [&](const StageDifference &stage, std::string_view name) {
    std::vector<std::string> turns;
    for (std::size_t i = 0; i < turn_count; ++i) {
      if (stage.turns[i] != 0) {
        turns.push_back(fmt::format("{} {}", stage.turns[i], turn_titles[i]));
      }
    }
    const auto pair = [](std::size_t was, std::size_t now) {
      return was == now ? std::to_string(now) : fmt::format("{} -> {}", was, now);
    };
    out +=
        fmt::format("{:<14}{:>16}{:>18}{}{}\n", shown(name), pair(stage.before, stage.after),
                    pair(stage.passed_before, stage.passed_after), turns.empty() ? "" : "  ", fmt::join(turns, ", "));
  };
  for (const StageDifference &stage : difference.stages) {
    row(stage, stage.name);
  }
  row(difference.total, "all");
  return out;
}

std::string to_json(const Difference &difference) {
  json::array header, stages;
  for (const HeaderDifference &one : difference.header) {
    header.push_back(json::object{{"name", one.name}, {"old", one.old_value}, {"new", one.new_value}});
  }
  json::object object{{"header", std::move(header)}};
  for (std::size_t i = 0; i < turn_count; ++i) {
    json::array cases;
    for (const CaseDifference &one : difference.turns[i]) {
      cases.push_back(json_of(one));
    }
    object[turn_names[i]] = std::move(cases);
  }
  for (const StageDifference &stage : difference.stages) {
    stages.push_back(json_of(stage));
  }
  object["stages"] = std::move(stages);
  return json::serialize(object);
}

}  // namespace bp::conformance
