// The style that all HTML pages of Backplane share: light and dark colours, and fonts.
#pragma once

#include <string_view>

namespace bp::conformance {

// Beginning of a style sheet.
inline constexpr std::string_view page_style =
    R"css(:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1e21; --faint: #8a8f98; --line: #d9dce1; --panel: #f5f6f8; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #17191c; --ink: #e8eaed; --faint: #8d939c; --line: #33373d; --panel: #212429; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 13px/1.45 system-ui, sans-serif; }
)css";

}  // namespace bp::conformance
