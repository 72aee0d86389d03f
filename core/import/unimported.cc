#include "core/import/unimported.h"

#include "core/base/suggestion.h"

namespace bp::import {

Error unimported(const std::map<std::string, int> &counts, std::span<const std::string_view> known,
                 std::string_view operation, std::string_view place) {
  std::string list;
  for (const auto &[name, count] : counts) {
    list += fmt::format("{}{} ({} {}{}{})", list.empty() ? "" : ", ", name, count, place, count == 1 ? "" : "s",
                        suggestion(name, known));
  }
  const bool is_one = counts.size() == 1;
  return unsupported("{} {}{} that {} not imported: {}", counts.size(), operation, is_one ? "" : "s",
                     is_one ? "is" : "are", list);
}

}  // namespace bp::import
