// Detection of leaks: whether an action that is repeated leaves something behind, as opposed to noise.
#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"

namespace bp::conformance {

// `round` repeats the action a number of times and returns a description of what that left behind, empty if nothing.
// Rounds are run until a majority of seven agrees. An error of `round` ends the measurement.
//
// A persistent leak shows in most rounds; a cache that still fills up, a table that doubles, or activity of the system
// shows in one or another. So one clean round proves nothing: memory taken earlier may have been freed during it, or
// the leak may occur only every tenth time. And one round that grows proves nothing either.
Status judge_growth(const std::function<Result<std::string>()> &round);

}  // namespace bp::conformance
