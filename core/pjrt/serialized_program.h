// A compiled program as bytes: the program as the framework gave it, its options, and the artifacts that the backend
// made of it. Loading it compiles again, but takes the artifacts; one that does not fit (another build of the plugin,
// another machine) is made anew.
//
// Format: "BPEXEC1\n", the SHA-256 of the rest, then texts of a 64-bit size each, in little-endian order: the
// platform, the format, the program, the options; then the number of artifacts, and of each its key of 32 bytes and its
// bytes as a text.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/compile/artifact_cache.h"

namespace bp::pjrt {

struct SerializedProgram {
  std::string platform;         // the platform's version: that of Backplane, and the ids of the devices
  std::string format, code;     // as in PJRT_Program
  std::string compile_options;  // as the framework gave them
  compile::MemoryCache::Entries artifacts;
};

std::string serialize(const SerializedProgram &program);
// Fails if the bytes are of something else, damaged or cut off.
Result<SerializedProgram> deserialize(std::string_view bytes);

// Returns a text that is equal for equal programs, options and platforms: a hash in hexadecimal digits.
std::string fingerprint(const SerializedProgram &program);

}  // namespace bp::pjrt
