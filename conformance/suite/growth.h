// Whether what is done again and again leaves something behind: a leak is told from noise.
#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"

namespace bp::conformance {

// `round` does it a number of times, and says what that has left behind: empty if nothing. Rounds are run until most of
// seven agree. Its errors end this at once.
//
// A leak that goes on shows in most rounds; a cache that still fills up, a table that doubles, or what the system does
// meanwhile shows in one or another. So one clean round proves nothing: perhaps memory was given back during it that was
// taken before, or the leak is one of every tenth time. And one round that grows proves nothing either.
Status judge_growth(const std::function<Result<std::string>()> &round);

}  // namespace bp::conformance
