#include "core/import/mlir/operation_reader.h"

#include <utility>

#include "core/import/mlir/format.h"

namespace bp::import::mlir {
// An alignment is that of the file: where the section begins has been padded to it.
Result<SectionHeader> read_section_header(ByteReader &reader) {
  constexpr std::uint8_t has_alignment = 0x80;
  constexpr std::uint64_t max_alignment = 1 << 16;
  SectionHeader header;
  BP_ASSIGN(header.id, reader.byte());
  BP_ASSIGN(const std::uint64_t size, reader.number());
  if ((header.id & has_alignment) != 0) {
    header.id &= static_cast<std::uint8_t>(~has_alignment);
    BP_ASSIGN(const std::uint64_t alignment, reader.number());
    if (alignment == 0 || alignment > max_alignment || (alignment & (alignment - 1)) != 0) {
      return reader.error("an alignment of {}, expected a power of two of at most {}", alignment, max_alignment);
    }
    while (reader.offset() % alignment != 0) {
      BP_TRY(reader.byte());
    }
  }
  header.section.offset = reader.offset();
  BP_ASSIGN(header.section.bytes, reader.bytes(size));
  return header;
}

Status OperationReader::read(ByteReader &reader) {
  BP_TRY(read_block(reader, file_.body));
  return reader.expect_end("the operations");
}

Status OperationReader::read_block(ByteReader &reader, Region &region) {
  region.has_block = true;
  BP_ASSIGN(const ByteReader::Flagged operations, reader.flagged_number());
  if (operations.value > reader.left()) {
    return reader.error("{} operations, but {} bytes are left", operations.value, reader.left());
  }
  if (operations.flag) {
    BP_TRY(read_arguments(reader, region));
  }
  for (std::uint64_t i = 0; i < operations.value; ++i) {
    BP_TRY(read_operation(reader, region.operations.emplace_back()));
  }
  return {};
}

Status OperationReader::read_arguments(ByteReader &reader, Region &region) {
  BP_ASSIGN(const std::size_t count, reader.count("arguments"));
  region.arguments.resize(count);
  for (std::uint32_t &argument : region.arguments) {
    ByteReader::Flagged type{0, true};  // the flag: a location follows
    if (file_.version < 4) {
      BP_ASSIGN(type.value, reader.number());
    } else {
      BP_ASSIGN(type, reader.flagged_number());
    }
    if (type.value >= file_.types.size()) {
      return reader.error("type {} of {}", type.value, file_.types.size());
    }
    if (type.flag) {
      BP_TRY(reader.index(file_.attributes.size(), "attributes"));
    }
    BP_TRY(define(reader, static_cast<std::uint32_t>(type.value), argument));
  }
  if (file_.version >= 3) {
    BP_ASSIGN(const std::uint8_t has_use_orders, reader.byte());
    if (has_use_orders != 0) {
      BP_TRY(skip_use_orders(reader, count));
    }
  }
  return {};
}

Status OperationReader::read_operation(ByteReader &reader, Operation &operation) {
  operation.offset = reader.offset();
  BP_ASSIGN(operation.name, reader.index(file_.operation_names.size(), "operation names"));
  BP_ASSIGN(const std::uint8_t parts, reader.byte());
  BP_ASSIGN(operation.location, reader.index(file_.attributes.size(), "attributes"));
  if ((parts & HasAttributes) != 0) {
    BP_ASSIGN(operation.attributes, reader.index(file_.attributes.size(), "attributes"));
  }
  if ((parts & HasProperties) != 0) {
    BP_ASSIGN(const std::uint32_t index, reader.index(properties_.size(), "properties"));
    operation.properties = properties_[index];
  }
  const std::size_t first_number = next_;
  if ((parts & HasResults) != 0) {
    BP_TRY(read_results(reader, operation));
  }
  if ((parts & HasOperands) != 0) {
    BP_TRY(read_operands(reader, operation));
  }
  if ((parts & HasSuccessors) != 0) {
    return reader.error("an operation that jumps to other blocks, expected regions of one block");
  }
  if ((parts & HasUseOrders) != 0) {
    BP_TRY(skip_use_orders(reader, operation.result_count));
  }
  if ((parts & HasRegions) != 0) {
    BP_TRY(read_regions(reader, operation));
  }
  for (std::uint32_t i = 0; i < operation.result_count; ++i) {
    scope_[first_number + i] = operation.first_result + i;
  }
  return {};
}

// Results get their numbers before the operation's regions, which do not see them yet.
Status OperationReader::read_results(ByteReader &reader, Operation &operation) {
  BP_ASSIGN(const std::size_t count, reader.count("results"));
  if (count > scope_.size() - next_) {
    return reader.error("a region defines more than {} values", scope_.size());
  }
  next_ += count;
  operation.result_count = static_cast<std::uint32_t>(count);
  operation.first_result = static_cast<std::uint32_t>(file_.value_types.size());
  for (std::size_t i = 0; i < count; ++i) {
    BP_ASSIGN(const std::uint32_t type, reader.index(file_.types.size(), "types"));
    file_.value_types.push_back(type);
  }
  return {};
}

Status OperationReader::read_operands(ByteReader &reader, Operation &operation) {
  BP_ASSIGN(const std::size_t count, reader.count("operands"));
  for (std::size_t i = 0; i < count; ++i) {
    BP_ASSIGN(const std::uint32_t number, reader.index(scope_.size(), "values"));
    const std::uint32_t value = scope_[number];
    if (value == undefined) {
      return reader.error("value {} is not defined before its use", number);
    }
    operation.operands.push_back(value);
  }
  return {};
}

// The regions of an isolated operation do not name values from outside, and are a section of their own.
Status OperationReader::read_regions(ByteReader &reader, Operation &operation) {
  BP_ASSIGN(const ByteReader::Flagged regions, reader.flagged_number());
  if (regions.value > reader.left()) {
    return reader.error("{} regions, but {} bytes are left", regions.value, reader.left());
  }
  if (depth_ == max_depth) {
    return reader.error("regions are nested more than {} deep", max_depth);
  }
  ++depth_;
  operation.is_isolated = regions.flag;
  operation.regions.resize(regions.value);
  const auto read_all = [&](ByteReader &inside) -> Status {
    for (Region &region : operation.regions) {
      BP_TRY(read_region(inside, region));
    }
    return {};
  };
  if (!regions.flag) {
    BP_TRY(read_all(reader));
  } else {
    std::vector<std::uint32_t> outside = std::exchange(scope_, {});
    const std::size_t next = std::exchange(next_, 0);
    if (file_.version < 2) {
      BP_TRY(read_all(reader));
    } else {
      BP_ASSIGN(const SectionHeader nested, read_section_header(reader));
      if (nested.id != static_cast<std::uint8_t>(SectionId::Operations)) {
        return reader.error("section {} in place of regions, expected {}", nested.id,
                            static_cast<int>(SectionId::Operations));
      }
      ByteReader inside(nested.section.bytes, nested.section.offset);
      BP_TRY(read_all(inside));
      BP_TRY(inside.expect_end("the regions of an operation"));
    }
    scope_ = std::move(outside);
    next_ = next;
  }
  --depth_;
  return {};
}

// Values of a region are numbered after all values of the regions around it, also those that are defined later.
Status OperationReader::read_region(ByteReader &reader, Region &region) {
  BP_ASSIGN(const std::uint64_t blocks, reader.number());
  if (blocks == 0) {
    return {};
  }
  if (blocks > 1) {
    return Error(ErrorCode::Unsupported,
                 fmt::format("byte {}: a region of {} blocks, expected one", reader.offset(), blocks));
  }
  BP_ASSIGN(const std::size_t values, reader.count("values"));
  const std::size_t begin = scope_.size(), next = std::exchange(next_, begin);
  scope_.resize(begin + values, undefined);
  BP_TRY(read_block(reader, region));
  if (next_ != scope_.size()) {
    return reader.error("a region defines {} values, expected {}", next_ - begin, values);
  }
  scope_.resize(begin);
  next_ = next;
  return {};
}

// The order of the uses of each value; nothing depends on it.
Status OperationReader::skip_use_orders(ByteReader &reader, std::size_t values) {
  std::size_t count = 1;
  if (values > 1) {
    BP_ASSIGN(count, reader.count("orders of uses"));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (values > 1) {
      BP_TRY(reader.number());
    }
    BP_ASSIGN(const ByteReader::Flagged uses, reader.flagged_number());
    for (std::uint64_t use = 0; use < uses.value; ++use) {
      BP_TRY(reader.number());
    }
  }
  return {};
}

Status OperationReader::define(ByteReader &reader, std::uint32_t type, std::uint32_t &value) {
  if (next_ == scope_.size()) {
    return reader.error("a region defines more than {} values", scope_.size());
  }
  value = static_cast<std::uint32_t>(file_.value_types.size());
  file_.value_types.push_back(type);
  scope_[next_++] = value;
  return {};
}

}  // namespace bp::import::mlir
