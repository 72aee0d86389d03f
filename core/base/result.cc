#include "core/base/result.h"

namespace bp {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidInput: return "invalid input";
    case ErrorCode::NotFound: return "not found";
    case ErrorCode::Unsupported: return "unsupported";
    case ErrorCode::OutOfMemory: return "out of memory";
    case ErrorCode::PluginFailure: return "plugin failure";
    case ErrorCode::Io: return "input/output error";
    case ErrorCode::Internal: return "internal error";
  }
  return "unknown error";
}

Error &&Error::at(SourceLocation location) && {
  if (data_->location.file.empty() && data_->location.line == 0) {
    data_->location = std::move(location);
  }
  return std::move(*this);
}

Error &&Error::note(std::string text) && {
  data_->notes.push_back(std::move(text));
  return std::move(*this);
}

std::string Error::to_string() const {
  // A minified file has lines of megabytes: show only the surroundings of the caret.
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
    std::string shown = where.line_text.substr(std::min(begin, where.line_text.size()), max_line_text);
    for (char &c : shown) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
        c = ' ';  // tabs and control bytes would move the caret or the terminal
      }
    }
    out += fmt::format("\n  {}\n  {}^", shown, std::string(caret - begin, ' '));
  }
  for (const std::string &note : notes()) {
    out += "\n  note: " + note;
  }
  return out;
}

}  // namespace bp
