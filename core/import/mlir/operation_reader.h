// Reads the operations of a file of MLIR bytecode.
#pragma once

#include <span>

#include "core/import/mlir/byte_reader.h"
#include "core/import/mlir/file.h"

namespace bp::import::mlir {

struct SectionHeader {
  std::uint8_t id = 0;
  Section section;
};
// Reads a section and continues after it.
Result<SectionHeader> read_section_header(ByteReader &reader);

class OperationReader {
 public:
  // Fills the file's `body` and `value_types`; its tables must be there. `properties`: by number.
  OperationReader(File &file, std::span<const Section> properties) : file_(file), properties_(properties) {}

  Status read(ByteReader &reader);

 private:
  static constexpr int max_depth = 128;
  static constexpr std::uint32_t undefined = ~std::uint32_t{0};

  Status read_block(ByteReader &reader, Region &region);
  Status read_arguments(ByteReader &reader, Region &region);
  Status read_operation(ByteReader &reader, Operation &operation);
  Status read_results(ByteReader &reader, Operation &operation);
  Status read_operands(ByteReader &reader, Operation &operation);
  Status read_regions(ByteReader &reader, Operation &operation);
  Status read_region(ByteReader &reader, Region &region);
  Status skip_use_orders(ByteReader &reader, std::size_t values);
  Status define(ByteReader &reader, std::uint32_t type, std::uint32_t &value);

  File &file_;
  std::span<const Section> properties_;
  // Values that operations may name, by their number in the file: those of the region and of the regions around it, up
  // to an isolated one. `next_` is the number of the value that is defined next.
  std::vector<std::uint32_t> scope_;
  std::size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace bp::import::mlir
