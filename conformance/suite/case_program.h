// The program of a case, to be shown: what its stage gives to the device, with the same arguments.
#pragma once

#include <string>
#include <vector>

#include "core/backplane.h"

namespace bp::conformance {

class Subject;

// CaseProgram::allowed of programs that program_judge.h judges.
inline constexpr std::string_view allowed_by_program_judge =
    "four times the effect that the errors allowed for each operation have on the result";

struct CaseProgram {
  Module module;
  std::vector<Literal> arguments;
  std::string allowed = {};  // how close the result has to be; empty: the case does not compare it with the interpreter
  bool is_whole = true;      // whether the device has to run all of it; otherwise the host runs the rest
};

// Returns the program of a case of a stage that runs sample programs, such as "buffers/add/end". `seed_name`: the text
// whose seed its arguments have.
Result<CaseProgram> program_of_sample(const Subject &subject, const std::string &id, const std::string &seed_name);

}  // namespace bp::conformance
