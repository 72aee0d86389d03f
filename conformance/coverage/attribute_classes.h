// Kinds of instructions of an op on an element type: classes of attributes, shapes and layouts, of which an instruction
// may have several, and ranges of sizes.
#pragma once

#include <string_view>
#include <vector>

#include "core/ir/module.h"

namespace bp::coverage {

struct AttributeClass {
  std::vector<ir::Opcode> ops;  // empty: every op that has operands
  std::string_view attribute;   // "padding"
  std::string_view value;       // "low < 0"
  bool (*holds)(const ir::Instruction &instruction);
  // Which element types instructions of the class can have. nullptr: all that the op has.
  bool (*has)(ir::ElementType type) = nullptr;
};

// Ranges of sizes between which devices change their method, by the elements of the largest array: one; a few vectors;
// the share of one processor; what is divided among several.
enum class SizeRange : std::uint8_t { One, Small, Medium, Large };
std::string_view to_string(SizeRange range);
SizeRange size_range_of(const ir::Instruction &instruction);

// A kind of instructions of an op on an element type.
struct InstructionKind {
  const AttributeClass *attribute;  // nullptr: any attributes
  SizeRange size;

  bool holds(const ir::Instruction &instruction) const {
    return size_range_of(instruction) == size && (attribute == nullptr || attribute->holds(instruction));
  }
};

// Returns the kinds of instructions of the op on this element type, those of a class next to each other. With arrays of
// one element, attributes make no difference.
std::vector<InstructionKind> instruction_kinds(ir::Opcode opcode, ir::ElementType type);

}  // namespace bp::coverage
