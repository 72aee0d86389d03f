// The numbers in files of MLIR bytecode that their reader and their writer share.
#pragma once

#include <cstdint>
#include <string_view>

namespace bp::import::mlir {

inline constexpr std::string_view magic = "ML\xef\x52";
inline constexpr std::uint64_t max_version = 6;

enum class SectionId : std::uint8_t {
  Strings,
  Dialects,
  AttributesAndTypes,
  AttributeAndTypeOffsets,
  Operations,
  Resources,
  ResourceOffsets,
  DialectVersions,
  Properties,
};
inline constexpr std::size_t section_count = 9;

// The parts that follow the name of an operation.
enum OperationPart : std::uint8_t {
  HasAttributes = 0x01,
  HasResults = 0x02,
  HasOperands = 0x04,
  HasSuccessors = 0x08,
  HasRegions = 0x10,
  HasUseOrders = 0x20,
  HasProperties = 0x40,
};

}  // namespace bp::import::mlir
