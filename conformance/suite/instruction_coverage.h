// Which kinds of instructions (conformance/coverage/attribute_classes.h) the cases of a run consist of.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "conformance/coverage/attribute_classes.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

struct OpCoverage {
  ir::Opcode opcode;
  std::size_t kinds = 0, covered = 0;  // over all element types
  // Classes that no instruction of some type or size has, such as "low: negative", with the number of these kinds; the
  // most frequent first.
  std::vector<std::pair<std::string, std::size_t>> missing = {};
};

class InstructionCoverage {
 public:
  // Knows all kinds of the operations and types that the stage attributes has cases of.
  InstructionCoverage();

  // Counts the instruction of a case of the stages ops or attributes; other cases have no effect. The program is
  // determined by the id and the subject's seed; nothing is run.
  void add(const Subject &subject, std::string_view id);
  // Counts an instruction that is tested on this element type.
  void add(const ir::Instruction &instruction, ir::ElementType type);

  // Returns a row for each operation, in the order of debugging::varied_ops().
  std::vector<OpCoverage> rows() const;

 private:
  struct Row {
    coverage::InstructionKind kind;
    bool is_covered = false;
  };
  std::map<std::pair<ir::Opcode, ir::ElementType>, std::vector<Row>> rows_;
};

}  // namespace bp::conformance
