#include "conformance/runner/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "conformance/report/json_lines.h"
#include "conformance/runner/selection.h"

namespace bp::conformance {
namespace {

// The properties that all parts of one run share. The path of the plugin may differ between machines.
std::vector<std::pair<std::string_view, std::string>> identity_of(const Header &header, const Shard &shard) {
  std::set<std::string> settings;
  for (const auto &[name, value] : header.settings) {
    settings.insert(name + "=" + value);
  }
  return {{"the SHA-256 of the plugin", header.plugin_sha256},
          {"the SHA-256 of the expectations", header.expectations_sha256},
          {"the SHA-256 of the suite", header.suite_sha256},
          {"the device", header.device},
          {"the version of the plugin", header.version},
          {"--tier", header.tier},
          {"the version of Backplane", header.host_version},
          {"the mode", header.mode},
          {"--seed", std::to_string(header.seed)},
          {"--challenge", header.challenge},
          {"the selection", header.selection},
          {"--set", fmt::format("{}", fmt::join(settings, " "))},
          {"--model", fmt::format("{}", fmt::join(header.models, " "))},
          {"--mutant", header.mutant},
          {"the number of shards", std::to_string(shard.count)}};
}

Result<Shard> shard_of(const Part &part) {
  const std::string &text = part.report.header.shard;
  auto shard = text.empty() ? Result<Shard>(Shard()) : Shard::parse(text);
  return shard.ok() ? std::move(shard) : invalid_input("{}: {}", part.file, shard.error().message());
}

Status check_same_run(const Part &part, const Part &first) {
  BP_ASSIGN(const Shard shard, shard_of(part));
  BP_ASSIGN(const Shard first_shard, shard_of(first));
  const auto found = identity_of(part.report.header, shard), expected = identity_of(first.report.header, first_shard);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].second != expected[i].second) {
      return invalid_input("{}: {} is '{}', expected '{}' as in {}", part.file, found[i].first, found[i].second,
                           expected[i].second, first.file);
    }
  }
  return {};
}

Status check_complete(const std::vector<Part> &parts) {
  std::set<std::size_t> found;
  std::vector<std::string> shown, missing;
  std::size_t count = 1;
  for (const Part &part : parts) {
    if (!part.report.totals && parts.size() > 1) {
      return invalid_input("{}: has no totals: the run was cut short, expected all of its cases", part.file);
    }
    BP_ASSIGN(const Shard shard, shard_of(part));
    found.insert(shard.index);
    shown.push_back(fmt::format("{} in {}", shard.to_string(), part.file));
    count = shard.count;
  }
  constexpr std::size_t max_shown = 10;
  for (std::size_t index = 1; index <= count && missing.size() < max_shown; ++index) {
    if (!found.contains(index)) {
      missing.push_back(Shard{index, count}.to_string());
    }
  }
  if (!missing.empty()) {
    return invalid_input("missing: shard {}{}; found {}, expected {} shards", fmt::join(missing, ", "),
                         count - found.size() > missing.size() ? " and more" : "", fmt::join(shown, ", "), count);
  }
  return {};
}

// Stages are sorted in the order in which they run; unknown ones come last.
std::pair<std::size_t, std::string_view> place_of(const Record &record) {
  const std::span<const Stage> all = conformance::stages();
  const auto stage = std::ranges::find(all, std::string_view(record.stage), &Stage::name);
  return {static_cast<std::size_t>(stage - all.begin()), record.id};
}

}  // namespace

Result<Report> merge(std::vector<Part> parts) {
  if (parts.empty()) {
    return invalid_input("there is no report, expected one at least");
  }
  // The result must not depend on the order of the parts.
  std::vector<std::pair<std::pair<std::size_t, std::string>, Part>> keyed;
  for (Part &part : parts) {
    BP_ASSIGN(const Shard shard, shard_of(part));
    keyed.push_back({{shard.index, sha256_hex(to_json_lines(part.report))}, std::move(part)});
  }
  std::ranges::sort(keyed, {}, [](const auto &one) { return one.first; });
  std::ranges::transform(keyed, parts.begin(), [](auto &one) { return std::move(one.second); });
  for (const Part &part : parts) {
    BP_TRY(check_same_run(part, parts.front()));
  }
  BP_TRY(check_complete(parts));

  Report merged{parts.front().report.header, {}, {}};
  merged.header.shard.clear();
  Totals totals;
  std::set<std::string> machines;
  std::map<std::string, std::pair<const Part *, CaseStatus>> outcomes;
  bool is_whole = true;
  for (const Part &part : parts) {
    machines.insert(part.report.header.machine);
    is_whole = is_whole && part.report.totals.has_value();
    totals.seconds += part.report.totals ? part.report.totals->seconds : 0;
    for (const Record &record : part.report.records) {
      const auto [other, is_new] = outcomes.try_emplace(record.id, &part, record.verdict.status);
      if (is_new) {
        ++totals[record.verdict.status];
        merged.records.push_back(record);
      } else if (other->second.second != record.verdict.status) {
        return invalid_input("{}: {} is {}, expected {} as in {}", part.file, record.id,
                             to_string(record.verdict.status), to_string(other->second.second),
                             other->second.first->file);
      }
    }
  }
  merged.header.machine = fmt::format("{}", fmt::join(machines, ", "));
  std::ranges::sort(merged.records, {}, place_of);
  if (is_whole) {
    merged.totals = totals;
  }
  return merged;
}

}  // namespace bp::conformance
