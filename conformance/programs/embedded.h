// The files of this folder, embedded in the executable that judges backends, so that it needs no source tree.
#pragma once

#include <span>
#include <string_view>

namespace bp::conformance {

struct EmbeddedFile {
  std::string_view name, text;  // "dot.mlir"
};

// Returns the files of this folder, sorted by name.
std::span<const EmbeddedFile> embedded_programs();
// Returns the files of samples/models.
std::span<const EmbeddedFile> embedded_models();
// Returns the files of conformance/workloads.
std::span<const EmbeddedFile> embedded_workloads();

}  // namespace bp::conformance
