// One instruction or a small program, run on the device and compared with the interpreter: what the stages `ops`,
// `attributes` and `identities` have in common.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/record.h"
#include "conformance/suite/subject.h"
#include "conformance/suite/values.h"

namespace bp::conformance {

// How the program is executed. The result must be the same.
enum class Way : std::uint8_t {
  Plain,     // by the core's runtime, with parameters as operands
  Repeated,  // three times, with other arguments the second time: the third result has the bits of the first
  Guarded,   // by the ABI, between guards and in poisoned memory; again with other addresses: the same bits
  Constant,  // one operand is a constant of the program, as weights are
  Donated,   // the result takes the memory of an operand, if one has its shape
};
inline constexpr std::size_t way_count = 5;

struct InstructionTrial {
  std::string key;  // trials with the same key have the same program
  ir::Module module;
  std::vector<ir::Literal> arguments;
  Values values = Values::Random;
  ir::ElementType type = ir::ElementType::Invalid;  // of the operands
  Way way = Way::Plain;
  std::uint64_t seed = 0;       // for the choices that a way leaves
  bool is_elementwise = false;  // all instructions are, if there are several: each element is judged alone
  bool is_one_op = true;        // if there is one instruction, its op's accuracy is that of the result
};

enum class Tiles : std::uint8_t {
  Any,   // mostly the same for all arrays, some without
  Same,  // for all arrays
};
// Stores operands of the trial's program, and its result, in tiles. Returns false, and leaves the trial as it is, if
// the device then does not run all of it.
bool store_in_tiles(Subject &subject, InstructionTrial &trial, Tiles kind = Tiles::Any);
// Stores operands narrower than a byte, and such a result, without gaps, if the device then still runs all of it.
void store_packed(Subject &subject, InstructionTrial &trial);

// Unsupported if the device does not claim the program; weak if a wrong result would probably have been the same. The
// message of a failure contains the program.
Verdict judge_on_device(Subject &subject, const InstructionTrial &trial);
// The same for a result that was computed elsewhere. `expected`: the interpreter's result, of the same shape.
Verdict judge_outcome(Subject &subject, const InstructionTrial &trial, const ir::Literal &found,
                      const ir::Literal &expected);

// Whether a result of the trial's program is as close as the errors allowed for the instructions of `parts` make it.
// The core made this program, without the trial's op, for a device that lacks the op. The errors may add up to more
// than is allowed for the op itself.
bool is_right_by_parts(ir::Module parts, const InstructionTrial &trial, const ir::Literal &found);

// Why a result proves little about the device that computed it: it has no elements, or almost all are infinite or NaN,
// or the same although the operands' are not. Empty: it proves something.
std::string find_weakness(const std::vector<ir::Literal> &arguments, const ir::Literal &expected);

}  // namespace bp::conformance
