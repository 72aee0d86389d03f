// The X-ray: may this file be loaded as a plugin? Answered without running any of its code (BP-ENTRY-01, BP-ENTRY-02).
#pragma once

#include <string>
#include <vector>

#include "core/host/elf.h"

namespace bp::host {

struct XRay {
  std::string manifest;             // JSON, not yet parsed
  std::vector<std::string> needed;  // libraries the loader brings in
  // Static constructors beside the one that compilers link into every library. They are allowed, but run unasked when
  // the library is loaded.
  std::uint64_t static_constructors = 0;
  std::vector<std::string> sanitizers;  // it was built with: "address", "memory", "thread", "undefined"
};

// Refuses a file that is not a shared library for this machine, has no manifest or more than one, exports anything but
// bp_entry, has GNU_UNIQUE symbols, imports from the core, has text relocations, or wants an executable stack. Messages
// say what was found and what was expected; the caller adds the path.
Result<XRay> x_ray(const ByteSource &bytes);

}  // namespace bp::host
