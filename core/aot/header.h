// The C header of programs, which is C99 and C++.
#pragma once

#include <span>
#include <string>

#include "core/aot/program.h"

namespace bp::aot {

// Where the functions of the header are defined.
enum class Functions {
  Inline,    // in the header
  Declared,  // elsewhere: the header declares them
};

// Returns the header of one or several programs. `name`: of all of them, an identifier; `file`: the name that its
// comment states.
std::string header_text(std::span<const Description> programs, const std::string &name, Functions functions,
                        const std::string &file);
// Returns a C file that defines the functions which the header declares, and includes that header by name.
std::string source_text(std::span<const Description> programs, const std::string &header);

}  // namespace bp::aot
