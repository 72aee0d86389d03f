// The error about operations of a model that its front end does not know.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace bp::import {

// Returns an error that names all of them at once, with the nearest names that are known. `counts`: by name, in how
// many places of the model each one is. `operation` and `place`: "operator" and "node".
Error unimported(const std::map<std::string, int> &counts, std::span<const std::string_view> known,
                 std::string_view operation, std::string_view place);

}  // namespace bp::import
