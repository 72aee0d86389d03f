#include "conformance/runner/session.h"

#include <sys/utsname.h>

#include <algorithm>
#include <boost/tokenizer.hpp>
#include <chrono>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "conformance/report/json_lines.h"
#include "conformance/runner/plugin_hash.h"
#include "core/base/files.h"

namespace bp::conformance {
namespace {

// Quotes the text for a shell.
std::string quoted(const std::string &text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) {
    return text;
  }
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return out + "'";
}

std::string describe(const Selection &selection) {
  std::string text;
  for (const std::string &stage : selection.stages) {
    text += fmt::format("{}--stage {}", text.empty() ? "" : " ", stage);
  }
  for (const std::string &pattern : selection.patterns) {
    text += fmt::format("{}--case {}", text.empty() ? "" : " ", quoted(pattern));
  }
  return text;
}

Result<Header> header_of(const Subject &subject, const Selection &selection) {
  const Choice &choice = subject.choice();
  Header header;
  header.plugin = subject.is_interpreter() ? "interpreter" : subject.path();
  if (!subject.is_interpreter()) {
    BP_ASSIGN(header.plugin_sha256, plugin_sha256(subject.path()));
  }
  header.device = subject.device_id();
  if (const host::ManifestDevice *device = subject.description()) {
    header.device_name = device->name;
    header.version = subject.candidate().manifest->version;
  }
  header.tier = subject.tier();
  header.host_version = host::HostServices({}).abi()->version;
  utsname system{};
  uname(&system);
  header.machine = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
  header.mode = choice.mode == Mode::Full ? "full" : "quick";
  header.seed = choice.seed;
  header.selection = describe(selection);
  header.shard = selection.shard.count > 1 ? selection.shard.to_string() : "";
  header.settings = choice.settings;
  header.models = choice.models;
  header.mutant = choice.mutant;
  return header;
}

std::string rerun_command(const Choice &choice, const std::string &id) {
  std::string command = "backplane conform";
  for (const std::string &argument : arguments_of(choice)) {
    command += " " + quoted(argument);
  }
  return command + " --case " + quoted(id);
}

// Compares a measurement with the earlier one, if both exist.
bool is_slower_than_in(const Report &earlier, Record &record) {
  if (!record.verdict.measured) {
    return false;
  }
  const auto was = std::ranges::find(earlier.records, record.id, &Record::id);
  if (was == earlier.records.end() || !was->verdict.measured) {
    return false;
  }
  const Measurement &then = *was->verdict.measured;
  const Change change = compare(*record.verdict.measured, then);
  record.verdict.measured->development = {.change = change, .earlier_seconds = then.seconds};
  return change == Change::Slower;
}

Result<Expectations> expectations_of(const Session &session, const Subject &subject) {
  if (session.expectations_file.empty()) {
    return Expectations::read_for_plugin(subject.path());
  }
  BP_ASSIGN(const std::string text, read_file(session.expectations_file));
  return Expectations::parse(text, session.expectations_file);
}

// Returns all options of a run but the function that takes the records.
Result<RunOptions> run_options_of(const Session &session, const Subject &subject) {
  RunOptions options;
  options.worker_command = {session.program, "conform"};
  for (std::string &argument : arguments_of(session.choice)) {
    options.worker_command.push_back(std::move(argument));
  }
  options.worker_command.emplace_back("--worker");
  options.jobs = session.jobs;
  options.deadline_scale = session.deadline_scale;
  options.fail_fast = session.fail_fast;
  options.rerun_command = [&session](const std::string &id) { return rerun_command(session.choice, id); };
  BP_ASSIGN(options.expectations, expectations_of(session, subject));
  return options;
}

// The lines of a report, each passed on to the session's functions as soon as it is there.
class Lines {
 public:
  // Begins to measure the time of the run.
  explicit Lines(const Session &session) : session_(session) {}

  void begin(const Header &header) { add(to_json(header)); }
  void tell(const Record &record, std::size_t done, std::size_t total) {
    ++totals_[record.verdict.status];
    add(to_json(record));
    if (session_.on_record) {
      session_.on_record(record, done, total);
    }
  }
  // Tells a record that comes after those that were counted beforehand.
  void tell_more(const Record &record) { tell(record, totals_.cases() + 1, totals_.cases() + 1); }
  // Adds the totals. Returns all lines.
  std::string end() {
    totals_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    totals_.sha256 = sha256_hex(lines_);
    add(to_json(totals_));
    return std::move(lines_);
  }

 private:
  void add(std::string line) {
    line += '\n';
    lines_ += line;
    if (session_.on_line) {
      session_.on_line(line);
    }
  }

  const Session &session_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string lines_;
  Totals totals_;
};

// Runs the cases. Those that seem slower than in the earlier report are measured again at the end, in case the machine
// was the reason.
Status run_all(const Session &session, const Subject &subject, const std::vector<Group> &groups, RunOptions options,
               Lines &lines) {
  std::vector<Record> doubtful;
  options.on_record = [&](Record record, std::size_t done, std::size_t total) {
    if (session.earlier && is_slower_than_in(*session.earlier, record)) {
      doubtful.push_back(std::move(record));
    } else {
      lines.tell(record, done, total);
    }
  };
  BP_TRY(run(groups, subject, options));
  constexpr int more_times = 2;
  for (int i = 0; i < more_times && !doubtful.empty(); ++i) {
    Selection again;
    for (const Record &record : std::exchange(doubtful, {})) {
      again.patterns.push_back(record.id);
    }
    BP_ASSIGN(const std::vector<Group> groups_again, select_cases(subject, again));
    BP_TRY(run(groups_again, subject, options));
  }
  for (const Record &record : doubtful) {
    lines.tell_more(record);
  }
  return {};
}

// --- Verification ---

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
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const bool is_stage = words[i] == "--stage";
    if ((!is_stage && words[i] != "--case") || i + 1 == words.size()) {
      return invalid_input("{}: the run was made with '{}', expected --stage and --case only: cases may be missing",
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

// Draws the records of `sample` different cases, of all if there are fewer; blocked cases are left out.
std::vector<const Record *> draw(const Report &report, std::size_t sample, std::uint64_t seed) {
  std::vector<const Record *> candidates, drawn;
  for (const Record &record : report.records) {
    if (record.verdict.status != CaseStatus::Blocked) {
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

std::vector<std::string> arguments_of(const Choice &choice) {
  std::vector<std::string> arguments = {choice.name};
  for (const auto &[key, value] : choice.settings) {
    arguments.insert(arguments.end(), {"--set", key + "=" + value});
  }
  for (const std::string &model : choice.models) {
    arguments.insert(arguments.end(), {"--model", model});
  }
  if (!choice.mutant.empty()) {
    arguments.insert(arguments.end(), {"--mutant", choice.mutant});
  }
  if (!choice.tier.empty()) {
    arguments.insert(arguments.end(), {"--tier", choice.tier});
  }
  if (choice.mode == Mode::Full) {
    arguments.emplace_back("--full");
  }
  if (choice.seed != 0) {
    arguments.insert(arguments.end(), {"--seed", std::to_string(choice.seed)});
  }
  return arguments;
}

Result<std::string> run_session(const Session &session) {
  Lines lines(session);
  BP_ASSIGN(const Subject subject, Subject::find(session.choice));
  BP_ASSIGN(const std::vector<Group> groups, select_cases(subject, session.selection));
  BP_ASSIGN(RunOptions options, run_options_of(session, subject));
  BP_ASSIGN(Header header, header_of(subject, session.selection));
  if (session.fail_fast) {  // cases may be missing then
    header.selection += header.selection.empty() ? "--fail-fast" : " --fail-fast";
  }
  lines.begin(header);
  BP_TRY(run_all(session, subject, groups, std::move(options), lines));
  return lines.end();
}

Status check_totals(const Report &report, const std::string &file) {
  if (!report.totals) {
    return invalid_input("{}: has no totals: the run was cut short", file);
  }
  Totals counted;
  for (const Record &record : report.records) {
    ++counted[record.verdict.status];
  }
  if (counted.counts != report.totals->counts) {
    return invalid_input("{}: the totals are not the sum of the records", file);
  }
  return {};
}

Result<Report> read_report(const std::string &file) {
  BP_ASSIGN(const std::string lines, read_file(file));
  auto report = report_from_json(lines);
  return report.ok() ? std::move(report) : invalid_input("{}: {}", file, report.error().message());
}

Result<Verified> verify_report(const std::string &file, std::size_t sample, std::uint64_t seed, Session session) {
  Verified verified;
  BP_ASSIGN(verified.report, read_report(file));
  BP_TRY(check_totals(verified.report, file));
  const Header &header = verified.report.header;
  session.choice = choice_of(header, session.choice);
  BP_ASSIGN(const Subject subject, Subject::find(session.choice));
  BP_ASSIGN(const Header now, header_of(subject, {}));
  if (now.plugin_sha256 != header.plugin_sha256) {
    return invalid_input("{} has the SHA-256 {}, the report speaks of {}", now.plugin, now.plugin_sha256,
                         header.plugin_sha256);
  }
  BP_TRY(check_cases(subject, verified.report, file));
  std::map<std::string, const Record *> chosen;
  for (const Record *record : draw(verified.report, sample, seed)) {
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
