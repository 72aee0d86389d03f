// Facts about the machine.
#pragma once

#include <unistd.h>

#include <cstdint>

namespace bp {

// Returns the bytes of memory of the machine. The system is asked once.
inline std::int64_t machine_memory() {
  static const std::int64_t bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return bytes;
}

}  // namespace bp
