// The cases of the stage attributes: programs of one instruction with random attributes, shapes and layouts.
//
//   attributes/dot/f32/3             attributes/OP/TYPE/N
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "conformance/suite/subject.h"

namespace bp::conformance {

struct AttributeCase {
  const ir::OpInfo *op = nullptr;
  ir::ElementType type = ir::ElementType::Invalid;
  std::size_t number = 0;

  std::string id() const;
  static std::optional<AttributeCase> parse(std::string_view id);
  // Returns the program, which depends on the subject's seed. The kinds of instructions
  // (conformance/coverage/attribute_classes.h) take turns: the first cases, which are those of the quick run, begin
  // with a kind that depends on the seed and have few large arrays; later ones cover all kinds. Another kind is
  // returned if no such program is found, nothing if the op has none for this type.
  std::optional<ir::Module> module(const Subject &subject) const;
};

// Returns how many cases of an op and type it takes until each kind had its turn.
std::size_t cases_of_all_kinds(ir::Opcode opcode, ir::ElementType type);

}  // namespace bp::conformance
