// The parts of a report for a user of a device: the score, the workloads, the reasons, the badge.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "conformance/report/buyer_page.h"
#include "conformance/report/json_lines.h"
#include "conformance/report/render.h"
#include "conformance/report/summary.h"
#include "conformance/report/workload.h"
#include "conformance/suite/model_pieces.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

Record judged_case(const std::string &op, const std::string &type, CaseStatus status,
                   const std::string &shape = "prime") {
  Record one;
  one.id = fmt::format("ops/{}/{}/{}/random", op, type, shape);
  one.stage = "ops";
  one.verdict.status = status;
  one.verdict.op = op;
  one.verdict.type = type;
  return one;
}

Report report_with(std::vector<Record> records) {
  Report report;
  report.totals.emplace();
  for (const Record &one : records) {
    ++(*report.totals)[one.verdict.status];
  }
  report.records = std::move(records);
  return report;
}

std::vector<std::string> described(const Workload &workload) {
  std::vector<std::string> lines;
  for (const WorkloadOp &op : workload.ops) {
    lines.push_back(fmt::format("{} {} {}", op.op, op.type, op.count));
  }
  return lines;
}

}  // namespace

TEST_CASE("what a device need not compute does not count") {
  CHECK(counts(judged_case("add", "f32", CaseStatus::Pass)));
  CHECK(counts(judged_case("add", "f32", CaseStatus::Unsupported)));
  CHECK_FALSE(counts(judged_case("add", "f32", CaseStatus::Pass, "empty")));
  Record trivial = judged_case("slice", "f32", CaseStatus::Pass);
  trivial.verdict.is_trivial = true;
  CHECK_FALSE(counts(record_from_json(to_json(trivial)).value()));
  CHECK_FALSE(counts(judged_case("add", "f32", CaseStatus::Blocked)));
  CHECK_FALSE(counts(judged_case("add", "f32", CaseStatus::NotRun)));
  CHECK(why_uncounted("all-reduce") == "one device has nobody to communicate with");
  for (const char *op : {"all-gather-start", "replica-id", "tuple", "call", "async-done", "opt-barrier"}) {
    INFO(op);
    CHECK_FALSE(counts(judged_case(op, "f32", CaseStatus::Pass)));
  }
  for (const char *op : {"copy", "transpose", "while", "sort", "rng-bit-generator"}) {
    INFO(op);
    CHECK(why_uncounted(op).empty());
  }
}

TEST_CASE("half of the score is for pairs of operation and type, half for their use in workloads") {
  // No workload sorts complex numbers: one half of the score is for `add` alone, the other for both.
  const Report report =
      report_with({judged_case("add", "f32", CaseStatus::Pass), judged_case("sort", "c128", CaseStatus::Unsupported),
                   judged_case("all-reduce", "f32", CaseStatus::Unsupported),
                   judged_case("sort", "c128", CaseStatus::Pass, "empty")});
  CHECK(score(report) == Approx(0.75));
  const std::vector<FamilyScore> families = family_scores(report);
  REQUIRE(families.size() == 2);
  CHECK(families[0].family == "elementwise");
  CHECK(families[0].score == 1);
  CHECK(families[0].weight == Approx(0.75));
  CHECK(families[1].ops == 1);
  CHECK(families[1].score == 0);
  // However many cases a pair has.
  Report more = report;
  for (int i = 0; i < 100; ++i) {
    more.records.push_back(judged_case("add", "f32", CaseStatus::Pass));
  }
  CHECK(score(more) == Approx(0.75));
  CHECK(score(report_with({judged_case("all-reduce", "f32", CaseStatus::Pass)})) == 0);
}

TEST_CASE("a workload counts what a program computes, with the bodies of its loops") {
  const ir::Module module = text::parse_module(R"(
body { t = (s32[], bf16[4]) parameter(0)  i = s32[] get-tuple-element(t), index=0
  x = bf16[4] get-tuple-element(t), index=1  one = s32[] constant(1)  j = s32[] add(i, one)
  y = bf16[4] multiply(x, x)  ROOT r = (s32[], bf16[4]) tuple(j, y) }
condition { t = (s32[], bf16[4]) parameter(0)  i = s32[] get-tuple-element(t), index=0  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT }
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = bf16[4] parameter(0)  zero = s32[] constant(0)  t = (s32[], bf16[4]) tuple(zero, x)
  w = (s32[], bf16[4]) while(t), condition=condition, body=body  y = bf16[4] get-tuple-element(w), index=1
  z = f32[4] convert(y)  p = pred[4] compare(z, z), direction=EQ  s = f32[4] select(p, z, z)  f = f32[] constant(0)
  g = f32[4] all-reduce(s), replica_groups={{0}}, to_apply=sum  ROOT r = f32[] reduce(g, f), dimensions={0}, to_apply=sum }
)")
                                .value();
  Workload workload{"loop", "a.hlo", {}};
  add_instructions(module, workload);
  CHECK(described(workload) == std::vector<std::string>{"add s32 1", "compare f32 1", "compare s32 1", "convert bf16 1",
                                                        "multiply bf16 1", "reduce f32 1", "select f32 1",
                                                        "while bf16 1"});
  add_instructions(module, workload);
  CHECK(workload.instructions() == 16);
  const Workload read = workload_from_json(to_json(workload)).value();
  CHECK(read.name == "loop");
  CHECK(described(read) == described(workload));
}

TEST_CASE("what is no workload is refused") {
  const auto problem = [](std::string_view text) { return workload_from_json(text).error().message(); };
  CHECK(problem("{}") == "is no workload, expected the output of `backplane conform workload`");
  CHECK(problem("HloModule m") == "is no workload, expected the output of `backplane conform workload`");
  CHECK(problem(R"({"name": "a", "ops": []})") == "has no operation, expected one at least");
  CHECK_THAT(problem(R"({"name": "a", "ops": [{"op": "add"}]})"),
             Catch::Contains(R"('{"op":"add"}' is no operation, expected {"op": "add", "type": "f32", "count": 3})"));
  CHECK_THAT(problem(R"({"name": "a", "ops": [{"op": "add", "type": "f32", "count": -1}]})"),
             Catch::Contains("is no operation"));
}

TEST_CASE("the named workloads are those of their programs") {
  REQUIRE(named_workloads().size() >= 6);
  for (const Workload &workload : named_workloads()) {
    INFO(workload.name);
    CHECK_FALSE(workload.program.empty());
    CHECK(workload.instructions() > 20);
    for (const WorkloadOp &op : workload.ops) {
      INFO(op.op << " " << op.type);
      CHECK(ir::opcode_from_string(op.op).has_value());
      CHECK((op.type == "-" || ir::element_type_from_string(op.type).has_value()));
    }
  }
  for (const Model &model : sample_models()) {
    const auto found = std::ranges::find_if(named_workloads(), [&](const Workload &workload) {
      return workload.program == "samples/models/" + model.name + ".hlo";
    });
    INFO(model.name << ": make it again with `backplane conform workload`");
    REQUIRE(found != named_workloads().end());
    Workload counted;
    add_instructions(model.module, counted);
    CHECK(described(*found) == described(counted));
  }
}

TEST_CASE("the page says how much of a workload runs, and what of it does not") {
  const Workload workload{"two", "", {{"add", "f32", 3}, {"dot", "bf16", 1}, {"sort", "f32", 4}}};
  const Report report = report_with(
      {judged_case("add", "f32", CaseStatus::Pass), judged_case("dot", "bf16", CaseStatus::Pass),
       judged_case("dot", "bf16", CaseStatus::Unsupported, "large"), judged_case("multiply", "f32", CaseStatus::Fail)});
  const WorkloadShare share = share_of(workload, counted_shares(report));
  CHECK(share.passed == Approx(3.5 / 8));
  CHECK(share.tested == Approx(0.5));
  REQUIRE(share.absent.size() == 2);
  CHECK(share.absent[0].op == "sort");
  const std::string page = buyer_section(report, std::span(&workload, 1));
  CHECK_THAT(page, Catch::Contains("<b>43.7 %</b><em>8 instr.</em>"));
  CHECK_THAT(page, Catch::Contains("sort f32 (4), dot bf16 (1); 50.0 % of it not tested"));
  // One of two claimed elementwise cases is right.
  CHECK_THAT(page, Catch::Contains("<span>elementwise</span>") && Catch::Contains("<b>50.0 %</b><em>2 of 2</em>"));
  CHECK_THAT(page, Catch::Contains("<span>all</span>") && Catch::Contains("<em>3 of 4</em>"));
  CHECK(buyer_section(report_with({}), named_workloads()).empty());
  CHECK_THAT(to_html(report, std::span(&workload, 1)), Catch::Contains("<a href=\"#buyer\">") && Catch::Contains(page));
  CHECK_THAT(to_text(
                 report, [](CaseStatus) { return std::string(); }, 0, std::span(&workload, 1)),
             Catch::Contains("workloads    two 43 %\n"));
}

TEST_CASE("reasons that name an instruction are put together") {
  std::vector<Record> records;
  for (const auto &[op, message] :
       {std::pair("add", "backend a does not run r.1 (add): no s4"),
        std::pair("dot", "backend a does not run s (dot): no s4"), std::pair("dot", "backend a does not run s (dot)"),
        std::pair("dot", "too much <memory>")}) {
    records.push_back(judged_case(op, "s4", CaseStatus::Unsupported));
    records.back().verdict.message = message;
  }
  const std::string table = reasons_section(report_with(records), CaseStatus::Unsupported, "Why");
  CHECK_THAT(table,
             Catch::Contains("<td class=\"number\">2</td><td>no s4<br><span class=\"faint\">add (1), dot (1)</span>"));
  CHECK_THAT(table, Catch::Contains("gives no reason<br><span class=\"faint\">dot (1)</span>"));
  CHECK_THAT(table, Catch::Contains("<td>too much &lt;memory&gt;</td>"));
  CHECK(reasons_section(report_with(records), CaseStatus::NotRun, "Why").empty());
}

TEST_CASE("the badge shows the score, or what keeps a run from having one") {
  Report report = report_with({judged_case("add", "f32", CaseStatus::Pass)});
  CHECK_THAT(to_badge(report), Catch::StartsWith("<svg xmlns=") && Catch::Contains(">100.0 of 100</text>"));
  report.header.selection = "--stage ops";
  CHECK_THAT(to_badge(report), Catch::Contains(">100.0 of 100, in part</text>"));
  CHECK_THAT(to_badge(report_with({judged_case("add", "f32", CaseStatus::Fail)})),
             Catch::Contains(">1 unexpected</text>"));
  report.totals.reset();
  CHECK_THAT(to_badge(report), Catch::Contains(">cut short</text>"));
}

}  // namespace bp::conformance
