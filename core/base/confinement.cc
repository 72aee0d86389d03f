#include "core/base/confinement.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>

#include "core/base/sanitizers.h"

namespace bp {

void die_of_signals() {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, SIG_DFL);
  }
}

void confine_process(std::int64_t bytes) {
  setpgid(0, 0);
  if (!BP_SANITIZES_MEMORY && bytes > 0) {
    const auto most = static_cast<rlim_t>(bytes);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_AS, &limit);
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  die_of_signals();
}

}  // namespace bp
