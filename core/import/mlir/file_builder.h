// Makes the content of a file of MLIR bytecode, from which it can be written. Equal strings, attributes and types are
// in it once.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>

#include "core/import/mlir/file.h"

namespace bp::import::mlir {

class FileBuilder {
 public:
  // `version`: the version of MLIR bytecode. `producer`: name of the tool that writes the file.
  FileBuilder(std::uint64_t version, std::string_view producer);
  FileBuilder(const FileBuilder &) = delete;
  FileBuilder &operator=(const FileBuilder &) = delete;

  // Returns the index of what is added, or of its equal. Attributes and types are bytes, as their dialect encodes them.
  std::uint32_t string(std::string_view text);
  std::uint32_t dialect(std::string_view name);
  std::uint32_t operation_name(std::string_view dialect, std::string_view name);
  std::uint32_t attribute(std::string_view dialect, std::string bytes);
  std::uint32_t type(std::string_view dialect, std::string bytes);

  // Adds a value; its type is an index of a type.
  std::uint32_t value(std::uint32_t type);
  // Keeps the bytes of the properties of an operation as long as this object exists.
  Section properties(std::string bytes);

  // Refers to this object. The caller fills its body.
  File &file() { return file_; }

 private:
  using Indices = std::unordered_map<std::string, std::uint32_t>;
  std::uint32_t add_encoded(std::vector<Encoded> &list, Indices &known, std::string_view dialect, std::string bytes);
  std::string_view keep(std::string_view text) { return kept_.emplace_back(text); }

  File file_;
  std::deque<std::string> kept_;
  Indices strings_, dialects_, operation_names_, attributes_, types_;
};

}  // namespace bp::import::mlir
