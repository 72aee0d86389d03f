#include "conformance/report/buyer_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "conformance/report/markup.h"
#include "conformance/report/summary.h"

namespace bp::conformance {
namespace {

std::string green(double share) {
  return fmt::format("<div class=\"pass\" style=\"width: {:.1f}%\"></div>", 100 * share);
}

// Rounds down, so that only what is complete is shown as such.
std::string percent(double share) {
  const double tenths = static_cast<double>(static_cast<std::int64_t>(1000 * share + 1e-6));
  return fmt::format("{:.1f} %", tenths / 10);
}

std::string claimed_by_family(const Report &report) {
  std::string rows;
  Share all;
  const auto row = [&](std::string_view name, const Share &share) {
    const std::size_t claimed = share.claimed();
    const double right = claimed == 0 ? 0 : static_cast<double>(share.passed) / static_cast<double>(claimed);
    rows += bar_row(name, green(right), claimed == 0 ? "&#8211;" : percent(right),
                    fmt::format("{} of {}", with_commas(claimed), with_commas(share.all())));
  };
  for (const FamilyScore &family : family_scores(report)) {
    row(family.family, family.share);
    all += family.share;
  }
  row("all", all);
  return "<h3>Of what it claims, how much is right</h3><p class=\"faint\">The share of its cases that pass among those "
         "that the device claims, and how many of all it claims.</p><div class=\"bars wide\">" +
         rows + "</div>";
}

// Returns "convolution bf16 (12), dot bf16 (3)".
std::string describe_absent(const WorkloadShare &share) {
  constexpr std::size_t most = 12;
  std::string out;
  for (std::size_t i = 0; i < std::min(most, share.absent.size()); ++i) {
    const WorkloadOp &op = share.absent[i];
    out += fmt::format("{}{} {} ({})", i == 0 ? "" : ", ", op.op, op.type, op.count);
  }
  return share.absent.size() > most ? out + fmt::format(" and {} more", share.absent.size() - most) : out;
}

std::string workload_rows(const Shares &shares, std::span<const Workload> workloads) {
  std::string rows, absent;
  for (const Workload &workload : workloads) {
    const WorkloadShare share = share_of(workload, shares);
    rows += bar_row(workload.name, green(share.passed), percent(share.passed),
                    fmt::format("{} instr.", with_commas(workload.instructions())));
    if (!share.absent.empty()) {
      absent +=
          fmt::format("<tr><td>{}</td><td>{}{}</td></tr>\n", escape(workload.name), escape(describe_absent(share)),
                      share.tested > 0.9995 ? "" : fmt::format("; {} of it not tested", percent(1 - share.tested)));
    }
  }
  return "<h3>Of named workloads, how much runs on the device</h3><p class=\"faint\">The share of a program's "
         "instructions, by the share of the cases of their operation and element type that pass. Below: what does not "
         "pass in all cases, with the number of instructions.</p><div class=\"bars wide\">" +
         rows + "</div>" + (absent.empty() ? "" : "<table class=\"reasons\"><tbody>" + absent + "</tbody></table>");
}

// A message without the name of the instruction, and the operation in it.
struct Reason {
  std::string text, op;
};

// "backend acme does not run r.1 (reduce): no window" -> {"no window", "reduce"}
Reason reason_of(const std::string &message) {
  constexpr std::string_view verb = " does not run ";
  const std::size_t at = message.find(verb);
  const std::size_t open = at == std::string::npos ? at : message.find(" (", at + verb.size());
  const std::size_t close = open == std::string::npos ? open : message.find(')', open);
  if (close == std::string::npos) {
    return {message, ""};
  }
  const std::size_t why = message.find(": ", close);
  return {why == close + 1 ? message.substr(why + 2) : "the device does not claim it, and gives no reason",
          message.substr(open + 2, close - open - 2)};
}

}  // namespace

std::string buyer_section(const Report &report, std::span<const Workload> workloads) {
  const Shares shares = counted_shares(report);
  if (shares.empty()) {
    return "";
  }
  return "<h2 id=\"buyer\">What a user gets</h2><div class=\"pair\"><section>" + claimed_by_family(report) +
         "</section><section>" + workload_rows(shares, workloads) +
         "</section></div><p class=\"faint\">Cases whose result has no elements, or for which the core leaves the "
         "device "
         "nothing but copies, count nowhere, nor do operations that only name values, that the core replaces, or that "
         "communicate, since one device has nobody to communicate with.</p>";
}

std::string reasons_section(const Report &report, CaseStatus status, std::string_view title) {
  struct Group {
    std::size_t count = 0;
    std::map<std::string, std::size_t> ops;
  };
  std::map<std::string, Group> groups;
  for (const Record &record : report.records) {
    if (record.verdict.status == status) {
      const Reason reason = reason_of(record.verdict.message);
      Group &group = groups[reason.text];
      ++group.count;
      if (!reason.op.empty()) {
        ++group.ops[reason.op];
      }
    }
  }
  std::vector<std::pair<std::string, Group>> sorted(groups.begin(), groups.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(), [](const auto &one) { return one.second.count; });
  std::string out;
  constexpr std::size_t most = 60, most_ops = 12;
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i) {
    std::vector<std::pair<std::string, std::size_t>> ops(sorted[i].second.ops.begin(), sorted[i].second.ops.end());
    std::ranges::stable_sort(ops, std::ranges::greater(), [](const auto &one) { return one.second; });
    std::string names;
    for (std::size_t k = 0; k < std::min(most_ops, ops.size()); ++k) {
      names += fmt::format("{}{} ({})", k == 0 ? "" : ", ", escape(ops[k].first), with_commas(ops[k].second));
    }
    names += ops.size() > most_ops ? fmt::format(" and {} more", ops.size() - most_ops) : "";
    out += fmt::format("<tr><td class=\"number\">{}</td><td>{}{}</td></tr>\n", with_commas(sorted[i].second.count),
                       escape(sorted[i].first),
                       names.empty() ? "" : fmt::format("<br><span class=\"faint\">{}</span>", names));
  }
  return out.empty() ? ""
                     : fmt::format("<h2 id=\"{}\">{}</h2><table class=\"reasons\"><tbody>{}</tbody></table>",
                                   to_string(status), title, out);
}

}  // namespace bp::conformance
