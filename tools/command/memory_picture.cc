#include "tools/command/memory_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/command/terminal.h"

namespace bp::command {
namespace {

namespace json = boost::json;

struct Kind {
  std::int64_t number;  // in a value of the data
  std::string_view name, colour;
};
constexpr Kind shown_kinds[] = {{0, "temporary", "#4c84d6"}, {2, "output", "#d98b3a"}, {4, "copy", "#d0505f"}};

// Pixels. The plot is inside the margins.
constexpr double width = 960, height = 420, left = 24, right = 936, top = 56, bottom = 380;
constexpr double letter = 6.6, line = 14;  // width and height of the labels' font

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return out;
}

struct Box {
  double x, y, width, height;  // pixels
  const Kind *kind;
  std::string label;
};

std::string to_svg(const Box &box) {
  std::string out =
      fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" stroke=\"#fff\"/>\n",
                  box.x, box.y, box.width, box.height, box.kind->colour);
  const auto letters = static_cast<std::size_t>(std::max(0.0, (box.width - 8) / letter));
  if (box.height >= line + 2 && letters >= 6) {
    const std::string label = box.label.size() > letters ? box.label.substr(0, letters - 1) + "…" : box.label;
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"#fff\">{}</text>\n", box.x + 4, box.y + line,
                       escaped(label));
  }
  return out;
}

// The boxes of the shown values, and the total size of the allocations that have some.
class Plot {
 public:
  explicit Plot(const json::object &data) : data_(data) {
    const json::array &values = data_.at("values").as_array();
    std::vector<std::int64_t> base(data_.at("allocations").as_array().size(), -1);
    for (const json::value &value : values) {
      std::int64_t &first = base[value.at(0).to_number<std::size_t>()];
      if (kind_of(value) != nullptr && first < 0) {
        first = total_;
        total_ += data_.at("allocations").at(value.at(0).to_number<std::size_t>()).at("size").to_number<std::int64_t>();
      }
    }
    for (const json::value &value : values) {
      if (const Kind *kind = kind_of(value)) {
        boxes_.push_back(box_of(value, base[value.at(0).to_number<std::size_t>()], kind));
      }
    }
  }

  const std::vector<Box> &boxes() const { return boxes_; }
  std::int64_t total() const { return total_; }
  double x_of(double tick) const {
    const auto ticks = static_cast<double>(data_.at("ticks").as_array().size());
    return left + (right - left) * tick / std::max(1.0, ticks);
  }

 private:
  static const Kind *kind_of(const json::value &value) {
    const auto found = std::ranges::find(shown_kinds, value.at(5).to_number<std::int64_t>(), &Kind::number);
    return found == std::end(shown_kinds) ? nullptr : &*found;
  }
  Box box_of(const json::value &value, std::int64_t base, const Kind *kind) const {
    const double scale = (bottom - top) / static_cast<double>(std::max<std::int64_t>(total_, 1));
    const auto offset = static_cast<double>(base + value.at(1).to_number<std::int64_t>());
    const auto size = static_cast<double>(value.at(2).to_number<std::int64_t>());
    const double begin = x_of(value.at(3).to_number<double>()), end = x_of(value.at(4).to_number<double>() + 1);
    return {begin,       bottom - (offset + size) * scale,
            end - begin, size * scale,
            kind,        std::string(value.at(6).as_string()) + "  " + format_bytes(size)};
  }

  const json::object &data_;
  std::vector<Box> boxes_;
  std::int64_t total_ = 0;  // bytes
};

}  // namespace

std::string memory_picture(const json::object &data) {
  const Plot plot(data);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"monospace\" font-size=\"11\">\n"
      "<rect width=\"{0}\" height=\"{1}\" rx=\"6\" fill=\"#f7f8fa\"/>\n"
      "<text x=\"{2}\" y=\"24\" fill=\"#222\" font-size=\"13\">{3}</text>\n"
      "<text x=\"{2}\" y=\"42\" fill=\"#666\">{4}</text>\n",
      width, height, left, escaped(data.at("title").as_string()), escaped(data.at("figures").as_string()));
  const double peak = plot.x_of(data.at("peak_tick").to_number<double>());
  out += fmt::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"#c026d3\" opacity=\"0.18\"/>\n",
                     peak, top, plot.x_of(1) - left, bottom - top);
  for (const Box &box : plot.boxes()) {
    out += to_svg(box);
  }
  double x = left;
  for (const Kind &kind : shown_kinds) {
    if (std::ranges::find(plot.boxes(), &kind, &Box::kind) != plot.boxes().end()) {
      out += fmt::format("<rect x=\"{:.1f}\" y=\"396\" width=\"11\" height=\"11\" fill=\"{}\"/>\n", x, kind.colour) +
             fmt::format("<text x=\"{:.1f}\" y=\"406\" fill=\"#666\">{}</text>\n", x + 16, kind.name);
      x += 30 + letter * static_cast<double>(kind.name.size());
    }
  }
  out += fmt::format(
      "<rect x=\"{:.1f}\" y=\"396\" width=\"11\" height=\"11\" fill=\"#c026d3\" opacity=\"0.3\"/>\n"
      "<text x=\"{:.1f}\" y=\"406\" fill=\"#666\">the peak</text>\n"
      "<text x=\"{}\" y=\"406\" fill=\"#666\" text-anchor=\"end\">time: {} instructions, to the right; memory: {}, "
      "upwards</text>\n</svg>\n",
      x, x + 16, right, data.at("ticks").as_array().size(), format_bytes(static_cast<double>(plot.total())));
  return out;
}

}  // namespace bp::command
