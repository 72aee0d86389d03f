// A file in memory without a copy of it.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/shared_bytes.h"

namespace bp {

// Maps a regular file; its pages are read when they are used. Another program may replace the file by renaming another
// over it, but must not shorten it while the bytes are in use. The bytes begin at a page. Errors: NotFound, Io.
Result<SharedBytes> map_file(const std::string &path);

}  // namespace bp
