#include "core/ir/op_reference.h"

#include <fmt/format.h>

#include <cctype>
#include <unordered_map>
#include <utility>
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
    case AttributeKind::Text:
      return attribute.key == AttributeKey::ResultAccuracy
                 ? "string: HLO text: {mode=highest} or {tolerance={atol=0,rtol=0,ulps=2}}"
                 : "string: HLO text";
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
    case SizeRule::PassThrough: return "passed through";
    case SizeRule::Bounded: return "bounded";
    case SizeRule::CutToSizes: return "cut to sizes";
    case SizeRule::Refused: return "refused";
  }
  return "";
}

std::string_view types_text(TypeSet types) {
  switch (types) {
    case TypeSet::AnyShape: return "BP_TYPES_ANY_SHAPE";
    case TypeSet::AnyArray: return "BP_TYPES_ANY_ARRAY";
    case TypeSet::Numeric: return "BP_TYPES_NUMERIC";
    case TypeSet::Real: return "BP_TYPES_REAL";
    case TypeSet::Integer: return "BP_TYPES_INTEGER";
    case TypeSet::IntegerOrPred: return "BP_TYPES_INTEGER | BP_TYPES_PRED";
    case TypeSet::Float: return "BP_TYPES_FLOAT";
    case TypeSet::FloatOrComplex: return "BP_TYPES_FLOAT | BP_TYPES_COMPLEX";
  }
  return "";
}

// How the element type of the result follows from the operands: the shape rules of elementwise ops say it.
std::string_view result_rule(const OpInfo &op) {
  if (op.shape_rule == "compare" || op.shape_rule == "is_finite") {
    return "PRED";
  }
  if (op.shape_rule == "abs" || op.shape_rule == "real_imag") {
    return "REAL_PART";
  }
  if (op.shape_rule == "complex") {
    return "COMPLEX";
  }
  return op.has(Trait::Elementwise) && !op.has(Trait::ExplicitShape) ? "SAME" : "STATED";
}

std::string traits_text(const OpInfo &op) {
  constexpr std::pair<Trait, std::string_view> names[] = {
      {Trait::Elementwise, "ELEMENTWISE"},
      {Trait::Commutative, "COMMUTATIVE"},
      {Trait::SideEffect, "SIDE_EFFECT"},
      {Trait::CallsControl, "CALLS_CONTROL"},
      {Trait::CallsEmbedded, "CALLS_EMBEDDED"},
      {Trait::InPlace, "IN_PLACE"},
      {Trait::Collective, "COLLECTIVE"},
      {Trait::Movement, "MOVEMENT"},
      {Trait::Reduction, "REDUCTION"},
      {Trait::Contraction, "CONTRACTION"},
      {Trait::Function, "FUNCTION"},
  };
  std::string text;
  for (const auto &[trait, name] : names) {
    if (op.has(trait)) {
      text += fmt::format("{}BP_TRAIT_{}", text.empty() ? "" : " | ", name);
    }
  }
  return text.empty() ? "0" : text;
}

std::string_view closeness_text(Closeness closeness) {
  switch (closeness) {
    case Closeness::Bits: return "BITS";
    case Closeness::Exact: return "EXACT";
    case Closeness::Ulp: return "ULP";
    case Closeness::Sum: return "SUM";
    case Closeness::Norm: return "NORM";
    case Closeness::Unknown: return "UNKNOWN";
  }
  return "";
}

constexpr std::string_view op_facts_beginning =
    R"(// What holds for every instruction of an op: names, numbers of operands, element types, traits, accuracy. For tables of
// what a backend does with each op, so that a new op changes a row and no range of numbers.
// Generated from the tables in core/ir by tools/generate_op_tables; do not edit.
#ifndef BACKPLANE_C_OP_FACTS_H
#define BACKPLANE_C_OP_FACTS_H

#include <stdint.h>

#include "backplane/op_ids.h"

#ifdef __cplusplus
extern "C" {
#endif

// Classes of element types, a set of bits: those that array operands may have (or the result, without operands).
enum {
   BP_TYPES_PRED = 1,
   BP_TYPES_INTEGER = 2,
   BP_TYPES_FLOAT = 4,
   BP_TYPES_COMPLEX = 8,
   BP_TYPES_OTHER = 16, // tuples and tokens
   BP_TYPES_REAL = BP_TYPES_INTEGER | BP_TYPES_FLOAT,
   BP_TYPES_NUMERIC = BP_TYPES_REAL | BP_TYPES_COMPLEX,
   BP_TYPES_ANY_ARRAY = BP_TYPES_NUMERIC | BP_TYPES_PRED,
   BP_TYPES_ANY_SHAPE = BP_TYPES_ANY_ARRAY | BP_TYPES_OTHER,
};

// Traits, a set of bits.
enum {
   BP_TRAIT_ELEMENTWISE = 1 << 0,    // each result element depends on the operand elements of the same index, or on scalars
   BP_TRAIT_COMMUTATIVE = 1 << 1,    // the two operands may be swapped
   BP_TRAIT_SIDE_EFFECT = 1 << 2,    // stays, in order, even if nobody uses it
   BP_TRAIT_CALLS_CONTROL = 1 << 3,  // called computations are control flow, whose values have memory
   BP_TRAIT_CALLS_EMBEDDED = 1 << 4, // called computations are functions of the op: their values have no memory
   BP_TRAIT_IN_PLACE = 1 << 5,       // the result may take the memory of the operand with its index
   BP_TRAIT_COLLECTIVE = 1 << 6,     // communicates between replicas or partitions
   BP_TRAIT_MOVEMENT = 1 << 8,       // result elements are operand elements, bit for bit, at other indices
   BP_TRAIT_REDUCTION = 1 << 9,      // elements along dimensions or in windows are combined by a called computation
   BP_TRAIT_CONTRACTION = 1 << 10,   // sums of products of elements of two operands
   BP_TRAIT_FUNCTION = 1 << 11,      // an elementary function, which takes many instructions for a float
};

// How the element type of the result follows from the last operand's.
enum {
   BP_RESULT_STATED = 0,    // it does not: the instruction says it
   BP_RESULT_SAME = 1,      // it is the same
   BP_RESULT_PRED = 2,      // pred
   BP_RESULT_REAL_PART = 3, // that of the real part; the same if it is not complex
   BP_RESULT_COMPLEX = 4,   // the complex type whose parts have it
};

// How close to the exact result a backend's must be, as the conformance suite judges it. eps is 2^-53 for f64 and c128,
// and 2^-24 for every other type: sums of narrow floats are computed in f32 or wider, whatever type the body of a reduce
// has, and rounded once. Only scatter and select-and-scatter may add in the type of their result.
enum {
   BP_CLOSENESS_BITS = 0,    // every bit
   BP_CLOSENESS_EXACT = 1,   // correctly rounded
   BP_CLOSENESS_ULP = 2,     // up to `limit` units in the last place away
   BP_CLOSENESS_SUM = 3,     // a sum of n terms in any order: up to n eps of the sum of their absolute values away
   BP_CLOSENESS_NORM = 4,    // up to `limit` eps of the largest element of the array away
   BP_CLOSENESS_UNKNOWN = 5, // anything: random, or a value that another party decides
};

typedef struct bp_op_facts {
   const char *name; // in HLO text: "add"
   uint16_t op;      // BP_OP_*
   uint16_t traits;  // BP_TRAIT_*
   int16_t min_operands;
   int16_t max_operands; // -1: any number
   uint8_t types;        // BP_TYPES_*
   uint8_t result;       // BP_RESULT_*
   uint8_t closeness;    // BP_CLOSENESS_*
   uint8_t reserved;
   float limit;         // of f32 and f64
   float narrow_limit;  // of floats of at most 16 bits
   float complex_limit; // of complex numbers
} bp_op_facts_t;
#ifdef __cplusplus
static_assert(sizeof(bp_op_facts_t) == sizeof(void *) + 24, "bp_op_facts_t");
#else
_Static_assert(sizeof(bp_op_facts_t) == sizeof(void *) + 24, "bp_op_facts_t");
#endif

// One row per number of an op, from 1 on; a number without an op has op 0:
// ROW(op, name, min_operands, max_operands, types, result, traits, closeness, limit, narrow_limit, complex_limit)
#define BP_OP_FACTS(ROW) \
)";

constexpr std::string_view op_facts_end = R"(
#define BP_OP_FACTS_ROW(op, name, min, max, types, result, traits, closeness, limit, narrow, complex) \
   {name, op, traits, min, max, types, result, closeness, 0, limit, narrow, complex},

// Returns the facts of an op, or null for a number that this header does not know. Static memory. [thread-safe]
static inline const bp_op_facts_t *bp_op_facts(uint32_t op) {
   static const bp_op_facts_t rows[] = {BP_OP_FACTS(BP_OP_FACTS_ROW)};
   return op >= 1 && op <= sizeof(rows) / sizeof(rows[0]) && rows[op - 1].op == op ? &rows[op - 1] : 0;
}

#ifdef __cplusplus
}
#endif

#endif
)";

// Returns the section on the propagation of dynamic dimensions.
std::string run_time_sizes_markdown() {
  std::string out =
      "\n## Run-time sizes\n\n"
      "A dimension written `<=8` holds up to 8 elements. Their number is known at run time, and the elements beyond\n"
      "it are undefined. Ops treat such dimensions as XLA does (in its DynamicDimensionInference and "
      "DynamicPadder):\n\n"
      "- *passed through*: the value keeps its sizes;\n"
      "- *bounded*: no element within the result's sizes depends on one beyond the operands' sizes;\n"
      "- *cut to sizes*: the op works on the existing elements only;\n"
      "- *refused*: no backend computes the op, and the error message says so.\n\n"
      "Elementwise ops are bounded. A dimension of their result has the size of the dynamic operands, the smallest if\n"
      "they differ. In ops on two operands, an operand with one element in that dimension is combined with all\n"
      "elements of the other.\n\n"
      "| op | rule | sizes of the result, or why it is refused |\n|---|---|---|\n";
  for (const OpInfo &op : ops()) {
    if (!op.has(Trait::Elementwise)) {
      out +=
          fmt::format("| `{}` | {} | {} |\n", op.text, size_rule_text(size_rule(op.opcode)), size_summary(op.opcode));
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
      "// Generated from the tables in core/ir by tools/generate_op_tables; do not edit.\n"
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

std::string op_facts_header() {
  std::string out = std::string(op_facts_beginning);
  int number = 0;
  for (const OpInfo &op : ops()) {
    for (++number; number < static_cast<int>(op.opcode); ++number) {
      out += "   ROW(0, \"\", 0, 0, 0, 0, 0, 0, 0.0f, 0.0f, 0.0f) \\\n";  // a number without an op
    }
    out += fmt::format(
        "   ROW(BP_OP_{}, \"{}\", {}, {}, {}, BP_RESULT_{}, {}, BP_CLOSENESS_{}, {:.1f}f, {:.1f}f, {:.1f}f) \\\n",
        upper_snake_case(op.identifier), op.text, op.min_operands, op.max_operands, types_text(op.types),
        result_rule(op), traits_text(op), closeness_text(op.accuracy.closeness), op.accuracy.wide, op.accuracy.narrow,
        op.accuracy.complex);
  }
  out.erase(out.size() - 3, 2);  // the last row ends the macro
  return out + std::string(op_facts_end);
}

std::string ops_markdown() {
  std::string out =
      "# Operations\n\n"
      "All HLO operations, ordered by number. Attributes in **bold** are required. Every instruction also accepts the\n"
      "hints at the end of the table of attributes. The columns `in C` name constants of\n"
      "`backplane/op_ids.h`. `backplane ops --markdown` writes this page.\n\n"
      "| number | op | in C | operands | element types | attributes | computes |\n"
      "|---:|---|---|---|---|---|---|\n";
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
    out += fmt::format("| {} | `{}` | `BP_OP_{}` | {} | {} | {} | {} |\n", static_cast<int>(op.opcode), op.text,
                       upper_snake_case(op.identifier), describe_operand_count(op), type_set_text(op.types), uses,
                       summary);
  }
  out += "\n## Attributes\n\n| key | attribute | in C | value |\n|---:|---|---|---|\n";
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
    const std::string constant = is_stored_as_attribute(attribute)
                                     ? fmt::format("`BP_ATTR_{}`", upper_snake_case(identifier(attribute.key)))
                                     : "";
    out += fmt::format("| {} | `{}`{} | {} | {} |\n", static_cast<int>(attribute.key), attribute.text,
                       is_hint(attribute.key) ? " (hint)" : "", constant, value);
  }
  return out + run_time_sizes_markdown();
}

}  // namespace bp::ir
