#include "conformance/runner/expectations.h"

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <boost/filesystem.hpp>

#include "core/base/files.h"

namespace bp::conformance {

// Greedy, with one position to backtrack to: linear for each '*'.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

Result<Expectations> Expectations::parse(std::string_view text, const std::string &file) {
  Expectations result;
  std::string section;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line = boost::algorithm::trim_copy(std::string(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    const auto refuse = [&](std::string message) {
      return Error(ErrorCode::InvalidInput, std::move(message)).at({file, number, 1, line});
    };
    if (line.empty() || line[0] == '#') {
      continue;
    }
    if (line[0] == '[') {
      section = line.substr(1, line.size() - 2);
      if (line.back() != ']' || (section != "never" && section != "not yet")) {
        return refuse(fmt::format("the section is {}, expected [never] or [not yet]", line));
      }
      continue;
    }
    const std::size_t space = line.find_first_of(" \t");
    if (section.empty()) {
      return refuse("a pattern comes before the first section, expected [never] or [not yet]");
    }
    if (space == std::string::npos) {
      return refuse(fmt::format("{} has no reason, expected one after a space", line));
    }
    result.lines_.push_back({line.substr(0, space), section, boost::algorithm::trim_copy(line.substr(space)), number});
  }
  return result;
}

std::string Expectations::file_for_plugin(const std::string &plugin) {
  std::string file = boost::filesystem::path(plugin).replace_extension(".expectations").string();
  boost::system::error_code ignored;
  return plugin.empty() || !boost::filesystem::exists(file, ignored) ? std::string() : file;
}

const Expectation *Expectations::find(std::string_view id) const {
  const auto line = std::ranges::find_if(lines_, [&](const Expectation &one) { return matches(one.pattern, id); });
  return line == lines_.end() ? nullptr : &*line;
}

void Expectations::apply(std::string_view id, Verdict &verdict) const {
  const Expectation *line = find(id);
  constexpr CaseStatus undecided[] = {CaseStatus::Unsupported, CaseStatus::Blocked, CaseStatus::Weak};
  if (line == nullptr || std::ranges::find(undecided, verdict.status) != std::end(undecided)) {
    return;
  }
  const bool passes = verdict.status == CaseStatus::Pass;
  verdict.status = passes ? CaseStatus::UnexpectedPass : CaseStatus::ExpectedFailure;
  verdict.message = fmt::format("{}: {}{}{}", line->section, line->reason, passes ? "" : "; ", verdict.message);
}

}  // namespace bp::conformance
