// The page is static, without scripts, so that it can be mailed, printed, and shown by any browser.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "conformance/report/markup.h"
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
details { border-bottom: 1px solid var(--line); padding: 7px 0; } summary { cursor: pointer; overflow-wrap: anywhere; }
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
    case CaseStatus::Weak: return "none";
    case CaseStatus::ExpectedFailure: return "known";
    default: return "fail";
  }
}

// Returns "13,196".
std::string with_commas(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) {
    text.insert(at - 3, ",");
  }
  return text;
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
  tile("unexpected", with_commas(totals.unexpected()));
  tile("seconds", fmt::format("{:.1f}", totals.seconds));
  return out + "</div>";
}

// Returns a row with a name, a stacked bar, and two figures.
std::string bar_row(std::string_view name, const std::string &parts, const std::string &figure,
                    const std::string &note) {
  return fmt::format("<div><span>{}</span><div class=\"bar\">{}</div><b>{}</b><em>{}</em></div>", escape(name), parts,
                     figure, note);
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

char class_of(const OpCell &cell) {
  return cell.failed != 0 ? 'f' : cell.passed == 0 ? 'n' : cell.unsupported != 0 ? 'i' : 'p';
}

std::string table_head(const std::vector<std::string> &types) {
  std::string out = "<thead><tr><th></th>";
  for (const std::string &type : types) {
    out += fmt::format("<th><span>{}</span></th>", type == "-" ? "no type" : escape(type));
  }
  return out + "</tr></thead>";
}

std::string cell_of(const std::string &op, const std::string &type, const OpCell &cell) {
  std::string counts;
  for (const auto &[count, what] :
       {std::pair{cell.passed, "pass"}, std::pair{cell.unsupported, "unsupported"}, std::pair{cell.failed, "fail"}}) {
    if (count != 0) {
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, what);
    }
  }
  return fmt::format("<td class=\"{}\" title=\"{} {}: {}\"></td>", class_of(cell), escape(op), escape(type), counts);
}

// Returns the tables of all families, one after the other.
std::string matrix(const OpMatrix &ops) {
  if (ops.ops.empty()) {
    return "";
  }
  std::string out =
      "<h2 id=\"operations\">Operations and element types</h2><p class=\"key\"><span><i "
      "class=\"pass\"></i>passes</span>"
      "<span><i class=\"part\"></i>in part</span><span><i class=\"none\"></i>unsupported</span>"
      "<span><i class=\"fail\"></i>fails</span></p><div class=\"scroll\"><table class=\"matrix\">" +
      table_head(ops.types) + "<tbody>";
  std::vector<std::string> families;
  for (const std::string &op : ops.ops) {
    if (std::ranges::count(families, family_of(op)) == 0) {
      families.push_back(family_of(op));
    }
  }
  for (const std::string &family : families) {
    out += fmt::format("<tr class=\"family\"><th>{}</th></tr>\n", escape(family));
    for (const std::string &op : ops.ops) {
      if (family_of(op) != family) {
        continue;
      }
      out += fmt::format("<tr class=\"cells\"><th>{}</th>", escape(op));
      for (const std::string &type : ops.types) {
        const auto cell = ops.cells.find({op, type});
        out += cell == ops.cells.end() ? "<td></td>" : cell_of(op, type, cell->second);
      }
      out += "</tr>\n";
    }
  }
  return out + "</tbody></table></div>";
}

// Whether there is a result that was compared with the expected one.
bool is_judged(const OpCell &cell) {
  return cell.passed + cell.failed != 0 && (cell.max_ulp || !cell.allowed.empty());
}

bool is_exact(const OpCell &cell) {
  return cell.failed == 0 && cell.max_ulp.value_or(0) == 0 && (cell.allowed == "exact" || cell.allowed == "bits");
}

// Returns "1.2 / 4", "0 / 0", "37 / sum".
std::string precision_cell(const OpCell &cell) {
  const bool is_wrong = cell.failed != 0;
  // Other types than floats are compared for equality: no distance is measured.
  const std::string met = cell.max_ulp || !is_wrong ? fmt::format("{:.3g}", cell.max_ulp.value_or(0)) : "wrong";
  const std::string allowed =
      cell.allowed == "exact" || cell.allowed == "bits" ? "0" : cell.allowed.substr(0, cell.allowed.find(" ulp"));
  return fmt::format("<td{}>{}{}{}</td>",
                     is_wrong         ? " class=\"off\""
                     : is_exact(cell) ? " class=\"exact\""
                                      : "",
                     met, allowed.empty() ? "" : " / ", allowed);
}

// Returns a table of these ops and of the types on which at least one of them was judged.
std::string precision_table(const OpMatrix &ops, const std::vector<std::string> &rows) {
  const auto cell_of = [&](const std::string &op, const std::string &type) {
    const auto cell = ops.cells.find({op, type});
    return cell == ops.cells.end() || !is_judged(cell->second) ? nullptr : &cell->second;
  };
  std::vector<std::string> types;
  std::ranges::copy_if(ops.types, std::back_inserter(types), [&](const std::string &type) {
    return std::ranges::any_of(rows, [&](const std::string &op) { return cell_of(op, type) != nullptr; });
  });
  std::string out = "<div class=\"scroll\"><table class=\"card matrix\">" + table_head(types) + "<tbody>";
  for (const std::string &op : rows) {
    out += fmt::format("<tr><th>{}</th>", escape(op));
    for (const std::string &type : types) {
      const OpCell *cell = cell_of(op, type);
      out += cell == nullptr ? "<td></td>" : precision_cell(*cell);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>";
}

// Ops whose results are rounded come first. Ops that are exact for all types, on most devices the majority, can be
// unfolded.
std::string precision(const OpMatrix &ops) {
  std::vector<std::string> exact, others;
  for (const std::string &op : ops.ops) {
    bool any = false, all_exact = true;
    for (const std::string &type : ops.types) {
      if (const auto cell = ops.cells.find({op, type}); cell != ops.cells.end() && is_judged(cell->second)) {
        any = true;
        all_exact = all_exact && is_exact(cell->second);
      }
    }
    if (any) {
      (all_exact ? exact : others).push_back(op);
    }
  }
  if (exact.empty() && others.empty()) {
    return "";
  }
  std::string out =
      "<h2 id=\"precision\">Precision: met / allowed</h2><p class=\"faint\">The largest distance from the "
      "interpreter's result, in units in the last place. A <em>sum</em> of n terms, which may be added in any order, "
      "may differ by n eps of the sum of their absolute values and one rounding, which is a lot if terms cancel. A "
      "<em>norm</em> may differ by a number of eps of the largest element and one rounding.</p>";
  if (!others.empty()) {
    out += precision_table(ops, others);
  }
  return exact.empty() ? out
                       : out + fmt::format(
                                   "<details class=\"list\"><summary>{} operations have to equal the "
                                   "interpreter's for every type, and do</summary>{}</details>",
                                   exact.size(), precision_table(ops, exact));
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

// Groups the equal messages of one status, the most frequent first.
std::string reasons(const Report &report, CaseStatus status, std::string_view title) {
  std::map<std::string, std::size_t> counts;
  for (const Record &record : report.records) {
    if (record.verdict.status == status) {
      ++counts[record.verdict.message];
    }
  }
  std::vector<std::pair<std::size_t, std::string>> sorted;
  for (const auto &[message, count] : counts) {
    sorted.emplace_back(count, message);
  }
  std::ranges::stable_sort(sorted, [](const auto &a, const auto &b) { return a.first > b.first; });
  std::string out;
  constexpr std::size_t most = 60;
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i) {
    out += fmt::format("<tr><td class=\"number\">{}</td><td>{}</td></tr>\n", with_commas(sorted[i].first),
                       escape(sorted[i].second));
  }
  return out.empty() ? ""
                     : fmt::format("<h2 id=\"{}\">{}</h2><table class=\"reasons\"><tbody>{}</tbody></table>",
                                   to_string(status), title, out);
}

// Returns links to the sections that exist.
std::string contents(std::string_view body) {
  constexpr std::pair<std::string_view, std::string_view> sections[] = {{"unexpected", "Unexpected"},
                                                                        {"performance", "Performance"},
                                                                        {"operations", "Operations"},
                                                                        {"precision", "Precision"},
                                                                        {"expected_failure", "Known not to pass"},
                                                                        {"unsupported", "Why unsupported"}};
  std::string out;
  for (const auto &[id, title] : sections) {
    if (body.find(fmt::format("<h2 id=\"{}\"", id)) != std::string_view::npos) {
      out += fmt::format("<a href=\"#{}\">{}</a>", id, title);
    }
  }
  return "<nav>" + out + "</nav>";
}

}  // namespace

std::string to_html(const Report &report) {
  const OpMatrix ops = by_op(report);
  const std::string body =
      fmt::format("{}\n<div class=\"pair\">{}\n{}</div>\n{}\n{}\n{}\n{}\n{}\n", failures(report), stages(report),
                  families(report), performance_section(performance_of(report)), matrix(ops), precision(ops),
                  reasons(report, CaseStatus::ExpectedFailure, "Known not to pass"),
                  reasons(report, CaseStatus::Unsupported, "Why cases are unsupported"));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><title>Conformance of {}</title>\n<style>{}{}{}</style></head>"
      "<body><main>\n{}{}{}{}</main></body></html>\n",
      escape(report.header.device), page_style, own_style, performance_style, head(report), contents(body),
      tiles(report), body);
}

}  // namespace bp::conformance
