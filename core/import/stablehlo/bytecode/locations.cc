#include "core/import/stablehlo/bytecode/locations.h"

#include "core/import/stablehlo/bytecode/codes.h"

namespace bp::import::stablehlo::bytecode {
Result<std::shared_ptr<const Location>> LocationReader::read(std::uint32_t attribute) {
  if (!known_[attribute]) {
    BP_ASSIGN(Encoding::Item item, encoding_.attribute(attribute));
    Location location;
    BP_TRY(read_parts(item, location));
    known_[attribute] = location == Location{} ? nullptr : std::make_shared<const Location>(std::move(location));
  }
  return *known_[attribute];
}

Status LocationReader::read_parts(Encoding::Item &item, Location &location) {
  if (item.dialect != "builtin") {
    return encoding_.unknown(item, "location");
  }
  const auto read_inner = [&]() -> Status {
    BP_ASSIGN(const std::uint32_t inner, encoding_.attribute_index(item.reader));
    BP_ASSIGN(const auto found, read(inner));
    if (found != nullptr && location == Location{}) {
      location = *found;
    }
    return {};
  };
  switch (item.code) {
    case builtin_attribute::UnknownLocation: return {};
    case builtin_attribute::FileLineColumnLocation: {
      BP_ASSIGN(location.source_file, read_string(item.reader));
      BP_ASSIGN(const std::uint64_t line, item.reader.number());
      BP_ASSIGN(const std::uint64_t column, item.reader.number());
      location.source_line = static_cast<std::int64_t>(line);
      location.source_column = static_cast<std::int64_t>(column);
      return {};
    }
    case builtin_attribute::FileLineColumnRange: return read_range(item.reader, location);
    case builtin_attribute::NameLocation: {
      BP_ASSIGN(std::string name, read_string(item.reader));
      BP_TRY(read_inner());
      location.op_name = std::move(name);
      return {};
    }
    case builtin_attribute::CallSiteLocation: return read_inner();
    case builtin_attribute::FusedLocation:
    case builtin_attribute::FusedLocationWithMetadata: return Encoding::read_list(item.reader, read_inner);
    default: break;
  }
  return encoding_.unknown(item, "location");
}

// A file, and a list: the first line, the first column, the last line if it is another one, the last column. What is
// zero at its end is omitted.
Status LocationReader::read_range(mlir::ByteReader &reader, Location &location) {
  BP_ASSIGN(location.source_file, read_string(reader));
  std::vector<std::int64_t> numbers;
  BP_TRY(Encoding::read_list(reader, [&]() -> Status {
    BP_ASSIGN(const std::uint64_t number, reader.number());
    numbers.push_back(static_cast<std::int64_t>(number));
    return {};
  }));
  if (numbers.size() > 4) {
    return reader.error("a location of {} numbers, expected at most 4", numbers.size());
  }
  const bool has_end = numbers.size() > 2;
  const bool has_end_line = numbers.size() > 3;
  numbers.resize(4);
  location.source_line = numbers[0];
  location.source_column = numbers[1];
  if (has_end) {
    location.source_end_line = has_end_line ? numbers[2] : numbers[0];
    location.source_end_column = has_end_line ? numbers[3] : numbers[2];
  }
  return {};
}

Result<std::string> LocationReader::read_string(mlir::ByteReader &reader) {
  BP_ASSIGN(const std::uint32_t index, encoding_.attribute_index(reader));
  BP_ASSIGN(Encoding::Item item, encoding_.attribute(index));
  if (item.dialect != "builtin" || item.code != builtin_attribute::String) {
    return encoding_.unknown(item, "name in a location: attribute");
  }
  BP_ASSIGN(const std::string_view text, encoding_.string(item.reader));
  return std::string(text);
}

}  // namespace bp::import::stablehlo::bytecode
