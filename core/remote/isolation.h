// Isolation: the limits of a plugin that runs in a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

namespace bp::remote {

struct Isolation {
  double seconds = 0;                                          // time that a call may take; 0: unlimited
  std::int64_t bytes = 0;                                      // address space of the worker; 0: unlimited
  bool lends_memory = true;                                    // to a device without any, see isolate.h
  std::set<std::string, std::less<>> withdrawn_services = {};  // services that the host does not offer, for tests
  std::uint32_t thread_count = 0;                              // of the worker's pool; 0: see BackendOptions
  bool is_strict = false;  // whether it is an error, not a warning, if the system cannot restrict the worker
};

}  // namespace bp::remote
