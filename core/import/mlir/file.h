// The content of a file of MLIR bytecode: tables of strings, dialects, attributes and types, and operations.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace bp::import::mlir {

// Bytes of the file and where they begin in it.
struct Section {
  std::string_view bytes;
  std::size_t offset = 0;
};

// An attribute or a type, encoded by its dialect; or its text, which ends with a zero byte.
struct Encoded {
  std::uint32_t dialect = 0;
  bool is_text = false;
  Section data;
};

struct OperationName {
  std::string_view dialect, name;  // "vhlo", "add_v1"
};

struct Region;

// Numbers of values, attributes and types are indices: of File::value_types, File::attributes and File::types.
struct Operation {
  std::uint32_t name = 0;  // of File::operation_names
  std::size_t offset = 0;  // in the file
  std::uint32_t location = 0;
  std::optional<std::uint32_t> attributes;  // a dictionary
  std::optional<Section> properties;
  boost::container::small_vector<std::uint32_t, 2> operands;
  std::uint32_t first_result = 0, result_count = 0;
  bool is_isolated = false;  // its regions do not name values from outside
  std::vector<Region> regions;
};

// A region of at most one block.
struct Region {
  bool has_block = false;
  std::vector<std::uint32_t> arguments;  // values
  std::vector<Operation> operations;
};

struct File {
  std::uint64_t version = 0;
  std::string_view producer;  // "StableHLO_v1.17.0"
  std::vector<std::string_view> strings;
  std::vector<std::string_view> dialects;  // their names
  std::vector<OperationName> operation_names;
  std::vector<Encoded> attributes, types;
  std::vector<std::uint32_t> value_types;
  Region body;  // the operations of the file, outermost: builtin.module
};

}  // namespace bp::import::mlir
