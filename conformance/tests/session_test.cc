// Runs of the suite on a plugin that misbehaves (tests/plugins/misbehaving.c): each fault affects only the cases that
// meet it.
#include "conformance/runner/session.h"
#include "conformance/runner/verification.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "conformance/report/json_lines.h"
#include "conformance/runner/merge.h"
#include "core/base/files.h"
#include "tools/testing/skip.h"
#include "tools/testing/temporary_folder.h"

namespace bp::conformance {
namespace {

std::filesystem::path build_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

Session session_with(const std::string &fault) {
  Session session;
  session.program = build_folder() / "tools/backplane";
  session.choice.name = build_folder() / "conformance/libbackplane_misbehaving.so";
  session.choice.settings = {{"fault", fault}};
  session.selection.patterns = {"ops/add/f32/*", "ops/subtract/f32/*", "ops/multiply/f32/*"};
  session.jobs = 1;
  return session;
}

Report run_to_end(const Session &session) {
  const auto lines = run_session(session);
  INFO((lines.ok() ? "" : lines.error().to_string()));
  REQUIRE(lines.ok());
  return report_from_json(*lines).value();
}

// Counts the cases with this status whose id begins with `prefix`.
std::size_t count(const Report &report, std::string_view prefix, CaseStatus status) {
  return static_cast<std::size_t>(std::ranges::count_if(report.records, [&](const Record &record) {
    return record.id.starts_with(prefix) && record.verdict.status == status;
  }));
}

constexpr std::size_t of_each = 10;  // the shapes and values of rank 0 and 1

}  // namespace

TEST_CASE("a correct plugin passes, and what it does not claim is unsupported") {
  const Report report = run_to_end(session_with("none"));
  CHECK(count(report, "ops/", CaseStatus::Pass) == 3 * of_each);
  CHECK(count(report, "ops/subtract/f32/matrix", CaseStatus::Unsupported) == 4);
  CHECK(report.totals->unexpected() == 0);
  CHECK(report.totals->cases() == report.records.size());
}

TEST_CASE("a crash, an exit or a hang costs the case in hand") {
  const auto [fault, status, message] = GENERATE(table<const char *, CaseStatus, const char *>(
      {{"crash", CaseStatus::Crashed, "killed by signal 11 (SIGSEGV, Segmentation fault)"},
       {"exit", CaseStatus::Crashed, "the process ended with exit code 0"},
       {"hang", CaseStatus::TimedOut, "still running after 0.9 s"}}));
  Session session = session_with(fault);
  session.deadline_scale = 0.03;
  const Report report = run_to_end(session);
  INFO(fault);
  CHECK(count(report, "ops/add", CaseStatus::Pass) == of_each);
  CHECK(count(report, "ops/multiply", CaseStatus::Pass) == of_each);
  CHECK(count(report, "ops/subtract", status) == of_each);
  for (const Record &record : report.records) {
    if (record.verdict.status == status) {
      CHECK(record.verdict.message == message);
      CHECK(record.rerun == "backplane conform " + session.choice.name + " --set fault=" + fault +
                                " --deadline 0.03 --case " + record.id);
      CHECK(record.verdict.op == "subtract");
    }
  }
}

TEST_CASE("failures of random programs and calls are reduced") {
  const auto [plugin, mutant, cases, end] = GENERATE(table<const char *, const char *, const char *, const char *>(
      {{"kernels", "maximum-of-negate", "fuzz/graphs/*", "maximum(%negate."},
       {"cpu", "last-program-takes-others", "fuzz/calls/*", "run program "}}));
  Session session;
  session.program = build_folder() / "tools/backplane";
  session.choice.name = build_folder() / "plugins" / plugin / ("libbackplane_" + std::string(plugin) + ".so");
  if (!std::filesystem::exists(session.choice.name)) {
    return testing::skip(std::string(plugin) + " is not built");
  }
  session.choice.mutant = mutant;
  session.selection.patterns = {cases};
  session.fail_fast = true;
  const Report report = run_to_end(session);
  // Cases that were running at the same time may follow.
  const auto failed =
      std::ranges::find(report.records, CaseStatus::Fail, [](const Record &one) { return one.verdict.status; });
  REQUIRE(failed != report.records.end());
  const std::string &message = failed->verdict.message;
  INFO(message);
  CHECK(std::ranges::count(message, '\n') < 14);
  CHECK_THAT(message, Catch::Contains(" show it:\n") && Catch::Contains(end));
}

TEST_CASE("a program that needs too much memory is unsupported, and the message says how much") {
  Session session;
  session.program = build_folder() / "tools/backplane";
  session.choice.name = build_folder() / "plugins/npu/libbackplane_npu.so";
  session.choice.settings = {{"memory", "20000"}};
  session.selection.patterns = {"programs/model/transformer_block/16/*"};
  const Report report = run_to_end(session);
  CHECK(count(report, "programs/model/", CaseStatus::Unsupported) > 0);
  for (const Record &record : report.records) {
    INFO(record.id << ": " << record.verdict.message);
    CHECK((record.verdict.status == CaseStatus::Pass ||
           (record.verdict.status == CaseStatus::Unsupported &&
            record.verdict.message.find("more than its capacity of 20000") != std::string::npos)));
  }
}

TEST_CASE("functions that the core writes out overflow nowhere on the way") {
  Session session;
  session.program = build_folder() / "tools/backplane";
  session.choice.name = build_folder() / "plugins/cpu/libbackplane_primitives.so";
  if (!std::filesystem::exists(session.choice.name)) {
    return testing::skip("the plugin primitives is not built");
  }
  session.selection.patterns = {"ops/log-plus-one/f32/*/edge", "ops/exponential-minus-one/f32/*/edge"};
  const Report report = run_to_end(session);
  CHECK(report.records.size() == 8);
  CHECK(count(report, "ops/", CaseStatus::Pass) == 8);
}

TEST_CASE("a plugin that closes what is not its own is judged by its results") {
  const Report report = run_to_end(session_with("close"));
  CHECK(count(report, "ops/", CaseStatus::Pass) == 3 * of_each);
}

TEST_CASE("a case in which the plugin prints fails, and the others do not") {
  const Report found = run_to_end(session_with("print"));
  CHECK(count(found, "ops/add", CaseStatus::Pass) == of_each);
  CHECK(count(found, "ops/multiply", CaseStatus::Pass) == of_each);
  CHECK(count(found, "ops/subtract", CaseStatus::Fail) == of_each);
  for (const Record &record : found.records) {
    if (record.verdict.status == CaseStatus::Fail) {
      CHECK_THAT(record.verdict.message,
                 Catch::StartsWith("BP-LOG-01: it writes to standard output or standard error: "));
    }
  }
}

TEST_CASE("a plugin cannot write its own verdicts") {
  const testing::TemporaryFolder folder;
  const std::string report = folder / "report.jsonl";
  const int descriptor = open(report.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);  // open in whatever is started
  REQUIRE(descriptor >= 0);
  const Report found = run_to_end(session_with("forge"));
  close(descriptor);
  CHECK(read_file(report).value() == "");
  CHECK(count(found, "ops/add", CaseStatus::Pass) == of_each);
  CHECK(count(found, "ops/multiply", CaseStatus::Pass) == of_each);
  CHECK(count(found, "ops/subtract", CaseStatus::Fail) == of_each);
  for (const Record &record : found.records) {
    if (record.verdict.status == CaseStatus::Fail) {
      CHECK_THAT(record.verdict.message,
                 Catch::StartsWith("something other than the suite has written to the socket of the worker: "
                                   "{\"id\":\"ops/subtract/f32/"));
    }
  }
}

TEST_CASE("wrong results and broken claims are failures, alike in every run") {
  const Report wrong = run_to_end(session_with("wrong"));
  CHECK(count(wrong, "ops/subtract", CaseStatus::Fail) >= 5);
  CHECK(count(wrong, "ops/add", CaseStatus::Pass) == of_each);
  const Report again = run_to_end(session_with("wrong"));
  const auto message_of = [](const Report &report, std::string_view id) {
    return std::ranges::find(report.records, id, &Record::id)->verdict.message;
  };
  CHECK(message_of(wrong, "ops/subtract/f32/prime/random") == message_of(again, "ops/subtract/f32/prime/random"));
  const Report declined = run_to_end(session_with("decline"));
  CHECK(count(declined, "ops/subtract", CaseStatus::Fail) == of_each);
}

TEST_CASE("a byte past the end of a buffer is found") {
  Session session = session_with("overrun");
  session.selection.patterns = {"buffers/subtract/end", "buffers/add/end"};
  const Report report = run_to_end(session);
  CHECK(count(report, "buffers/add", CaseStatus::Pass) == 1);
  CHECK(count(report, "buffers/subtract", CaseStatus::Pass) == 0);
}

TEST_CASE("expectations turn failures around, and passes too") {
  const testing::TemporaryFolder folder;
  Session session = session_with("wrong");
  session.expectations_file = folder / "expectations";
  testing::write_file(session.expectations_file,
                      "[not yet]\nops/subtract/f32/prime/* the last element is lost\nops/add/f32/one/* no reason\n");
  const Report report = run_to_end(session);
  CHECK(count(report, "ops/subtract/f32/prime/", CaseStatus::ExpectedFailure) == 2);
  CHECK(count(report, "ops/add/f32/one/", CaseStatus::UnexpectedPass) == 1);
}

TEST_CASE("expectations that match no case are named") {
  const testing::TemporaryFolder folder;
  Session session = session_with("none");
  session.expectations_file = folder / "expectations";
  testing::write_file(session.expectations_file,
                      "# comment\n[never]\nops/*/f64/* no doubles\nops/ad/* misspelt\nops/*/sweep/* of the full run\n");
  CHECK(find_unused_expectations(session).value().empty());  // of a part of the cases
  session.selection = {};
  CHECK(find_unused_expectations(session).value() ==
        std::vector<std::string>{session.expectations_file + ":4: ops/ad/* matches no case"});
}

TEST_CASE("the first failure can be the last case") {
  Session session = session_with("crash");
  session.fail_fast = true;
  const Report report = run_to_end(session);
  CHECK(report.totals->unexpected() == 1);
  CHECK(report.records.size() < 3 * of_each);
}

TEST_CASE("where a file cannot be loaded, what needs it is blocked") {
  Session session = session_with("none");
  session.choice.name = build_folder() / "core/host/tests/plugins/libbackplane_extra_exports.so";
  session.choice.settings.clear();
  session.selection.patterns = {"x_ray/*", "life_cycle/load", "ops/add/f32/one/*"};
  const Report report = run_to_end(session);
  CHECK(count(report, "x_ray/one_symbol", CaseStatus::Fail) == 1);
  CHECK(count(report, "x_ray/entry", CaseStatus::Pass) == 1);
  CHECK(count(report, "life_cycle/", CaseStatus::Blocked) == 1);
  CHECK(count(report, "ops/", CaseStatus::Blocked) == 1);
}

TEST_CASE("times are compared with an earlier report") {
  Session session = session_with("none");
  session.selection.patterns = {"performance/op/add/f32", "performance/op/subtract/f32", "performance/overhead/call",
                                "performance/op/sine/f32"};
  const Report first = run_to_end(session);
  CHECK(count(first, "performance/", CaseStatus::Pass) == 3);
  CHECK(count(first, "performance/op/sine", CaseStatus::Unsupported) == 1);
  CHECK_FALSE(first.records[0].verdict.measured->development.has_value());
  // Pretends that the earlier report was 100 times as fast: then the case has become slower.
  session.earlier = first;
  for (Record &record : session.earlier->records) {
    if (record.verdict.measured && record.id == "performance/op/add/f32") {
      record.verdict.measured->seconds /= 100;
      record.verdict.measured->spread /= 100;
      record.verdict.measured->least /= 100;
    }
  }
  const Report second = run_to_end(session);
  CHECK(second.totals->unexpected() == 0);
  CHECK(second.records.size() == first.records.size());
  const auto added = std::ranges::find(second.records, "performance/op/add/f32", &Record::id);
  REQUIRE(added != second.records.end());
  CHECK(added->verdict.measured->development->change == Change::Slower);
}

TEST_CASE("the shards of a run, put together, are the run without shards") {
  const auto without_times = [](Report report) {
    for (Record &record : report.records) {
      record.seconds = 0;
    }
    report.totals->seconds = 0;
    return to_json_lines(report);
  };
  Session session = session_with("wrong");
  const Report whole = merge({{"whole", run_to_end(session)}}).value();
  CHECK(whole.totals->unexpected() >= 5);
  std::vector<Part> parts;
  for (std::size_t index = 1; index <= 3; ++index) {
    session.selection.shard = {index, 3};
    parts.push_back({std::to_string(index), run_to_end(session)});
    CHECK(parts.back().report.records.size() < whole.records.size());
  }
  CHECK(without_times(merge(parts).value()) == without_times(whole));
  std::ranges::reverse(parts);
  CHECK(without_times(merge(parts).value()) == without_times(whole));
}

TEST_CASE("a report is verified by its hashes and by running a part of it again") {
  const testing::TemporaryFolder folder;
  const std::string lines = run_session(session_with("none")).value(), file = folder / "results.jsonl";
  testing::write_file(file, lines);
  Session again = session_with("none");
  again.choice = {};
  const auto verified = verify_report(file, 5, 1, again);
  INFO((verified.ok() ? "" : verified.error().to_string()));
  REQUIRE(verified.ok());
  CHECK(verified->rerun == 5);
  CHECK(verified->differences.empty());

  // A rerun uses the same mutant.
  Session mutant = session_with("none");
  mutant.choice.mutant = "tail-lost";
  testing::write_file(file, run_session(mutant).value());
  CHECK(verify_report(file, 1000, 1, again).value().differences.empty());

  // Forges a better report, including its hash.
  std::string better = run_session(session_with("wrong")).value();
  for (std::size_t at; (at = better.find("\"fail\",")) != std::string::npos;) {
    better.replace(at, 7, "\"pass\",");
  }
  Report forged = report_from_json(better.substr(0, better.rfind("{\"totals"))).value();
  better = better.substr(0, better.rfind("{\"totals"));
  Totals totals;
  totals[CaseStatus::Pass] = count(forged, "", CaseStatus::Pass);
  totals[CaseStatus::Unsupported] = count(forged, "", CaseStatus::Unsupported);
  totals.sha256 = sha256_hex(better);
  testing::write_file(file, better + to_json(totals) + "\n");
  const auto caught = verify_report(file, 1000, 1, again);
  REQUIRE(caught.ok());
  CHECK(caught->differences.size() >= 5);

  testing::write_file(file, lines.substr(0, lines.rfind("{\"totals")));
  CHECK(verify_report(file, 5, 1, again).error().message() == file + ": has no totals: the run was cut short");

  // Forges a report by leaving a case out, by another mode, or by another case.
  const auto forge = [&](auto change) {
    Report report = report_from_json(lines).value();
    change(report);
    std::string text = to_json(report.header) + "\n";
    Totals sums;
    for (const Record &record : report.records) {
      text += to_json(record) + "\n";
      ++sums[record.verdict.status];
    }
    sums.sha256 = sha256_hex(text);
    testing::write_file(file, text + to_json(sums) + "\n");
    const auto result = verify_report(file, 0, 1, again);
    return result.ok() ? std::string() : result.error().message();
  };
  const std::size_t all = report_from_json(lines).value().records.size();
  const std::string fourth = report_from_json(lines).value().records[3].id;
  CHECK(forge([](Report &) {}) == "");
  CHECK(forge([](Report &report) { report.records.erase(report.records.begin() + 3); }) ==
        fmt::format("{}: lacks 1 of the {} cases of this part of a quick run, such as {}", file, all, fourth));
  CHECK(forge([](Report &report) { report.header.mode = "full"; }).find("cases of this part of a full run") !=
        std::string::npos);
  CHECK(forge([](Report &report) { report.records[0].id = "ops/add/f32/one/other"; }) ==
        file + ": has the case ops/add/f32/one/other, which the quick suite does not have");
  CHECK(forge([](Report &report) { report.header.selection = ""; }).find(" cases of a quick run, such as ") !=
        std::string::npos);
  const std::string hash(64, '0');
  CHECK(forge([&](Report &report) { report.header.plugin_sha256 = hash; }).find("the report speaks of " + hash) !=
        std::string::npos);
  CHECK(forge([&](Report &report) { report.header.expectations_sha256 = hash; }) ==
        fmt::format("{}: was made with expectations with the SHA-256 {}, the plugin has no expectations; "
                    "--expectations FILE names others",
                    file, hash));
  CHECK(forge([&](Report &report) { report.records[3].verdict.status = CaseStatus::ExpectedFailure; }) ==
        fmt::format("{}: says expected_failure for {}, which the expectations do not list", file, fourth));
  CHECK(forge([](Report &report) { report.header.selection = "--fail-fast"; }) ==
        file +
            ": the run was made with '--fail-fast', expected --stage, --case and --hardware-safe only: cases may be "
            "missing");
}

}  // namespace bp::conformance
