#include "conformance/runner/session.h"

#include <sys/utsname.h>

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <chrono>
#include <map>
#include <random>
#include <utility>

#include "conformance/report/json_lines.h"
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
    BP_ASSIGN(const std::string bytes, read_file(subject.path()));
    header.plugin_sha256 = sha256_hex(bytes);
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
  const auto start = std::chrono::steady_clock::now();
  BP_ASSIGN(const Subject subject, Subject::find(session.choice));
  BP_ASSIGN(const std::vector<Group> groups, select_cases(subject, session.selection));
  RunOptions options;
  options.worker_command = {session.program, "conform"};
  for (std::string &argument : arguments_of(session.choice)) {
    options.worker_command.push_back(std::move(argument));
  }
  options.worker_command.emplace_back("--worker");
  options.jobs = session.jobs;
  options.deadline_scale = session.deadline_scale;
  options.fail_fast = session.fail_fast;
  if (session.expectations_file.empty()) {
    BP_ASSIGN(options.expectations, Expectations::read_beside(subject.path()));
  } else {
    BP_ASSIGN(const std::string text, read_file(session.expectations_file));
    BP_ASSIGN(options.expectations, Expectations::parse(text, session.expectations_file));
  }
  std::string lines;
  const auto add = [&](std::string line) {
    line += '\n';
    lines += line;
    if (session.on_line) {
      session.on_line(line);
    }
  };
  BP_ASSIGN(Header header, header_of(subject, session.selection));
  if (session.fail_fast) {  // cases may be missing then
    header.selection += header.selection.empty() ? "--fail-fast" : " --fail-fast";
  }
  add(to_json(header));
  Totals totals;
  options.rerun_command = [&](const std::string &id) { return rerun_command(session.choice, id); };
  const auto tell = [&](const Record &record, std::size_t done, std::size_t total) {
    ++totals[record.verdict.status];
    add(to_json(record));
    if (session.on_record) {
      session.on_record(record, done, total);
    }
  };
  // Cases that seem slower than in the earlier report are measured again at the end, in case the machine was the
  // reason.
  std::vector<Record> doubtful;
  options.on_record = [&](Record record, std::size_t done, std::size_t total) {
    if (session.earlier && is_slower_than_in(*session.earlier, record)) {
      doubtful.push_back(std::move(record));
    } else {
      tell(record, done, total);
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
    tell(record, totals.cases() + 1, totals.cases() + 1);
  }
  totals.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  totals.sha256 = sha256_hex(lines);
  add(to_json(totals));
  return lines;
}

Result<Report> read_report(const std::string &file) {
  BP_ASSIGN(const std::string lines, read_file(file));
  auto report = report_from_json(lines);
  return report.ok() ? std::move(report) : invalid_input("{}: {}", file, report.error().message());
}

Result<Verified> verify_report(const std::string &file, std::size_t sample, std::uint64_t seed, Session session) {
  Verified verified;
  BP_ASSIGN(verified.report, read_report(file));
  const Header &header = verified.report.header;
  if (!verified.report.totals) {
    return invalid_input("{}: has no totals: the run was cut short", file);
  }
  Totals counted;
  std::vector<const Record *> candidates;
  for (const Record &record : verified.report.records) {
    ++counted[record.verdict.status];
    if (record.verdict.status != CaseStatus::Blocked) {
      candidates.push_back(&record);
    }
  }
  if (counted.counts != verified.report.totals->counts) {
    return invalid_input("{}: the totals are not the sum of the records", file);
  }
  if (session.choice.name.empty()) {
    session.choice.name = header.plugin;
  }
  session.choice.tier = header.tier;
  session.choice.mode = header.mode == "full" ? Mode::Full : Mode::Quick;
  session.choice.seed = header.seed;
  session.choice.settings = header.settings;
  session.choice.mutant = header.mutant;
  if (session.choice.models.empty()) {
    session.choice.models = header.models;
  }
  BP_ASSIGN(const Subject subject, Subject::find(session.choice));
  BP_ASSIGN(const Header now, header_of(subject, {}));
  if (now.plugin_sha256 != header.plugin_sha256) {
    return invalid_input("{} has the SHA-256 {}, the report speaks of {}", now.plugin, now.plugin_sha256,
                         header.plugin_sha256);
  }
  std::mt19937_64 random(seed);
  std::map<std::string, const Record *> chosen;
  for (; !candidates.empty() && chosen.size() < sample; candidates.pop_back()) {
    std::swap(candidates[random() % candidates.size()], candidates.back());
    chosen[candidates.back()->id] = candidates.back();
    session.selection.patterns.push_back(candidates.back()->id);
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
