#include "core/text/parser.h"

#include <algorithm>

#include "core/text/literal_reader.h"
#include "core/text/module_parser.h"
#include "core/text/shape_reader.h"

namespace bp::text {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_blank_or_comment(std::string_view text) {
  return Lexer(text).at(0).kind == TokenKind::End;
}

// Whether a line begins with a keyword.
bool begins_with_word(std::string_view line, std::string_view word) {
  return line.starts_with(word) && (line.size() == word.size() || !is_identifier_character(line[word.size()]));
}

// A section of text between lines that may begin a module.
struct Section {
  std::size_t begin = 0;
  std::uint32_t first_line = 1;
  bool is_module = false;  // has a line that begins with HloModule or ENTRY
};

}  // namespace

Result<ir::Module> parse_module(std::string_view text, const ParseOptions &options) {
  if (text.size() >= Lexer::max_size) {
    return invalid_input("{}: a text of {} bytes, expected less than {}", options.file, text.size(), Lexer::max_size);
  }
  if (text.starts_with(byte_order_mark)) {
    text.remove_prefix(byte_order_mark.size());
  }
  return ModuleParser(text, options).parse();
}

std::vector<TextPart> split_modules(std::string_view text) {
  std::vector<Section> sections(1);
  bool has_header = false;  // whether the current section has an HloModule line
  std::uint32_t line_number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line_number) {
    std::size_t end = text.find('\n', begin);
    end = end == std::string_view::npos ? text.size() : end + 1;
    std::string_view line = text.substr(begin, end - begin);
    bool is_header = begins_with_word(line, "HloModule");
    // Comments before an HloModule belong to it, unless they follow another module.
    if (line.starts_with("// -----") || (is_header && has_header)) {
      sections.push_back({begin, line_number, false});
      has_header = false;
    }
    has_header = has_header || is_header;
    sections.back().is_module |= is_header || begins_with_word(line, "ENTRY");
    begin = end;
  }
  // If any section has HloModule or ENTRY, a section without them belongs to the module before it: some files only
  // group their computations.
  std::vector<TextPart> parts;
  bool have_heads = std::ranges::any_of(sections, &Section::is_module);
  std::size_t first = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    bool is_last = i + 1 == sections.size();
    if (!is_last && have_heads && sections[first].is_module && !sections[i + 1].is_module) {
      continue;
    }
    std::size_t end = is_last ? text.size() : sections[i + 1].begin;
    TextPart part{text.substr(sections[first].begin, end - sections[first].begin), sections[first].first_line};
    if (!is_blank_or_comment(part.text)) {
      parts.push_back(part);
    }
    first = i + 1;
  }
  return parts;
}

Result<ir::Shape> parse_shape(std::string_view text) {
  if (text.size() >= Lexer::max_size) {
    return invalid_input("a shape of {} bytes", text.size());
  }
  TokenReader reader(text, "");
  BP_ASSIGN(ir::Shape shape, read_shape(reader));
  if (!reader.at_end()) {
    return reader.expected("the end of the text after a shape");
  }
  return shape;
}

Result<ir::Literal> parse_literal(std::string_view text, const ir::Shape &shape, std::string file) {
  if (text.size() >= Lexer::max_size) {
    return invalid_input("{}: a literal of {} bytes, expected less than {}", file, text.size(), Lexer::max_size);
  }
  TokenReader reader(text, std::move(file));
  LiteralContext context;
  context.has_run_time_sizes = true;
  BP_ASSIGN(ir::Literal literal, read_literal(reader, shape, context));
  if (!reader.at_end()) {
    return reader.expected("the end of the text after a literal");
  }
  return literal;
}

}  // namespace bp::text
