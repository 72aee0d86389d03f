// Survey of the ops and element types that run on a device: for each op and type, the interpreter and one device are
// asked about small programs (programs.h). exceptions.cc lists what no device can run, with the reasons.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/host/plugin.h"
#include "core/interpreter/compare.h"
#include "core/ir/element_type.h"
#include "core/ir/op.h"

namespace bp::coverage {

using Device = std::shared_ptr<const host::Device>;

enum class Answer : std::uint8_t {
  Native,       // the device claims the op itself
  Expanded,     // the core rewrites the op to ops that the device claims, or removes it
  Interpreter,  // only the interpreter runs it
  Nowhere,      // not even the interpreter runs it
};

// An op with an element type that the verifier accepts for it.
struct Cell {
  ir::Opcode opcode;
  ir::ElementType type;  // Invalid: the op's programs have no element type
  Answer answer;
  std::string reason;                 // for Interpreter and Nowhere: why the device does not run it
  std::vector<std::string> programs;  // those that the verifier accepts
};

// Returns the cells in the order of the op and type tables. Fails if an op has no program, or none that the verifier
// accepts.
Result<std::vector<Cell>> survey(const Device &device);

// Runs the programs of a cell on the device alone and on the interpreter, with arguments generated from a fixed seed.
Result<std::vector<interpreter::Comparison>> run(const Cell &cell, const Device &device);

// An op that no backend can run for some types, and the reason, which lies in the op and not in a backend.
struct Exception {
  ir::Opcode opcode;
  Answer answer;           // Interpreter or Nowhere
  std::string_view types;  // in the format of describe()
  std::string_view reason;
};
std::span<const Exception> exceptions();

// Lists the types for which the op got this answer: "pred, signed, f32". The name of a family stands for all its types.
std::string describe(const std::vector<Cell> &cells, ir::Opcode opcode, Answer answer);

// Renders the survey of the device with this id as a page. For what it does not run, the page gives the reason that
// exceptions() has or, if there is none, the answer of the survey.
std::string to_markdown(const std::vector<Cell> &cells, std::string_view id);

}  // namespace bp::coverage
