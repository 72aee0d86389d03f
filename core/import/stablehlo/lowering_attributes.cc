// Reads the attributes of operations, and sets those of instructions.
#include <algorithm>

#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {
namespace {

// Maximum number of elements of an attribute that is written as one value.
constexpr std::int64_t max_splat = 1 << 16;

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Matches words to HLO's names: HIGHEST to highest, PHILOX to rng_philox.
std::optional<std::int64_t> find_enumerator(ir::Enumeration enumeration, const std::string &word) {
  for (const std::string &text : {word, lower_case(word), "rng_" + lower_case(word)}) {
    if (auto number = ir::enumerator_number(enumeration, text)) {
      return number;
    }
  }
  return {};
}

}  // namespace

Error Lowering::error(const Operation &operation, std::string message) const {
  return Error(ErrorCode::InvalidInput, std::move(message)).at(program_.location(operation.position));
}

Error Lowering::error(const Attribute &attribute, std::string message) const {
  return Error(ErrorCode::InvalidInput, std::move(message)).at(program_.location(attribute.position));
}

Error Lowering::unsupported(const Operation &operation, std::string message) const {
  return Error(ErrorCode::Unsupported, fmt::format("{}: {}", operation.name, message))
      .at(program_.location(operation.position));
}

namespace {

Status check_count(const Lowering &lowering, const Operation &operation, std::size_t found, std::size_t least,
                   std::size_t most, std::string_view what) {
  if (found >= least && found <= most) {
    return {};
  }
  std::string wanted = most == least ? fmt::format("{}", least) : fmt::format("at least {}", least);
  return lowering.error(operation, fmt::format("{} has {} {}{}, expected {}", operation.name, found, what,
                                               found == 1 ? "" : "s", wanted));
}

}  // namespace

Status Lowering::expect_operands(const Operation &operation, std::size_t least, std::size_t most) const {
  return check_count(*this, operation, operation.operands.size(), least, most, "operand");
}

Status Lowering::expect_regions(const Operation &operation, std::size_t least, std::size_t most) const {
  return check_count(*this, operation, operation.regions.size(), least, most, "region");
}

Result<const Attribute *> Lowering::attribute(const Operation &operation, std::string_view name,
                                              std::string_view pretty) const {
  const Attribute *found = operation.find(name, pretty);
  if (found == nullptr) {
    std::string other = pretty.empty() ? std::string() : fmt::format(", {} in the pretty form", pretty);
    return error(operation, fmt::format("{} needs the attribute '{}'{}", operation.name, name, other));
  }
  return found;
}

// --- Values ---

Result<std::int64_t> Lowering::integer(const Attribute &attribute) const {
  if (const auto *number = attribute.get<std::int64_t>()) {
    return *number;
  }
  if (const auto *flag = attribute.get<bool>()) {
    return *flag ? 1 : 0;
  }
  auto all = integers(attribute);
  if (!all.ok() || all->size() != 1) {
    return error(attribute, "expected an integer");
  }
  return all->front();
}

Result<Integers> Lowering::integers(const Attribute &attribute) const {
  Integers result;
  if (const auto *list = attribute.get<std::vector<Attribute>>()) {
    for (const Attribute &item : *list) {
      if (item.get<std::int64_t>() != nullptr || item.get<bool>() != nullptr) {
        BP_ASSIGN(std::int64_t number, integer(item));
        result.push_back(number);
      } else if (item.get<std::vector<Attribute>>() != nullptr) {
        BP_ASSIGN(Integers inner, integers(item));
        result.insert(result.end(), inner.begin(), inner.end());
      } else {
        return error(item, "expected an integer");
      }
    }
    return result;
  }
  const auto *elements = attribute.get<Elements>();
  if (elements == nullptr) {
    return error(attribute, "expected a list of integers");
  }
  bool are_integers = ir::visit_element_type(elements->literal.shape().element_type(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      for (T element : elements->literal.elements<T>()) {
        result.push_back(static_cast<std::int64_t>(element));
      }
      return true;
    } else {
      return false;
    }
  });
  std::int64_t count = elements->type.shape.element_count();
  if (!are_integers || (elements->is_splat() && count > max_splat)) {
    return error(attribute, "expected a list of integers");
  }
  if (elements->is_splat()) {
    result.resize(static_cast<std::size_t>(count), result[0]);
  }
  return result;
}

Result<std::string> Lowering::word(const Attribute &attribute) const {
  if (const auto *keyword = attribute.get<Keyword>()) {
    return std::string(keyword->text);
  }
  if (const auto *text = attribute.get<std::string>()) {
    return *text;
  }
  if (const auto *symbol = attribute.get<Symbol>()) {
    return symbol->name;
  }
  return error(attribute, "expected a word or a string");
}

Result<Integers> Lowering::integers(const Operation &operation, std::string_view name, std::string_view pretty) const {
  BP_ASSIGN(const Attribute *found, attribute(operation, name, pretty));
  return integers(*found);
}

Result<Integers> Lowering::integers_or(const Operation &operation, std::string_view name, Integers if_absent,
                                       std::string_view pretty) const {
  const Attribute *found = operation.find(name, pretty);
  return found == nullptr ? Result<Integers>(std::move(if_absent)) : integers(*found);
}

Result<std::int64_t> Lowering::integer(const Operation &operation, std::string_view name,
                                       std::string_view pretty) const {
  BP_ASSIGN(const Attribute *found, attribute(operation, name, pretty));
  return integer(*found);
}

Result<std::int64_t> Lowering::integer_or(const Operation &operation, std::string_view name, std::int64_t if_absent,
                                          std::string_view pretty) const {
  const Attribute *found = operation.find(name, pretty);
  return found == nullptr ? Result<std::int64_t>(if_absent) : integer(*found);
}

Result<bool> Lowering::flag(const Operation &operation, std::string_view name, bool if_absent) const {
  const Attribute *found = operation.find(name);
  if (found == nullptr) {
    return if_absent;
  }
  if (found->get<std::monostate>() != nullptr) {
    return true;
  }
  BP_ASSIGN(std::int64_t number, integer(*found));
  return number != 0;
}

Result<std::string> Lowering::word(const Operation &operation, std::string_view name, std::string_view pretty) const {
  BP_ASSIGN(const Attribute *found, attribute(operation, name, pretty));
  return word(*found);
}

Result<const Dictionary *> Lowering::dictionary(const Operation &operation, std::string_view name,
                                                std::string_view pretty) const {
  BP_ASSIGN(const Attribute *found, attribute(operation, name, pretty));
  const auto *entries = found->get<Dictionary>();
  if (entries == nullptr) {
    return error(*found, fmt::format("expected dimension numbers as in #stablehlo.gather<offset_dims = [0], ...>"));
  }
  return entries;
}

namespace {

const Attribute *find_entry(const Dictionary &dictionary, std::string_view name) {
  auto found = std::ranges::find(dictionary.entries, name, &NamedAttribute::name);
  return found == dictionary.entries.end() ? nullptr : &found->value;
}

}  // namespace

Result<Integers> Lowering::integers(const Dictionary &dictionary, std::string_view name) const {
  const Attribute *found = find_entry(dictionary, name);
  return found == nullptr ? Result<Integers>(Integers{}) : integers(*found);
}

Result<std::int64_t> Lowering::integer(const Dictionary &dictionary, std::string_view name,
                                       std::int64_t if_absent) const {
  const Attribute *found = find_entry(dictionary, name);
  return found == nullptr ? Result<std::int64_t>(if_absent) : integer(*found);
}

// --- To instructions ---

Status Lowering::set_attribute(InstructionId id, AttributeKey key, const Attribute &attribute) {
  const ir::AttributeInfo &info = ir::info(key);
  switch (info.kind) {
    case ir::AttributeKind::Bool:
    case ir::AttributeKind::I64: {
      if (attribute.get<std::monostate>() != nullptr) {
        module_.set_number(id, key, 1);
        return {};
      }
      BP_ASSIGN(std::int64_t number, integer(attribute));
      module_.set_number(id, key, number);
      return {};
    }
    case ir::AttributeKind::I64List: {
      if (attribute.get<std::int64_t>() != nullptr) {  // a single dimension
        module_.set_number(id, key, *attribute.get<std::int64_t>());
        return {};
      }
      BP_ASSIGN(Integers numbers, integers(attribute));
      module_.set_numbers(id, key, numbers);
      return {};
    }
    case ir::AttributeKind::F64: {
      const auto *real = attribute.get<double>();
      if (real == nullptr) {
        return error(attribute, "expected a number with a point, as in 0.001");
      }
      module_.set_real(id, key, *real);
      return {};
    }
    case ir::AttributeKind::Enum: {
      BP_ASSIGN(std::string text, word(attribute));
      auto number = find_enumerator(info.enumeration, text);
      if (!number) {
        return error(attribute, fmt::format("unknown value {} of '{}'", text, info.text));
      }
      module_.set_number(id, key, *number);
      return {};
    }
    default: break;
  }
  BP_ASSIGN(std::string text, word(attribute));
  module_.set_text(id, key, text);
  return {};
}

Status Lowering::set_precision(const Operation &operation, InstructionId id) {
  const Attribute *list = operation.find("precision_config", "precision");
  if (list == nullptr) {
    return {};
  }
  const auto *items = list->get<std::vector<Attribute>>();
  if (items == nullptr) {
    return error(*list, "expected a list of precisions, as in [DEFAULT, HIGHEST]");
  }
  Integers numbers;
  for (const Attribute &item : *items) {
    BP_ASSIGN(std::string text, word(item));
    auto number = find_enumerator(ir::Enumeration::Precision, text);
    if (!number) {
      return error(item, fmt::format("unknown precision {}", text));
    }
    numbers.push_back(*number);
  }
  if (std::ranges::any_of(numbers, [](std::int64_t number) { return number != 0; })) {
    module_.set_numbers(id, AttributeKey::OperandPrecision, numbers);
  }
  return {};
}

}  // namespace bp::import::stablehlo
