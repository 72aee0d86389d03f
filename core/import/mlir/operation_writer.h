// Writes the operations of a file of MLIR bytecode.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/import/mlir/byte_writer.h"
#include "core/import/mlir/file.h"
#include "core/import/mlir/format.h"

namespace bp::import::mlir {

void write_section(ByteWriter &writer, SectionId id, std::string_view bytes);

class OperationWriter {
 public:
  explicit OperationWriter(const File &file) : file_(file), numbers_(file.value_types.size()) {}

  void write(ByteWriter &writer);
  // The properties that operations name by number, once they are written.
  std::span<const std::string_view> properties() const { return properties_; }

 private:
  void write_block(ByteWriter &writer, const Region &region, std::uint32_t location);
  void write_arguments(ByteWriter &writer, const Region &region, std::uint32_t location);
  void write_operation(ByteWriter &writer, const Operation &operation);
  void write_regions(ByteWriter &writer, const Operation &operation);
  void write_region(ByteWriter &writer, const Region &region, std::uint32_t location);
  std::uint32_t properties_number(const Section &properties);

  const File &file_;
  std::vector<std::uint32_t> numbers_;  // of values in the file, by index
  // Values are numbered by region, after those of the regions around it, up to an isolated one: `scope_` is how many
  // values those and the current region define.
  std::uint32_t next_ = 0, scope_ = 0;
  std::vector<std::string_view> properties_;
  std::unordered_map<std::string_view, std::uint32_t> known_properties_;
};

}  // namespace bp::import::mlir
