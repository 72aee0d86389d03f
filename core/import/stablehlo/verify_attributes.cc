// Checks attributes against attribute_rules.def: which are required, of which kind, within which limits.
#include <algorithm>
#include <unordered_map>

#include "core/import/stablehlo/verifier_rules.h"

namespace bp::import::stablehlo {
namespace {

enum class AttributeForm : std::uint8_t {
  Any,
  Integer,
  NonNegative,
  Positive,
  Integer32,  // of type i32
  NonNegative32,
  Positive32,
  Float32,
  Flag,      // a bool
  Unit,      // no value, only the name
  List,      // integers: array<i64: ...>, or the older dense<...>
  Elements,  // dense<...> : tensor<...xi64>
  Padding,   // as Elements, or a list of lists in the pretty form
  Groups,    // as Elements, or groups by the axes of a mesh
};
enum class Presence : std::uint8_t { Required, Optional };

struct AttributeRule {
  std::string_view name, pretty_name;
  AttributeForm kind;
  Presence presence;
};

using Rules = std::vector<AttributeRule>;

// Describes elements by their type only, because their values would be printed in hexadecimal.
std::string describe(const Attribute &attribute) {
  const auto *elements = attribute.get<Elements>();
  if (elements != nullptr) {
    return fmt::format("dense<...> : {}", to_string(elements->type));
  }
  const std::string type = attribute.type == ir::ElementType::Invalid ? "" : " of " + element_type_name(attribute.type);
  return to_string(attribute) + type;
}

// Returns the text before `separator`; removes it and the separator from `text`.
std::string_view take_until(std::string_view &text, std::string_view separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + separator.size(), text.size()));
  return taken;
}

const Rules *find_rules(std::string_view operation) {
  static const auto rules = [] {
    std::unordered_map<std::string_view, Rules> table;
    auto add = [&](AttributeForm kind, Presence presence, std::string_view entries) {
      while (!entries.empty()) {
        std::string_view entry = take_until(entries, ", ");
        const std::string_view name = take_until(entry, " ");
        const std::string_view attribute = take_until(entry, "/");
        table[name].push_back({attribute, entry, kind, presence});
      }
    };
#define BP_ATTRIBUTES(kind, presence, entries) add(AttributeForm::kind, Presence::presence, entries);
#include "core/import/stablehlo/attribute_rules.def"
    return table;
  }();
  auto found = rules.find(operation);
  return found == rules.end() ? nullptr : &found->second;
}

bool is_of(const Attribute &attribute, ir::ElementType type) {
  return attribute.type == ir::ElementType::Invalid || attribute.type == type;
}

bool is_integer(const Attribute &attribute, ir::ElementType type, std::int64_t least) {
  const auto *number = attribute.get<std::int64_t>();
  return number != nullptr && *number >= least && is_of(attribute, type);
}

bool is_dense(const Attribute &attribute) {
  const auto *elements = attribute.get<Elements>();
  return elements != nullptr && elements->type.shape.element_type() == ir::ElementType::S64;
}

bool is_list(const Attribute &attribute) {
  const auto *items = attribute.get<std::vector<Attribute>>();
  return attribute.get<Elements>() != nullptr ||
         (items != nullptr && is_of(attribute, ir::ElementType::S64) &&
          std::ranges::all_of(*items, [](const Attribute &item) { return item.get<std::int64_t>() != nullptr; }));
}

bool fits(AttributeForm kind, const Attribute &attribute) {
  using enum ir::ElementType;
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  switch (kind) {
    case AttributeForm::Any: return true;
    case AttributeForm::Integer: return is_integer(attribute, S64, least);
    case AttributeForm::NonNegative: return is_integer(attribute, S64, 0);
    case AttributeForm::Positive: return is_integer(attribute, S64, 1);
    case AttributeForm::Integer32: return is_integer(attribute, S32, least);
    case AttributeForm::NonNegative32: return is_integer(attribute, S32, 0);
    case AttributeForm::Positive32: return is_integer(attribute, S32, 1);
    case AttributeForm::Float32: return attribute.get<double>() != nullptr && is_of(attribute, F32);
    case AttributeForm::Flag: return attribute.get<bool>() != nullptr;
    case AttributeForm::Unit: return attribute.get<std::monostate>() != nullptr;
    case AttributeForm::List: return is_list(attribute);
    case AttributeForm::Elements: return is_dense(attribute);
    case AttributeForm::Padding:
      return is_dense(attribute) || (attribute.get<std::vector<Attribute>>() != nullptr && is_of(attribute, Invalid));
    case AttributeForm::Groups: return is_dense(attribute) || attribute.get<Dictionary>() != nullptr;
  }
  return true;
}

std::string_view text_of(AttributeForm kind) {
  switch (kind) {
    case AttributeForm::Any: break;
    case AttributeForm::Integer: return "an integer of 64 bits";
    case AttributeForm::NonNegative: return "an integer of 64 bits, at least 0";
    case AttributeForm::Positive: return "an integer of 64 bits, at least 1";
    case AttributeForm::Integer32: return "an integer of 32 bits";
    case AttributeForm::NonNegative32: return "an integer of 32 bits, at least 0";
    case AttributeForm::Positive32: return "an integer of 32 bits, at least 1";
    case AttributeForm::Float32: return "a number with a point, of f32";
    case AttributeForm::Flag: return "true or false";
    case AttributeForm::Unit: return "only its name";
    case AttributeForm::List: return "integers as in array<i64: 0, 1>";
    case AttributeForm::Padding:
    case AttributeForm::Elements: return "integers as in dense<[[0, 1]]> : tensor<1x2xi64>";
    case AttributeForm::Groups: return "groups as in dense<[[0, 1]]> : tensor<1x2xi64>";
  }
  return "anything";
}

}  // namespace

Status verify_attributes(const Checked &checked) {
  const Rules *rules = find_rules(checked.name());
  if (rules == nullptr) {
    return {};
  }
  for (const AttributeRule &rule : *rules) {
    const Attribute *attribute = checked.find(rule.name, rule.pretty_name);
    if (attribute == nullptr && rule.presence == Presence::Required) {
      return checked.error(
          "{} needs the attribute '{}'{}", checked.name(), rule.name,
          rule.pretty_name.empty() ? std::string() : fmt::format(", {} in the pretty form", rule.pretty_name));
    }
    if (attribute != nullptr && !fits(rule.kind, *attribute)) {
      return checked.error_at(attribute->position, "'{}' of {} is {}, expected {}", rule.name, checked.name(),
                              describe(*attribute), text_of(rule.kind));
    }
  }
  return {};
}

}  // namespace bp::import::stablehlo
