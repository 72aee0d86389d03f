// One case alone: shown in full, run again by the command that its report prints, or left out on purpose.
#include <fmt/format.h>

#include <sys/wait.h>
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "conformance/report/json_lines.h"
#include "conformance/report/render.h"
#include "conformance/runner/hardware_safe.h"
#include "conformance/runner/verification.h"
#include "conformance/suite/shown.h"
#include "core/base/files.h"
#include "core/text/parser.h"
#include "tools/testing/temporary_folder.h"

namespace bp::conformance {
namespace {

std::filesystem::path folder_of_build() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

Session misbehaving(const std::string &fault, std::vector<std::string> patterns) {
  Session session;
  session.program = folder_of_build() / "tools/backplane";
  session.choice.name = folder_of_build() / "conformance/libbackplane_misbehaving.so";
  session.choice.settings = {{"fault", fault}};
  session.selection.patterns = std::move(patterns);
  session.jobs = 1;
  return session;
}

Report whole_report(const Session &session) {
  const auto lines = run_session(session);
  INFO((lines.ok() ? "" : lines.error().to_string()));
  REQUIRE(lines.ok());
  return report_from_json(*lines).value();
}

struct Printed {
  int code = -1;
  std::string text;
};

// Runs a command line as a user would, with `backplane` in the path.
Printed shell(const std::string &command) {
  const std::string path = fmt::format("PATH={}:$PATH; ", (folder_of_build() / "tools").string());
  FILE *pipe = popen((path + command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  Printed printed;
  std::array<char, 4096> buffer;
  for (std::size_t size; (size = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    printed.text.append(buffer.data(), size);
  }
  printed.code = WEXITSTATUS(pclose(pipe));
  return printed;
}

std::string plain_word(CaseStatus status) {
  return std::string(to_string(status));
}

}  // namespace

TEST_CASE("arrays are shown shortened, and the elements that differ most come first") {
  const ir::Shape shape = ir::Shape::array(ir::ElementType::F32, {2, 3});
  const ir::Literal expected = text::parse_literal("{{1, 2, 3}, {4, 5, 6}}", shape).value();
  const ir::Literal found = text::parse_literal("{{1, 2.5, 3}, {nan, 5, 6.0000005}}", shape).value();
  CHECK(shortened(expected, 2) == "f32[2,3] {1, 2, and 4 more}");
  CHECK(shortened(text::parse_literal("-0", ir::Shape::array(ir::ElementType::F32, {})).value()) == "f32[] -0");
  const std::vector<Deviation> worst = worst_elements(found, expected, 2);
  REQUIRE(worst.size() == 2);
  CHECK(worst[0].index == std::vector<std::int64_t>{1, 0});
  CHECK(worst[0].found == "nan");
  CHECK(worst[1].index == std::vector<std::int64_t>{0, 1});
  CHECK(worst[1].expected == "2");
  CHECK(worst_elements(found, expected, 9).back().ulp == 1);
  CHECK(worst_elements(found, found, 9).empty());
}

TEST_CASE("a failing operation says which program and operands, what came out and what should") {
  const Report report = whole_report(misbehaving("wrong", {"ops/subtract/f32/prime/rare"}));
  REQUIRE(report.records.size() == 1);
  const std::string &message = report.records[0].verdict.message;
  INFO(message);
  CHECK_THAT(message, Catch::Contains(" of 67 elements are wrong; [") && Catch::Contains(", expected ") &&
                          Catch::Contains("\noperands there: ") && Catch::Contains(" = ") &&
                          Catch::Contains("\nHloModule ") && Catch::Contains("ROOT ") && Catch::Contains("subtract("));
}

TEST_CASE("--show prints the case, its program, operands, results, and what runs where") {
  const std::string plugin = (folder_of_build() / "conformance/libbackplane_misbehaving.so").string();
  const Printed shown = shell("backplane conform " + plugin + " --set fault=wrong --show ops/subtract/f32/prime/rare");
  INFO(shown.text);
  CHECK(shown.code == 1);
  std::size_t at = 0;
  for (const char *part :
       {"ops/subtract/f32/prime/rare\n",
        "case: subtract on f32; arrays of 67 elements; operands: integers from -3 to 3", "program:\n  HloModule",
        "inputs:\n  ", " = f32[67] {", "expected:\n  f32[67] {", "allowed:\n  only the correctly",
        "after the core's passes for this device:\n", "on the device:\n  r (subtract)\n", "on the host:\n  nothing\n",
        "got:\n  f32[67] {", "elements that differ most:\n  [", "verdict:\nfail ops/subtract/f32/prime/rare\n",
        "rerun: backplane conform "}) {
    INFO("expected: " << part);
    const std::size_t found = shown.text.find(part, at);
    REQUIRE(found != std::string::npos);
    at = found;
  }
  const Printed crashed =
      shell("backplane conform " + plugin + " --set fault=crash --show ops/subtract/f32/one/random");
  INFO(crashed.text);
  CHECK(crashed.code == 1);
  CHECK_THAT(crashed.text, Catch::Contains("expected:\n  f32[1] {") &&
                               Catch::Contains("... and then: killed by signal 11 (SIGSEGV, ") &&
                               Catch::Contains("verdict:\ncrashed"));
  const Printed without = shell("backplane conform " + plugin + " --show x_ray/entry");
  INFO(without.text);
  CHECK(without.code == 0);
  CHECK_THAT(without.text, Catch::Contains("program: none") && Catch::Contains("verdict:\npass x_ray/entry\n"));
  CHECK_THAT(shell("backplane conform " + plugin + " --show 'ops/add/f32/p*'").text,
             Catch::Contains("--show is 'ops/add/f32/p*', which matches ") && Catch::Contains(": expected one"));
}

TEST_CASE("the command that a report prints runs the case again, whatever its name") {
  const testing::TemporaryFolder folder;
  const std::string model = folder / "it's a $(model) & more.hlo";
  testing::write_file(model,
                      "HloModule m\nENTRY e {\n  a = f32[9] parameter(0)\n  b = f32[9] parameter(1)\n  ROOT s = f32[9] "
                      "subtract(a, b)\n}\n");
  Session session = misbehaving("wrong", {"ops/subtract/f32/prime/random", "programs/model/it's a*"});
  session.choice.models = {model};
  session.choice.seed = 7;
  session.choice.mutant = "tail-lost";
  session.expectations_file = folder / "no expectations";
  testing::write_file(session.expectations_file, "");
  session.deadline_scale = 2;
  const Report report = whole_report(session);
  std::size_t unexpected = 0;
  for (const Record &record : report.records) {
    if (record.rerun.empty()) {
      continue;
    }
    ++unexpected;
    INFO(record.rerun);
    const std::string text = to_text(record, plain_word);
    const std::string command = text.substr(text.find("rerun: ") + 7);
    const Printed again = shell(command.substr(0, command.size() - 1));
    INFO(again.text);
    CHECK(again.code == 1);
    CHECK_THAT(again.text, Catch::StartsWith(plain_word(record.verdict.status) + " " + record.id + "\n") &&
                               Catch::Contains("1 cases in "));
    // Failures are printed once, as they come.
    CHECK(again.text.find("rerun: ") == again.text.rfind("rerun: "));
  }
  CHECK(unexpected == 2);
}

TEST_CASE("--hardware-safe leaves out what may stop a board, with the reason, and verify demands it") {
  const testing::TemporaryFolder folder;
  Session session =
      misbehaving("none", {"life_cycle/BP-ENTRY-03", "ops/add/f32/one/random", "performance/load/plugin"});
  session.selection.hardware_safe = true;
  const std::string lines = run_session(session).value(), file = folder / "results.jsonl";
  const Report report = report_from_json(lines).value();
  CHECK((*report.totals)[CaseStatus::NotRun] == 2);
  CHECK((*report.totals)[CaseStatus::Pass] == 1);
  CHECK(report.totals->unexpected() == 0);
  CHECK_THAT(report.header.selection, Catch::EndsWith(" --hardware-safe"));
  CHECK_THAT(report.records[0].verdict.message, Catch::Contains("loads and unloads the plugin many times"));
  CHECK_THAT(to_text(report, plain_word), Catch::Contains("1 pass, 2 not_run; 0 unexpected"));
  CHECK_THAT(to_junit(report), Catch::Contains("<skipped message=\"not_run: "));

  testing::write_file(file, lines);
  Session again = misbehaving("none", {});
  again.choice = {};
  const auto verified = verify_report(file, 100, 1, again);
  INFO((verified.ok() ? "" : verified.error().to_string()));
  REQUIRE(verified.ok());
  CHECK(verified->rerun == 1);

  // Pretends that a case was left out on purpose, or that one that is left out has passed.
  Report forged = report;
  forged.header.selection.erase(forged.header.selection.find(" --hardware-safe"));
  CHECK_THAT(check_left_out(forged, false, "r").error().message(),
             Catch::Contains("leaves out the case life_cycle/BP-ENTRY-03, which a usual run does not leave out"));
  testing::write_file(file, to_json_lines(forged));
  CHECK_THAT(verify_report(file, 0, 1, again).error().message(), Catch::Contains("which a usual run"));
  forged = report;
  forged.records[0].verdict.status = CaseStatus::Pass;
  CHECK_THAT(check_left_out(forged, true, "r").error().message(),
             Catch::Contains("as pass, which a --hardware-safe run leaves out"));
}

}  // namespace bp::conformance
