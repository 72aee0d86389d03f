#include "conformance/runner/session.h"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "conformance/report/json_lines.h"
#include "conformance/runner/hardware_safe.h"
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
  if (selection.hardware_safe) {
    text += fmt::format("{}--hardware-safe", text.empty() ? "" : " ");
  }
  return text;
}

// Returns the command that runs the case alone, with everything that may decide its outcome.
std::string rerun_command(const Session &session, const std::string &id) {
  std::string command = "backplane conform";
  for (const std::string &argument : arguments_of(session.choice)) {
    command += " " + quoted(argument);
  }
  if (!session.expectations_file.empty()) {
    command += " --expectations " + quoted(session.expectations_file);
  }
  if (session.deadline_scale != 1) {
    command += fmt::format(" --deadline {:g}", session.deadline_scale);
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

// Returns the hash in hexadecimal; empty for no file.
Result<std::string> hash_of_file(const std::string &file) {
  if (file.empty()) {
    return std::string();
  }
  BP_ASSIGN(const std::string bytes, read_file(file));
  return sha256_hex(bytes);
}

// Empty: there is none.
std::string expectations_file_of(const Session &session, const Subject &subject) {
  return session.expectations_file.empty() ? Expectations::file_for_plugin(subject.path()) : session.expectations_file;
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
  options.rerun_command = [&session](const std::string &id) { return rerun_command(session, id); };
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

}  // namespace

Result<Header> header_of(const Session &session, const Subject &subject) {
  const Choice &choice = subject.choice();
  const Selection &selection = session.selection;
  Header header;
  header.plugin = subject.is_interpreter() ? "interpreter" : subject.path();
  if (!subject.is_interpreter()) {
    BP_ASSIGN(header.plugin_sha256, plugin_sha256(subject.path()));
  }
  BP_ASSIGN(header.expectations_sha256, hash_of_file(expectations_file_of(session, subject)));
  BP_ASSIGN(header.suite_sha256, hash_of_file(session.program));
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
  header.challenge = session.challenge;
  header.selection = describe(selection);
  header.shard = selection.shard.count > 1 ? selection.shard.to_string() : "";
  header.settings = choice.settings;
  header.models = choice.models;
  header.mutant = choice.mutant;
  if (session.fail_fast) {  // cases may be missing then
    header.selection += header.selection.empty() ? "--fail-fast" : " --fail-fast";
  }
  return header;
}

Status accept_challenge(Session &session, const std::string &text) {
  if (text.empty()) {
    return invalid_input("--challenge is empty, expected a text that nobody could know when the plugin was deposited");
  }
  BP_ASSIGN(const Subject subject, Subject::find(session.choice));
  if (subject.is_interpreter()) {
    return invalid_input("--challenge is for a plugin, which has a file: the interpreter has none");
  }
  BP_ASSIGN(const std::string sha256, plugin_sha256(subject.path()));
  session.challenge = text;
  session.choice.seed = challenge_seed(sha256, text);
  return {};
}

Result<Expectations> expectations_of(const Session &session, const Subject &subject) {
  const std::string file = expectations_file_of(session, subject);
  if (file.empty()) {
    return Expectations();
  }
  BP_ASSIGN(const std::string text, read_file(file));
  return Expectations::parse(text, file);
}

Result<std::vector<std::string>> find_unused_expectations(const Session &session) {
  const Selection &selection = session.selection;
  if (!selection.stages.empty() || !selection.patterns.empty() || selection.shard.count > 1) {
    return std::vector<std::string>();
  }
  BP_ASSIGN(const Subject subject, Subject::find(session.choice));
  BP_ASSIGN(const Expectations expectations, expectations_of(session, subject));
  std::vector<Expectation> unused(expectations.lines().begin(), expectations.lines().end());
  for (const Mode mode : {session.choice.mode, Mode::Full}) {
    if (unused.empty()) {
      break;
    }
    Choice choice = session.choice;
    choice.mode = mode;
    BP_ASSIGN(const Subject whole, Subject::find(choice));
    BP_ASSIGN(const std::vector<Group> groups, select_cases(whole, Selection()));
    std::erase_if(unused, [&](const Expectation &one) {
      return std::ranges::any_of(groups, [&](const Group &group) {
        return std::ranges::any_of(group.ids, [&](const std::string &id) { return matches(one.pattern, id); });
      });
    });
  }
  std::vector<std::string> warnings;
  for (const Expectation &one : unused) {
    warnings.push_back(
        fmt::format("{}:{}: {} matches no case", expectations_file_of(session, subject), one.line, one.pattern));
  }
  return warnings;
}

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
  BP_ASSIGN(std::vector<Group> groups, select_cases(subject, session.selection));
  const std::vector<Record> left_out =
      session.selection.hardware_safe ? leave_out_unsafe(subject, groups) : std::vector<Record>();
  BP_ASSIGN(RunOptions options, run_options_of(session, subject));
  BP_ASSIGN(const Header header, header_of(session, subject));
  lines.begin(header);
  for (const Record &record : left_out) {
    lines.tell(record, 0, left_out.size());
  }
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

}  // namespace bp::conformance
