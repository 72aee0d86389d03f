// Reads locations: the origin of operations in the program of the framework.
#pragma once

#include <memory>

#include "core/import/stablehlo/bytecode/encoding.h"
#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo::bytecode {

class LocationReader {
 public:
  explicit LocationReader(Encoding &encoding) : encoding_(encoding), known_(encoding.file().attributes.size()) {}

  // Returns nullptr if nothing is known. Calls are the location of the callee, as in text.
  Result<std::shared_ptr<const Location>> read(std::uint32_t attribute);

 private:
  Status read_parts(Encoding::Item &item, Location &location);
  Status read_range(mlir::ByteReader &reader, Location &location);
  Result<std::string> read_string(mlir::ByteReader &reader);

  Encoding &encoding_;
  std::vector<std::optional<std::shared_ptr<const Location>>> known_;  // by attribute; those that have been read
};

}  // namespace bp::import::stablehlo::bytecode
