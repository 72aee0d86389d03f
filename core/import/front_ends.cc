#include "core/import/front_ends.h"

#include <algorithm>

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

}  // namespace

std::span<const FrontEnd *const> front_ends() {
  return table;
}

const FrontEnd *recognize(std::string_view bytes) {
  const auto found =
      std::ranges::find_if(table, [&](const FrontEnd *front_end) { return front_end->recognizes(bytes); });
  return found == std::end(table) ? nullptr : *found;
}

std::optional<std::size_t> find_binary_byte(std::string_view bytes) {
  constexpr std::size_t max_visited = 4096;
  const std::string_view visited = bytes.substr(0, max_visited);
  const auto found = std::ranges::find_if(visited, [](char byte) {
    const auto code = static_cast<unsigned char>(byte);
    return code < 0x20 && !(code >= '\t' && code <= '\r') && code != 0x1b;  // spaces, and the colours of terminals
  });
  return found == visited.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - visited.begin()));
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
