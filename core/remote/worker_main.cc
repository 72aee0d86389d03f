// backplane-worker: runs a plugin for an application (core/remote/isolate.h), which starts it. Its one argument is the
// number of a socket.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/confinement.h"
#include "core/remote/server.h"

int main(int argc, char **argv) {
  char *end = nullptr;
  const long descriptor = argc == 3 ? std::strtol(argv[1], &end, 10) : -1;
  if (descriptor < 3 || *end != '\0') {
    std::fputs("backplane-worker: is started by applications that load a backend with --isolate, or isolate\n", stderr);
    return 2;
  }
  // Where a plugin that closes what is not its own will hardly meet it.
  constexpr int private_descriptor = 700;
  int own = fcntl(static_cast<int>(descriptor), F_DUPFD_CLOEXEC, private_descriptor);
  own = own < 0 ? static_cast<int>(descriptor) : own;
  close_range(3, static_cast<unsigned>(own) - 1, 0);  // what the application has left open
  bp::confine_process(std::strtoll(argv[2], nullptr, 10));
  bp::remote::serve(bp::remote::Channel(bp::remote::Descriptor(own)));
}
