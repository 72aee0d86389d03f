#include "conformance/report/performance_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conformance/report/markup.h"

namespace bp::conformance {
namespace {

// The plane of the chart: x is operations per byte, y is operations per second, both on logarithmic scales.
class Plane {
 public:
  static constexpr double width = 860, height = 400, left = 62, right = 124, top = 16, bottom = 44;

  Plane(double min_x, double max_x, double min_y, double max_y)
      : x0_(std::floor(std::log10(min_x))),
        x1_(std::ceil(std::log10(max_x))),
        y0_(std::floor(std::log10(min_y))),
        y1_(std::ceil(std::log10(max_y))) {}

  double x(double value) const { return left + (std::log10(value) - x0_) / (x1_ - x0_) * (width - left - right); }
  double y(double value) const {
    return height - bottom - (std::log10(value) - y0_) / (y1_ - y0_) * (height - top - bottom);
  }
  double min_x() const { return std::pow(10, x0_); }
  double max_x() const { return std::pow(10, x1_); }
  double min_y() const { return std::pow(10, y0_); }

  // Returns the grid and the labels of the axes.
  std::string frame() const {
    std::string out;
    for (double power = x0_; power <= x1_; ++power) {
      const double at = x(std::pow(10, power));
      out += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>", at, top,
                         height - bottom);
      out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:g}</text>", at, height - bottom + 16,
                         std::pow(10, power));
    }
    for (double power = y0_; power <= y1_; ++power) {
      const double at = y(std::pow(10, power));
      out += fmt::format("<line class=\"grid\" x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>", at, left,
                         width - right);
      out += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", left - 7, at + 4,
                         escape(short_rate(power)));
    }
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">operations per byte</text>",
                       (left + width - right) / 2, height - 8);
    return out + fmt::format(
                     "<text transform=\"translate(13 {}) rotate(-90)\" text-anchor=\"middle\">operations per "
                     "second</text>",
                     (top + height - bottom) / 2);
  }

 private:
  static std::string short_rate(double power) {
    const std::string text = format_rate(std::pow(10, power) * 1.0000001);  // "10.0 G"
    const std::size_t space = text.find(' ');
    return text.substr(0, std::min(text.find('.'), space)) + text.substr(space);
  }

  double x0_, x1_, y0_, y1_;  // exponents of ten
};

double operations_per_byte(const OpSpeed &one) {
  return one.measured.operations / one.measured.bytes;
}

// Returns the roofs: the slope of the memory bandwidth up to the highest peak, and a horizontal line for each peak,
// from the slope on. Peaks whose labels would overlap share a line of text.
std::string roofs(const Performance &performance, const Plane &plane) {
  std::vector<const Peak *> peaks;
  for (const Peak &peak : performance.peaks) {
    peaks.push_back(&peak);
  }
  std::ranges::stable_sort(peaks, [](const Peak *a, const Peak *b) { return a->rate > b->rate; });
  std::string out;
  double last_text = -100;
  for (const Peak *peak : peaks) {
    const double knee = std::max(peak->rate / performance.bytes_per_second, plane.min_x());
    const double level = plane.y(peak->rate);
    out += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}H{}\"><title>{} {}: {}op/s</title></path>", peak->kind,
                       plane.x(std::min(knee, plane.max_x())), level, Plane::width - Plane::right, peak->kind,
                       peak->type, format_rate(peak->rate));
    const double text = std::max(level + 4, last_text + 12);
    out += fmt::format("<text x=\"{}\" y=\"{:.1f}\">{} {}</text>", Plane::width - Plane::right + 5, text, peak->kind,
                       escape(peak->type));
    last_text = text;
  }
  const double top_rate = peaks.empty() ? performance.bytes_per_second * plane.max_x() : peaks.front()->rate;
  const double begin = std::max(plane.min_x(), plane.min_y() / performance.bytes_per_second);
  const double end = std::min(top_rate / performance.bytes_per_second, plane.max_x());
  if (begin < end) {
    out += fmt::format("<path class=\"memory\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"><title>memory: {}B/s</title></path>",
                       plane.x(begin), plane.y(begin * performance.bytes_per_second), plane.x(end),
                       plane.y(end * performance.bytes_per_second), format_rate(performance.bytes_per_second));
  }
  return out;
}

std::string points(const Performance &performance, const Plane &plane) {
  std::string out;
  for (const OpSpeed &one : performance.ops) {
    if (one.measured.operations == 0) {
      continue;
    }
    const double x = plane.x(operations_per_byte(one)), y = plane.y(one.operations_per_second());
    out += fmt::format(
        "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{} {}: {}op/s, {:.0f} % of "
        "the roofline</title></circle>",
        one.is_bound_by_memory ? "by-memory" : "by-arithmetic", x, y, escape(one.op), escape(one.type),
        format_rate(one.operations_per_second()), 100 * one.share);
    if (operations_per_byte(one) > 0.9) {  // there is room for a label
      out +=
          fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", x - 3, y + 15, escape(one.op));
    }
  }
  return out;
}

std::string chart(const Performance &performance) {
  double min_x = 1e9, max_x = 1e-9, min_y = 1e18, max_y = 1;
  for (const OpSpeed &one : performance.ops) {
    if (one.measured.operations > 0) {
      min_x = std::min(min_x, operations_per_byte(one));
      max_x = std::max(max_x, operations_per_byte(one));
      min_y = std::min(min_y, one.operations_per_second());
      max_y = std::max(max_y, one.operations_per_second());
    }
  }
  if (min_x > max_x || performance.bytes_per_second == 0) {
    return "";
  }
  for (const Peak &peak : performance.peaks) {
    min_y = std::min(min_y, peak.rate);
    max_y = std::max(max_y, peak.rate);
    max_x = std::max(max_x, 2 * peak.rate / performance.bytes_per_second);
  }
  const Plane plane(min_x, max_x, min_y, max_y);
  return fmt::format(
      "<div class=\"scroll\"><svg class=\"roofline\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Roofline: "
      "operations per second of each op, by operations per byte\">{}{}{}</svg></div>",
      Plane::width, Plane::height, plane.frame(), roofs(performance, plane), points(performance, plane));
}

std::string tiles(const Performance &performance) {
  std::string out = "<div class=\"tiles\">";
  const auto tile = [&](const std::string &value, std::string_view title, const std::string &note) {
    out +=
        fmt::format("<div class=\"tile\" title=\"{}\"><b>{}</b>{}</div>", escape(note), escape(value), escape(title));
  };
  const auto note = [](const Measurement &measured) {
    return fmt::format("{}{}median of {}: {} +- {}, the fastest {}", measured.what, measured.what.empty() ? "" : "; ",
                       measured.runs, format_seconds(measured.seconds), format_seconds(measured.spread),
                       format_seconds(measured.least));
  };
  if (performance.bytes_per_second > 0) {
    tile(format_rate(performance.bytes_per_second) + "B/s", "memory", "the most that any program moved");
  }
  for (const Peak &peak : performance.peaks) {
    tile(format_rate(peak.rate) + "op/s", peak.kind + " " + peak.type, note(peak.measured));
  }
  out += "</div><div class=\"tiles\">";
  for (const Figure &figure : performance.figures) {
    tile(format_seconds(figure.measured.seconds), figure.title, note(figure.measured));
  }
  return out + "</div>";
}

// Returns the row of one op: its share of the roofline as a bar, and the figures.
std::string row(const OpSpeed &one) {
  const double share = 100 * one.share;
  const std::string rate = one.is_bound_by_memory ? format_rate(one.bytes_per_second()) + "B/s"
                                                  : format_rate(one.operations_per_second()) + "op/s";
  return fmt::format(
      "<div class=\"speed\" title=\"{0} {1}: median of {2} runs {3} +- {4}, the fastest {5}; {6}\"><span>{0} "
      "<i>{1}</i></span><div class=\"bar\"><div class=\"{7}\" style=\"width:{8:.1f}%\"></div></div><b>{9}</b>"
      "<em>{10}</em></div>",
      escape(one.op), escape(one.type), one.measured.runs, format_seconds(one.measured.seconds),
      format_seconds(one.measured.spread), format_seconds(one.measured.least), rate,
      one.is_bound_by_memory ? "by-memory" : "by-arithmetic", std::min(share, 100.0),
      one.share > 0 ? fmt::format("{:.{}f} %", share, share < 9.95 ? 1 : 0) : "", format_seconds(one.measured.least));
}

std::string development(const Performance &performance) {
  if (performance.compared == 0) {
    return "";
  }
  std::string out = fmt::format(
      "<h3>Since the earlier report</h3><p class=\"faint\">{} of {} cases differ by more than "
      "the noise of both.</p>",
      performance.changes.size(), performance.compared);
  for (const Record *record : performance.changes) {
    const Measurement &measured = *record->verdict.measured;
    const bool is_slower = measured.development->change == Change::Slower;
    out += fmt::format("<p><b class=\"{}\">{}</b> {}: {}</p>", is_slower ? "off" : "better",
                       to_string(measured.development->change), escape(title_of(*record)), describe_change(measured));
  }
  return out;
}

}  // namespace

const std::string_view performance_style = R"css(
.roofline { display: block; width: 100%; min-width: 600px; font: 11px system-ui, sans-serif; fill: var(--faint); }
.roofline .grid { stroke: var(--line); stroke-width: 1; } .roofline path { fill: none; stroke-width: 2; }
.roofline .memory { stroke: var(--memory); } .roofline .dot { stroke: var(--arithmetic); }
.roofline .multiply-add { stroke: var(--arithmetic); stroke-dasharray: 5 4; stroke-opacity: .75; }
.roofline circle { stroke: var(--paper); stroke-width: 1; fill-opacity: .85; }
.roofline .by-memory { fill: var(--memory); } .roofline .by-arithmetic { fill: var(--arithmetic); }
.speeds { display: grid; grid-template-columns: repeat(auto-fill, minmax(330px, 1fr)); gap: 2px 32px; }
.speed { display: grid; grid-template-columns: 1fr 92px 44px 60px; gap: 8px; align-items: center; min-width: 0; }
.speed span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .speed i { color: var(--faint); font-style: normal; }
.speed b { font-weight: 500; text-align: right; } .speed em { color: var(--faint); font-style: normal; text-align: right; }
.speed b, .speed em { font-variant-numeric: tabular-nums; white-space: nowrap; }
.speed .bar { width: auto; height: 9px; margin: 0; } .bar .by-memory, .key .by-memory { background: var(--memory); }
.bar .by-arithmetic, .key .by-arithmetic { background: var(--arithmetic); } .better { color: var(--pass); }
@media (max-width: 420px) { .speeds { grid-template-columns: 1fr; } .speed { grid-template-columns: 1fr 60px 44px 58px; } }
)css";

std::string performance_section(const Performance &performance) {
  if (performance.is_empty()) {
    return "";
  }
  std::string out =
      "<h2 id=\"performance\">Performance</h2><p class=\"faint\">The most that programs of each kind reached: this is "
      "what the device's "
      "own ops are compared with. Figures are of this machine and this run.</p>" +
      tiles(performance) + development(performance);
  if (const std::string drawn = chart(performance); !drawn.empty()) {
    out +=
        "<h3>Roofline</h3><p class=\"key\"><span><i class=\"by-memory\"></i>bound by memory</span><span>"
        "<i class=\"by-arithmetic\"></i>bound by arithmetic: dot (solid), multiply-add (dashed)</span></p>" +
        drawn;
  }
  if (performance.ops.empty()) {
    return out;
  }
  out += fmt::format(
      "<h3>Share of the roofline, by op</h3><p class=\"faint\">How near the fastest run is to what "
      "moving its bytes, or doing its operations, takes at the peaks above: {:.0f} % in the median."
      "</p><div class=\"speeds\">",
      100 * median_share(performance));
  for (const OpSpeed &one : performance.ops) {
    out += row(one);
  }
  return out + "</div>";
}

}  // namespace bp::conformance
