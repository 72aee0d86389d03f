// Tables of opcodes and attributes, generated from ops.def, attributes.def and enumerations.def.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/ir/accuracy.h"

namespace bp::ir {

// The numbers are the ABI's op ids.
enum class Opcode : std::uint16_t {
  Invalid = 0,
#define BP_OP(number, name, ...) name = number,
#include "core/ir/ops.def"
};

// The numbers are the ABI's attribute keys.
enum class AttributeKey : std::uint16_t {
  Invalid = 0,
#define BP_ATTRIBUTE(number, name, text, kind) name = number,
#include "core/ir/attributes.def"
};
// Whether the attribute is a hint: hints do not change what an instruction computes and are accepted on every
// instruction.
constexpr bool is_hint(AttributeKey key) {
  return static_cast<std::uint16_t>(key) >= 0x8000;
}

// Names of the enumerations in enumerations.def.
enum class Enumeration : std::uint8_t {
  None,
#define BP_ENUMERATION(name) name,
#include "core/ir/enumerations.def"
};

// Each enumeration as an enum of its own: ComparisonDirection::Eq.
#define BP_ENUMERATION(name) enum class name : std::int64_t {
#define BP_ENUMERATOR(number, name, text) name = number,
#define BP_END_ENUMERATION \
  }                        \
  ;
#include "core/ir/enumerations.def"

// How an attribute is written and stored; see attributes.def.
enum class AttributeKind : std::uint8_t {
  Bool,
  I64,
  I64List,
  I64Lists,
  F64,
  Enum,
  EnumList,
  String,
  Text,
  SliceRanges,
  Padding,
  Window,
  DimLabels,
  Pairs,
  Aliasing,
  Computation,
  Computations,
  Literal,
};

struct AttributeInfo {
  AttributeKey key;
  std::string_view text;
  AttributeKind kind;
  Enumeration enumeration;  // for Enum and EnumList
};

struct AttributeUse {
  AttributeKey key;
  bool required;
};

// Properties that every instruction of an opcode has; a set of bits. All but ExplicitShape are the ABI's BP_TRAIT_*.
enum class Trait : std::uint16_t {
  None = 0,
  Elementwise = 1 << 0,    // each result element depends on the operand elements with the same index (or on scalars)
  Commutative = 1 << 1,    // the two operands may be swapped
  SideEffect = 1 << 2,     // must be kept, in order, even if its result is not used
  CallsControl = 1 << 3,   // called computations are control flow and may own buffers
  CallsEmbedded = 1 << 4,  // called computations are functions of the op, scalar or fused, without buffers of their own
  InPlace = 1 << 5,        // the result may reuse the buffer of the corresponding operand
  Collective = 1 << 6,     // communicates between replicas or partitions
  ExplicitShape = 1 << 7,  // the shape cannot be inferred and must be given
  Movement = 1 << 8,       // result elements are operand elements, bit for bit, at other indices
  Reduction = 1 << 9,      // elements along dimensions or in windows are combined by a called computation
  Contraction = 1 << 10,   // sums of products of elements of two operands
  Function = 1 << 11,      // an elementary function, which takes many instructions for a float
};
constexpr Trait operator|(Trait a, Trait b) {
  return static_cast<Trait>(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}

// Element types that an op accepts.
enum class TypeSet : std::uint8_t {
  AnyShape,        // also tuples and tokens
  AnyArray,        // every array type
  Numeric,         // integers, floats, complex
  Real,            // integers, floats
  Integer,         // signed, unsigned
  IntegerOrPred,   // signed, unsigned, pred
  Float,           // floats
  FloatOrComplex,  // floats, complex
};

struct OpInfo {
  Opcode opcode;
  std::string_view text;
  std::string_view identifier;  // name of the enumerator: "DynamicSlice"
  std::int16_t min_operands;
  std::int16_t max_operands;  // -1: no limit
  TypeSet types;
  Trait traits;
  Accuracy accuracy;
  std::string_view shape_rule;  // name of the function that infers it
  std::string_view summary;
  std::span<const AttributeUse> attributes;

  bool has(Trait trait) const { return (static_cast<unsigned>(traits) & static_cast<unsigned>(trait)) != 0; }
  // Whether the op has the attribute in its row; hints are in none.
  bool takes(AttributeKey key) const {
    return std::ranges::find(attributes, key, &AttributeUse::key) != attributes.end();
  }
};

// Returns all rows of ops.def, ordered by number.
std::span<const OpInfo> ops();
const OpInfo &info(Opcode opcode);
std::string_view to_string(Opcode opcode);
std::optional<Opcode> opcode_from_string(std::string_view text);

std::span<const AttributeInfo> attributes();
const AttributeInfo &info(AttributeKey key);
std::string_view to_string(AttributeKey key);
// Returns the attribute named `text` of this opcode: one of its own, or one that every instruction takes.
std::optional<AttributeUse> find_attribute(Opcode opcode, std::string_view text);

// Returns the text of a number, or an empty text if the enumeration does not have it.
std::string_view enumerator_text(Enumeration enumeration, std::int64_t number);
std::optional<std::int64_t> enumerator_number(Enumeration enumeration, std::string_view text);

}  // namespace bp::ir
