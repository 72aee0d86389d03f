// Suggestions for names that are misspelled.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace bp {

// Returns ", did you mean 'x'?" with the candidate that is most similar to `wrong`, or an empty text if none is
// similar.
std::string suggestion(std::string_view wrong, std::span<const std::string_view> candidates);

}  // namespace bp
