// BP_CHECK aborts on a bug of this code base. It is never used for bad input, a bad environment or a misbehaving
// plugin: those return a Result.
#pragma once

namespace bp {

// Prints the violated condition with its file and line, and aborts.
[[noreturn]] void check_failed(const char *file, int line, const char *condition);

}  // namespace bp

#define BP_CHECK(condition) (static_cast<bool>(condition) ? void() : ::bp::check_failed(__FILE__, __LINE__, #condition))
