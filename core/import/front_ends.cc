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
