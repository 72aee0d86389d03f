// The attributes of a custom call, as foreign functions get them.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/import/stablehlo/syntax.h"
#include "core/pjrt/xla_ffi_c_api.h"

namespace bp::pjrt {

class ForeignAttributes {
 public:
  // Reads a dictionary in MLIR's syntax, {index = 3 : i64, name = "x"}; an empty text has no attributes. Fails, naming
  // the attribute, if the interface cannot express one: numbers, texts, and lists and dictionaries of these.
  Status read(std::string_view dictionary);

  // Valid as long as this object.
  XLA_FFI_Attrs view() const;

 private:
  using Attribute = import::stablehlo::Attribute;
  struct Entry {
    std::string name;
    XLA_FFI_ByteSpan name_span{};
    XLA_FFI_AttrType type{};
    void *value = nullptr;
  };

  Status read(const import::stablehlo::Dictionary &dictionary);
  Result<std::pair<XLA_FFI_AttrType, void *>> convert(const Attribute &attribute);
  Result<void *> array(const std::vector<Attribute> &list, ir::ElementType type);
  // Keeps a copy of the bytes.
  void *keep(std::span<const std::byte> bytes);

  // Deques, because pointers to the elements are handed out.
  std::deque<Entry> entries_;
  std::deque<std::vector<std::byte>> bytes_;
  std::deque<XLA_FFI_Scalar> scalars_;
  std::deque<XLA_FFI_Array> arrays_;
  std::deque<XLA_FFI_ByteSpan> texts_;
  std::deque<ForeignAttributes> dictionaries_;
  std::deque<XLA_FFI_Attrs> views_;  // of dictionaries_
  // By entry, in ascending order of the names.
  std::vector<XLA_FFI_AttrType> types_;
  std::vector<XLA_FFI_ByteSpan *> names_;
  std::vector<void *> values_;
};

}  // namespace bp::pjrt
