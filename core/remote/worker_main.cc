// backplane-worker: runs a plugin for an application (core/remote/isolate.h), which starts it. Its arguments are the
// number of a socket and the limit of its address space in bytes (0: none).
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/confinement.h"
#include "core/base/restriction.h"
#include "core/remote/server.h"

int main(int argc, char **argv) {
  char *end = nullptr;
  const long descriptor = argc == 3 ? std::strtol(argv[1], &end, 10) : -1;
  if (descriptor < 3 || *end != '\0') {
    std::fputs("backplane-worker: is started by applications that load a backend with --isolate, or isolate\n", stderr);
    return 2;
  }
  // High numbers, so that a plugin that closes descriptors which it does not own is unlikely to close these.
  constexpr int private_descriptor = 700;
  const bp::remote::Descriptor found = bp::remote::open_process(getppid());
  int own = fcntl(static_cast<int>(descriptor), F_DUPFD_CLOEXEC, private_descriptor);
  own = own < 0 ? static_cast<int>(descriptor) : own;
  const bp::remote::Descriptor application(fcntl(found.get(), F_DUPFD_CLOEXEC, own + 1));
  close_range(3, static_cast<unsigned>(own) - 1, 0);  // descriptors that the application has left open
  bp::confine_process(std::strtoll(argv[2], nullptr, 10));
  bp::remote::Channel control{bp::remote::Descriptor(own)};
  control.watch(application.get());
  bp::remote::serve(std::move(control), bp::restrict_process());
}
