// The part of a header that is the same for all programs: what an application that links several of them has once.
#pragma once

#include <string_view>

namespace bp::aot {

// C99, inside of extern "C".
extern const std::string_view common_declarations;

}  // namespace bp::aot
