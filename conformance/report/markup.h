// Escaping of text for HTML and XML.
#pragma once

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

}  // namespace bp::conformance
