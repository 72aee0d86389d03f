#include "core/import/stablehlo/bytecode/location_writer.h"

#include "core/import/mlir/byte_writer.h"
#include "core/import/stablehlo/bytecode/codes.h"

namespace bp::import::stablehlo::bytecode {
namespace {

// Readers of earlier versions of StableHLO may be built with an MLIR that knows no ends of locations.
constexpr Version first_with_ends{1, 9, 0};

}  // namespace

std::uint32_t LocationWriter::write(const Location *location) {
  const std::uint32_t place = write_place(location == nullptr ? Location{} : *location);
  if (location == nullptr || location->op_name.empty()) {
    return place;
  }
  mlir::ByteWriter writer(builtin_attribute::NameLocation);
  writer.number(write_string(location->op_name));
  writer.number(place);
  return file_.attribute("builtin", writer.take());
}

std::uint32_t LocationWriter::write_place(const Location &location) {
  mlir::ByteWriter writer;
  const auto number = [&](std::int64_t value) { writer.number(static_cast<std::uint64_t>(value)); };
  if (location.source_file.empty()) {
    writer.number(builtin_attribute::UnknownLocation);
  } else if (location.source_end_line == 0 || target_ < first_with_ends) {
    writer.number(builtin_attribute::FileLineColumnLocation);
    writer.number(write_string(location.source_file));
    number(location.source_line);
    number(location.source_column);
  } else {
    const bool has_end_line = location.source_end_line != location.source_line;
    writer.number(builtin_attribute::FileLineColumnRange);
    writer.number(write_string(location.source_file));
    writer.number(has_end_line ? 4 : 3);
    number(location.source_line);
    number(location.source_column);
    if (has_end_line) {
      number(location.source_end_line);
    }
    number(location.source_end_column);
  }
  return file_.attribute("builtin", writer.take());
}

std::uint32_t LocationWriter::write_string(std::string_view text) {
  mlir::ByteWriter writer(builtin_attribute::String);
  writer.number(file_.string(text));
  return file_.attribute("builtin", writer.take());
}

}  // namespace bp::import::stablehlo::bytecode
