#include "tools/filetest/case.h"

namespace bp::filetest {
namespace {

constexpr std::string_view separator = " -----";
constexpr std::string_view expect_line = " expect:";

// Returns the sign of comments of a file.
std::string comment_of(std::string_view file) {
  return file.ends_with(".prototxt") ? "#" : "//";
}

// Splits the content into the parts between separator lines, which are not included.
std::vector<std::string_view> split_parts(std::string_view content, const std::string &comment) {
  std::vector<std::string_view> parts;
  std::size_t start = 0, line = 0;
  while (line < content.size()) {
    std::size_t end = content.find('\n', line);
    std::size_t next = end == std::string_view::npos ? content.size() : end + 1;
    if (content.substr(line).starts_with(comment + std::string(separator))) {
      parts.push_back(content.substr(start, line - start));
      start = next;
    }
    line = next;
  }
  parts.push_back(content.substr(start));
  return parts;
}

// Returns where the `// expect:` line of a part begins; the part's size if there is none.
std::size_t find_expectation(std::string_view part, const std::string &comment) {
  const std::string line = comment + std::string(expect_line);
  if (part.starts_with(line)) {
    return 0;
  }
  std::size_t found = part.find("\n" + line);
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
  const std::string comment = comment_of(file), test = comment + " test: ", input = comment + " input: ";
  for (std::string_view part : split_parts(content, comment)) {
    Case result;
    result.file = file;
    result.number = static_cast<int>(cases.size()) + 1;
    std::size_t expectation = find_expectation(part, comment);
    result.text = part.substr(0, expectation);
    for_each_line(result.text, [&](std::string_view line) {
      if (line.starts_with(test)) {
        std::string_view rest = line.substr(test.size());
        std::size_t space = rest.find(' ');
        result.kind = rest.substr(0, space);
        result.arguments = space == std::string_view::npos ? "" : rest.substr(space + 1);
      } else if (line.starts_with(input)) {
        result.inputs.emplace_back(line.substr(input.size()));
      }
    });
    bool first = true;
    for_each_line(part.substr(expectation), [&](std::string_view line) {
      if (!first && line.starts_with(comment)) {
        line.remove_prefix(comment.size());
        line.remove_prefix(line.starts_with(' ') ? 1 : 0);
        result.expectation += std::string(line) + "\n";
      }
      first = false;
    });
    cases.push_back(std::move(result));
  }
  return cases;
}

std::string with_expectations(std::string_view file, std::string_view content,
                              const std::vector<std::string> &outputs) {
  std::string result;
  const std::string comment = comment_of(file);
  std::vector<std::string_view> parts = split_parts(content, comment);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string text(parts[i].substr(0, find_expectation(parts[i], comment)));
    if (!text.empty() && text.back() != '\n') {
      text += '\n';
    }
    result += text + comment + std::string(expect_line) + "\n";
    for_each_line(outputs[i], [&](std::string_view line) {
      result += comment + (line.empty() ? "" : " ") + std::string(line) + "\n";
    });
    if (i + 1 < parts.size()) {
      result += comment + std::string(separator) + "\n";
    }
  }
  return result;
}

}  // namespace bp::filetest
