// The X-ray: may this file be loaded as a plugin? Answered without running any of its code (BP-ENTRY-01, BP-ENTRY-02).
#pragma once

#include <span>
#include <string>
#include <string_view>
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

// What is asked of a file. Messages say what was found and what was expected; the caller adds the path.
struct XRayRule {
  std::string_view name;  // "one_symbol"
  Status (*check)(const ElfImage &image);
  bool needs_header_only = false;
};
// In the order they are checked.
std::span<const XRayRule> x_ray_rules();

// The file as far as the rules look at it.
Result<ElfImage> read_plugin_elf(const ByteSource &bytes);

// What it says of itself, whether or not it keeps the rules; the manifest is empty if there is none.
XRay describe(const ElfImage &image);

// Refuses a file that breaks a rule.
Result<XRay> x_ray(const ByteSource &bytes);

}  // namespace bp::host
