#include "core/import/stablehlo/bytecode/encoding.h"

#include <utility>

#include "core/import/stablehlo/bytecode/vhlo.h"

namespace bp::import::stablehlo::bytecode {
namespace {

// Attributes and types that are read in all, per byte of the file: each is read where it is used.
constexpr std::size_t items_per_byte = 64;

}  // namespace

Encoding::Encoding(const mlir::File &file) : file_(file), items_left_(1 << 16) {
  for (const auto *list : {&file.attributes, &file.types}) {
    for (const mlir::Encoded &encoded : *list) {
      items_left_ += (1 + encoded.data.bytes.size()) * items_per_byte;
    }
  }
  items_left_ += file.value_types.size() * items_per_byte;
}

Encoding::Item::Item(Encoding &encoding, std::string_view bytes, std::size_t offset)
    : reader(bytes, offset), encoding_(&encoding) {
  ++encoding.depth_;
}

Encoding::Item::Item(Item &&other) noexcept
    : dialect(other.dialect),
      code(other.code),
      reader(other.reader),
      encoding_(std::exchange(other.encoding_, nullptr)) {}

Encoding::Item::~Item() {
  if (encoding_ != nullptr) {
    --encoding_->depth_;
  }
}

Result<Encoding::Item> Encoding::attribute(std::uint32_t index) {
  return open(file_.attributes[index], "attribute");
}

Result<Encoding::Item> Encoding::type(std::uint32_t index) {
  return open(file_.types[index], "type");
}

Result<Encoding::Item> Encoding::open(const mlir::Encoded &encoded, std::string_view what) {
  Item item(*this, encoded.data.bytes, encoded.data.offset);
  item.dialect = file_.dialects[encoded.dialect];
  if (encoded.is_text) {
    return Error(ErrorCode::Unsupported,
                 fmt::format("byte {}: the {} of dialect '{}' is stored as text, '{}'", encoded.data.offset, what,
                             item.dialect, encoded.data.bytes.substr(0, encoded.data.bytes.find('\0'))));
  }
  if (depth_ > max_depth) {
    return item.reader.error("an {} nested more than {} deep, or in itself", what, max_depth);
  }
  if (items_left_-- == 0) {
    items_left_ = 0;
    return item.reader.error("attributes and types contain each other so often that they take too long to read");
  }
  BP_ASSIGN(item.code, item.reader.number());
  return item;
}

Result<std::string_view> Encoding::string(mlir::ByteReader &reader) const {
  BP_ASSIGN(const std::uint32_t index, reader.index(file_.strings.size(), "strings"));
  return file_.strings[index];
}

Result<std::uint32_t> Encoding::attribute_index(mlir::ByteReader &reader) const {
  return reader.index(file_.attributes.size(), "attributes");
}

Result<std::uint32_t> Encoding::type_index(mlir::ByteReader &reader) const {
  return reader.index(file_.types.size(), "types");
}

Result<std::vector<std::int64_t>> Encoding::read_numbers(mlir::ByteReader &reader) {
  std::vector<std::int64_t> numbers;
  BP_TRY(read_list(reader, [&]() -> Status {
    BP_ASSIGN(const std::int64_t number, reader.signed_number());
    numbers.push_back(number);
    return {};
  }));
  return numbers;
}

Error Encoding::unknown(const Item &item, std::string_view what) const {
  return Error(
      ErrorCode::Unsupported,
      fmt::format("byte {}: {} {} of dialect '{}' is not known: the file is by {}, this reads StableHLO {} to {}",
                  item.reader.offset(), what, item.code, item.dialect, file_.producer, to_string(oldest_version),
                  to_string(newest_version)));
}

}  // namespace bp::import::stablehlo::bytecode
