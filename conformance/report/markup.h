// Pieces of HTML and XML that several pages share.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace bp::conformance {

// Escapes text for element content and for attributes in double quotes. XML 1.0 forbids most control characters: they
// become blanks.
inline std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

// Returns "13,196".
inline std::string with_commas(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) {
    text.insert(at - 3, ",");
  }
  return text;
}

// Returns a row with a name, a stacked bar, and two figures.
inline std::string bar_row(std::string_view name, const std::string &parts, const std::string &figure,
                           const std::string &note) {
  return fmt::format("<div><span>{}</span><div class=\"bar\">{}</div><b>{}</b><em>{}</em></div>", escape(name), parts,
                     figure, note);
}

}  // namespace bp::conformance
