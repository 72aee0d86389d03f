// Two reports compared: which cases got worse or better, and what else differs.
#include "conformance/report/difference.h"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <limits>

namespace bp::conformance {
namespace {

Report report_of(const std::vector<std::pair<std::string, CaseStatus>> &cases) {
  Report report;
  report.header.device = "org.example.a";
  report.header.mode = "quick";
  report.totals.emplace();
  for (const auto &[id, status] : cases) {
    Record one;
    one.id = id;
    one.stage = id.substr(0, id.find('/'));
    one.verdict.status = status;
    one.verdict.message = status == CaseStatus::Pass ? "" : "because of\nthis";
    one.rerun = status == CaseStatus::Pass ? "" : "backplane conform a --case " + id;
    report.records.push_back(one);
    ++(*report.totals)[status];
  }
  return report;
}

std::vector<std::string> ids(const Difference &difference, Turn turn) {
  std::vector<std::string> ids;
  for (const CaseDifference &one : difference[turn]) {
    ids.push_back(one.any().id);
  }
  return ids;
}

std::string without_colours(Tone, std::string_view text) {
  return std::string(text);
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("a case gets worse or better by what its outcome proves") {
  using enum CaseStatus;
  const Report before = report_of({{"ops/1", Pass},
                                   {"ops/2", Pass},
                                   {"ops/3", Fail},
                                   {"ops/4", Unsupported},
                                   {"ops/5", Unsupported},
                                   {"ops/6", Pass},
                                   {"ops/7", Pass},
                                   {"fuzz/8", ExpectedFailure},
                                   {"fuzz/9", Pass},
                                   {"fuzz/10", Blocked},
                                   {"fuzz/12", Pass}});
  const Report after = report_of({{"ops/1", Pass},
                                  {"ops/2", Crashed},
                                  {"ops/3", Pass},
                                  {"ops/4", Pass},
                                  {"ops/5", Fail},
                                  {"ops/6", Unsupported},
                                  {"fuzz/8", UnexpectedPass},
                                  {"fuzz/9", Blocked},
                                  {"fuzz/10", Pass},
                                  {"new/11", Fail},
                                  {"fuzz/12", Weak}});
  const Difference difference = compare_reports(before, after).value();
  CHECK(ids(difference, Turn::Regressed) == Ids{"ops/2", "ops/5", "ops/6"});
  CHECK(ids(difference, Turn::Mended) == Ids{"ops/3", "ops/4", "fuzz/8"});
  CHECK(ids(difference, Turn::BecameUnsupported) == Ids{"ops/6"});
  CHECK(ids(difference, Turn::BecameSupported) == Ids{"ops/4", "ops/5"});
  CHECK(ids(difference, Turn::NoLongerJudged) == Ids{"fuzz/9", "fuzz/12"});
  CHECK(ids(difference, Turn::Added) == Ids{"fuzz/10", "new/11"});
  CHECK(ids(difference, Turn::Vanished) == Ids{"ops/7"});
  REQUIRE(difference.stages.size() == 3);
  CHECK(difference.stages[0].before == 7);
  CHECK(difference.stages[0].after == 6);
  CHECK(difference.stages[0].passed_before == 4);
  CHECK(difference.stages[0].passed_after == 3);
  CHECK(difference.total.turns[0] == 3);

  const std::string text = to_text(difference, 2, without_colours);
  CHECK_THAT(text, Catch::Contains("3 regressed\n  ops/2: pass -> crashed\n    because of\n"
                                   "    rerun: backplane conform a --case ops/2\n"));
  CHECK_THAT(text, Catch::Contains("  ops/5: unsupported -> fail\n") && Catch::Contains("  ... and 1 more\n"));
  CHECK_THAT(text, Catch::Contains("all                         11            6 -> 5  3 regressed, 3 mended, "));
  const boost::json::value json = boost::json::parse(to_json(difference));
  CHECK(json.at("regressions").as_array().size() == 3);
  CHECK(json.at("regressions").at(0).at("old") == "pass");
  CHECK(json.at("regressions").at(0).at("rerun") == "backplane conform a --case ops/2");
  CHECK(json.at("vanished").at(0).at("new") == "-");
  CHECK(json.at("stages").at(0).at("cases").at(1) == 6);
}

TEST_CASE("what differs between two runs is named, where files lie is not") {
  Report before = report_of({{"ops/1", CaseStatus::Pass}}), after = before;
  before.header.plugin = "a.so", after.header.plugin = "/elsewhere/a.so";
  after.header.plugin_sha256 = "cd34";
  after.header.seed = 7;
  after.header.settings = {{"b", "2"}, {"a", "1"}};
  const std::string text = to_text(compare_reports(before, after).value(), 9, without_colours);
  CHECK_THAT(text, Catch::Contains("  plugin SHA-256: none -> cd34\n  settings: none -> a=1 b=2\n  seed: 0 -> 7\n"));
  CHECK_THAT(text, !Catch::Contains("elsewhere") && !Catch::Contains("regressed"));
}

TEST_CASE("control characters in a report do not reach the terminal") {
  const Report before = report_of({{"ops/1", CaseStatus::Pass}});
  Report after = report_of({{"ops/1", CaseStatus::Fail}});
  after.records[0].verdict.message = "\x1b[2J";
  CHECK_THAT(to_text(compare_reports(before, after).value(), 9, without_colours), !Catch::Contains("\x1b"));
}

TEST_CASE("reports that say nothing about each other are not compared") {
  const Report one = report_of({{"ops/1", CaseStatus::Pass}}), other = report_of({{"ops/2", CaseStatus::Pass}});
  CHECK(compare_reports(one, other).error().message() == "the two reports have no case in common");
  Report cut = one;
  cut.totals.reset();
  CHECK(compare_reports(one, cut).error().message() ==
        "the new report has no totals: the run was cut short, expected all of its cases");
  Report shard = one;
  shard.header.shard = "2/3";
  CHECK(compare_reports(shard, one).error().message() ==
        "the old report is shard 2/3, the new one the whole run: combine the shards with `conform report` first");
}

}  // namespace bp::conformance
