#include "conformance/check/runner.h"

#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::conformance {

Result<Outcome> run(const ir::Module &module, const Backend &backend) {
  BP_ASSIGN(SelfChecking program, take_apart(module));
  CompileOptions options;
  options.device_only = true;
  options.fold_constants = false;
  options.verify = true;
  BP_ASSIGN(Compiled compiled, backend.compile(std::move(program.program), options));
  BP_ASSIGN(Literal result, compiled.executable.run(std::move(program.arguments)));

  Outcome outcome;
  outcome.checks = program.checks.size();
  auto value_of = [&](const Side &side) -> const Literal & {
    return side.output ? result.tuple_elements()[*side.output] : side.value;
  };
  for (Check &check : program.checks) {
    Literal expected = value_of(check.expected);
    if (check.is_serialized) {
      BP_ASSIGN(expected, text::parse_literal(text::print(expected), expected.shape()));
    }
    if (auto mismatch = find_mismatch(value_of(check.found), expected, check.rule)) {
      outcome.failures.push_back({std::move(check.location), to_string(*mismatch, check.rule)});
    }
  }
  return outcome;
}

}  // namespace bp::conformance
