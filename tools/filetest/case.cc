#include "tools/filetest/case.h"

namespace bp::filetest {
namespace {

constexpr std::string_view separator = "// -----";
constexpr std::string_view expect_line = "// expect:";

// Splits the content into the parts between separator lines, which are not included.
std::vector<std::string_view> split_parts(std::string_view content) {
  std::vector<std::string_view> parts;
  std::size_t start = 0, line = 0;
  while (line < content.size()) {
    std::size_t end = content.find('\n', line);
    std::size_t next = end == std::string_view::npos ? content.size() : end + 1;
    if (content.substr(line).starts_with(separator)) {
      parts.push_back(content.substr(start, line - start));
      start = next;
    }
    line = next;
  }
  parts.push_back(content.substr(start));
  return parts;
}

// Returns where the `// expect:` line of a part begins; the part's size if there is none.
std::size_t find_expectation(std::string_view part) {
  if (part.starts_with(expect_line)) {
    return 0;
  }
  std::size_t found = part.find("\n" + std::string(expect_line));
  return found == std::string_view::npos ? part.size() : found + 1;
}

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    visit(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

}  // namespace

std::vector<Case> split_cases(std::string_view file, std::string_view content) {
  std::vector<Case> cases;
  for (std::string_view part : split_parts(content)) {
    Case result;
    result.file = file;
    result.number = static_cast<int>(cases.size()) + 1;
    std::size_t expectation = find_expectation(part);
    result.text = part.substr(0, expectation);
    for_each_line(result.text, [&](std::string_view line) {
      if (line.starts_with("// test: ")) {
        std::string_view rest = line.substr(9);
        std::size_t space = rest.find(' ');
        result.kind = rest.substr(0, space);
        result.arguments = space == std::string_view::npos ? "" : rest.substr(space + 1);
      } else if (line.starts_with("// input: ")) {
        result.inputs.emplace_back(line.substr(10));
      }
    });
    bool first = true;
    for_each_line(part.substr(expectation), [&](std::string_view line) {
      if (!first && line.starts_with("//")) {
        line.remove_prefix(line.starts_with("// ") ? 3 : 2);
        result.expectation += std::string(line) + "\n";
      }
      first = false;
    });
    cases.push_back(std::move(result));
  }
  return cases;
}

std::string with_expectations(std::string_view content, const std::vector<std::string> &outputs) {
  std::string result;
  std::vector<std::string_view> parts = split_parts(content);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string text(parts[i].substr(0, find_expectation(parts[i])));
    if (!text.empty() && text.back() != '\n') {
      text += '\n';
    }
    result += text + std::string(expect_line) + "\n";
    for_each_line(outputs[i],
                  [&](std::string_view line) { result += line.empty() ? "//\n" : "// " + std::string(line) + "\n"; });
    if (i + 1 < parts.size()) {
      result += std::string(separator) + "\n";
    }
  }
  return result;
}

}  // namespace bp::filetest
