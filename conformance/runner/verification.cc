#include "conformance/runner/verification.h"

#include <algorithm>
#include <boost/tokenizer.hpp>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "conformance/runner/hardware_safe.h"
#include "conformance/runner/plugin_hash.h"

namespace bp::conformance {
namespace {

// Reads what describe() writes.
Result<Selection> selection_of(const Header &header, const std::string &file) {
  Selection selection;
  std::vector<std::string> words;
  try {
    const boost::escaped_list_separator<char> separator("\\", " ", "'");
    const boost::tokenizer tokens(header.selection, separator);
    words.assign(tokens.begin(), tokens.end());
  } catch (const boost::escaped_list_error &error) {
    return invalid_input("{}: the selection '{}': {}", file, header.selection, error.what());
  }
  std::erase(words, "");
  selection.hardware_safe = std::erase(words, "--hardware-safe") != 0;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const bool is_stage = words[i] == "--stage";
    if ((!is_stage && words[i] != "--case") || i + 1 == words.size()) {
      return invalid_input(
          "{}: the run was made with '{}', expected --stage, --case and --hardware-safe only: cases may be missing",
          file, header.selection);
    }
    (is_stage ? selection.stages : selection.patterns).push_back(words[i + 1]);
  }
  if (!header.shard.empty()) {
    BP_ASSIGN(selection.shard, Shard::parse(header.shard));
  }
  return selection;
}

// Verifies that the report has every case of the suite that its header speaks of, and no other. A case may be there
// twice: one that seemed slow was measured again.
Status check_cases(const Subject &subject, const Report &report, const std::string &file) {
  BP_ASSIGN(const Selection selection, selection_of(report.header, file));
  BP_ASSIGN(const std::vector<Group> groups, select_cases(subject, selection));
  BP_TRY(check_left_out(report, selection.hardware_safe, file));
  std::map<std::string_view, bool> is_there;
  for (const Group &group : groups) {
    for (const std::string &id : group.ids) {
      is_there.emplace(id, false);
    }
  }
  for (const Record &record : report.records) {
    const auto found = is_there.find(record.id);
    if (found == is_there.end()) {
      return invalid_input("{}: has the case {}, which the {} suite does not have", file, record.id,
                           report.header.mode);
    }
    found->second = true;
  }
  const auto missing = std::ranges::find(is_there, false, &std::pair<const std::string_view, bool>::second);
  if (missing != is_there.end()) {
    return invalid_input("{}: lacks {} of the {} cases of {} {} run, such as {}", file,
                         std::ranges::count(is_there, false, &std::pair<const std::string_view, bool>::second),
                         is_there.size(), report.header.selection.empty() ? "a" : "this part of a", report.header.mode,
                         missing->first);
  }
  return {};
}

// Says which expectations a hash stands for.
std::string describe_expectations(const std::string &sha256) {
  return sha256.empty() ? "no expectations" : "expectations with the SHA-256 " + sha256;
}

// Verifies that the report was made with these expectations, and that no verdict contradicts them.
Status check_expectations(const Expectations &expectations, const Header &now, const Report &report,
                          const std::string &file) {
  if (now.expectations_sha256 != report.header.expectations_sha256) {
    return invalid_input("{}: was made with {}, the plugin has {}; --expectations FILE names others", file,
                         describe_expectations(report.header.expectations_sha256),
                         describe_expectations(now.expectations_sha256));
  }
  for (const Record &record : report.records) {
    const CaseStatus status = record.verdict.status;
    const bool is_of_list = status == CaseStatus::ExpectedFailure || status == CaseStatus::UnexpectedPass;
    const bool is_result = status == CaseStatus::Pass || status == CaseStatus::Fail || status == CaseStatus::Crashed ||
                           status == CaseStatus::TimedOut;
    const bool is_listed = expectations.find(record.id) != nullptr;
    if ((is_of_list && !is_listed) || (is_result && is_listed)) {
      return invalid_input("{}: says {} for {}, which the expectations {}", file, to_string(status), record.id,
                           is_listed ? "list" : "do not list");
    }
  }
  return {};
}

Status check_signature(const Report &report, const PublicKey &demanded, const std::string &file) {
  if (!report.signature) {
    return invalid_input("{}: is not signed, expected a signature of {}: backplane conform sign adds one", file,
                         demanded.id());
  }
  if (report.signature->key != demanded) {
    return invalid_input("{}: is signed by {}, expected {}", file, report.signature->key.id(), demanded.id());
  }
  return {};
}

// `header` is that of a report about the plugin at hand.
Status check_challenge(const Header &header, const std::optional<std::string> &demanded, const std::string &file) {
  if (demanded && header.challenge != *demanded) {
    return invalid_input(
        "{}: was made {}, expected the challenge '{}'", file,
        header.challenge.empty() ? "for no challenge" : fmt::format("for the challenge '{}'", header.challenge),
        *demanded);
  }
  const std::uint64_t expected =
      header.challenge.empty() ? header.seed : challenge_seed(header.plugin_sha256, header.challenge);
  if (header.seed != expected) {
    return invalid_input("{}: has the seed {}, expected {}, which the challenge '{}' gives for this plugin", file,
                         header.seed, expected, header.challenge);
  }
  return {};
}

// Returns the choice that a report was made with; the backend and the models may be elsewhere now, as given.
Choice choice_of(const Header &header, const Choice &given) {
  Choice choice;
  choice.name = given.name.empty() ? header.plugin : given.name;
  choice.tier = header.tier;
  choice.mode = header.mode == "full" ? Mode::Full : Mode::Quick;
  choice.seed = header.seed;
  choice.settings = header.settings;
  choice.models = given.models.empty() ? header.models : given.models;
  choice.mutant = header.mutant;
  return choice;
}

// Draws the records of `sample` different cases, of all if there are fewer, but none that was not run.
std::vector<const Record *> draw(const Report &report, std::size_t sample, std::uint64_t seed) {
  std::vector<const Record *> candidates, drawn;
  for (const Record &record : report.records) {
    if (record.verdict.status != CaseStatus::Blocked && record.verdict.status != CaseStatus::NotRun) {
      candidates.push_back(&record);
    }
  }
  std::mt19937_64 random(seed);
  for (std::set<std::string_view> ids; !candidates.empty() && ids.size() < sample; candidates.pop_back()) {
    std::swap(candidates[random() % candidates.size()], candidates.back());
    drawn.push_back(candidates.back());
    ids.insert(drawn.back()->id);
  }
  return drawn;
}

}  // namespace

Result<Verified> verify_report(const std::string &file, std::optional<std::size_t> sample, std::uint64_t seed,
                               Session session, const Demands &demands) {
  Verified verified;
  BP_ASSIGN(verified.report, read_report(file));
  BP_TRY(check_totals(verified.report, file));
  BP_TRY(demands.signed_by ? check_signature(verified.report, *demands.signed_by, file) : Status());
  const Header &header = verified.report.header;
  session.choice = choice_of(header, session.choice);
  BP_ASSIGN(const Subject subject, Subject::find(session.choice));
  BP_ASSIGN(const Header now, header_of(session, subject));
  if (now.plugin_sha256 != header.plugin_sha256) {
    return invalid_input("{} has the SHA-256 {}, the report speaks of {}", now.plugin, now.plugin_sha256,
                         header.plugin_sha256);
  }
  BP_TRY(check_challenge(header, demands.challenge, file));
  BP_ASSIGN(const Expectations expectations, expectations_of(session, subject));
  BP_TRY(check_expectations(expectations, now, verified.report, file));
  BP_TRY(check_cases(subject, verified.report, file));
  verified.is_of_other_suite = now.suite_sha256 != header.suite_sha256;
  std::map<std::string, const Record *> chosen;
  for (const Record *record :
       draw(verified.report, sample.value_or(header.mode == "full" ? 2000 : verified.report.records.size()), seed)) {
    chosen[record->id] = record;
    session.selection.patterns.push_back(record->id);
  }
  verified.rerun = chosen.size();
  if (chosen.empty()) {
    return verified;
  }
  session.on_record = [&](const Record &record, std::size_t, std::size_t) {
    const auto was = chosen.find(record.id);
    if (was != chosen.end() && was->second->verdict.status != record.verdict.status) {
      verified.differences.push_back(fmt::format(
          "{}: was {}, now {}{}{}", record.id, to_string(was->second->verdict.status), to_string(record.verdict.status),
          record.verdict.message.empty() ? "" : ": ", record.verdict.message));
    }
  };
  BP_TRY(run_session(session));
  return verified;
}

}  // namespace bp::conformance
