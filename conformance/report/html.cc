// The page is finished text: no script, so that it can be mailed, printed, and shown by anything.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "conformance/report/markup.h"
#include "conformance/report/page_style.h"
#include "conformance/report/render.h"
#include "conformance/report/summary.h"

namespace bp::conformance {
namespace {

constexpr std::string_view own_style = R"css(
:root { --pass: #3f9d62; --part: #d9a13b; --fail: #d0505f; --none: #c9cdd3; --known: #7d8fc9; }
@media (prefers-color-scheme: dark) { :root { --none: #3d4249; } }
main { max-width: 1180px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { font-size: 24px; margin: 0; font-weight: 600; } h2 { font-size: 15px; margin: 36px 0 10px; }
p { margin: 4px 0; } .faint, caption { color: var(--faint); }
.top { display: flex; gap: 28px; align-items: center; flex-wrap: wrap; }
.ring { width: 116px; height: 116px; border-radius: 50%; display: grid; place-items: center; flex: none; }
.ring > div { width: 88px; height: 88px; border-radius: 50%; background: var(--paper); display: grid; place-items: center;
  font-size: 26px; font-weight: 600; }
.chip { display: inline-block; padding: 3px 10px; border-radius: 12px; color: #fff; font-weight: 500; margin-top: 8px; }
.tiles { display: flex; gap: 10px; flex-wrap: wrap; margin-top: 22px; }
.tile { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 10px 16px; min-width: 108px; }
.tile b { display: block; font-size: 20px; font-weight: 600; }
table { border-collapse: collapse; } th { font-weight: 500; text-align: left; color: var(--faint); }
td, th { padding: 3px 10px 3px 0; vertical-align: top; } .number { text-align: right; font-variant-numeric: tabular-nums; }
.bar { display: flex; width: 320px; height: 12px; border-radius: 3px; overflow: hidden; background: var(--none); margin-top: 4px; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }
.matrix td { padding: 1px; } .matrix th { padding: 0 8px 0 0; white-space: nowrap; }
.matrix thead th { padding: 0; height: 84px; vertical-align: bottom; }
.matrix thead span { display: block; writing-mode: vertical-rl; transform: rotate(180deg); margin: 0 auto; }
.cell { width: 19px; height: 15px; border-radius: 3px; }
.card td { text-align: right; font-variant-numeric: tabular-nums; min-width: 44px; } .card th { padding-right: 14px; }
.exact { color: var(--faint); } .off { color: var(--fail); font-weight: 600; }
.key i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin: 0 5px -1px 14px; }
details { border-bottom: 1px solid var(--line); padding: 6px 0; } summary { cursor: pointer; overflow-wrap: anywhere; }
code { display: block; background: var(--panel); border: 1px solid var(--line); border-radius: 5px; padding: 6px 10px;
  margin: 6px 0; font: 12px ui-monospace, monospace; overflow-wrap: anywhere; user-select: all; }
)css";

std::string_view colour_of(CaseStatus status) {
  switch (status) {
    case CaseStatus::Pass: return "pass";
    case CaseStatus::Unsupported: return "none";
    case CaseStatus::ExpectedFailure: return "known";
    default: return "fail";
  }
}

std::string head(const Report &report) {
  const Header &header = report.header;
  const double share = 100 * score(report);
  const std::size_t unexpected = report.totals ? report.totals->unexpected() : 1;
  const std::string verdict = !report.totals    ? "cut short"
                              : unexpected == 0 ? "nothing unexpected"
                                                : fmt::format("{} unexpected", unexpected);
  std::string settings;
  for (const auto &[name, value] : header.settings) {
    settings += fmt::format(" {}={}", name, value);
  }
  return fmt::format(
      "<div class=\"top\"><div class=\"ring\" style=\"background: conic-gradient(var(--pass) {0:.1f}%, var(--none) "
      "0)\">"
      "<div>{0:.1f}</div></div><div><h1>{1} {2}</h1><p>{3}, tier {4}</p><p class=\"faint\">{5}<br>SHA-256 {6}<br>"
      "Backplane {7} on {8}; {9} run, seed {10}{11}{12}</p><span class=\"chip\" style=\"background: var(--{13})\">{14}"
      "</span></div></div>",
      share, escape(header.device_name.empty() ? header.device : header.device_name), escape(header.version),
      escape(header.device), escape(header.tier.empty() ? "none" : header.tier), escape(header.plugin),
      escape(header.plugin_sha256), escape(header.host_version), escape(header.machine), escape(header.mode),
      header.seed, header.selection.empty() ? "" : "; " + escape(header.selection), escape(settings),
      unexpected == 0 ? "pass" : "fail", verdict);
}

std::string tiles(const Report &report) {
  const Totals totals = report.totals.value_or(Totals());
  std::string out = "<div class=\"tiles\">";
  const auto tile = [&](std::string_view name, const std::string &value) {
    out += fmt::format("<div class=\"tile\"><b>{}</b>{}</div>", value, name);
  };
  tile("cases", std::to_string(totals.cases()));
  tile("pass", std::to_string(totals[CaseStatus::Pass]));
  tile("unsupported", std::to_string(totals[CaseStatus::Unsupported]));
  tile("expected failures", std::to_string(totals[CaseStatus::ExpectedFailure]));
  tile("unexpected", std::to_string(totals.unexpected()));
  tile("seconds", fmt::format("{:.1f}", totals.seconds));
  return out + "</div>";
}

std::string stages(const Report &report) {
  std::string out = "<h2>Stages</h2><table><tr><th>stage<th>cases<th><th>seconds of work</tr>";
  for (const StageSummary &stage : by_stage(report)) {
    out += fmt::format("<tr><td>{}<td class=\"number\">{}<td><div class=\"bar\">", escape(stage.name),
                       stage.totals.cases());
    for (std::size_t i = 0; i < case_status_count; ++i) {
      const auto status = static_cast<CaseStatus>(i);
      if (stage.totals[status] != 0) {
        out += fmt::format("<div style=\"flex: {}; background: var(--{})\" title=\"{} {}\"></div>",
                           stage.totals[status], colour_of(status), stage.totals[status], to_string(status));
      }
    }
    out += fmt::format("</div><td class=\"number\">{:.1f}</tr>", stage.totals.seconds);
  }
  return out + "</table>";
}

std::string families(const Report &report) {
  const std::vector<FamilyScore> scores = family_scores(report);
  if (scores.empty()) {
    return "";
  }
  std::string out =
      "<h2>Score by family of operations</h2><p class=\"faint\">The share of cases that pass; each operation of a "
      "family "
      "counts the same, and so does each family.</p><table>";
  for (const FamilyScore &family : scores) {
    out += fmt::format(
        "<tr><td>{}<td class=\"faint\">{} ops<td><div class=\"bar\"><div style=\"width: {:.1f}%; background: "
        "var(--pass)\"></div></div><td class=\"number\">{:.1f}</tr>",
        escape(family.family), family.ops, 100 * family.score, 100 * family.score);
  }
  return out + "</table>";
}

std::string_view colour_of(const OpCell &cell) {
  return cell.failed != 0 ? "fail" : cell.passed == 0 ? "none" : cell.unsupported != 0 ? "part" : "pass";
}

std::string table_head(const std::vector<std::string> &types) {
  std::string out = "<thead><tr><th>";
  for (const std::string &type : types) {
    out += fmt::format("<th><span>{}</span>", escape(type));
  }
  return out + "</thead>";
}

std::string matrix(const OpMatrix &ops) {
  if (ops.ops.empty()) {
    return "";
  }
  std::string out =
      "<h2>Operations and element types</h2><p class=\"key\">"
      "<i style=\"background: var(--pass); margin-left: 0\"></i>passes<i style=\"background: var(--part)\"></i>in part"
      "<i style=\"background: var(--none)\"></i>unsupported<i style=\"background: var(--fail)\"></i>fails</p>"
      "<div class=\"scroll\"><table class=\"matrix\">" +
      table_head(ops.types);
  for (const std::string &op : ops.ops) {
    out += fmt::format("<tr><th>{}", escape(op));
    for (const std::string &type : ops.types) {
      const auto cell = ops.cells.find({op, type});
      out += cell == ops.cells.end()
                 ? "<td>"
                 : fmt::format(
                       "<td><div class=\"cell\" style=\"background: var(--{})\" title=\"{} {}: {} pass, {} "
                       "unsupported, {} fail\"></div>",
                       colour_of(cell->second), escape(op), escape(type), cell->second.passed, cell->second.unsupported,
                       cell->second.failed);
    }
    out += "</tr>";
  }
  return out + "</table></div>";
}

// Only rows with something to see: an op that is exact for all types says so in one line below.
std::string precision(const OpMatrix &ops) {
  std::vector<std::string> types, exact;
  const auto ulp_of = [&](const std::string &op, const std::string &type) {
    const auto cell = ops.cells.find({op, type});
    return cell == ops.cells.end() || cell->second.passed + cell->second.failed == 0 ? std::nullopt
                                                                                     : cell->second.max_ulp;
  };
  std::ranges::copy_if(ops.types, std::back_inserter(types), [&](const std::string &type) {
    return std::ranges::any_of(ops.ops, [&](const std::string &op) { return ulp_of(op, type).value_or(0) > 0; });
  });
  std::string rows;
  for (const std::string &op : ops.ops) {
    std::string row;
    bool is_measured = false, is_exact = true;
    for (const std::string &type : types) {
      const auto ulp = ulp_of(op, type);
      is_measured = is_measured || ulp.has_value();
      is_exact = is_exact && ulp.value_or(0) == 0;
      row += !ulp ? "<td>"
             : *ulp == 0
                 ? "<td class=\"exact\">0"
                 : fmt::format("<td{}>{:.3g}", ops.cells.at({op, type}).failed != 0 ? " class=\"off\"" : "", *ulp);
    }
    if (is_measured && is_exact) {
      exact.push_back(escape(op));
    } else if (is_measured) {
      rows += fmt::format("<tr><th>{}{}</tr>", escape(op), row);
    }
  }
  if (rows.empty() && exact.empty()) {
    return "";
  }
  std::string out =
      "<h2>Precision</h2><p class=\"faint\">The largest distance from the interpreter's result that was "
      "met, in units in the last place. Sums and what is made of them are judged by the size of their "
      "terms, and may be far off where these cancel.</p>";
  if (!rows.empty()) {
    out += "<div class=\"scroll\"><table class=\"card matrix\">" + table_head(types) + rows + "</table></div>";
  }
  return exact.empty() ? out : out + fmt::format("<p>Equal everywhere: {}.</p>", fmt::join(exact, ", "));
}

std::string failures(const Report &report) {
  constexpr std::size_t most = 500;
  std::string out;
  std::size_t count = 0;
  for (const Record &record : report.records) {
    if (!is_unexpected(record.verdict.status) || ++count > most) {
      continue;
    }
    out += fmt::format("<details{}><summary><b>{}</b> {}</summary><p>{}</p><code>{}</code></details>",
                       count <= 10 ? " open" : "", to_string(record.verdict.status), escape(record.id),
                       escape(record.verdict.message), escape(record.rerun));
  }
  if (count > most) {
    out += fmt::format("<p>... and {} more</p>", count - most);
  }
  return out.empty() ? "" : "<h2>Unexpected</h2>" + out;
}

// Alike messages of one status together, the most frequent first.
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
    out += fmt::format("<tr><td class=\"number\">{}<td>{}</tr>", sorted[i].first, escape(sorted[i].second));
  }
  return out.empty() ? "" : fmt::format("<h2>{}</h2><table>{}</table>", title, out);
}

}  // namespace

std::string to_html(const Report &report) {
  const OpMatrix ops = by_op(report);
  return fmt::format(
             "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
             "content=\"width=device-width\"><title>Conformance of "
             "{}</title>\n<style>{}{}</style></head><body><main>\n",
             escape(report.header.device), page_style, own_style) +
         head(report) + tiles(report) + "\n" + failures(report) + "\n" + stages(report) + "\n" + families(report) +
         "\n" + matrix(ops) + "\n" + precision(ops) + "\n" +
         reasons(report, CaseStatus::ExpectedFailure, "Known not to pass") + "\n" +
         reasons(report, CaseStatus::Unsupported, "Why cases are unsupported") + "</main></body></html>\n";
}

}  // namespace bp::conformance
