// Which ops run where, for which element types: the interpreter and one device are asked about a small program for each
// op and type (programs.h). What the devices of this repository leave is said in exceptions.cc, with the reason.
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
  Expanded,     // the core brings it to ops that the device claims, or to nothing at all
  Interpreter,  // only the interpreter runs it
  Nowhere,      // not even that
};

// An op and a type that the verifier lets it have.
struct Cell {
  ir::Opcode opcode;
  ir::ElementType type;  // Invalid: the op's programs have none
  Answer answer;
  std::string reason;                 // why not, of Interpreter and Nowhere
  std::vector<std::string> programs;  // that the verifier accepts
};

// In the order of the tables. Fails if an op has no program, or none that the verifier accepts.
Result<std::vector<Cell>> survey(const Device &device);

// Runs the programs of a cell on the device alone, and on the interpreter. Arguments are made from a seed.
Result<std::vector<interpreter::Comparison>> run(const Cell &cell, const Device &device);

// What a device does not run, and why not.
struct Exception {
  ir::Opcode opcode;
  Answer answer;           // Interpreter or Nowhere
  std::string_view types;  // as describe() writes them
  std::string_view reason;
};
// Of a device of this repository, by id; empty if nothing was written down about it.
std::vector<Exception> exceptions(std::string_view device_id);

// The types of the cells of an op that got an answer: "pred, signed, f32"; the name of a family stands for all of it.
std::string describe(const std::vector<Cell> &cells, ir::Opcode opcode, Answer answer);

// A page that shows it all. What the device `name` does not run is told with the reasons of `known`, or, if there are
// none, with what was answered.
std::string to_markdown(const std::vector<Cell> &cells, std::string_view name, std::span<const Exception> known);

}  // namespace bp::coverage
