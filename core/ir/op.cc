#include "core/ir/op.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace bp::ir {
namespace {

#define R(name)              \
  AttributeUse {             \
    AttributeKey::name, true \
  }
#define O(name)               \
  AttributeUse {              \
    AttributeKey::name, false \
  }
// One array per op. The first entry is a placeholder, so that the array of an op without attributes is not empty.
#define BP_OP(number, name, text, lo, hi, rule, evaluator, types, traits, accuracy, summary, ...) \
  constexpr AttributeUse uses_of_##name[] = {{AttributeKey::Invalid, false} __VA_OPT__(, ) __VA_ARGS__};
#include "core/ir/ops.def"
#undef R
#undef O

// Ordered by number; the table has ops of a kind together.
constexpr auto op_rows = [] {
  using namespace accuracy;
  using enum Trait;
  using enum TypeSet;
  auto rows = std::to_array<OpInfo>({
#define BP_OP(number, name, text, lo, hi, rule, evaluator, types, traits, accuracy, summary, ...) \
  {Opcode::name,                                                                                  \
   text,                                                                                          \
   #name,                                                                                         \
   lo,                                                                                            \
   hi,                                                                                            \
   TypeSet::types,                                                                                \
   traits,                                                                                        \
   accuracy,                                                                                      \
   #rule,                                                                                         \
   summary,                                                                                       \
   std::span(uses_of_##name).subspan(1)},
#include "core/ir/ops.def"
  });
  std::ranges::sort(rows, {}, &OpInfo::opcode);
  return rows;
}();

// Checks at compile time that no two rows have the same number.
constexpr bool numbers_are_unique() {
  std::array<bool, 1024> seen{};
  for (const OpInfo &row : op_rows) {
    auto number = static_cast<std::size_t>(row.opcode);
    if (number == 0 || number >= seen.size() || seen[number]) {
      return false;
    }
    seen[number] = true;
  }
  return true;
}
static_assert(numbers_are_unique(), "ops.def: a number is 0, too large or used twice");

constexpr OpInfo invalid_op{Opcode::Invalid, "invalid",         "Invalid", 0,  0, TypeSet::AnyShape,
                            Trait::None,     accuracy::Unknown, "",        "", {}};

constexpr auto op_index = [] {
  std::array<std::uint16_t, 1024> index{};
  for (std::size_t row = 0; row < op_rows.size(); ++row) {
    index[static_cast<std::size_t>(op_rows[row].opcode)] = static_cast<std::uint16_t>(row + 1);
  }
  return index;
}();

// The Kind column of attributes.def: a plain kind, or EnumOf<X> or EnumListOf<X>.
struct KindOf {
  AttributeKind kind;
  Enumeration enumeration = Enumeration::None;
  constexpr KindOf(AttributeKind k) : kind(k) {}
  constexpr KindOf(AttributeKind k, Enumeration e) : kind(k), enumeration(e) {}
};
namespace kinds {
using enum AttributeKind;
template <Enumeration E>
constexpr KindOf EnumOf{AttributeKind::Enum, E};
template <Enumeration E>
constexpr KindOf EnumListOf{AttributeKind::EnumList, E};
}  // namespace kinds

constexpr AttributeInfo attribute_row(AttributeKey key, std::string_view text, KindOf k) {
  return {key, text, k.kind, k.enumeration};
}

constexpr auto attribute_rows = std::to_array<AttributeInfo>({
#define BP_ATTRIBUTE(number, name, text, kind) attribute_row(AttributeKey::name, text, kinds::kind),
#include "core/ir/attributes.def"
});

constexpr AttributeInfo invalid_attribute{AttributeKey::Invalid, "invalid", AttributeKind::Text, Enumeration::None};

// Looks up the row of a key in a map, because keys are sparse: hints begin at 0x8000.
const AttributeInfo *find_row(AttributeKey key) {
  static const auto index = [] {
    std::unordered_map<std::uint16_t, const AttributeInfo *> map;
    for (const AttributeInfo &row : attribute_rows) {
      map.emplace(static_cast<std::uint16_t>(row.key), &row);
    }
    return map;
  }();
  auto found = index.find(static_cast<std::uint16_t>(key));
  return found == index.end() ? nullptr : found->second;
}

}  // namespace

std::span<const OpInfo> ops() {
  return op_rows;
}

const OpInfo &info(Opcode opcode) {
  auto number = static_cast<std::size_t>(opcode);
  std::size_t row = number < op_index.size() ? op_index[number] : 0;
  return row == 0 ? invalid_op : op_rows[row - 1];
}

std::string_view to_string(Opcode opcode) {
  return info(opcode).text;
}

std::optional<Opcode> opcode_from_string(std::string_view text) {
  static const auto index = [] {
    std::unordered_map<std::string_view, Opcode> map;
    for (const OpInfo &row : op_rows) {
      map.emplace(row.text, row.opcode);
    }
    return map;
  }();
  auto found = index.find(text);
  return found == index.end() ? std::nullopt : std::optional(found->second);
}

std::span<const AttributeInfo> attributes() {
  return attribute_rows;
}

const AttributeInfo &info(AttributeKey key) {
  const AttributeInfo *row = find_row(key);
  return row == nullptr ? invalid_attribute : *row;
}

std::string_view to_string(AttributeKey key) {
  return info(key).text;
}

std::optional<AttributeUse> find_attribute(Opcode opcode, std::string_view text) {
  for (const AttributeUse &use : info(opcode).attributes) {
    if (to_string(use.key) == text) {
      return use;
    }
  }
  for (const AttributeInfo &row : attribute_rows) {
    if (is_hint(row.key) && row.text == text) {
      return AttributeUse{row.key, false};
    }
  }
  return std::nullopt;
}

std::string_view enumerator_text(Enumeration enumeration, std::int64_t wanted) {
  switch (enumeration) {
    case Enumeration::None: break;
#define BP_ENUMERATION(name) \
  case Enumeration::name:    \
    switch (wanted) {
#define BP_ENUMERATOR(number, name, text) \
  case number: return text;
#define BP_END_ENUMERATION \
  }                        \
  break;
#include "core/ir/enumerations.def"
  }
  return {};
}

std::optional<std::int64_t> enumerator_number(Enumeration enumeration, std::string_view wanted) {
  switch (enumeration) {
    case Enumeration::None: break;
#define BP_ENUMERATION(name) case Enumeration::name:
#define BP_ENUMERATOR(number, name, text) \
  if (wanted == text) {                   \
    return number;                        \
  }
#define BP_END_ENUMERATION break;
#include "core/ir/enumerations.def"
  }
  return std::nullopt;
}

}  // namespace bp::ir
