// Records as JSON lines and back, and what is made of them.
#include "conformance/report/record.h"

#include <catch2/catch.hpp>
#include <limits>

#include "conformance/report/render.h"
#include "conformance/report/summary.h"

namespace bp::conformance {
namespace {

Record record(std::string id, CaseStatus status, std::string message = "") {
  Record one;
  one.id = std::move(id);
  one.stage = one.id.substr(0, one.id.find('/'));
  one.verdict.status = status;
  one.verdict.message = std::move(message);
  one.seconds = 0.25;
  one.seed = 0xffffffffffffffff;
  return one;
}

Record op_record(std::string op, std::string type, CaseStatus status, double ulp = 0) {
  Record one = record("ops/" + op + "/" + type + "/one/random", status);
  one.verdict.op = std::move(op);
  one.verdict.type = std::move(type);
  one.verdict.max_ulp = ulp;
  return one;
}

std::string lines_of(const std::vector<Record> &records) {
  Header header;
  header.plugin = "a.so";
  header.device = "org.example.a";
  header.mode = "quick";
  std::string lines = to_json(header) + "\n";
  Totals totals;
  for (const Record &one : records) {
    ++totals[one.verdict.status];
    lines += to_json(one) + "\n";
  }
  totals.sha256 = sha256_hex(lines);
  return lines + to_json(totals) + "\n";
}

std::string plain(CaseStatus status) {
  return std::string(to_string(status));
}

}  // namespace

TEST_CASE("a report is read as it was written") {
  Record first = op_record("add", "f32", CaseStatus::Fail, std::numeric_limits<double>::infinity());
  first.verdict.message = "a \"quote\", a \n newline, no UTF-8: \xff\xc0\x80 \xed\xa0\x80, and \xc3\xa9";
  first.rerun = "backplane conform a --case x";
  const auto report = report_from_json(lines_of({first, record("x_ray/entry", CaseStatus::Pass)}));
  INFO((report.ok() ? "" : report.error().to_string()));
  REQUIRE(report.ok());
  CHECK(report->header.device == "org.example.a");
  REQUIRE(report->records.size() == 2);
  const Record &read = report->records[0];
  CHECK(read.verdict.status == CaseStatus::Fail);
  CHECK(read.verdict.message == "a \"quote\", a \n newline, no UTF-8: ??? ???, and \xc3\xa9");
  CHECK(read.verdict.max_ulp == std::numeric_limits<double>::infinity());
  CHECK(read.seed == 0xffffffffffffffff);
  CHECK(read.rerun == first.rerun);
  CHECK(report->totals->unexpected() == 1);
}

TEST_CASE("a report that was changed or cut is told from a whole one") {
  const std::string lines =
      lines_of({record("x_ray/entry", CaseStatus::Fail), record("x_ray/machine", CaseStatus::Pass)});
  std::string changed = lines;
  changed.replace(changed.find("\"fail\""), 6, "\"pass\"");
  CHECK_THAT(report_from_json(changed).error().message(),
             Catch::StartsWith("line 4 the lines before have the SHA-256"));
  const auto cut = report_from_json(lines.substr(0, lines.rfind("{\"totals")));
  REQUIRE(cut.ok());
  CHECK_FALSE(cut->totals.has_value());
  CHECK(report_from_json("").error().message() == "is empty, expected a report of backplane conform");
  CHECK(report_from_json("{}\n").error().message() == "line 1 lacks the field 'plugin'");
  CHECK(report_from_json(lines + "{}\n").error().message() == "line 5 comes after the totals, expected nothing");
  CHECK_THAT(report_from_json(lines.substr(0, lines.find('\n') + 20)).error().message(),
             Catch::StartsWith("line 2 is not a JSON object"));
  CHECK_THAT(record_from_json(R"({"id":"a","stage":"a","status":"fine","seconds":1,"seed":1})").error().message(),
             Catch::StartsWith("has the status 'fine', expected one of: pass, fail"));
}

TEST_CASE("the score counts families of ops alike, however many cases they have") {
  std::vector<Record> records(100, op_record("add", "f32", CaseStatus::Pass));
  records.push_back(op_record("dot", "f32", CaseStatus::Unsupported));
  const Report report{{}, records, {}};
  CHECK(score(report) == 0.5);
  const OpMatrix matrix = by_op(report);
  CHECK(matrix.ops == std::vector<std::string>{"add", "dot"});
  CHECK(matrix.cells.at({"add", "f32"}).passed == 100);
}

TEST_CASE("text and JUnit say what was unexpected, and how to run it again") {
  Record failed = record("ops/add/f32/one/random", CaseStatus::Crashed, "killed by <signal> & \"all\"");
  failed.rerun = "backplane conform a --case ops/add/f32/one/random";
  const Report report = report_from_json(lines_of({failed, record("x_ray/entry", CaseStatus::Pass),
                                                   record("ops/sub/f32/one/random", CaseStatus::ExpectedFailure)}))
                            .value();
  const std::string text = to_text(report, plain);
  CHECK_THAT(text, Catch::StartsWith("crashed ops/add/f32/one/random\n  killed by <signal> & \"all\"\n"
                                     "  rerun: backplane conform a --case ops/add/f32/one/random\n"));
  CHECK_THAT(text, Catch::Contains("3 cases in 0.0 s: 1 pass, 1 crashed, 1 expected_failure; 1 unexpected"));
  const std::string junit = to_junit(report);
  CHECK_THAT(junit, Catch::Contains("<testsuite name=\"ops\" tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\""));
  CHECK_THAT(junit, Catch::Contains("<error message=\"crashed: killed by &lt;signal&gt; &amp; &quot;all&quot;\"/>"
                                    "<system-out>rerun: backplane conform a --case ops/add/f32/one/random"));
}

}  // namespace bp::conformance
