#include "core/packing/problem_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <charconv>
#include <optional>
#include <unordered_map>

namespace bp::packing {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{1} << 62;
constexpr std::int64_t max_preset = std::int64_t{1} << 60;  // so that offsets above presets do not overflow

enum Column { Id, Lower, Upper, Size, Alignment, Preset };
constexpr std::array<std::string_view, 6> column_names = {"id", "lower", "upper", "size", "alignment", "preset"};
constexpr std::size_t required = 4;  // the first 4 columns

class Reader {
 public:
  Reader(std::string_view text, std::string_view file) : file_(file) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // spreadsheets write it at the beginning
    text.remove_prefix(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
    boost::split(lines_, text, boost::is_any_of("\n"));
  }

  Result<NamedProblem> run() {
    BP_TRY(read_columns());
    for (line_ = 1; line_ < lines_.size(); ++line_) {
      std::string line = boost::trim_copy(lines_[line_]);
      if (!line.empty()) {
        BP_TRY(read_item(line));
      }
    }
    BP_TRY(check_presets());
    return std::move(problem_);
  }

 private:
  template <typename... Arguments>
  Error error(fmt::format_string<Arguments...> format, Arguments &&...arguments) const {
    return invalid_input("{}:{}: {}", file_, line_ + 1, fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  Status read_columns() {
    std::vector<std::string> names;
    std::string line = boost::trim_copy(lines_[0]);
    boost::split(names, line, boost::is_any_of(","));
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto found = std::ranges::find(column_names, boost::trim_copy(names[i]));
      if (found == column_names.end()) {
        return error("found column '{}', expected {}", names[i], fmt::join(column_names, ", "));
      }
      auto &place = places_[static_cast<std::size_t>(found - column_names.begin())];
      if (place) {
        return error("found column '{}' twice", *found);
      }
      place = i;
    }
    for (std::size_t column = 0; column < required; ++column) {
      if (!places_[column]) {
        return error("no column {}, expected {}", column_names[column],
                     fmt::join(column_names.begin(), column_names.begin() + required, ", "));
      }
    }
    columns_ = names.size();
    return {};
  }

  Status read_item(const std::string &line) {
    std::vector<std::string> fields;
    boost::split(fields, line, boost::is_any_of(","));
    if (fields.size() != columns_) {
      return error("found {} fields, expected {}", fields.size(), columns_);
    }
    Item item;
    BP_ASSIGN(std::int64_t lower, number(fields, Lower, 0));
    BP_ASSIGN(std::int64_t upper, number(fields, Upper, 0));
    BP_ASSIGN(item.size, number(fields, Size, 0));
    BP_ASSIGN(item.alignment, number(fields, Alignment, 1));
    BP_ASSIGN(item.preset, number(fields, Preset, -1));
    if (upper < lower) {
      return error("upper is {}, expected at least lower, {}", upper, lower);
    }
    if (item.size < 0 || item.size > max_bytes - bytes_) {
      return error("size is {}, expected at least 0 and all sizes together at most 2^62", item.size);
    }
    if (item.alignment < 1 || item.alignment > (std::int64_t{1} << 30)) {
      return error("alignment is {}, expected 1 to 2^30", item.alignment);
    }
    if (item.preset < -1 || item.preset > max_preset || (item.preset > 0 && item.preset % item.alignment != 0)) {
      return error("preset is {}, expected a multiple of the alignment, {}, up to 2^60", item.preset, item.alignment);
    }
    std::string name = boost::trim_copy(fields[*places_[Id]]);
    if (auto [first, is_new] = lines_of_names_.emplace(name, line_); !is_new) {
      return error("id is '{}', expected an id that differs from line {}", name, first->second + 1);
    }
    bytes_ += item.size;
    item.needed.emplace_back(lower, upper);
    problem_.names.push_back(std::move(name));
    problem_.items.push_back(std::move(item));
    item_lines_.push_back(line_);
    return {};
  }

  // Overlapping presets are an error because no packing can resolve them.
  Status check_presets() {
    std::vector<std::int64_t> presets;
    for (const Item &item : problem_.items) {
      presets.push_back(item.preset);
    }
    auto overlap = find_overlap(problem_.items, presets);
    if (!overlap) {
      return {};
    }
    auto [first, second, time] = *overlap;
    line_ = item_lines_[second];
    return error("preset of {} is {}, expected one that is free at time {}: {} of line {} is preset from {} to {}",
                 problem_.names[second], presets[second], time, problem_.names[first], item_lines_[first] + 1,
                 presets[first], presets[first] + problem_.items[first].size);
  }

  Result<std::int64_t> number(const std::vector<std::string> &fields, Column column, std::int64_t otherwise) const {
    std::string text = places_[column] ? boost::trim_copy(fields[*places_[column]]) : "";
    if (text.empty() && column >= required) {
      return otherwise;
    }
    std::int64_t value = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value < -max_bytes || value > max_bytes) {
      return error("{} is '{}', expected an integer from -2^62 to 2^62", column_names[column], text);
    }
    return value;
  }

  std::string_view file_;
  std::vector<std::string> lines_;
  std::size_t line_ = 0, columns_ = 0;
  std::array<std::optional<std::size_t>, column_names.size()> places_;  // by Column: index of the field in a line
  std::int64_t bytes_ = 0;
  NamedProblem problem_;
  std::vector<std::size_t> item_lines_;
  std::unordered_map<std::string, std::size_t> lines_of_names_;
};

}  // namespace

Result<NamedProblem> read_problem(std::string_view text, std::string_view file) {
  return Reader(text, file).run();
}

namespace {

std::string print(const NamedProblem &problem, std::span<const std::int64_t> offsets,
                  std::span<const std::uint32_t> heaps) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "id,lower,upper,size,alignment,offset{}\n", heaps.empty() ? "" : ",heap");
  for (std::size_t i = 0; i < problem.items.size(); ++i) {
    const Item &item = problem.items[i];
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{}{}\n", problem.names[i], item.needed[0].first,
                   item.needed[0].second, item.size, item.alignment, offsets[i],
                   heaps.empty() ? "" : fmt::format(",{}", heaps[i]));
  }
  return fmt::to_string(out);
}

}  // namespace

std::string print_packing(const NamedProblem &problem, const Packing &packing) {
  return print(problem, packing.offsets, {});
}

std::string print_packing(const NamedProblem &problem, const Heaps &heaps) {
  return print(problem, heaps.offsets, heaps.heap);
}

}  // namespace bp::packing
