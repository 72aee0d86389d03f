#include "core/text/window_reader.h"

#include <algorithm>
#include <charconv>

namespace bp::text {
namespace {

// Reads the integers of "1_2x3_4", one list per dimension; each list has `least` to `most` entries.
Result<std::vector<std::vector<std::int64_t>>> read_by_dimension(TokenReader &reader, std::size_t least,
                                                                 std::size_t most, std::string_view form) {
  if (!reader.is(TokenKind::Number)) {
    return reader.expected(form);
  }
  std::vector<std::vector<std::int64_t>> dimensions(1);
  std::string_view text = reader.text();
  const char *p = text.data(), *end = p + text.size();
  while (true) {
    std::int64_t value = 0;
    auto [stop, code] = std::from_chars(p, end, value);
    if (code != std::errc()) {
      return reader.expected(form);
    }
    dimensions.back().push_back(value);
    bool done = stop == end;
    bool next_dimension = !done && *stop == 'x';
    if (!done && !next_dimension && *stop != '_') {
      return reader.expected(form);
    }
    if ((done || next_dimension) && (dimensions.back().size() < least || dimensions.back().size() > most)) {
      return reader.expected(form);
    }
    if (done) {
      reader.advance();
      return dimensions;
    }
    if (next_dimension) {
      dimensions.emplace_back();
    }
    p = stop + 1;
  }
}

struct WindowField {
  std::string_view name;
  std::int64_t ir::WindowDimension::*member;
  std::int64_t least;
};
constexpr WindowField window_fields[] = {
    {"size", &ir::WindowDimension::size, 0},
    {"stride", &ir::WindowDimension::stride, 1},
    {"lhs_dilate", &ir::WindowDimension::lhs_dilate, 1},
    {"rhs_dilate", &ir::WindowDimension::rhs_dilate, 1},
    {"rhs_reversal", &ir::WindowDimension::reversal, 0},
};

}  // namespace

Result<std::vector<ir::WindowDimension>> read_window(TokenReader &reader) {
  std::vector<ir::WindowDimension> window;
  std::vector<std::string_view> seen;
  std::size_t begin = reader.token().begin;
  BP_TRY(reader.expect('{', "before a window"));
  while (!reader.accept('}')) {
    std::size_t name_begin = reader.token().begin;
    BP_ASSIGN(std::string_view name,
              reader.read_identifier("size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal"));
    for (std::string_view other : seen) {
      if (other == name) {
        return reader.error_at(name_begin, "'{}' twice in a window", name);
      }
    }
    seen.push_back(name);
    BP_TRY(reader.expect('=', fmt::format("after '{}'", name)));
    const WindowField *field = nullptr;
    for (const WindowField &candidate : window_fields) {
      field = candidate.name == name ? &candidate : field;
    }
    bool is_pad = name == "pad";
    if (field == nullptr && !is_pad) {
      return reader.error_at(name_begin,
                             "expected size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal, found '{}'", name);
    }
    std::size_t value_begin = reader.token().begin;
    BP_ASSIGN(auto values, is_pad ? read_by_dimension(reader, 2, 2, "paddings such as 1_1x0_2")
                                  : read_by_dimension(reader, 1, 1, "numbers such as 3x3"));
    if (seen.size() == 1) {
      window.resize(values.size());
    }
    if (values.size() != window.size()) {
      return reader.error_at(value_begin, "'{}' has {} dimensions, the window has {}", name, values.size(),
                             window.size());
    }
    for (std::size_t i = 0; i < window.size(); ++i) {
      if (is_pad) {
        window[i].pad_low = values[i][0];
        window[i].pad_high = values[i][1];
        continue;
      }
      if (values[i][0] < field->least) {
        return reader.error_at(value_begin, "'{}' is {} in dimension {}, expected at least {}", name, values[i][0], i,
                               field->least);
      }
      window[i].*field->member = values[i][0];
    }
    reader.accept(',');
  }
  if (window.size() > ir::max_rank) {
    return reader.error_at(begin, "a window of {} dimensions, expected at most {}", window.size(), ir::max_rank);
  }
  return window;
}

Result<std::vector<ir::PaddingDimension>> read_padding(TokenReader &reader) {
  std::vector<ir::PaddingDimension> padding;
  if (reader.is(',') || reader.is(TokenKind::Identifier) || reader.is(TokenKind::Name) || reader.is('}')) {
    return padding;  // "padding=" with an empty value pads a scalar
  }
  BP_ASSIGN(auto values, read_by_dimension(reader, 2, 3, "paddings such as 0_1x2_2_1"));
  for (const auto &value : values) {
    padding.push_back({value[0], value[1], value.size() == 3 ? value[2] : 0});
  }
  return padding;
}

Result<std::vector<ir::SliceRange>> read_slice_ranges(TokenReader &reader) {
  std::vector<ir::SliceRange> ranges;
  BP_TRY(reader.expect('{', "before the ranges of a slice"));
  BP_TRY(reader.read_list('}', "the ranges of a slice", [&]() -> Status {
    ir::SliceRange range;
    range.stride = 1;
    BP_TRY(reader.expect('[', "before a range"));
    BP_ASSIGN(range.start, reader.read_integer("the start of a range"));
    BP_TRY(reader.expect(':', "after the start of a range"));
    BP_ASSIGN(range.limit, reader.read_integer("the limit of a range"));
    if (reader.accept(':')) {
      BP_ASSIGN(range.stride, reader.read_integer("the stride of a range"));
    }
    ranges.push_back(range);
    return reader.expect(']', "after a range");
  }));
  return ranges;
}

Result<std::vector<std::int64_t>> read_dim_labels(TokenReader &reader) {
  constexpr std::string_view form = "dimension labels such as b01f_01io->b01f";
  std::size_t begin = reader.token().begin;
  std::string_view source = reader.source();
  auto take_while = [&](std::size_t from, std::string_view allowed) {
    return source.substr(from, std::min(source.find_first_not_of(allowed, from), source.size()) - from);
  };
  std::string_view lhs = take_while(begin, "0123456789bf?");
  std::size_t rhs_begin = begin + lhs.size() + 1;
  if (!source.substr(rhs_begin - 1).starts_with('_')) {
    return reader.expected(form);
  }
  std::string_view rhs = take_while(rhs_begin, "0123456789io?");
  std::size_t output_begin = rhs_begin + rhs.size() + 2;
  if (!source.substr(rhs_begin + rhs.size()).starts_with("->")) {
    return reader.expected(form);
  }
  std::string_view output = take_while(output_begin, "0123456789bf?");
  if (lhs.size() > ir::max_rank || lhs.size() < 2 || rhs.size() != lhs.size() || output.size() != lhs.size()) {
    return reader.error("dimension labels of ranks {}, {} and {}, expected the same rank of at least 2", lhs.size(),
                        rhs.size(), output.size());
  }
  std::size_t end = output_begin + output.size();
  auto count_spatial = [](std::string_view labels) {
    return static_cast<std::size_t>(std::ranges::count_if(labels, [](char c) { return c >= '0' && c <= '9'; }));
  };
  std::size_t spatial = count_spatial(lhs);
  if (count_spatial(rhs) != spatial || count_spatial(output) != spatial) {
    return reader.error("dimension labels with {}, {} and {} spatial dimensions, expected as many on each side",
                        spatial, count_spatial(rhs), count_spatial(output));
  }
  std::vector<std::int64_t> numbers(6 + 3 * spatial, -1);
  struct Side {
    std::string_view labels;
    char first, second;
  };
  const Side sides[] = {{lhs, 'b', 'f'}, {rhs, 'i', 'o'}, {output, 'b', 'f'}};
  for (std::size_t side = 0; side < 3; ++side) {
    const auto &[labels, first, second] = sides[side];
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == '?') {
        continue;  // a dimension without a label, such as the lanes of a vectorized layout
      }
      std::size_t slot = 0;
      if (labels[i] == first || labels[i] == second) {
        slot = 2 * side + (labels[i] == second ? 1 : 0);
      } else if (auto number = static_cast<std::size_t>(labels[i] - '0'); number < spatial) {
        slot = 6 + side * spatial + number;
      } else {
        return reader.error("spatial dimension {} in dimension labels of {} spatial dimensions", labels[i], spatial);
      }
      if (numbers[slot] != -1) {
        return reader.error("'{}' twice in the dimension labels '{}'", labels[i], labels);
      }
      numbers[slot] = static_cast<std::int64_t>(i);
    }
    for (char label : {first, second}) {
      if (labels.find(label) == std::string_view::npos) {
        return reader.error("no '{}' in the dimension labels '{}'", label, labels);
      }
    }
  }
  reader.go_to(end);
  return numbers;
}

}  // namespace bp::text
