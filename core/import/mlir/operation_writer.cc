#include "core/import/mlir/operation_writer.h"

#include <utility>

namespace bp::import::mlir {
namespace {

std::uint8_t parts_of(const Operation &operation) {
  int parts = 0;
  parts |= operation.attributes ? HasAttributes : 0;
  parts |= operation.properties ? HasProperties : 0;
  parts |= operation.result_count != 0 ? HasResults : 0;
  parts |= !operation.operands.empty() ? HasOperands : 0;
  parts |= !operation.regions.empty() ? HasRegions : 0;
  return static_cast<std::uint8_t>(parts);
}

}  // namespace

void write_section(ByteWriter &writer, SectionId id, std::string_view bytes) {
  writer.byte(static_cast<std::uint8_t>(id));
  writer.number(bytes.size());
  writer.bytes(bytes);
}

void OperationWriter::write(ByteWriter &writer) {
  write_block(writer, file_.body, 0);
}

void OperationWriter::write_block(ByteWriter &writer, const Region &region, std::uint32_t location) {
  writer.flagged_number(region.operations.size(), !region.arguments.empty());
  if (!region.arguments.empty()) {
    write_arguments(writer, region, location);
  }
  for (const Operation &operation : region.operations) {
    write_operation(writer, operation);
  }
}

void OperationWriter::write_arguments(ByteWriter &writer, const Region &region, std::uint32_t location) {
  writer.number(region.arguments.size());
  for (const std::uint32_t argument : region.arguments) {
    if (file_.version < 4) {
      writer.number(file_.value_types[argument]);
      writer.number(location);
    } else {
      writer.flagged_number(file_.value_types[argument], false);  // no location follows
    }
    numbers_[argument] = next_++;
  }
  if (file_.version >= 3) {
    writer.byte(0);  // no orders of uses
  }
}

void OperationWriter::write_operation(ByteWriter &writer, const Operation &operation) {
  writer.number(operation.name);
  writer.byte(parts_of(operation));
  writer.number(operation.location);
  if (operation.attributes) {
    writer.number(*operation.attributes);
  }
  if (operation.properties) {
    writer.number(properties_number(*operation.properties));
  }
  if (operation.result_count != 0) {
    writer.number(operation.result_count);
    for (std::uint32_t i = 0; i < operation.result_count; ++i) {
      writer.number(file_.value_types[operation.first_result + i]);
      numbers_[operation.first_result + i] = next_++;
    }
  }
  if (!operation.operands.empty()) {
    writer.number(operation.operands.size());
    for (const std::uint32_t operand : operation.operands) {
      writer.number(numbers_[operand]);
    }
  }
  if (!operation.regions.empty()) {
    write_regions(writer, operation);
  }
}

// The regions of an isolated operation are a section of their own.
void OperationWriter::write_regions(ByteWriter &writer, const Operation &operation) {
  writer.flagged_number(operation.regions.size(), operation.is_isolated);
  const auto write_all = [&](ByteWriter &inside) {
    for (const Region &region : operation.regions) {
      write_region(inside, region, operation.location);
    }
  };
  if (!operation.is_isolated) {
    write_all(writer);
    return;
  }
  const std::uint32_t scope = std::exchange(scope_, 0);
  if (file_.version < 2) {
    write_all(writer);
  } else {
    ByteWriter inside;
    write_all(inside);
    write_section(writer, SectionId::Operations, inside.written());
  }
  scope_ = scope;
}

void OperationWriter::write_region(ByteWriter &writer, const Region &region, std::uint32_t location) {
  writer.number(region.has_block ? 1 : 0);
  if (!region.has_block) {
    return;
  }
  std::size_t values = region.arguments.size();
  for (const Operation &operation : region.operations) {
    values += operation.result_count;
  }
  writer.number(values);
  const std::uint32_t next = std::exchange(next_, scope_);
  scope_ += static_cast<std::uint32_t>(values);
  write_block(writer, region, location);
  scope_ -= static_cast<std::uint32_t>(values);
  next_ = next;
}

std::uint32_t OperationWriter::properties_number(const Section &properties) {
  const auto [found, is_new] =
      known_properties_.emplace(properties.bytes, static_cast<std::uint32_t>(properties_.size()));
  if (is_new) {
    properties_.push_back(properties.bytes);
  }
  return found->second;
}

}  // namespace bp::import::mlir
