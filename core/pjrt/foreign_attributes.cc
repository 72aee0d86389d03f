#include "core/pjrt/foreign_attributes.h"

#include <algorithm>

#include "core/import/stablehlo/mlir_text.h"
#include "core/import/stablehlo/syntax_reader.h"

namespace bp::pjrt {
namespace {

using import::stablehlo::Attribute;
using import::stablehlo::Dictionary;
using import::stablehlo::Elements;
using ir::ElementType;

// The numbers of element types are those of xla.PrimitiveType.
XLA_FFI_DataType data_type(ElementType type) {
  return static_cast<XLA_FFI_DataType>(type);
}

// Returns a number as an array of one element; nothing if the attribute is not a number.
Result<ir::Literal> number(const Attribute &attribute, ElementType list_type) {
  const auto make = [](ElementType type, auto value) {
    ir::Literal literal = ir::Literal::zeros(ir::Shape::scalar(type)).value();
    ir::visit_element_type(type, [&]<class T>() {
      T &element = literal.mutable_elements<T>()[0];
      if constexpr (std::is_same_v<T, bool>) {
        element = value != 0;
      } else if constexpr (std::is_integral_v<T>) {
        element = static_cast<T>(value);
      } else if constexpr (requires { T::is_signed; }) {
        element = T(static_cast<std::int64_t>(value));
      } else {
        element = T(static_cast<double>(value));
      }
    });
    return literal;
  };
  const auto type_or = [&](ElementType type) {
    return attribute.type != ElementType::Invalid ? attribute.type
           : list_type != ElementType::Invalid    ? list_type
                                                  : type;
  };
  if (const auto *value = attribute.get<bool>()) {
    return make(ElementType::Pred, *value);
  }
  if (const auto *value = attribute.get<std::int64_t>()) {
    return make(type_or(ElementType::S64), *value);
  }
  if (const auto *value = attribute.get<double>()) {
    return make(type_or(ElementType::F64), *value);
  }
  return unsupported("{}, expected a number", import::stablehlo::mlir_text(attribute));
}

}  // namespace

Status ForeignAttributes::read(std::string_view dictionary) {
  if (dictionary.empty()) {
    return {};
  }
  import::stablehlo::SyntaxReader reader(dictionary, "backend_config", 1);
  if (!reader.tokens().is('{')) {
    return invalid_input("backend_config is {}, expected a dictionary, as in {{index = 3 : i64}}", dictionary);
  }
  BP_ASSIGN(const Dictionary read_dictionary, reader.read_dictionary());
  return read(read_dictionary);
}

Status ForeignAttributes::read(const Dictionary &dictionary) {
  for (const import::stablehlo::NamedAttribute &named : dictionary.entries) {
    auto converted = convert(named.value);
    if (!converted.ok()) {
      return std::move(converted).error().note(fmt::format("in the attribute '{}'", named.name));
    }
    entries_.push_back({std::string(named.name), {}, converted->first, converted->second});
  }
  std::vector<Entry *> sorted;
  for (Entry &entry : entries_) {
    entry.name_span = {entry.name.data(), entry.name.size()};
    sorted.push_back(&entry);
  }
  std::ranges::sort(sorted, {}, &Entry::name);
  for (Entry *entry : sorted) {
    types_.push_back(entry->type);
    names_.push_back(&entry->name_span);
    values_.push_back(entry->value);
  }
  return {};
}

Result<std::pair<XLA_FFI_AttrType, void *>> ForeignAttributes::convert(const Attribute &attribute) {
  using Converted = std::pair<XLA_FFI_AttrType, void *>;
  if (const auto *text = attribute.get<std::string>()) {
    void *kept = keep(std::as_bytes(std::span(*text)));
    texts_.push_back({static_cast<const char *>(kept), text->size()});
    return Converted(XLA_FFI_AttrType_STRING, &texts_.back());
  }
  if (const auto *dictionary = attribute.get<Dictionary>()) {
    BP_TRY(dictionaries_.emplace_back().read(*dictionary));
    views_.push_back(dictionaries_.back().view());
    return Converted(XLA_FFI_AttrType_DICTIONARY, &views_.back());
  }
  if (const auto *list = attribute.get<std::vector<Attribute>>()) {
    BP_ASSIGN(void *converted, array(*list, attribute.type));
    return Converted(XLA_FFI_AttrType_ARRAY, converted);
  }
  if (const auto *elements = attribute.get<Elements>()) {
    const auto count = static_cast<std::size_t>(elements->type.shape.element_count());
    std::vector<std::byte> &bytes = bytes_.emplace_back();
    for (std::size_t i = 0; i < (elements->is_splat() ? count : 1); ++i) {
      bytes.insert(bytes.end(), elements->literal.bytes().begin(), elements->literal.bytes().end());
    }
    arrays_.push_back({data_type(elements->literal.shape().element_type()), count, bytes.data()});
    return Converted(XLA_FFI_AttrType_ARRAY, &arrays_.back());
  }
  BP_ASSIGN(const ir::Literal value, number(attribute, ElementType::Invalid));
  scalars_.push_back({data_type(value.shape().element_type()), keep(value.bytes())});
  return Converted(XLA_FFI_AttrType_SCALAR, &scalars_.back());
}

Result<void *> ForeignAttributes::array(const std::vector<Attribute> &list, ElementType type) {
  std::vector<std::byte> &bytes = bytes_.emplace_back();
  ElementType element_type = type == ElementType::Invalid ? ElementType::S64 : type;
  for (std::size_t i = 0; i < list.size(); ++i) {
    BP_ASSIGN(const ir::Literal value, number(list[i], type));
    const ElementType found = value.shape().element_type();
    if (i > 0 && found != element_type) {
      return unsupported("a list of {} and {}, expected elements of one type", to_string(element_type),
                         to_string(found));
    }
    element_type = found;
    bytes.insert(bytes.end(), value.bytes().begin(), value.bytes().end());
  }
  arrays_.push_back({data_type(element_type), list.size(), bytes.data()});
  return &arrays_.back();
}

void *ForeignAttributes::keep(std::span<const std::byte> bytes) {
  return bytes_.emplace_back(bytes.begin(), bytes.end()).data();
}

XLA_FFI_Attrs ForeignAttributes::view() const {
  const auto mutable_data = [](const auto &list) {
    return const_cast<typename std::remove_cvref_t<decltype(list)>::value_type *>(list.data());
  };
  return {sizeof(XLA_FFI_Attrs),
          nullptr,
          static_cast<std::int64_t>(types_.size()),
          mutable_data(types_),
          mutable_data(names_),
          mutable_data(values_)};
}

}  // namespace bp::pjrt
