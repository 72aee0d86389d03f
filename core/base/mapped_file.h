// Files in memory without a copy of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/shared_bytes.h"

namespace bp {

// Maps a regular file; its pages are read when they are used. Another program may replace the file by renaming another
// over it, but must not shorten it while the bytes are in use. The bytes begin at a page. Errors: NotFound, Io.
Result<SharedBytes> map_file(const std::string &path);

// Reads a whole file: a regular one of at least 16 MiB is mapped, with the conditions of map_file(). Others are copied,
// so that they may be written meanwhile. Errors: NotFound, Io, OutOfMemory for more than half of the machine's memory.
Result<SharedBytes> load_file(const std::string &path);

// Gives back the memory of those pages of a mapped file that lie within a part of it; they are read again if they are
// used. `owner`: of the bytes; nothing happens if they are not those of a mapped file.
void drop_pages(const std::shared_ptr<const void> &owner, std::string_view part);

}  // namespace bp
