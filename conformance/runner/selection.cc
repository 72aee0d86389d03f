#include "conformance/runner/selection.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "conformance/runner/expectations.h"

namespace bp::conformance {
namespace {

std::string_view group_of(const Stage &stage, std::string_view id) {
  return stage.shares_programs ? id.substr(0, id.rfind('/')) : id;
}

Result<std::size_t> parse_number(std::string_view text, std::string_view what) {
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) {
    return invalid_input("{} is '{}', expected a number", what, text);
  }
  return number;
}

}  // namespace

Result<Shard> Shard::parse(const std::string &text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) {
    return invalid_input("--shard is '{}', expected I/N", text);
  }
  Shard shard;
  BP_ASSIGN(shard.index, parse_number(std::string_view(text).substr(0, slash), "the shard"));
  BP_ASSIGN(shard.count, parse_number(std::string_view(text).substr(slash + 1), "the number of shards"));
  if (shard.index < 1 || shard.index > shard.count) {
    return invalid_input("the shard is {} of {}, expected one from 1 to {}", shard.index, shard.count, shard.count);
  }
  return shard;
}

std::string Shard::to_string() const {
  return fmt::format("{}/{}", index, count);
}

Result<Shard> Shard::from_environment() {
  const char *index = std::getenv("TEST_SHARD_INDEX"), *count = std::getenv("TEST_TOTAL_SHARDS");
  if (index == nullptr || count == nullptr) {
    return Shard();
  }
  BP_ASSIGN(const std::size_t number, parse_number(index, "TEST_SHARD_INDEX"));
  return parse(fmt::format("{}/{}", number + 1, count));
}

Result<std::vector<Group>> select_cases(const Subject &subject, const Selection &selection) {
  std::vector<Group> groups;
  for (const std::string &name : selection.stages) {
    if (find_stage(name) == nullptr) {
      std::vector<std::string_view> names;
      std::ranges::transform(stages(), std::back_inserter(names), &Stage::name);
      return invalid_input("there is no stage '{}', expected one of: {}", name, fmt::join(names, ", "));
    }
  }
  bool any_matched = false;
  std::string longer;  // a case whose name begins with a pattern
  for (const Stage &stage : stages()) {
    if (!selection.stages.empty() && std::ranges::count(selection.stages, stage.name) == 0) {
      continue;
    }
    const auto may_match = [&](const std::string &pattern) {
      const std::size_t plain = pattern.find_first_of("*?/");
      return plain == std::string::npos || pattern[plain] != '/' || pattern.substr(0, plain) == stage.name;
    };
    if (!selection.patterns.empty() && std::ranges::none_of(selection.patterns, may_match)) {
      continue;
    }
    std::vector<std::string> ids = cases_of(stage, subject);
    for (std::string &id : ids) {
      const bool wanted = selection.patterns.empty() ||
                          std::ranges::any_of(selection.patterns, [&](auto &pattern) { return matches(pattern, id); });
      any_matched = any_matched || wanted;
      if (longer.empty() && std::ranges::any_of(selection.patterns, [&](auto &pattern) {
            return id.size() > pattern.size() && id.starts_with(pattern + "/");
          })) {
        longer = id;
      }
      if (!wanted || hash_of(group_of(stage, id)) % selection.shard.count != selection.shard.index - 1) {
        continue;
      }
      if (groups.empty() || groups.back().stage != &stage ||
          group_of(stage, id) != group_of(stage, groups.back().ids.back())) {
        groups.push_back({&stage, {}});
      }
      groups.back().ids.push_back(std::move(id));
    }
  }
  if (!selection.patterns.empty() && !any_matched) {
    return make_error(ErrorCode::NotFound, "no case{} is called {}{}{}",
                      selection.stages.empty() ? "" : fmt::format(" of {}", fmt::join(selection.stages, " or ")),
                      fmt::join(selection.patterns, " or "),
                      longer.empty() ? "" : fmt::format(", but there is {}: '*' stands for any text", longer),
                      selection.stages.empty() ? "" : ": --stage and --case both have to apply");
  }
  return groups;
}

}  // namespace bp::conformance
