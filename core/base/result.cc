#include "core/base/result.h"

#include <algorithm>

namespace bp {
namespace {

// Returns the length of the UTF-8 sequence at the beginning of `text`, or 0 if it is malformed or a control character.
std::size_t utf8_length(std::string_view text) {
  auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  unsigned first = byte(0), second = byte(1);
  if (first < 0x80) {
    return first >= 0x20 && first != 0x7f ? 1 : 0;
  }
  std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                       : first >= 0xe0 && first < 0xf0 ? 3
                       : first >= 0xf0 && first < 0xf5 ? 4
                                                       : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      return 0;
    }
  }
  // Control characters above ASCII, overlong encodings, surrogates, code points above U+10FFFF.
  bool is_bad = (first == 0xc2 && second < 0xa0) || (first == 0xe0 && second < 0xa0) ||
                (first == 0xed && second >= 0xa0) || (first == 0xf0 && second < 0x90) ||
                (first == 0xf4 && second >= 0x90);
  return is_bad ? 0 : length;
}

struct Printable {
  std::string text;
  std::size_t columns = 0;
};

// Makes text safe for a terminal: control characters and invalid bytes become escapes such as \x1b, a tab becomes a
// space.
Printable printable(std::string_view text) {
  Printable result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = utf8_length(text.substr(i));
    std::string piece = text[i] == '\t' ? " "
                        : length == 0   ? fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]))
                                        : std::string(text.substr(i, length));
    result.columns += length > 1 ? 1 : piece.size();
    result.text += piece;
    i += std::max<std::size_t>(length, 1);
  }
  return result;
}

}  // namespace

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidInput: return "invalid input";
    case ErrorCode::NotFound: return "not found";
    case ErrorCode::Unsupported: return "unsupported";
    case ErrorCode::OutOfMemory: return "out of memory";
    case ErrorCode::DoesNotFit: return "does not fit";
    case ErrorCode::PluginFailure: return "plugin failure";
    case ErrorCode::DeviceLost: return "device lost";
    case ErrorCode::Io: return "input/output error";
    case ErrorCode::Internal: return "internal error";
    case ErrorCode::Cancelled: return "cancelled";
    case ErrorCode::DeadlineExceeded: return "deadline exceeded";
  }
  return "unknown error";
}

Error &&Error::at(SourceLocation location) && {
  if (data_->location.file.empty() && data_->location.line == 0) {
    data_->location = std::move(location);
  }
  return std::move(*this);
}

Error &&Error::in(std::string_view text) && {
  for (std::uint32_t line = 1; line < data_->location.line && !text.empty(); ++line) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  if (data_->location.line != 0 && data_->location.line_text.empty()) {
    data_->location.line_text = text.substr(0, text.find_first_of("\r\n"));
  }
  return std::move(*this);
}

Error &&Error::note(std::string text) && {
  data_->notes.push_back(std::move(text));
  return std::move(*this);
}

std::string Error::to_string() const {
  // A minified file may have lines of several megabytes: show only the text around the caret.
  constexpr std::size_t max_line_text = 160;
  std::string out;
  const SourceLocation &where = location();
  if (!where.file.empty()) {
    out += where.file + ":";
  }
  if (where.line != 0) {
    out += fmt::format("{}:{}:", where.line, where.column);
  }
  if (!out.empty()) {
    out += " ";
  }
  out += message();
  if (!where.line_text.empty() && where.column != 0) {
    std::size_t caret = where.column - 1;
    std::size_t begin = caret > max_line_text / 2 ? caret - max_line_text / 2 : 0;
    std::string_view shown = std::string_view(where.line_text).substr(std::min(begin, where.line_text.size()));
    shown = shown.substr(0, max_line_text);
    std::size_t beyond = caret - begin - std::min(caret - begin, shown.size());
    Printable before = printable(shown.substr(0, caret - begin));
    Printable after = printable(shown.substr(std::min(caret - begin, shown.size())));
    out += fmt::format("\n  {}{}\n  {}^", before.text, after.text, std::string(before.columns + beyond, ' '));
  }
  for (const std::string &note : notes()) {
    out += "\n  note: " + note;
  }
  return out;
}

}  // namespace bp
