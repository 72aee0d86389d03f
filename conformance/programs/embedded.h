// The files of this folder as part of the program that judges backends: it needs no source tree.
#pragma once

#include <span>
#include <string_view>

namespace bp::conformance {

struct EmbeddedFile {
  std::string_view name, text;  // "dot.mlir"
};

// By name.
std::span<const EmbeddedFile> embedded_programs();
// Of samples/models.
std::span<const EmbeddedFile> embedded_models();

}  // namespace bp::conformance
