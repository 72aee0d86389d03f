// Static libraries in the format of `ar`, which linkers take.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace bp::aot {

struct Member {
  std::string name;  // of a file, such as "model.o"
  std::string bytes;
  std::vector<std::string> symbols;  // that it defines for others
};

// Returns the bytes of a library: an index of the symbols, then the members. Equal members give equal bytes.
// Unsupported above 4 GiB, which the index cannot express.
Result<std::string> write_archive(const std::vector<Member> &members);

}  // namespace bp::aot
