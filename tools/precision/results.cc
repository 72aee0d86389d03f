#include "tools/precision/results.h"

#include <fmt/format.h>

#include <boost/algorithm/string.hpp>
#include <boost/json.hpp>
#include <charconv>
#include <iterator>

namespace bp::precision {
namespace {

std::string arguments_of(const Measurement &measurement, const Input &input) {
  const bool is_binary = measurement.stride == 0;
  return format_value(measurement.from, input.x) +
         (is_binary ? ", " + format_value(measurement.from, input.y) : std::string());
}

std::string describe(const Measurement &measurement, const Deviation &deviation) {
  return fmt::format("{}: {}, not {}", arguments_of(measurement, deviation.input),
                     format_value(measurement.to, deviation.found), format_value(measurement.to, deviation.expected));
}

std::string name_of(const Measurement &measurement) {
  return measurement.from == measurement.to
             ? measurement.function
             : fmt::format("{} to {}", measurement.function, ir::to_string(measurement.to));
}

std::string arguments_tried(const Measurement &measurement) {
  return measurement.stride == 0   ? fmt::format("{} pairs", measurement.statistics.inputs)
         : measurement.stride == 1 ? "all"
                                   : fmt::format("1 of {}", measurement.stride);
}

boost::json::array deviations(const Measurement &measurement, const std::vector<Deviation> &all) {
  boost::json::array result;
  for (const Deviation &deviation : all) {
    result.push_back({{"x", deviation.input.x},
                      {"y", deviation.input.y},
                      {"found", deviation.found},
                      {"expected", deviation.expected},
                      {"text", describe(measurement, deviation)}});
  }
  return result;
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return failure == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<Input> read_input(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto x = hexadecimal(text.substr(0, colon));
  const auto y =
      colon == std::string_view::npos ? std::optional<std::uint64_t>(0) : hexadecimal(text.substr(colon + 1));
  return x && y ? std::optional(Input{*x, *y}) : std::nullopt;
}

}  // namespace

std::string to_markdown(std::span<const Measurement> measurements) {
  std::string result =
      "| function | type | arguments | max ulp | not correctly rounded | worst, or first special | NaN / inf / sign of "
      "0 "
      "| s |\n|---|---|---|---|---|---|---|---|\n";
  for (const Measurement &measurement : measurements) {
    const Statistics &s = measurement.statistics;
    const std::vector<Deviation> &shown = s.special.empty() ? s.worst : s.special;
    fmt::format_to(std::back_inserter(result), "| {} | {} | {} | {}{} | {} | {} | {} / {} / {} | {:.0f} |\n",
                   name_of(measurement), ir::to_string(measurement.from), arguments_tried(measurement), s.max_ulps,
                   measurement.is_good() ? "" : " **too much**", s.rounded_wrongly,
                   shown.empty() ? "" : describe(measurement, shown[0]), s.nan, s.infinity, s.zero_sign,
                   measurement.seconds);
  }
  return result;
}

std::string to_json(std::span<const Measurement> measurements) {
  boost::json::array rows;
  for (const Measurement &measurement : measurements) {
    const Statistics &s = measurement.statistics;
    rows.push_back({{"function", measurement.function},
                    {"from", ir::to_string(measurement.from)},
                    {"to", ir::to_string(measurement.to)},
                    {"budget", measurement.budget},
                    {"stride", measurement.stride},
                    {"inputs", s.inputs},
                    {"max_ulps", s.max_ulps},
                    {"rounded_wrongly", s.rounded_wrongly},
                    {"in_many_digits", s.in_many_digits},
                    {"nan", s.nan},
                    {"infinity", s.infinity},
                    {"zero_sign", s.zero_sign},
                    {"worst", deviations(measurement, s.worst)},
                    {"special", deviations(measurement, s.special)},
                    {"seconds", measurement.seconds}});
  }
  return boost::json::serialize(rows) + "\n";
}

std::string to_text(std::span<const Measurement> measurements) {
  std::string result;
  for (const Measurement &measurement : measurements) {
    std::vector<Deviation> all = measurement.statistics.worst;
    all.insert(all.end(), measurement.statistics.special.begin(), measurement.statistics.special.end());
    if (all.empty()) {
      continue;
    }
    fmt::format_to(std::back_inserter(result), "{} {} {}", measurement.function, ir::to_string(measurement.from),
                   ir::to_string(measurement.to));
    for (const Deviation &deviation : all) {
      fmt::format_to(std::back_inserter(result), " {:x}", deviation.input.x);
      if (measurement.stride == 0) {
        fmt::format_to(std::back_inserter(result), ":{:x}", deviation.input.y);
      }
    }
    result += '\n';
  }
  return result;
}

Result<std::vector<WorstCases>> read_worst_cases(const std::string &file, std::string_view text) {
  std::vector<WorstCases> result;
  std::vector<std::string> lines, words;
  boost::split(lines, text, boost::is_any_of("\n"));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    boost::trim(lines[i]);
    if (lines[i].empty() || lines[i].starts_with('#')) {
      continue;
    }
    boost::split(words, lines[i], boost::is_any_of(" "), boost::token_compress_on);
    const auto problem = [&](std::string_view what) {
      return invalid_input("{}", what).at({file, static_cast<std::uint32_t>(i + 1), 1, lines[i]});
    };
    if (words.size() < 4) {
      return problem("expected FUNCTION FROM TO BITS...");
    }
    const auto from = ir::element_type_from_string(words[1]), to = ir::element_type_from_string(words[2]);
    if (!from || !to) {
      return problem(fmt::format("'{}' is not an element type", words[from ? 2 : 1]));
    }
    WorstCases cases{words[0], *from, *to, {}};
    for (std::size_t k = 3; k < words.size(); ++k) {
      const auto input = read_input(words[k]);
      if (!input) {
        return problem(fmt::format("'{}' is not a hexadecimal number, nor two with a ':' between them", words[k]));
      }
      cases.inputs.push_back(*input);
    }
    result.push_back(std::move(cases));
  }
  return result;
}

}  // namespace bp::precision
