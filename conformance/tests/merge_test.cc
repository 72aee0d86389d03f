// Shards that do not belong together are rejected. session_test.cc merges the shards of a run.
#include "conformance/runner/merge.h"

#include <catch2/catch.hpp>

#include "conformance/report/json_lines.h"

namespace bp::conformance {
namespace {

Record case_with(std::string id, CaseStatus status = CaseStatus::Pass) {
  Record one;
  one.stage = id.substr(0, id.find('/'));
  one.id = std::move(id);
  one.verdict.status = status;
  one.seconds = 1;
  return one;
}

Part part(std::string file, std::string shard, std::vector<Record> records) {
  Part one{std::move(file), {{}, std::move(records), Totals()}};
  one.report.header.plugin_sha256 = "abc";
  one.report.header.machine = "machine of " + one.file;
  one.report.header.shard = std::move(shard);
  for (const Record &record : one.report.records) {
    ++(*one.report.totals)[record.verdict.status];
    one.report.totals->seconds += record.seconds;
  }
  return one;
}

const Part first_shard = part("a", "1/2", {case_with("ops/b", CaseStatus::Fail), case_with("x_ray/a")});
const Part second_shard = part("b", "2/2", {case_with("ops/a"), case_with("life_cycle/a")});

std::string problem_of(std::vector<Part> parts) {
  const auto merged = merge(std::move(parts));
  return merged.ok() ? "" : merged.error().message();
}

Part changed(Part part, void (*change)(Header &header)) {
  change(part.report.header);
  return part;
}

}  // namespace

TEST_CASE("shards come together in the order of the stages, whatever their own") {
  const Report merged = merge({second_shard, first_shard, second_shard}).value();
  std::vector<std::string> ids;
  for (const Record &one : merged.records) {
    ids.push_back(one.id);
  }
  CHECK(ids == std::vector<std::string>{"x_ray/a", "life_cycle/a", "ops/a", "ops/b"});
  CHECK(merged.totals->cases() == 4);
  CHECK(merged.totals->unexpected() == 1);
  CHECK(merged.header.shard.empty());
  CHECK(merged.header.machine == "machine of a, machine of b");
  CHECK(to_json_lines(merged) == to_json_lines(merge({first_shard, second_shard, second_shard}).value()));
  CHECK(report_from_json(to_json_lines(merged)).ok());
}

TEST_CASE("missing shards are reported") {
  CHECK(problem_of({first_shard}) == "missing: shard 2/2; found 1/2 in a, expected 2 shards");
  CHECK(problem_of({part("c", "3/4", {}), part("d", "1/4", {})}) ==
        "missing: shard 2/4, 4/4; found 1/4 in d, 3/4 in c, expected 4 shards");
  CHECK_THAT(problem_of({part("a", "3/18446744073709551615", {})}),
             Catch::Contains("11/18446744073709551615 and more; found 3/"));
  Part cut = second_shard;
  cut.report.totals.reset();
  CHECK(problem_of({first_shard, cut}) == "b: has no totals: the run was cut short, expected all of its cases");
  cut.report.header.shard.clear();
  CHECK_FALSE(merge({cut}).value().totals.has_value());
  CHECK(problem_of({}) == "there is no report, expected one at least");
}

TEST_CASE("parts of different runs are not put together") {
  const auto [change, what] = GENERATE(table<void (*)(Header &), const char *>({
      {[](Header &header) { header.plugin_sha256 = "def"; }, "the SHA-256 of the plugin is 'def', expected 'abc'"},
      {[](Header &header) { header.device = "x"; }, "the device is 'x', expected ''"},
      {[](Header &header) { header.version = "2"; }, "the version of the plugin is '2', expected ''"},
      {[](Header &header) { header.tier = "queue"; }, "--tier is 'queue', expected ''"},
      {[](Header &header) { header.host_version = "2"; }, "the version of Backplane is '2', expected ''"},
      {[](Header &header) { header.mode = "full"; }, "the mode is 'full', expected ''"},
      {[](Header &header) { header.seed = 3; }, "--seed is '3', expected '0'"},
      {[](Header &header) { header.selection = "--stage ops"; }, "the selection is '--stage ops', expected ''"},
      {[](Header &header) { header.settings = {{"a", "1"}}; }, "--set is 'a=1', expected ''"},
      {[](Header &header) { header.models = {"m"}; }, "--model is 'm', expected ''"},
      {[](Header &header) { header.mutant = "leak"; }, "--mutant is 'leak', expected ''"},
      {[](Header &header) { header.shard = "2/3"; }, "the number of shards is '3', expected '2'"},
      {[](Header &header) { header.shard = ""; }, "expected"},
  }));
  INFO(what);
  CHECK_THAT(problem_of({first_shard, changed(second_shard, change)}), Catch::Contains(what));
  CHECK_THAT(problem_of({first_shard, changed(second_shard, [](Header &header) { header.shard = "3/2"; })}),
             Catch::StartsWith("b: the shard is 3 of 2"));
}

TEST_CASE("a case with two outcomes is none") {
  Part again = first_shard;
  again.file = "again";
  again.report.records[0].verdict.status = CaseStatus::Crashed;
  again.report.header.machine = first_shard.report.header.machine;
  CHECK_THAT(problem_of({first_shard, second_shard, again}),
             Catch::Contains("ops/b is ") && Catch::Contains("crashed") && Catch::Contains("fail"));
  // A case of the other shard.
  CHECK_THAT(problem_of({first_shard, part("b", "2/2", {case_with("ops/b")})}),
             Catch::Contains("b: ops/b is pass, expected fail as in a"));
}

}  // namespace bp::conformance
