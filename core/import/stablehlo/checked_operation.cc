#include "core/import/stablehlo/checked_operation.h"

#include <algorithm>

namespace bp::import::stablehlo {
namespace {

void collect(const Attribute &attribute, std::vector<std::int64_t> &numbers) {
  if (const auto *number = attribute.get<std::int64_t>()) {
    numbers.push_back(*number);
  } else if (const auto *list = attribute.get<std::vector<Attribute>>()) {
    for (const Attribute &item : *list) {
      collect(item, numbers);
    }
  } else if (const auto *elements = attribute.get<Elements>()) {
    constexpr std::int64_t max_splat = 1 << 16;
    const std::int64_t count = elements->type.shape.element_count();
    ir::visit_element_type(elements->literal.shape().element_type(), [&]<class T>() {
      if constexpr (std::is_integral_v<T>) {
        for (T element : elements->literal.elements<T>()) {
          numbers.push_back(static_cast<std::int64_t>(element));
        }
      }
    });
    if (elements->is_splat() && numbers.size() == 1 && count <= max_splat) {
      numbers.resize(static_cast<std::size_t>(count), numbers[0]);
    }
  }
}

}  // namespace

std::vector<std::int64_t> integers_of(const Attribute &attribute) {
  std::vector<std::int64_t> numbers;
  collect(attribute, numbers);
  return numbers;
}

const Attribute *find_entry(const Attribute &attribute, std::string_view name) {
  const auto *dictionary = attribute.get<Dictionary>();
  if (dictionary == nullptr) {
    return nullptr;
  }
  auto found = std::ranges::find(dictionary->entries, name, &NamedAttribute::name);
  return found == dictionary->entries.end() ? nullptr : &found->value;
}

const Attribute *Checked::find(std::string_view name, std::string_view pretty_name) const {
  auto found = std::ranges::find_if(operation_.attributes, [&](const NamedAttribute &entry) {
    return entry.name == name || (!pretty_name.empty() && entry.name == pretty_name);
  });
  return found == operation_.attributes.end() ? nullptr : &found->value;
}

std::vector<std::int64_t> Checked::integers(std::string_view name, std::string_view pretty_name) const {
  const Attribute *attribute = find(name, pretty_name);
  return attribute == nullptr ? std::vector<std::int64_t>() : integers_of(*attribute);
}

}  // namespace bp::import::stablehlo
