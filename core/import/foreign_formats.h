// Formats of models that no front end reads, and the roads by which such models reach Backplane.
#pragma once

#include <span>
#include <string_view>

namespace bp::import {

struct ForeignFormat {
  std::string_view name;  // "a PyTorch archive"
  std::string_view road;  // what to do, for people
  bool (*recognizes)(std::string_view bytes);
};

std::span<const ForeignFormat> foreign_formats();
// Returns the format of a file; nullptr if it is not known.
const ForeignFormat *find_foreign_format(std::string_view bytes);

}  // namespace bp::import
