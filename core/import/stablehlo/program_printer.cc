#include "core/import/stablehlo/program_printer.h"

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <map>

#include "core/import/stablehlo/bytecode/code_tables.h"
#include "core/import/stablehlo/bytecode/stored_attributes.h"
#include "core/import/stablehlo/mlir_text.h"
#include "core/import/stablehlo/operations.h"

namespace bp::import::stablehlo {
namespace {

using bytecode::AttributeKind;
using bytecode::StoredAttribute;
using bytecode::VhloAttribute;
using bytecode::VhloOperation;

// The name that words of an attribute have in #stablehlo<name WORD>.
std::string_view word_type(AttributeKind kind) {
  const auto row = std::ranges::find(bytecode::enumerations, kind, &bytecode::Words::kind);
  return row == std::end(bytecode::enumerations) ? std::string_view() : row->name;
}

template <class F>
std::string list_text(const Attribute &attribute, const F &item_text) {
  std::string text;
  for (const Attribute &item : *attribute.get<std::vector<Attribute>>()) {
    text += (text.empty() ? "" : ", ") + item_text(item);
  }
  return "[" + text + "]";
}

// The text of a member of #stablehlo.form<...>: numbers without types, lists in brackets.
std::string member_text(const Attribute &attribute) {
  if (attribute.get<std::vector<Attribute>>() != nullptr) {
    return list_text(attribute, member_text);
  }
  if (const auto *number = attribute.get<std::int64_t>()) {
    return fmt::format("{}", *number);
  }
  const std::string text = mlir_text(attribute);
  return attribute.get<double>() != nullptr ? text.substr(0, text.find(" : ")) : text;
}

std::string struct_text(std::string_view form, const Dictionary &members) {
  std::string text;
  for (const NamedAttribute &member : members.entries) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", member.name, member_text(member.value));
  }
  return fmt::format("#stablehlo.{}<{}{}>", form, form == "conv" ? "raw " : "", text);
}

std::string accuracy_text(const Dictionary &accuracy) {
  std::string text;
  for (const NamedAttribute &member : accuracy.entries) {
    const auto *mode = member.value.get<Keyword>();
    text += fmt::format(
        "{}{} = {}", text.empty() ? "" : ", ", member.name,
        mode != nullptr ? fmt::format("#stablehlo.result_accuracy_mode<{}>", mode->text) : member_text(member.value));
  }
  return fmt::format("#stablehlo.result_accuracy<{}>", text);
}

// #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>
std::string mesh_groups_text(const Dictionary &groups) {
  std::string text;
  for (const NamedAttribute &member : groups.entries) {
    const auto axis = [](const Attribute &item) {
      const auto *parts = item.get<Dictionary>();
      return parts == nullptr ? mlir_text(item) : struct_text("axis_ref", *parts);
    };
    const bool is_list = member.value.get<std::vector<Attribute>>() != nullptr;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", member.name,
                        is_list ? list_text(member.value, axis) : mlir_text(member.value));
  }
  return fmt::format("#stablehlo.replica_group_mesh_axes<{}>", text);
}

std::string index_tensors_text(const Attribute &attribute) {
  if (const auto *elements = attribute.get<Elements>()) {
    return mlir_text(*elements, "index");
  }
  return attribute.get<std::vector<Attribute>>() != nullptr ? list_text(attribute, index_tensors_text)
                                                            : mlir_text(attribute);
}

std::string attribute_text(const Attribute &attribute, AttributeKind kind) {
  if (const auto *word = attribute.get<Keyword>()) {
    return fmt::format("#stablehlo<{} {}>", word_type(kind), word->text);
  }
  switch (kind) {
    case AttributeKind::Unit: return "unit";
    case AttributeKind::Precisions:
      return list_text(attribute, [&](const Attribute &item) { return attribute_text(item, kind); });
    case AttributeKind::IndexTensors: return index_tensors_text(attribute);
    case AttributeKind::Accuracy: return accuracy_text(*attribute.get<Dictionary>());
    case AttributeKind::Groups:
      return attribute.get<Dictionary>() != nullptr ? mesh_groups_text(*attribute.get<Dictionary>())
                                                    : mlir_text(attribute);
    case AttributeKind::Aliases:
      return list_text(attribute, [](const Attribute &item) {
        const auto *members = item.get<Dictionary>();
        return members == nullptr ? mlir_text(item) : struct_text("output_operand_alias", *members);
      });
    default: break;
  }
  return mlir_text(attribute);
}

// Returns the text with attributes of chlo in place of those of StableHLO.
std::string in_chlo(std::string text) {
  boost::replace_all(text, "#stablehlo", "#chlo");
  return text;
}

class ProgramPrinter {
 public:
  explicit ProgramPrinter(const Program &program) : program_(program), names_(program.values.size()) {}

  Result<std::string> print() {
    std::string name;
    if (const Attribute *attribute = program_.module.find("sym_name")) {
      BP_ASSIGN(const Attribute text, convert(*attribute, AttributeKind::String));
      name = " " + mlir_symbol(*text.get<std::string>());
    }
    const std::string attributes = dictionary_text(program_.module.attributes, {"sym_name"});
    text_ += fmt::format("module{}{} {{\n", name, attributes.empty() ? "" : " attributes " + attributes);
    ++depth_;
    for (const Region &region : program_.module.regions) {
      for (const Operation &operation : region.operations) {
        BP_TRY(operation.name == "func.func" ? print_function(operation) : print_operation(operation));
      }
    }
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  std::string indent() const { return std::string(2 * depth_, ' '); }

  // Returns the attributes as a dictionary; empty if there are none.
  static std::string dictionary_text(const std::vector<NamedAttribute> &attributes,
                                     std::initializer_list<std::string_view> omitted) {
    std::map<std::string_view, const NamedAttribute *> sorted;
    for (const NamedAttribute &attribute : attributes) {
      if (std::ranges::find(omitted, attribute.name) == omitted.end()) {
        sorted.emplace(attribute.name, &attribute);
      }
    }
    Dictionary dictionary;
    for (const auto &[name, attribute] : sorted) {
      dictionary.entries.push_back({name, attribute->value});
    }
    return sorted.empty() ? std::string() : mlir_text(Attribute{std::move(dictionary)});
  }

  // Returns the attributes of argument or result `i`, with a blank before them.
  static std::string own_attributes(const Operation &function, std::string_view list, std::size_t i) {
    const Attribute *all = function.find(list);
    const auto *items = all == nullptr ? nullptr : all->get<std::vector<Attribute>>();
    const auto *own = items == nullptr || i >= items->size() ? nullptr : (*items)[i].get<Dictionary>();
    const std::string text = own == nullptr ? std::string() : dictionary_text(own->entries, {});
    return text.empty() ? text : " " + text;
  }

  Status print_function(const Operation &function) {
    next_argument_ = next_value_ = 0;
    const Attribute *name = function.find("sym_name");
    const Attribute *type = function.find("function_type");
    if (name == nullptr || type == nullptr || type->get<FunctionType>() == nullptr) {
      return invalid_input("a function without name or type");
    }
    BP_ASSIGN(const Attribute symbol, convert(*name, AttributeKind::Symbol));
    const FunctionType &types = *type->get<FunctionType>();
    const Attribute *visibility = function.find("sym_visibility");
    const auto *word = visibility == nullptr ? nullptr : visibility->get<std::string>();
    std::string arguments, results;
    const bool has_body = !function.regions.empty() && !function.regions[0].operations.empty();
    for (std::size_t i = 0; i < types.operands.size(); ++i) {
      const std::string argument = has_body && i < function.regions[0].arguments.size()
                                       ? define_argument(function.regions[0].arguments[i]) + ": "
                                       : std::string();
      arguments += fmt::format("{}{}{}{}", i == 0 ? "" : ", ", argument, mlir_text(types.operands[i]),
                               own_attributes(function, "arg_attrs", i));
    }
    for (std::size_t i = 0; i < types.results.size(); ++i) {
      results += fmt::format("{}{}{}", i == 0 ? "" : ", ", mlir_text(types.results[i]),
                             own_attributes(function, "res_attrs", i));
    }
    const std::string others =
        dictionary_text(function.attributes, {"sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"});
    text_ += fmt::format("{}func.func {}{}({}){}{}", indent(), word == nullptr || word->empty() ? "" : *word + " ",
                         mlir_text(symbol), arguments, types.results.empty() ? "" : " -> (" + results + ")",
                         others.empty() ? "" : " attributes " + others);
    if (has_body) {
      text_ += " {\n";
      BP_TRY(print_operations(function.regions[0]));
      text_ += indent() + "}";
    }
    text_ += "\n";
    return {};
  }

  std::string define_argument(ValueId value) { return names_[index(value)] = fmt::format("%arg{}", next_argument_++); }

  Status print_operations(const Region &region) {
    ++depth_;
    for (const Operation &operation : region.operations) {
      BP_TRY(print_operation(operation));
    }
    --depth_;
    return {};
  }

  Status print_region(const Region &region) {
    text_ += "{\n";
    if (!region.arguments.empty()) {
      text_ += indent() + "^bb0(";
      for (std::size_t i = 0; i < region.arguments.size(); ++i) {
        const ValueId argument = region.arguments[i];
        text_ +=
            fmt::format("{}{}: {}", i == 0 ? "" : ", ", define_argument(argument), mlir_text(program_.type(argument)));
      }
      text_ += "):\n";
    }
    BP_TRY(print_operations(region));
    text_ += indent() + "}";
    return {};
  }

  Status print_operation(const Operation &operation) {
    text_ += indent();
    FunctionType type;
    std::string operands;
    for (const ValueId operand : operation.operands) {
      operands += (operands.empty() ? "" : ", ") + names_[index(operand)];
      type.operands.push_back(program_.type(operand));
    }
    if (operation.result_count != 0) {
      const std::string name = fmt::format("%{}", next_value_++);
      const bool is_one = operation.result_count == 1;
      text_ += is_one ? name + " = " : fmt::format("{}:{} = ", name, operation.result_count);
      for (std::uint32_t i = 0; i < operation.result_count; ++i) {
        names_[index(operation.result(i))] = is_one ? name : fmt::format("{}#{}", name, i);
        type.results.push_back(program_.type(operation.result(i)));
      }
    }
    text_ += fmt::format("\"{}\"({})", operation.name, operands);
    if (!operation.regions.empty()) {
      text_ += " (";
      for (const Region &region : operation.regions) {
        text_ += &region == &operation.regions.front() ? "" : ", ";
        BP_TRY(print_region(region));
      }
      text_ += ")";
    }
    BP_ASSIGN(const std::string attributes, attributes_text(operation));
    text_ += attributes.empty() ? std::string() : fmt::format(" {{{}}}", attributes);
    text_ += fmt::format(" : {}\n", mlir_text(type));
    return {};
  }

  using Texts = std::map<std::string, std::string>;  // by name

  Result<std::string> attributes_text(const Operation &operation) const {
    Texts texts;
    if (const VhloOperation *vhlo = bytecode::find_vhlo_of(operation.name)) {
      BP_TRY(add_own(operation, *vhlo, texts));
      for (const NamedAttribute *other : bytecode::other_attributes(operation, *vhlo)) {
        texts.emplace(other->name, mlir_text(other->value));
      }
    } else {
      BP_TRY(add_all(operation, texts));
    }
    std::string text;
    for (const auto &[name, value] : texts) {
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", mlir_name(name),
                          value == "unit" ? std::string() : " = " + value);
    }
    return text;
  }

  Status add_own(const Operation &operation, const VhloOperation &vhlo, Texts &texts) const {
    BP_ASSIGN(const std::vector<StoredAttribute> attributes, stored_attributes(program_, operation, vhlo));
    std::map<std::string_view, std::pair<const VhloAttribute *, Dictionary>> groups;
    for (const StoredAttribute &attribute : attributes) {
      const VhloAttribute &row = *attribute.row;
      if (!row.group.empty()) {
        auto &[first, members] = groups[row.group];
        first = &row;
        const bool is_channel = row.form == "channel_handle";
        const auto *list = attribute.value.get<std::vector<Attribute>>();
        if (list == nullptr || !list->empty()) {
          members.entries.push_back(
              {is_channel ? row.name == "channel_id" ? "handle" : "type" : row.name, attribute.value});
        }
      } else if (!bytecode::is_absent(row, attribute.value)) {
        texts.emplace(row.name, attribute_text(attribute.value, row.kind));
      }
    }
    if (texts.contains("operand_layouts") || texts.contains("result_layouts")) {  // both or none are there
      texts.emplace("operand_layouts", "[]");
      texts.emplace("result_layouts", "[]");
    }
    for (auto &[name, group] : groups) {
      auto &[row, members] = group;
      if (row->is_optional && bytecode::is_absent(members)) {
        continue;
      }
      if (row->form == "channel_handle" && members.entries.size() == 1) {
        members.entries.push_back({"type", {std::int64_t{0}}});
      }
      texts.emplace(name, struct_text(row->form, members));
    }
    return {};
  }

  // Attributes of operations that are not stored, as those of chlo.
  static Status add_all(const Operation &operation, Texts &texts) {
    const OperationRow *row = find_row(operation.name);
    for (const NamedAttribute &attribute : operation.attributes) {
      std::string_view name = attribute.name;
      for (const AttributeRow &known : row == nullptr ? std::vector<AttributeRow>() : row->attributes) {
        name = !known.pretty_name.empty() && name == known.pretty_name ? known.name : name;
      }
      if (const auto *members = attribute.value.get<Dictionary>(); name == "ragged_dot_dimension_numbers" && members) {
        texts.emplace(name, in_chlo(struct_text("ragged_dot", *members)));
        continue;
      }
      const VhloAttribute *known = bytecode::find_vhlo_attribute(name);
      if (known == nullptr) {
        texts.emplace(name, mlir_text(attribute.value));
        continue;
      }
      BP_ASSIGN(const Attribute converted, convert(attribute.value, known->kind));
      const bool is_word = converted.get<Keyword>() != nullptr || known->kind == AttributeKind::Precisions;
      const std::string text = attribute_text(converted, known->kind);
      texts.emplace(name, is_word && operation.name.starts_with("chlo.") ? in_chlo(text) : text);
    }
    return {};
  }

  const Program &program_;
  std::string text_;
  std::size_t depth_ = 0;
  std::vector<std::string> names_;  // by ValueId
  std::size_t next_argument_ = 0, next_value_ = 0;
};

}  // namespace

Result<std::string> print(const Program &program) {
  return ProgramPrinter(program).print();
}

}  // namespace bp::import::stablehlo
