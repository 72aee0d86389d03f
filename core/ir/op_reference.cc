#include "core/ir/op_reference.h"

#include <fmt/format.h>

#include <cctype>
#include <unordered_map>
#include <vector>

#include "core/ir/element_type.h"
#include "core/ir/op.h"
#include "core/ir/run_time_sizes.h"

namespace bp::ir {
namespace {

struct Enumerator {
  std::int64_t number;
  std::string_view name, text;
};
struct EnumerationRow {
  Enumeration enumeration;
  std::string_view name;
  std::vector<Enumerator> enumerators;
};

const std::vector<EnumerationRow> &enumeration_rows() {
  static const std::vector<EnumerationRow> rows{
#define BP_ENUMERATION(name) \
  {                          \
    Enumeration::name, #name, {
#define BP_ENUMERATOR(number, name, text) {number, #name, text},
#define BP_END_ENUMERATION \
  }                        \
  }                        \
  ,
#include "core/ir/enumerations.def"
  };
  return rows;
}

std::string_view identifier(AttributeKey key) {
  static const std::unordered_map<AttributeKey, std::string_view> identifiers{
#define BP_ATTRIBUTE(number, name, text, kind) {AttributeKey::name, #name},
#include "core/ir/attributes.def"
  };
  return identifiers.at(key);
}

std::string_view identifier(Enumeration enumeration) {
  for (const EnumerationRow &row : enumeration_rows()) {
    if (row.enumeration == enumeration) {
      return row.name;
    }
  }
  return "None";
}

// Called computations are a field of the instruction, not entries of its attribute list.
bool is_stored_as_attribute(const AttributeInfo &attribute) {
  return attribute.kind != AttributeKind::Computation && attribute.kind != AttributeKind::Computations;
}

// Describes the representation of the value for C programmers.
std::string describe_value(const AttributeInfo &attribute) {
  switch (attribute.kind) {
    case AttributeKind::Bool: return "int64: 0 or 1";
    case AttributeKind::I64: return "int64";
    case AttributeKind::I64List: return "int64 each";
    case AttributeKind::I64Lists: return "int64 per list: its length, then its numbers";
    case AttributeKind::F64: return "double";
    case AttributeKind::Enum: return fmt::format("int64: BP_{}_*", upper_snake_case(identifier(attribute.enumeration)));
    case AttributeKind::EnumList:
      return fmt::format("int64 each: BP_{}_*", upper_snake_case(identifier(attribute.enumeration)));
    case AttributeKind::String: return "string";
    case AttributeKind::Text: return "string: HLO text";
    case AttributeKind::SliceRanges: return "3 int64 per dimension: start, limit, stride";
    case AttributeKind::Padding: return "3 int64 per dimension: low, high, interior";
    case AttributeKind::Window:
      return "7 int64 per dimension: size, stride, pad low, pad high, lhs dilate, rhs dilate, reversal";
    case AttributeKind::DimLabels:
      return "int64: lhs batch, lhs feature, rhs input feature, rhs output feature, output batch, output feature, "
             "then the spatial dimensions of lhs, of rhs, of output";
    case AttributeKind::Pairs: return "2 int64 per pair";
    case AttributeKind::Aliasing:
      return "int64 per entry: output index length, output index..., operand, operand index length, operand index...";
    case AttributeKind::Computation: return "called computation";
    case AttributeKind::Computations: return "called computations";
    case AttributeKind::Literal: return "bytes of the arrays, as their layouts store them";
  }
  return "";
}

std::string_view type_set_text(TypeSet types) {
  switch (types) {
    case TypeSet::AnyShape: return "any shape";
    case TypeSet::AnyArray: return "any array";
    case TypeSet::Numeric: return "integer, float, complex";
    case TypeSet::Real: return "integer, float";
    case TypeSet::Integer: return "integer";
    case TypeSet::IntegerOrPred: return "integer, pred";
    case TypeSet::Float: return "float";
    case TypeSet::FloatOrComplex: return "float, complex";
  }
  return "";
}

std::string describe_operand_count(const OpInfo &op) {
  if (op.max_operands < 0) {
    return fmt::format("{} or more", op.min_operands);
  }
  return op.min_operands == op.max_operands ? fmt::format("{}", op.min_operands)
                                            : fmt::format("{} to {}", op.min_operands, op.max_operands);
}

std::string_view size_rule_text(SizeRule rule) {
  switch (rule) {
    case SizeRule::Whole: return "whole";
    case SizeRule::Bounded: return "bounded";
    case SizeRule::Cut: return "cut";
    case SizeRule::Refused: return "refused";
  }
  return "";
}

// Returns the section on the propagation of dynamic dimensions.
std::string run_time_sizes_markdown() {
  std::string out =
      "\n## Run-time sizes\n\n"
      "A dimension written `<=8` holds up to 8 elements; how many is known at run time, and what lies beyond is\n"
      "anything. Each op treats it as XLA does (its DynamicDimensionInference and DynamicPadder): *whole*: the value is\n"
      "handed on with its sizes; *bounded*: no element within the result's sizes depends on one beyond the operands';\n"
      "*cut*: the op works on what is there; *refused*: nobody computes it, and the message says so. Elementwise ops\n"
      "are bounded and their results have the sizes of the dynamic operands, the smallest if they differ; but in those\n"
      "on two operands, one that has one element there goes along with all of the other.\n\n"
      "| op | rule | sizes of the result, or why not |\n|---|---|---|\n";
  for (const OpInfo &op : ops()) {
    if (!op.has(Trait::Elementwise)) {
      out += fmt::format("| `{}` | {} | {} |\n", op.text, size_rule_text(size_rule(op.opcode)),
                         size_summary(op.opcode));
    }
  }
  return out;
}

}  // namespace

std::string upper_snake_case(std::string_view pascal_case) {
  std::string result;
  for (std::size_t i = 0; i < pascal_case.size(); ++i) {
    auto is = [&](int (*class_of)(int), std::size_t at) {
      return at < pascal_case.size() && class_of(static_cast<unsigned char>(pascal_case[at])) != 0;
    };
    bool starts_word = i != 0 && is(std::isupper, i) && (!is(std::isupper, i - 1) || is(std::islower, i + 1));
    if (starts_word) {
      result += '_';
    }
    result += static_cast<char>(std::toupper(static_cast<unsigned char>(pascal_case[i])));
  }
  return result;
}

std::string op_ids_header() {
  std::string out =
      "// Numbers of ops, attributes and element types in a bp_module. Add-only: a number never changes its meaning.\n"
      "// Generated from the tables in core/ir by tools/generate_op_ids; do not edit.\n"
      "#ifndef BACKPLANE_OP_IDS_H\n"
      "#define BACKPLANE_OP_IDS_H\n\n"
      "// Ops: bp_instr.op\nenum {\n";
  for (const OpInfo &op : ops()) {
    out += fmt::format("   BP_OP_{} = {}, // {}: {}\n", upper_snake_case(op.identifier), static_cast<int>(op.opcode),
                       op.text, op.summary);
  }
  out +=
      "};\n\n// Attributes: bp_attr.key. Called computations and literals have fields of their own.\n"
      "// From BP_ATTR_HINT on: may be ignored.\nenum {\n";
  for (const AttributeInfo &attribute : attributes()) {
    if (is_stored_as_attribute(attribute)) {
      auto number = static_cast<int>(attribute.key);
      out += fmt::format("   BP_ATTR_{} = {}, // {}: {}\n", upper_snake_case(identifier(attribute.key)),
                         is_hint(attribute.key) ? fmt::format("{:#x}", number) : fmt::format("{}", number),
                         attribute.text, describe_value(attribute));
    }
  }
  out += "};\n\n// Element types: bp_shape.dtype\nenum {\n";
  for (const ElementTypeInfo &type : element_types()) {
    out += fmt::format("   BP_DTYPE_{} = {},\n", upper_snake_case(type.text), static_cast<int>(type.type));
  }
  out += "};\n";
  for (const EnumerationRow &row : enumeration_rows()) {
    out += "\nenum {\n";
    for (const Enumerator &enumerator : row.enumerators) {
      out += fmt::format("   BP_{}_{} = {}, // {}\n", upper_snake_case(row.name), upper_snake_case(enumerator.name),
                         enumerator.number, enumerator.text);
    }
    out += "};\n";
  }
  return out + "\n#endif\n";
}

std::string ops_markdown() {
  std::string out =
      "# Operations\n\n"
      "Every HLO operation, in the order of its number. Attributes in **bold** are required; every instruction also\n"
      "accepts the hints listed at the end. Generated from the tables in `core/ir`.\n\n"
      "| number | op | operands | element types | attributes | computes |\n"
      "|---:|---|---|---|---|---|\n";
  for (const OpInfo &op : ops()) {
    std::string uses;
    for (const AttributeUse &use : op.attributes) {
      uses += uses.empty() ? "" : ", ";
      uses += fmt::format(fmt::runtime(use.required ? "**`{}`**" : "`{}`"), to_string(use.key));
    }
    std::string summary;
    for (char c : op.summary) {
      summary += c == '|' ? "\\|" : std::string(1, c);
    }
    out += fmt::format("| {} | `{}` | {} | {} | {} | {} |\n", static_cast<int>(op.opcode), op.text,
                       describe_operand_count(op), type_set_text(op.types), uses, summary);
  }
  out += "\n## Attributes\n\n| key | attribute | value |\n|---:|---|---|\n";
  for (const AttributeInfo &attribute : attributes()) {
    std::string value = describe_value(attribute);
    if (attribute.enumeration != Enumeration::None) {
      value.clear();
      for (const EnumerationRow &row : enumeration_rows()) {
        for (const Enumerator &enumerator : row.enumerators) {
          if (row.enumeration == attribute.enumeration) {
            value += fmt::format("{}`{}`", value.empty() ? "" : ", ", enumerator.text);
          }
        }
      }
    }
    out += fmt::format("| {} | `{}`{} | {} |\n", static_cast<int>(attribute.key), attribute.text,
                       is_hint(attribute.key) ? " (hint)" : "", value);
  }
  return out + run_time_sizes_markdown();
}

}  // namespace bp::ir
