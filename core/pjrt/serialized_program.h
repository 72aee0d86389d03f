// A compiled program as bytes: a package (core/package) with the program as the framework gave it, and its options, in
// sections of their own. Loading it compiles nothing; if the package does not fit (another build of the plugin, another
// machine), the program is compiled anew.
#pragma once

#include <string>
#include <string_view>

#include "core/backplane.h"
#include "core/base/result.h"

namespace bp::pjrt {

// The source of an executable.
struct SourceProgram {
  std::string platform;         // the platform's version: that of Backplane, and the ids of the devices
  std::string format, code;     // as in PJRT_Program
  std::string compile_options;  // as the framework gave them
};

// The executable was compiled with keep_artifacts, or loaded from a package.
Result<std::string> serialize(const SourceProgram &source, const Executable &executable);

struct SerializedProgram {
  SourceProgram source;
  Package package;
};
// Fails if the bytes, which are copied, are of something else, damaged or cut off.
Result<SerializedProgram> deserialize(std::string_view bytes);

// Returns a text that is equal for equal programs, options and platforms: a hash in hexadecimal digits.
std::string fingerprint(const SourceProgram &source);

}  // namespace bp::pjrt
