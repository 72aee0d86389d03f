// The page is static, without scripts, so that it can be mailed, printed, and shown by any browser.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/report/buyer_page.h"
#include "conformance/report/markup.h"
#include "conformance/report/op_tables.h"
#include "conformance/report/page_style.h"
#include "conformance/report/performance_page.h"
#include "conformance/report/render.h"
#include "conformance/report/summary.h"

namespace bp::conformance {
namespace {

constexpr std::string_view own_style = R"css(
:root { --pass: #2f9e62; --part: #dba33a; --fail: #cf4a5b; --none: #d3d7dd; --known: #7d8fc9; --memory: #3c7fd6; --arithmetic: #c9641f; }
@media (prefers-color-scheme: dark) {
  :root { --pass: #45b87a; --part: #d9a13b; --fail: #e0646f; --none: #3a3f47; --known: #8c9cd6; --memory: #6ba4ee; --arithmetic: #e58a48; }
}
main { max-width: 1180px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 2px; font-weight: 650; letter-spacing: -.01em; }
h2 { font-size: 17px; margin: 48px 0 8px; font-weight: 600; } h3 { font-size: 14px; margin: 26px 0 6px; font-weight: 600; }
h1 span { color: var(--faint); font-weight: 400; } p { margin: 4px 0; overflow-wrap: anywhere; } .faint { color: var(--faint); }
h2:first-child { margin-top: 40px; } a { color: inherit; text-decoration-color: var(--line); text-underline-offset: 3px; }
.top { display: flex; gap: 28px; align-items: center; } .top > div:last-child { min-width: 0; }
.ring { width: 132px; height: 132px; border-radius: 50%; display: grid; place-items: center; flex: none; }
.ring > div { width: 104px; height: 104px; border-radius: 50%; background: var(--paper); display: grid; place-content: center;
  text-align: center; font-size: 30px; line-height: 1; font-weight: 650; letter-spacing: -.02em; }
.ring small { display: block; font-size: 11px; font-weight: 400; letter-spacing: 0; color: var(--faint); margin-top: 5px; }
.chip { display: inline-block; padding: 3px 11px; border-radius: 12px; color: #fff; font-weight: 600; margin-top: 8px; }
.chip.pass { background: #2b8a57; } .chip.fail { background: #c23d4f; }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; margin-top: 22px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(144px, 1fr)); gap: 8px; margin-top: 10px; }
.tile { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 9px 13px; color: var(--faint); min-width: 0; }
.tile b { display: block; font-size: 19px; font-weight: 600; color: var(--ink); font-variant-numeric: tabular-nums; white-space: nowrap; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); gap: 0 56px; }
.bars > div { display: grid; grid-template-columns: 140px 1fr 52px 62px; gap: 10px; align-items: center; line-height: 1.75; }
.number, .bars b, .bars em { text-align: right; font-variant-numeric: tabular-nums; font-weight: 500; white-space: nowrap; }
.bars.wide > div { grid-template-columns: 172px 1fr 60px 110px; }
.bars em { color: var(--faint); font-style: normal; font-weight: 400; }
.bar { display: flex; height: 11px; border-radius: 3px; overflow: hidden; background: var(--none); }
.bar .pass, .key .pass { background: var(--pass); } .bar .fail, .key .fail { background: var(--fail); }
.bar .none, .key .none { background: var(--none); } .bar .known { background: var(--known); } .key .part { background: var(--part); }
table { border-collapse: collapse; } th { font-weight: 400; text-align: left; color: var(--faint); }
.reasons td { padding: 2px 12px 2px 0; vertical-align: top; overflow-wrap: anywhere; } .reasons .number { color: var(--faint); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px; }
.matrix th { padding: 0 10px 0 0; white-space: nowrap; position: sticky; left: -14px; background: var(--paper); line-height: 17px; }
.matrix tbody tr:hover th { color: var(--ink); font-weight: 600; }
.matrix thead th { position: static; padding: 0 0 6px; height: 96px; vertical-align: bottom; text-align: center; }
.matrix thead span { display: inline-block; writing-mode: vertical-rl; transform: rotate(180deg); }
.matrix .family th { color: var(--ink); font-weight: 600; padding-top: 10px; }
.matrix .cells td { padding: 0; min-width: 26px; height: 17px; border: 1px solid var(--paper); border-radius: 4px; }
.cells .p { background: var(--pass); } .cells .i { background: var(--part); } .cells .n { background: var(--none); } .cells .f { background: var(--fail); }
.card td { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; min-width: 58px; padding: 1px 6px; }
.card thead span { writing-mode: horizontal-tb; transform: none; } .card thead th { height: auto; text-align: right; padding: 0 6px 4px; } .exact { color: var(--faint); } .off { color: var(--fail); font-weight: 600; }
.key { display: flex; flex-wrap: wrap; gap: 2px 16px; } .key i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin: 0 6px -1px 0; }
details p { white-space: pre-wrap; } details { border-bottom: 1px solid var(--line); padding: 7px 0; } summary { cursor: pointer; overflow-wrap: anywhere; }
summary b { color: var(--fail); margin-right: 4px; } details.list { border: 0; } details.list summary { color: var(--faint); }
code { display: block; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 7px 11px;
  margin: 6px 0; font: 12px ui-monospace, monospace; overflow-wrap: anywhere; user-select: all; }
@media (max-width: 560px) {
  main { padding: 20px 14px 40px; } .top { gap: 16px; } .ring { width: 92px; height: 92px; align-self: start; }
  .ring > div { width: 72px; height: 72px; font-size: 21px; } h1 { font-size: 21px; }
  .bars > div { grid-template-columns: 100px 1fr 44px 50px; gap: 8px; } .tiles { grid-template-columns: repeat(auto-fill, minmax(120px, 1fr)); }
  .tile b { font-size: 17px; }
  .matrix .cells td { min-width: 17px; } .matrix th { font-size: 12px; }
}
@media print { .scroll { overflow: visible; } details:not([open]) > * { display: block; } }
)css";

std::string_view colour_of(CaseStatus status) {
  switch (status) {
    case CaseStatus::Pass: return "pass";
    case CaseStatus::Unsupported:
    case CaseStatus::Weak:
    case CaseStatus::NotRun: return "none";
    case CaseStatus::ExpectedFailure: return "known";
    default: return "fail";
  }
}

std::string head(const Report &report) {
  const Header &header = report.header;
  const double share = 100 * score(report);
  const bool has_score = !family_scores(report).empty();
  const std::size_t unexpected = report.totals ? report.totals->unexpected() : 1;
  const std::string verdict = !report.totals    ? "cut short"
                              : unexpected == 0 ? "nothing unexpected"
                                                : fmt::format("{} unexpected", with_commas(unexpected));
  std::string asked = header.selection.empty() ? "" : "; " + header.selection;
  if (!header.shard.empty()) {
    asked += "; shard " + header.shard;
  }
  if (!header.mutant.empty()) {
    asked += "; mutant " + header.mutant;
  }
  for (const std::string &model : header.models) {
    asked += "; model " + model;
  }
  for (const auto &[name, value] : header.settings) {
    asked += fmt::format("; {}={}", name, value);
  }
  return fmt::format(
      "<div class=\"top\"><div class=\"ring\" style=\"background: conic-gradient(var(--pass) {0:.1f}%, var(--none) "
      "0)\"><div>{14}<small>{15}</small></div></div><div><h1>{1} <span>{2}</span></h1><p>{3}, tier {4}</p>"
      "<p class=\"faint\">{5}<br>SHA-256 {6}<br>Backplane {7} on {8}; {9} run, seed {10}{11}</p>"
      "<span class=\"chip {12}\">{13}</span></div></div>",
      share, escape(header.device_name.empty() ? header.device : header.device_name), escape(header.version),
      escape(header.device), escape(header.tier.empty() ? "none" : header.tier), escape(header.plugin),
      escape(header.plugin_sha256), escape(header.host_version), escape(header.machine), escape(header.mode),
      header.seed, escape(asked), unexpected == 0 ? "pass" : "fail", verdict,
      has_score ? fmt::format("{:.1f}", share) : "&#8211;", has_score ? "score" : "no score");
}

std::string tiles(const Report &report) {
  const Totals totals = report.totals.value_or(Totals());
  std::string out = "<div class=\"tiles\">";
  const auto tile = [&](std::string_view name, const std::string &value) {
    out += fmt::format("<div class=\"tile\"><b>{}</b>{}</div>", value, name);
  };
  tile("cases", with_commas(totals.cases()));
  tile("pass", with_commas(totals[CaseStatus::Pass]));
  tile("unsupported", with_commas(totals[CaseStatus::Unsupported]));
  tile("weak", with_commas(totals[CaseStatus::Weak]));
  tile("expected failures", with_commas(totals[CaseStatus::ExpectedFailure]));
  if (totals[CaseStatus::NotRun] != 0) {
    tile("not run", with_commas(totals[CaseStatus::NotRun]));
  }
  tile("unexpected", with_commas(totals.unexpected()));
  tile("seconds", fmt::format("{:.1f}", totals.seconds));
  return out + "</div>";
}

std::string stages(const Report &report) {
  std::string out = "<section><h2>Stages</h2><div class=\"bars\">";
  for (const StageSummary &stage : by_stage(report)) {
    std::string parts;
    for (std::size_t i = 0; i < case_status_count; ++i) {
      const auto status = static_cast<CaseStatus>(i);
      if (stage.totals[status] != 0) {
        parts += fmt::format("<div class=\"{}\" style=\"flex: {}\" title=\"{} {}\"></div>", colour_of(status),
                             stage.totals[status], with_commas(stage.totals[status]), to_string(status));
      }
    }
    out += bar_row(stage.name, parts, with_commas(stage.totals.cases()), fmt::format("{:.1f} s", stage.totals.seconds));
  }
  return out + "</div></section>";
}

std::string families(const Report &report) {
  const std::vector<FamilyScore> scores = family_scores(report);
  if (scores.empty()) {
    return "";
  }
  std::string out = "<section><h2>Score by family of operations</h2><div class=\"bars\">";
  for (const FamilyScore &family : scores) {
    out +=
        bar_row(family.family, fmt::format("<div class=\"pass\" style=\"width: {:.1f}%\"></div>", 100 * family.score),
                fmt::format("{:.1f}", 100 * family.score), fmt::format("{} ops", family.ops));
  }
  return out +
         "</div><p class=\"faint\">The share of cases that pass. Each operation of a family counts the same, and so "
         "does "
         "each family.</p></section>";
}

std::string failures(const Report &report) {
  constexpr std::size_t most = 500;
  std::string out;
  std::size_t count = 0;
  for (const Record &record : report.records) {
    if (!is_unexpected(record.verdict.status) || ++count > most) {
      continue;
    }
    out += fmt::format("<details{}><summary><b>{}</b> {}</summary><p>{}</p><code>{}</code></details>\n",
                       count <= 10 ? " open" : "", to_string(record.verdict.status), escape(record.id),
                       escape(record.verdict.message), escape(record.rerun));
  }
  if (count > most) {
    out += fmt::format("<p>... and {} more</p>", with_commas(count - most));
  }
  return out.empty() ? "" : "<h2 id=\"unexpected\">Unexpected</h2>" + out;
}

// Returns links to the sections that exist.
std::string contents(std::string_view body) {
  constexpr std::pair<std::string_view, std::string_view> sections[] = {
      {"unexpected", "Unexpected"},       {"buyer", "What a user gets"}, {"performance", "Performance"},
      {"operations", "Operations"},       {"precision", "Precision"},    {"expected_failure", "Known not to pass"},
      {"unsupported", "Why unsupported"}, {"not_run", "Left out"}};
  std::string out;
  for (const auto &[id, title] : sections) {
    if (body.find(fmt::format("<h2 id=\"{}\"", id)) != std::string_view::npos) {
      out += fmt::format("<a href=\"#{}\">{}</a>", id, title);
    }
  }
  return "<nav>" + out + "</nav>";
}

}  // namespace

std::string to_html(const Report &report, std::span<const Workload> workloads) {
  const OpMatrix ops = by_op(report);
  const std::string body = fmt::format(
      "{}\n<div class=\"pair\">{}\n{}</div>\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n", failures(report), stages(report),
      families(report), buyer_section(report, workloads), performance_section(performance_of(report)), op_table(ops),
      precision_tables(ops), reasons_section(report, CaseStatus::ExpectedFailure, "Known not to pass"),
      reasons_section(report, CaseStatus::Unsupported, "Why cases are unsupported"),
      reasons_section(report, CaseStatus::NotRun, "Left out on purpose"));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><title>Conformance of {}</title>\n<style>{}{}{}</style></head>"
      "<body><main>\n{}{}{}{}</main></body></html>\n",
      escape(report.header.device), page_style, own_style, performance_style, head(report), contents(body),
      tiles(report), body);
}

}  // namespace bp::conformance
