// The X-ray: checks whether a file may be loaded as a plugin, without running any of its code (BP-ENTRY-01,
// BP-ENTRY-02).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/elf.h"

namespace bp::host {

struct XRay {
  std::string manifest;             // JSON, not yet parsed
  std::vector<std::string> needed;  // libraries that the loader loads with it
  // Number of static constructors besides the one that compilers link into every library. They are allowed, but run
  // when the library is loaded.
  std::uint64_t static_constructors = 0;
  std::vector<std::string> sanitizers;  // that it was built with: "address", "memory", "thread", "undefined"
};

// One requirement for a file. Messages say what was found and what was expected; the caller adds the path.
struct XRayRule {
  std::string_view name;  // "one_symbol"
  Status (*check)(const ElfImage &image);
  bool needs_header_only = false;
};
// Returns the rules in the order in which they are checked.
std::span<const XRayRule> x_ray_rules();

// Reads the parts of the file that the rules check.
Result<ElfImage> read_plugin_elf(const ByteSource &bytes);

// Describes the file, whether or not it satisfies the rules; the manifest is empty if there is none.
XRay describe(const ElfImage &image);

// Fails if the file violates a rule.
Result<XRay> x_ray(const ByteSource &bytes);

}  // namespace bp::host
