#include "core/import/front_ends.h"

#include <algorithm>

#include "core/import/foreign_formats.h"

namespace bp::import {

#define BP_FRONT_END(folder)       \
  namespace folder {               \
  extern const FrontEnd front_end; \
  }
#include "core/import/front_ends.def"

namespace {

constexpr const FrontEnd *table[] = {
#define BP_FRONT_END(folder) &folder::front_end,
#include "core/import/front_ends.def"
};

// Returns "HLO text, StableHLO or ONNX".
std::string names_of_formats() {
  std::string names;
  for (const FrontEnd *front_end : table) {
    const bool is_last = front_end == *std::rbegin(table);
    names += fmt::format("{}{}", names.empty() ? "" : is_last ? " or " : ", ", front_end->description);
  }
  return names;
}

// Returns the offset of the first NUL byte near the beginning, which no text contains; npos if there is none.
std::size_t find_nul(std::string_view bytes) {
  constexpr std::size_t max_visited = 4096;
  return bytes.substr(0, max_visited).find('\0');
}

}  // namespace

std::span<const FrontEnd *const> front_ends() {
  return table;
}

Result<const FrontEnd *> find_front_end(std::string_view bytes, const std::string &file) {
  if (const ForeignFormat *format = find_foreign_format(bytes)) {
    return invalid_input("{}: {}, expected {}", file, format->name, names_of_formats()).note(std::string(format->road));
  }
  const auto found =
      std::ranges::find_if(table, [&](const FrontEnd *front_end) { return front_end->recognizes(bytes); });
  if (found != std::end(table)) {
    return *found;
  }
  const std::size_t nul = find_nul(bytes);
  return invalid_input("{}: {}, expected {}", file,
                       nul == std::string_view::npos ? std::string("no program")
                                                     : fmt::format("a binary file (there is a 0 at offset {})", nul),
                       names_of_formats());
}

std::vector<Source> split(const FrontEnd &front_end, std::string_view bytes, const std::string &file) {
  std::vector<Source> parts;
  if (front_end.split != nullptr) {
    parts = front_end.split(bytes, file);
  }
  if (parts.empty()) {  // what contains no program is itself the only part, which the reader will reject
    parts.push_back({bytes, 1, bytes, file});
  }
  return parts;
}

}  // namespace bp::import
