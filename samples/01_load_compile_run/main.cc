// Lesson 1: load a backend by name, compile a program, run it.
#include <fmt/core.h>

#include "core/backplane.h"

namespace {

bp::Status lesson(const std::string &backend_name, const std::string &file) {
  // The backend is found by its name at run time; this program is built without knowing it.
  BP_ASSIGN(bp::Backend backend, bp::Backend::load(backend_name));

  // A program in HLO text: y = 2 * x + 1, for four numbers.
  BP_ASSIGN(bp::Module module, bp::read_module(file));

  // The core optimizes it and plans its memory; the backend turns it into code.
  BP_ASSIGN(bp::Compiled compiled, backend.compile(std::move(module)));
  fmt::print("{} instructions, {} bytes at the peak\n", compiled.report.instructions,
             compiled.executable.memory().peak());

  // Inputs and outputs are literals: dense, row-major.
  BP_ASSIGN(bp::Literal x, bp::Literal::zeros(bp::Shape::array(bp::ir::ElementType::F32, {4})));
  for (std::size_t i = 0; i < 4; ++i) {
    x.mutable_elements<float>()[i] = static_cast<float>(i);
  }
  std::vector<bp::Literal> arguments;
  arguments.push_back(std::move(x));
  BP_ASSIGN(bp::Literal y, compiled.executable.run(std::move(arguments)));
  for (float value : y.elements<float>()) {
    fmt::print("{} ", value);
  }
  fmt::print("\n");
  return {};
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    fmt::print(stderr, "Usage: load_compile_run BACKEND PROGRAM.hlo\n");
    return 2;
  }
  bp::Status status = lesson(argv[1], argv[2]);
  if (!status.ok()) {
    fmt::print(stderr, "{}\n", status.error().to_string());  // says what was found, what was expected, and where
    return 1;
  }
  return 0;
}
