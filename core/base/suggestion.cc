#include "core/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace bp {

std::string suggestion(std::string_view wrong, std::span<const std::string_view> candidates) {
  if (wrong.size() > 64) {
    return {};
  }
  std::size_t best = wrong.size() / 3 + 2;  // more edits are not a misspelling
  std::string_view nearest;
  for (std::string_view candidate : candidates) {
    // Levenshtein distance, one row at a time.
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < wrong.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        std::size_t substituted = diagonal + (wrong[i] == candidate[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
      }
    }
    if (row.back() < best) {
      best = row.back();
      nearest = candidate;
    }
  }
  return nearest.empty() ? std::string() : fmt::format(", did you mean '{}'?", nearest);
}

}  // namespace bp
