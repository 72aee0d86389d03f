#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace bp {

void check_failed(const char *file, int line, const char *condition) {
  std::fprintf(stderr, "%s:%d: internal error: this should hold but does not: %s\n", file, line, condition);
  std::abort();
}

}  // namespace bp
