// Records as JSON lines and back, and the reports made from them.
#include "conformance/report/record.h"

#include <catch2/catch.hpp>
#include <limits>

#include "conformance/report/json_lines.h"
#include "conformance/report/performance.h"
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
  Report report{{}, records, Totals()};
  report.header.plugin = "a.so";
  report.header.device = "org.example.a";
  report.header.mode = "quick";
  for (const Record &one : records) {
    ++(*report.totals)[one.verdict.status];
  }
  return to_json_lines(report);
}

Record timed_record(std::string id, double seconds, double bytes, double operations) {
  Record one = record("performance/" + std::move(id), CaseStatus::Pass);
  one.verdict.measured = Measurement{.what = {},
                                     .seconds = seconds,
                                     .spread = seconds / 100,
                                     .least = seconds,
                                     .runs = 9,
                                     .reference_seconds = 1e-4,
                                     .bytes = bytes,
                                     .operations = operations};
  return one;
}

std::string plain(CaseStatus status) {
  return std::string(to_string(status));
}

}  // namespace

TEST_CASE("a report is read as it was written") {
  Record first = op_record("add", "f32", CaseStatus::Fail, std::numeric_limits<double>::infinity());
  first.verdict.message = "a \"quote\", a \n newline, no UTF-8: \xff\xc0\x80 \xed\xa0\x80, and \xc3\xa9";
  first.verdict.allowed = "4 ulp";
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
  CHECK(read.verdict.allowed == "4 ulp");
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
  CHECK(report_from_json(lines + "{}\n").error().message() ==
        "line 5 comes after the totals, expected nothing, or a whole signature");
  CHECK_THAT(report_from_json(lines.substr(0, lines.find('\n') + 20)).error().message(),
             Catch::StartsWith("line 2 is not a JSON object"));
  CHECK_THAT(record_from_json(R"({"id":"a","stage":"a","status":"fine","seconds":1,"seed":1})").error().message(),
             Catch::StartsWith("has the status 'fine', expected one of: pass, fail"));
}

TEST_CASE("cases are counted by operation and type") {
  std::vector<Record> records(100, op_record("add", "f32", CaseStatus::Pass));
  records.push_back(op_record("dot", "f32", CaseStatus::Unsupported));
  const OpMatrix matrix = by_op({{}, records, {}});
  CHECK(matrix.ops == std::vector<std::string>{"add", "dot"});
  CHECK(matrix.cells.at({"add", "f32"}).passed == 100);
}

TEST_CASE("measurements are read as they were written") {
  Record first = timed_record("op/add/f32", 1.25e-4, 12, 1);
  first.verdict.measured->what = "add f32[1]";
  first.verdict.measured->is_of_device = true;
  first.verdict.measured->development = Development{.change = Change::Slower, .earlier_seconds = 5e-5};
  const Report report = report_from_json(lines_of({first, record("x_ray/entry", CaseStatus::Pass)})).value();
  const Measurement read = report.records[0].verdict.measured.value();
  CHECK(read.what == "add f32[1]");
  CHECK(read.seconds == 1.25e-4);
  CHECK(read.least == 1.25e-4);
  CHECK(read.runs == 9);
  CHECK(read.is_of_device);
  CHECK(read.reference_seconds == 1e-4);
  CHECK(read.bytes == 12);
  CHECK(read.development->change == Change::Slower);
  CHECK(read.development->earlier_seconds == 5e-5);
  CHECK_FALSE(report.records[1].verdict.measured.has_value());
  CHECK(record_from_json(R"({"id":"a","stage":"a","status":"pass","seconds":1,"seed":1,"measured":{"seconds":1}})")
            .error()
            .message() == "lacks the field 'spread'");
}

TEST_CASE("a case is slower only beyond the noise of both, and only if the machine was not") {
  const Measurement earlier{
      .what = {}, .seconds = 1e-3, .spread = 5e-5, .least = 9e-4, .runs = 9, .reference_seconds = 1e-4};
  Measurement now = earlier;
  CHECK(compare(now, earlier) == Change::Same);
  now.seconds = 1.25e-3, now.least = 1.2e-3;  // beyond the noise of one, but not of both
  CHECK(compare(now, earlier) == Change::Same);
  now.seconds = 2e-3, now.least = 1.9e-3;
  CHECK(compare(now, earlier) == Change::Slower);
  CHECK(compare(earlier, now) == Change::Faster);
  now.least = 9e-4;  // the fastest run is unchanged
  CHECK(compare(now, earlier) == Change::Same);
  now.least = 1.9e-3, now.reference_seconds = 2e-4;  // the machine took twice as long for everything
  CHECK(compare(now, earlier) == Change::Same);

  // The device's own clock is assumed to be exact; and twice the work may take twice the time.
  const Measurement simulated{
      .what = {}, .seconds = 1e-3, .least = 1e-3, .runs = 2, .is_of_device = true, .operations = 10};
  Measurement later = simulated;
  later.seconds = later.least = 1.2e-3;
  CHECK(compare(later, simulated) == Change::Slower);
  later.operations = 12;
  later.what = "another size";
  CHECK(compare(later, simulated) == Change::Same);
}

TEST_CASE("ops stand beside the roofline of what was measured") {
  const Report report =
      report_from_json(
          lines_of({timed_record("peak/memory", 1, 100, 0), timed_record("peak/multiply-add/f32", 1, 1, 1000),
                    timed_record("peak/dot/f32", 1, 1, 4000), timed_record("op/copy/f32", 2, 100, 0),
                    timed_record("op/add/f32", 4, 100, 10), timed_record("op/dot/f32", 2, 10, 4000),
                    timed_record("op/power/f32", 2, 1, 1000), timed_record("overhead/call", 2e-6, 0, 0)}))
          .value();
  const Performance performance = performance_of(report);
  REQUIRE(performance.ops.size() == 4);
  CHECK(performance.bytes_per_second == 100);
  CHECK(performance.ops[0].share == 0.5);
  CHECK(performance.ops[1].share == 0.25);
  CHECK(performance.ops[1].is_bound_by_memory);
  CHECK(performance.ops[2].share == 0.5);
  CHECK_FALSE(performance.ops[2].is_bound_by_memory);
  CHECK(performance.ops[3].share == 0.5);
  CHECK(median_share(performance) == 0.5);
  const std::string text = to_text(report, plain);
  CHECK_THAT(text, Catch::Contains("memory 100 B/s, multiply-add f32 1.00 kop/s, dot f32 4.00 kop/s\n"));
  CHECK_THAT(text, Catch::Contains("call of the smallest program 2.00 us\n"));
  CHECK_THAT(text, Catch::Contains("median share 50 % of 4 ops; the lowest: add f32 25.0 %"));
  CHECK_THAT(to_html(report), Catch::Contains("class=\"roofline\""));

  // An op that is faster than the programs that measure the peaks defines the peak.
  const Report odd =
      report_from_json(lines_of({timed_record("peak/memory", 1, 100, 0), timed_record("op/copy/f32", 0.5, 100, 0)}))
          .value();
  CHECK(performance_of(odd).bytes_per_second == 200);
  CHECK(performance_of(odd).ops[0].share == 1);
}

TEST_CASE("the page shows the error found and the error allowed, by op and type") {
  const auto judged = [](std::string op, std::string type, std::string allowed, std::optional<double> ulp,
                         CaseStatus status = CaseStatus::Pass) {
    Record one = op_record(std::move(op), std::move(type), status);
    one.verdict.max_ulp = ulp;
    one.verdict.allowed = std::move(allowed);
    return one;
  };
  const Report report{
      {},
      {judged("sine", "f32", "4 ulp", 1.25), judged("dot", "f32", "sum", 37), judged("dot", "s32", "exact", {}),
       judged("fft", "c64", "16 norm", 3), judged("add", "s8", "exact", {}, CaseStatus::Fail),
       judged("and", "s8", "exact", {}), judged("copy", "f32", "bits", 0), judged("rng", "f32", "", {}),
       judged("tan", "f32", "5 ulp", {}, CaseStatus::Unsupported)},
      {}};
  const std::string html = to_html(report);
  const std::string page = html.substr(html.find("<h2 id=\"precision\""));
  const std::size_t folded = page.find("2 operations have to equal");
  REQUIRE(folded != std::string::npos);
  const std::string rounding = page.substr(0, folded), exact = page.substr(folded);
  const std::string none = "<td></td>", zero = "<td class=\"exact\">0 / 0</td>";  // columns: s8, s32, f32, c64
  CHECK_THAT(rounding, Catch::Contains("<th>sine</th>" + none + none + "<td>1.25 / 4</td>" + none + "</tr>"));
  CHECK_THAT(rounding, Catch::Contains("<th>dot</th>" + none + zero + "<td>37 / sum</td>" + none + "</tr>"));
  CHECK_THAT(rounding, Catch::Contains("<td>3 / 16 norm</td></tr>"));
  CHECK_THAT(rounding, Catch::Contains("<th>add</th><td class=\"off\">wrong / 0</td>"));
  CHECK_THAT(exact, Catch::Contains("<th>and</th>" + zero + none + "</tr>"));
  CHECK_THAT(exact, Catch::Contains("<th>copy</th>" + none + zero + "</tr>"));
  CHECK_THAT(page, !Catch::Contains("<th>rng</th>") && !Catch::Contains("<th>tan</th>"));
}

TEST_CASE("text and JUnit say what was unexpected, and how to run it again") {
  Record failed = record("ops/add/f32/one/random", CaseStatus::Crashed, "killed by <signal> & \"all\"");
  failed.rerun = "backplane conform a --case ops/add/f32/one/random";
  const Report report = report_from_json(lines_of({failed, record("x_ray/entry", CaseStatus::Pass),
                                                   record("ops/sub/f32/one/random", CaseStatus::ExpectedFailure)}))
                            .value();
  const std::string text = to_text(report, plain);
  CHECK_THAT(text, Catch::StartsWith("crashed ops/add/f32/one/random\n  killed by <signal> & \"all\"\n"
                                     "  rerun: backplane conform a --case ops/add/f32/one/random\n"
                                     "  debug: gdb -ex 'set follow-fork-mode child' -ex run --args backplane conform a "
                                     "--case ops/add/f32/one/random --deadline 1000\n"));
  CHECK_THAT(text, Catch::Contains("3 cases in 0.0 s: 1 pass, 1 crashed, 1 expected_failure; 1 unexpected"));
  const std::string junit = to_junit(report);
  CHECK_THAT(junit, Catch::Contains("<testsuite name=\"ops\" tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\""));
  CHECK_THAT(junit, Catch::Contains("<error message=\"crashed: killed by &lt;signal&gt; &amp; &quot;all&quot;\"/>"
                                    "<system-out>rerun: backplane conform a --case ops/add/f32/one/random"));
}

}  // namespace bp::conformance
