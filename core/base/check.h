// BP_CHECK: stop on a bug of ours. Never for bad input, a bad environment or a misbehaving plugin: those get a Result.
#pragma once

namespace bp {

// Prints the broken invariant with its place and aborts.
[[noreturn]] void check_failed(const char *file, int line, const char *condition);

}  // namespace bp

#define BP_CHECK(condition) (static_cast<bool>(condition) ? void() : ::bp::check_failed(__FILE__, __LINE__, #condition))
