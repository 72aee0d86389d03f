#include <fmt/format.h>

#include "conformance/report/markup.h"
#include "conformance/report/render.h"
#include "conformance/report/summary.h"

namespace bp::conformance {

std::string to_badge(const Report &report) {
  constexpr std::string_view name = "backplane conform";
  const bool is_part = !report.header.selection.empty() || !report.header.shard.empty();
  std::string result, colour = "#c23d4f";
  if (!report.totals) {
    result = "cut short";
  } else if (report.totals->unexpected() != 0) {
    result = fmt::format("{} unexpected", with_commas(report.totals->unexpected()));
  } else {
    const bool has_score = !counted_shares(report).empty();
    result = has_score ? fmt::format("{:.1f} of 100{}", 100 * score(report), is_part ? ", in part" : "")
                       : fmt::format("{} pass", with_commas((*report.totals)[CaseStatus::Pass]));
    colour = is_part ? "#8a8f98" : "#2b8a57";
  }
  // Widths for a font whose characters take 6.6 of 11 pixels on average; textLength makes any font fit.
  const auto width = [](std::string_view text) {
    return static_cast<int>(6.6 * static_cast<double>(text.size())) + 12;
  };
  const int left = width(name), right = width(result);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"20\" role=\"img\" aria-label=\"{1}: {2}\">"
      "<title>{1}: {2}, {3} {4}, {5} run</title>"
      "<rect width=\"{0}\" height=\"20\" rx=\"4\" fill=\"#3b4048\"/>"
      "<path d=\"M{6} 0h{7}a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4h-{7}z\" fill=\"{8}\"/>"
      "<g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">"
      "<text x=\"6\" y=\"14\" textLength=\"{9}\">{1}</text><text x=\"{10}\" y=\"14\" textLength=\"{11}\">{2}</text>"
      "</g></svg>\n",
      left + right, name, escape(result), escape(report.header.device), escape(report.header.version),
      escape(report.header.mode), left, right - 4, colour, left - 12, left + 6, right - 12);
}

}  // namespace bp::conformance
