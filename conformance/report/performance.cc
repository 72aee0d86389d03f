#include "conformance/report/performance.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <span>

namespace bp::conformance {
namespace {

constexpr std::pair<std::string_view, std::string_view> figure_titles[] = {
    {"performance/overhead/call", "call of the smallest program"},
    {"performance/overhead/instruction", "instruction of a chain"},
    {"performance/compile/instruction", "compiling an instruction"},
    {"performance/load/program", "loading a program"},
    {"performance/load/plugin", "loading plugin and device"},
};

std::vector<std::string> parts_of(const std::string &id) {
  std::vector<std::string> parts;
  boost::split(parts, id, boost::is_any_of("/"));
  return parts;
}

bool is_contraction(std::string_view op) {
  return op.starts_with("dot") || op.starts_with("convolution");
}

// Returns 0 if no such peak was measured.
double peak_for(const Performance &performance, const OpSpeed &one) {
  double rate = 0;
  for (const Peak &peak : performance.peaks) {
    if (peak.type == one.type && (peak.kind != "dot" || is_contraction(one.op))) {
      rate = std::max(rate, peak.rate);
    }
  }
  return rate;
}

// An op may have been faster than the programs that measure the peaks, on a busy or an unusual machine.
void raise_peaks(Performance &performance, const OpSpeed &one) {
  if (performance.bytes_per_second > 0) {
    performance.bytes_per_second = std::max(performance.bytes_per_second, one.bytes_per_second());
  }
  for (Peak &peak : performance.peaks) {
    if (peak.type == one.type && (peak.kind == "dot") == is_contraction(one.op)) {
      peak.rate = std::max(peak.rate, one.operations_per_second());
    }
  }
}

void relate_to_roofline(const Performance &performance, OpSpeed &one) {
  const double rate = peak_for(performance, one);
  const double moving = performance.bytes_per_second > 0 ? one.measured.bytes / performance.bytes_per_second : 0;
  const double computing = rate > 0 ? one.measured.operations / rate : 0;
  one.is_bound_by_memory = moving >= computing;
  one.share = one.measured.least > 0 ? std::max(moving, computing) / one.measured.least : 0;
}

struct Unit {
  double size;
  std::string_view name;
};

std::string with_unit(double value, std::span<const Unit> units) {
  const auto unit = std::ranges::find_if(units, [&](const Unit &one) { return value >= one.size; });
  const Unit &chosen = unit == units.end() ? units.back() : *unit;
  const double scaled = value / chosen.size;
  return fmt::format("{:.{}f} {}", scaled, scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0, chosen.name);
}

}  // namespace

Performance performance_of(const Report &report) {
  Performance result;
  for (const Record &record : report.records) {
    if (record.stage != "performance" || !record.verdict.measured) {
      continue;
    }
    const Measurement &measured = *record.verdict.measured;
    const std::vector<std::string> parts = parts_of(record.id);
    if (record.id == "performance/peak/memory") {
      result.bytes_per_second = measured.bytes / measured.least;
    } else if (parts.size() == 4 && parts[1] == "peak") {
      result.peaks.push_back({parts[2], parts[3], measured, measured.operations / measured.least});
    } else if (parts.size() == 4 && parts[1] == "op") {
      result.ops.push_back({parts[2], parts[3], measured});
    }
    if (measured.development) {
      ++result.compared;
      if (measured.development->change != Change::Same) {
        result.changes.push_back(&record);
      }
    }
  }
  for (const OpSpeed &one : result.ops) {
    raise_peaks(result, one);
  }
  for (OpSpeed &one : result.ops) {
    relate_to_roofline(result, one);
  }
  for (const auto &[id, title] : figure_titles) {
    const auto record = std::ranges::find(report.records, id, &Record::id);
    if (record != report.records.end() && record->verdict.measured) {
      result.figures.push_back({title, *record->verdict.measured});
    }
  }
  return result;
}

double median_share(const Performance &performance) {
  std::vector<double> shares;
  for (const OpSpeed &one : performance.ops) {
    if (one.share > 0) {
      shares.push_back(one.share);
    }
  }
  std::ranges::sort(shares);
  return shares.empty() ? 0 : shares[shares.size() / 2];
}

std::string format_seconds(double seconds) {
  constexpr Unit units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  return with_unit(seconds, units);
}

std::string format_rate(double per_second) {
  constexpr Unit units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
  return with_unit(per_second, units);
}

std::string title_of(const Record &record) {
  const std::vector<std::string> parts = parts_of(record.id);
  return parts.size() == 4 ? fmt::format("{}{} {}", parts[1] == "peak" ? "peak of " : "", parts[2], parts[3])
                           : fmt::format("{}", fmt::join(std::span(parts).subspan(1), " "));
}

std::string describe_change(const Measurement &measured) {
  const double earlier = measured.development ? measured.development->earlier_seconds : 0;
  return fmt::format("{:.3g} times as long ({}, was {})", measured.seconds / earlier, format_seconds(measured.seconds),
                     format_seconds(earlier));
}

}  // namespace bp::conformance
