// Access to the encoded attributes and types of a file of MLIR bytecode, with limits for hostile files: an attribute
// may contain itself, or be so shared that reading it as a tree takes forever.
#pragma once

#include "core/import/mlir/byte_reader.h"
#include "core/import/mlir/bytecode.h"

namespace bp::import::stablehlo::bytecode {

class Encoding {
 public:
  // The file must outlive this object.
  explicit Encoding(const mlir::File &file);

  const mlir::File &file() const { return file_; }

  // An attribute or a type whose code was read: `reader` continues with its content. While it exists, the
  // depth of nesting is counted.
  class Item {
   public:
    std::string_view dialect;
    std::uint64_t code = 0;
    mlir::ByteReader reader;

    Item(const Item &) = delete;
    Item &operator=(const Item &) = delete;
    Item(Item &&other) noexcept;
    ~Item();

   private:
    friend class Encoding;
    Item(Encoding &encoding, std::string_view bytes, std::size_t offset);
    Encoding *encoding_;
  };
  Result<Item> attribute(std::uint32_t index);
  Result<Item> type(std::uint32_t index);

  // Readers of parts of an item.
  Result<std::string_view> string(mlir::ByteReader &reader) const;
  Result<std::uint32_t> attribute_index(mlir::ByteReader &reader) const;
  Result<std::uint32_t> type_index(mlir::ByteReader &reader) const;
  // Reads a list: its size and each item, by `read`, which returns a Status.
  template <class F>
  static Status read_list(mlir::ByteReader &reader, F &&read) {
    BP_ASSIGN(const std::size_t count, reader.count("items"));
    for (std::size_t i = 0; i < count; ++i) {
      BP_TRY(read());
    }
    return {};
  }
  static Result<std::vector<std::int64_t>> read_numbers(mlir::ByteReader &reader);  // signed

  // Returns the error for an item of a newer version, or of a dialect that is not part of StableHLO.
  Error unknown(const Item &item, std::string_view what) const;

 private:
  static constexpr int max_depth = 200;

  Result<Item> open(const mlir::Encoded &encoded, std::string_view what);

  const mlir::File &file_;
  int depth_ = 0;
  std::size_t items_left_;
};

}  // namespace bp::import::stablehlo::bytecode
