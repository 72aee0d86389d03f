// The X-ray: may this file be loaded as a plugin? Answered without running any of its code (BP-ENTRY-01, BP-ENTRY-02).
#pragma once

#include <string>
#include <vector>

#include "core/host/elf.h"

namespace bp::host {

struct XRay {
  std::string manifest;             // JSON, not yet parsed
  std::vector<std::string> needed;  // libraries the loader brings in
};

// Refuses a file that is not a shared library for this machine, has no manifest or more than one, exports anything but
// bp_entry, has GNU_UNIQUE symbols, imports from the core, has text relocations, or wants an executable stack. Messages
// say what was found and what was expected; the caller adds the path.
Result<XRay> x_ray(const ByteSource &bytes);

}  // namespace bp::host
