// Writes locations: the counterpart of LocationReader.
#pragma once

#include "core/import/mlir/file_builder.h"
#include "core/import/stablehlo/bytecode/vhlo.h"
#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo::bytecode {

class LocationWriter {
 public:
  LocationWriter(mlir::FileBuilder &file, Version target) : file_(file), target_(target) {}

  // Returns the index of the location, an attribute. nullptr: nothing is known.
  std::uint32_t write(const Location *location);

 private:
  std::uint32_t write_place(const Location &location);
  std::uint32_t write_string(std::string_view text);

  mlir::FileBuilder &file_;
  Version target_;
};

}  // namespace bp::import::stablehlo::bytecode
