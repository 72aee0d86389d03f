#include "conformance/suite/case_program.h"

#include "conformance/suite/sample_programs.h"
#include "conformance/suite/subject.h"
#include "core/interpreter/random_inputs.h"

namespace bp::conformance {

Result<CaseProgram> program_of_sample(const Subject &subject, const std::string &id, const std::string &seed_name) {
  const std::size_t begin = id.find('/') + 1, end = id.rfind('/');
  BP_ASSIGN(Module module, sample_program(id.substr(begin, end - begin)));
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of(seed_name)));
  return CaseProgram{std::move(module), std::move(arguments)};
}

}  // namespace bp::conformance
