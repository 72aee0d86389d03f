// Fuzz driver for the code that reads files before they are trusted: the X-ray and the manifest.
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/host/manifest.h"
#include "core/host/x_ray.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const auto found = bp::host::x_ray(bp::host::MemoryBytes(std::as_bytes(std::span(data, size))));
  if (found.ok()) {
    (void)bp::host::parse_manifest(found->manifest);
  }
  // Reads the same bytes as a manifest, because inputs rarely contain one in a valid ELF file.
  (void)bp::host::parse_manifest({reinterpret_cast<const char *>(data), size});
  return 0;
}
