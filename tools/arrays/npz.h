// Several arrays with names in one file, NumPy's .npz: a zip archive of .npy files.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/machine.h"
#include "core/base/result.h"
#include "core/ir/literal.h"

namespace bp::arrays {

bool is_npz(std::string_view bytes);

// Returns the names of the .npy files in it, without that ending, and their bytes, in the order of the archive. `file`:
// for messages. OutOfMemory if they have more than `limit` bytes in all: a small archive may hold zeros that fill the
// memory.
Result<std::vector<std::pair<std::string, std::string>>> read_npz(
    std::string_view bytes, const std::string &file,
    std::uint64_t limit = static_cast<std::uint64_t>(machine_memory()) / 4);

// Replaces a file.
Status write_npz(const std::string &file, const std::vector<std::pair<std::string, ir::Literal>> &arrays);

}  // namespace bp::arrays
