#include "core/import/stablehlo/bytecode/stored_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace bp::import::stablehlo::bytecode {
namespace {

// Elements of a list that is an attribute, such as the dimensions of a transpose.
constexpr std::int64_t max_list = 1 << 16;

Error unexpected(const Attribute &attribute, std::string_view expected) {
  return invalid_input("{}, expected {}", to_string(attribute), expected);
}

Result<std::int64_t> integer(const Attribute &attribute) {
  if (const auto *number = attribute.get<std::int64_t>()) {
    return *number;
  }
  if (const auto *flag = attribute.get<bool>()) {
    return *flag ? 1 : 0;
  }
  if (const auto *elements = attribute.get<Elements>(); elements != nullptr && elements->type.shape.rank() <= 1) {
    BP_ASSIGN(const Attribute list, to_list(attribute));
    if (const auto &items = *list.get<std::vector<Attribute>>(); items.size() == 1) {
      return integer(items[0]);
    }
  }
  return unexpected(attribute, "an integer");
}

Result<Attribute> typed_integer(const Attribute &attribute, ir::ElementType type) {
  BP_ASSIGN(const std::int64_t value, integer(attribute));
  return Attribute{value, attribute.position, type};
}

Result<Attribute> flag(const Attribute &attribute) {
  if (attribute.get<std::monostate>() != nullptr) {
    return Attribute{true, attribute.position};
  }
  BP_ASSIGN(const std::int64_t value, integer(attribute));
  return Attribute{value != 0, attribute.position};
}

Result<Attribute> word(const Attribute &attribute) {
  if (const auto *dictionary = attribute.get<Dictionary>(); dictionary != nullptr && dictionary->entries.size() == 1) {
    return word(dictionary->entries[0].value);
  }
  return attribute.get<Keyword>() != nullptr ? Result<Attribute>(attribute) : unexpected(attribute, "a word");
}

Result<Attribute> text(const Attribute &attribute) {
  if (const auto *symbol = attribute.get<Symbol>()) {
    return Attribute{symbol->name, attribute.position};
  }
  if (const auto *word = attribute.get<Keyword>()) {
    return Attribute{std::string(word->text), attribute.position};
  }
  return attribute.get<std::string>() != nullptr ? Result<Attribute>(attribute) : unexpected(attribute, "a string");
}

Result<Attribute> symbol(const Attribute &attribute) {
  BP_ASSIGN(Attribute name, text(attribute));
  name.value = Symbol{std::get<std::string>(std::move(name.value))};
  return name;
}

// Converts each item of a list.
template <class F>
Result<Attribute> list_of(const Attribute &attribute, const F &convert_item) {
  const auto *items = attribute.get<std::vector<Attribute>>();
  if (items == nullptr) {
    return unexpected(attribute, "a list");
  }
  std::vector<Attribute> result;
  for (const Attribute &item : *items) {
    BP_ASSIGN(Attribute converted, convert_item(item));
    result.push_back(std::move(converted));
  }
  return Attribute{std::move(result), attribute.position};
}

Result<Attribute> integers(const Attribute &attribute, ir::ElementType type) {
  if (attribute.get<Elements>() != nullptr) {
    BP_ASSIGN(const Attribute list, to_list(attribute));
    return integers(list, type);
  }
  BP_ASSIGN(Attribute list, list_of(attribute, [&](const Attribute &item) {
              return type == ir::ElementType::Pred ? flag(item) : typed_integer(item, ir::ElementType::Invalid);
            }));
  list.type = type;
  return list;
}

// Returns a tensor of s64: also of [[1, 2], [3, 4]].
Result<Attribute> tensor(const Attribute &attribute) {
  if (attribute.get<Elements>() != nullptr) {
    return attribute;
  }
  const auto *rows = attribute.get<std::vector<Attribute>>();
  if (rows == nullptr) {
    return unexpected(attribute, "a tensor of two dimensions");
  }
  std::vector<std::int64_t> values;
  std::int64_t columns = 0;
  for (const Attribute &row : *rows) {
    BP_ASSIGN(const Attribute converted, integers(row, ir::ElementType::S64));
    const auto &items = *converted.get<std::vector<Attribute>>();
    columns = static_cast<std::int64_t>(items.size());
    for (const Attribute &item : items) {
      values.push_back(*item.get<std::int64_t>());
    }
  }
  const Type type{ir::Shape::array(ir::ElementType::S64, {static_cast<std::int64_t>(rows->size()), columns})};
  if (type.shape.element_count() != static_cast<std::int64_t>(values.size())) {
    return unexpected(attribute, "rows of equal sizes");
  }
  BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(type.shape));
  std::ranges::copy(values, literal.mutable_elements<std::int64_t>().begin());
  return Attribute{Elements{type, std::move(literal)}, attribute.position};
}

template <class T>
Result<Attribute> expect(const Attribute &attribute, std::string_view expected) {
  return attribute.get<T>() != nullptr ? Result<Attribute>(attribute) : unexpected(attribute, expected);
}

bool is_none(const Attribute &attribute) {
  const auto *word = attribute.get<Keyword>();
  return word != nullptr && word->text == "none";
}

Dictionary default_accuracy() {
  Dictionary accuracy;
  accuracy.entries = {{"atol", {0.0}}, {"rtol", {0.0}}, {"ulps", {std::int64_t{0}}}, {"mode", {Keyword{"DEFAULT"}}}};
  return accuracy;
}

// Adds the members that are absent.
Result<Attribute> accuracy(const Attribute &attribute) {
  const auto *given = attribute.get<Dictionary>();
  if (given == nullptr) {
    return unexpected(attribute, "a dictionary");
  }
  Dictionary all = default_accuracy();
  for (NamedAttribute &member : all.entries) {
    const Attribute *found = find_entry(*given, member.name);
    member.value = found == nullptr ? member.value : *found;
  }
  return Attribute{std::move(all), attribute.position};
}

// --- What is absent ---

Attribute zeros(std::int64_t rows, std::int64_t columns) {
  const Type type{ir::Shape::array(ir::ElementType::S64, {rows, columns})};
  return {Elements{type, ir::Literal::zeros(type.shape).value()}};
}

// Returns the value that stands for absence. `window_rank`: the number of dimensions of the operation's window.
Attribute absent_attribute(const VhloAttribute &row, std::size_t operands, std::int64_t window_rank) {
  const std::int64_t number = row.repeated.value_or(0);
  const auto repeat = [](std::int64_t count, const Attribute &item) {
    return std::vector<Attribute>(static_cast<std::size_t>(count), item);
  };
  switch (row.kind) {
    case AttributeKind::I64: return {number, 0, ir::ElementType::S64};
    case AttributeKind::I32:
    case AttributeKind::ApiVersion: return {number, 0, ir::ElementType::S32};
    case AttributeKind::Bool:
    case AttributeKind::Unit: return {false};
    case AttributeKind::String:
    case AttributeKind::StringOrDictionary: return {std::string()};
    case AttributeKind::I64List: return {repeat(row.repeated ? window_rank : 0, {number}), 0, ir::ElementType::S64};
    case AttributeKind::BoolList: return {repeat(window_rank, {false}), 0, ir::ElementType::Pred};
    case AttributeKind::I64Tensor: return row.repeated ? zeros(window_rank, 2) : zeros(0, 0);
    case AttributeKind::Dictionary: return {Dictionary()};
    case AttributeKind::Precisions: return {repeat(static_cast<std::int64_t>(operands), {Keyword{"DEFAULT"}})};
    case AttributeKind::ComparisonType: return {Keyword{"NOTYPE"}};
    case AttributeKind::ElementType:
    case AttributeKind::OptionalI64:
    case AttributeKind::OptionalBool: return {Keyword{"none"}};
    case AttributeKind::Accuracy: return {default_accuracy()};
    default: break;
  }
  return {std::vector<Attribute>()};
}

// The number of dimensions of the window of an operation; 0 if it has none.
std::int64_t window_rank_of(const Program &program, const Operation &operation) {
  const bool has_window = operation.name == "stablehlo.convolution" || operation.name == "stablehlo.dynamic_conv" ||
                          operation.name == "stablehlo.reduce_window" ||
                          operation.name == "stablehlo.select_and_scatter";
  if (!has_window || operation.operands.empty()) {
    return 0;
  }
  const auto rank = static_cast<std::int64_t>(program.type(operation.operands[0]).shape.rank());
  const bool is_convolution = operation.name.ends_with("convolution") || operation.name.ends_with("conv");
  return is_convolution ? rank - 2 : rank;
}

// The numbers of dimensions of a dot may be written as `batching_dims = [0] x [0]`.
const Attribute *find_dimensions_of_dot(const Operation &operation, std::string_view name) {
  const bool is_batch = name.ends_with("_batching_dimensions");
  const Attribute *pair = operation.find(is_batch ? "batching_dims" : "contracting_dims");
  const auto *sides = pair == nullptr ? nullptr : pair->get<std::vector<Attribute>>();
  return sides == nullptr || sides->size() != 2 ? nullptr : &(*sides)[name.starts_with("lhs") ? 0 : 1];
}

// Returns the attribute, which may be a member of a group; nullptr if it is absent.
const Attribute *find(const Operation &operation, const VhloAttribute &row) {
  if (row.group.empty()) {
    return operation.find(row.name, row.pretty_name);
  }
  const Attribute *group = operation.find(row.group);
  const auto *members = group == nullptr ? nullptr : group->get<Dictionary>();
  if (members == nullptr) {
    return row.form == "dot" ? find_dimensions_of_dot(operation, row.name) : nullptr;
  }
  if (row.form == "channel_handle") {
    return find_entry(*members, row.name == "channel_id" ? "handle" : "type");
  }
  return find_entry(*members, row.name);
}

// Whether every number and word in the attribute is the given number; zero also stands for false, "", DEFAULT, NOTYPE
// and none.
bool is_everywhere(const Attribute &attribute, std::int64_t value) {
  const auto is_value = [&](const Attribute &item) { return is_everywhere(item, value); };
  if (const auto *flag = attribute.get<bool>()) {
    return *flag == (value != 0);
  }
  if (const auto *number = attribute.get<std::int64_t>()) {
    return *number == value;
  }
  if (const auto *real = attribute.get<double>()) {
    return *real == static_cast<double>(value);
  }
  if (const auto *text = attribute.get<std::string>()) {
    return text->empty();
  }
  if (const auto *word = attribute.get<Keyword>()) {
    return word->text == "DEFAULT" || word->text == "NOTYPE" || word->text == "none";
  }
  if (const auto *list = attribute.get<std::vector<Attribute>>()) {
    return std::ranges::all_of(*list, is_value);
  }
  if (const auto *dictionary = attribute.get<Dictionary>()) {
    return std::ranges::all_of(dictionary->entries, is_value, &NamedAttribute::value);
  }
  if (const auto *elements = attribute.get<Elements>()) {
    if (elements->type.shape.element_type() != ir::ElementType::S64) {
      return false;
    }
    return std::ranges::all_of(elements->literal.elements<std::int64_t>(),
                               [&](std::int64_t element) { return element == value; });
  }
  return false;
}

// Whether the attribute is zero, or has no elements.
bool is_nothing(const Attribute &attribute) {
  if (const auto *list = attribute.get<std::vector<Attribute>>()) {
    return list->empty();
  }
  if (const auto *dictionary = attribute.get<Dictionary>()) {
    return dictionary->entries.empty();
  }
  if (const auto *elements = attribute.get<Elements>()) {
    return elements->type.shape.element_count() == 0;
  }
  return is_everywhere(attribute, 0);
}

}  // namespace

Result<Attribute> convert(const Attribute &attribute, AttributeKind kind) {
  switch (kind) {
    case AttributeKind::I64: return typed_integer(attribute, ir::ElementType::S64);
    case AttributeKind::I32:
    case AttributeKind::ApiVersion: return typed_integer(attribute, ir::ElementType::S32);
    case AttributeKind::F32: {
      BP_ASSIGN(Attribute real, expect<double>(attribute, "a real number"));
      real.type = ir::ElementType::F32;
      return real;
    }
    case AttributeKind::Bool:
    case AttributeKind::Unit: return flag(attribute);
    case AttributeKind::String: return text(attribute);
    case AttributeKind::Symbol: return symbol(attribute);
    case AttributeKind::Symbols: return list_of(attribute, symbol);
    case AttributeKind::I64List: return integers(attribute, ir::ElementType::S64);
    case AttributeKind::BoolList: return integers(attribute, ir::ElementType::Pred);
    case AttributeKind::Elements: return expect<Elements>(attribute, "values of a tensor");
    case AttributeKind::I64Tensor: return tensor(attribute);
    case AttributeKind::Groups: return attribute.get<Dictionary>() != nullptr ? attribute : tensor(attribute);
    case AttributeKind::IndexTensors:
    case AttributeKind::Lists:
    case AttributeKind::Aliases:
    case AttributeKind::Dictionaries: return expect<std::vector<Attribute>>(attribute, "a list");
    case AttributeKind::Dictionary: return expect<Dictionary>(attribute, "a dictionary");
    case AttributeKind::Accuracy: return accuracy(attribute);
    case AttributeKind::StringOrDictionary:
      return attribute.get<Dictionary>() != nullptr ? Result<Attribute>(attribute) : text(attribute);
    case AttributeKind::FunctionType: return expect<FunctionType>(attribute, "the type of a function");
    case AttributeKind::OptionalI64:
      return is_none(attribute) ? Result<Attribute>(attribute) : typed_integer(attribute, ir::ElementType::S64);
    case AttributeKind::OptionalBool: return is_none(attribute) ? Result<Attribute>(attribute) : flag(attribute);
    case AttributeKind::Precisions: return list_of(attribute, word);
    default: break;
  }
  return word(attribute);
}

Result<std::vector<StoredAttribute>> stored_attributes(const Program &program, const Operation &operation,
                                                       const VhloOperation &vhlo) {
  std::vector<StoredAttribute> result;
  for (const VhloAttribute &row : vhlo.attributes) {
    const Attribute *found = find(operation, row);
    if (found == nullptr && !row.is_optional && row.form.empty()) {
      return Error(ErrorCode::InvalidInput, fmt::format("{} needs the attribute '{}'", operation.name, row.name))
          .at(program.location(operation.position));
    }
    if (found == nullptr) {
      result.push_back({&row, absent_attribute(row, operation.operands.size(), window_rank_of(program, operation))});
      continue;
    }
    auto converted = convert(*found, row.kind);
    if (!converted.ok()) {
      return Error(ErrorCode::InvalidInput,
                   fmt::format("'{}' of {} is {}", row.name, operation.name, converted.error().message()))
          .at(program.location(found->position));
    }
    result.push_back({&row, std::move(converted).value()});
  }
  return result;
}

std::vector<const NamedAttribute *> other_attributes(const Operation &operation, const VhloOperation &vhlo) {
  std::vector<const NamedAttribute *> result;
  const bool is_dot = operation.name == "stablehlo.dot_general";
  for (const NamedAttribute &attribute : operation.attributes) {
    const bool is_own = std::ranges::any_of(vhlo.attributes, [&](const VhloAttribute &row) {
      return row.group.empty()
                 ? attribute.name == row.name || (!row.pretty_name.empty() && attribute.name == row.pretty_name)
                 : attribute.name == row.group;
    });
    if (!is_own && !(is_dot && attribute.name.ends_with("ing_dims"))) {
      result.push_back(&attribute);
    }
  }
  return result;
}

std::vector<std::string_view> own_names(const Operation &operation) {
  static const std::map<std::string_view, std::vector<std::string_view>> names = {
      {"builtin.module", {"sym_name", "sym_visibility"}},
      {"sdy.manual_computation", {"in_shardings", "manual_axes", "out_shardings"}},
      {"sdy.mesh", {"mesh", "sym_name"}},
      {"sdy.sharding_constraint", {"sharding"}},
      {"sdy.sharding_group", {"group_id"}},
  };
  const auto found = names.find(operation.name);
  return found == names.end() ? std::vector<std::string_view>() : found->second;
}

bool is_absent(const VhloAttribute &row, const Attribute &attribute) {
  const bool may_be_full = row.repeated || row.kind == AttributeKind::Precisions || row.kind == AttributeKind::Accuracy;
  return row.is_optional && (may_be_full ? is_everywhere(attribute, row.repeated.value_or(0)) : is_nothing(attribute));
}

bool is_absent(const Dictionary &group) {
  return std::ranges::all_of(group.entries,
                             [](const NamedAttribute &member) { return is_everywhere(member.value, 0); });
}

const Attribute *find_entry(const Dictionary &dictionary, std::string_view name) {
  const auto found = std::ranges::find(dictionary.entries, name, &NamedAttribute::name);
  return found == dictionary.entries.end() ? nullptr : &found->value;
}

Result<Attribute> to_list(const Attribute &tensor) {
  const Elements &elements = *tensor.get<Elements>();
  const std::int64_t count = elements.type.shape.element_count();
  const ir::ElementType type = elements.type.shape.element_type();
  if (count > max_list) {
    return invalid_input("a list of {} elements, expected at most {}", count, max_list);
  }
  std::vector<Attribute> list;
  const bool are_numbers = ir::visit_element_type(type, [&]<class T>() {
    const std::span<const T> values = elements.literal.elements<T>();
    for (std::int64_t i = 0; i < count; ++i) {
      const T value = values[elements.is_splat() ? 0 : static_cast<std::size_t>(i)];
      if constexpr (std::is_same_v<T, bool>) {
        list.push_back({value, tensor.position});
      } else if constexpr (std::is_integral_v<T>) {
        list.push_back({static_cast<std::int64_t>(value), tensor.position});
      } else if constexpr (std::is_floating_point_v<T>) {
        list.push_back({static_cast<double>(value), tensor.position});
      } else {
        return false;
      }
    }
    return true;
  });
  if (!are_numbers) {
    return invalid_input("a list of {}, expected numbers", element_type_name(type));
  }
  return Attribute{std::move(list), tensor.position, type};
}

}  // namespace bp::import::stablehlo::bytecode
