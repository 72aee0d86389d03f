// Fuzz driver for recordings, which come from untrusted sources: any bytes are either refused or can be listed.
#include <cstddef>
#include <cstdint>

#include "core/remote/recording.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const auto recording =
      bp::remote::Recording::parse(std::string(reinterpret_cast<const char *>(data), size), "fuzzed");
  if (recording.ok()) {
    for (const bp::remote::RecordedCall &call : (*recording)->calls()) {
      bp_status status = BP_OK;
      (void)(*recording)->list(call, status);
    }
  }
  return 0;
}
