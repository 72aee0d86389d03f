// Lesson 2: a backend that runs whole patterns by routines of its own. The plugin next to this file takes a dot with
// bias and activation as one call; the result is compared with that of the interpreter.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/backplane.h"

namespace {

// Returns an argument for each parameter: small numbers of both signs.
bp::Result<std::vector<bp::Literal>> make_arguments(const bp::Module &module) {
  std::vector<bp::Literal> arguments;
  for (std::size_t p = 0; p < module.entry().parameter_count(); ++p) {
    BP_ASSIGN(bp::Literal argument, bp::Literal::zeros(module.entry().parameter(p).shape()));
    for (std::size_t i = 0; i < argument.elements<float>().size(); ++i) {
      argument.mutable_elements<float>()[i] = static_cast<float>(static_cast<int>((i * 5 + p) % 11) - 5) / 10;
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

bp::Result<bp::Literal> run(const std::string &backend_name, const std::string &file) {
  bp::BackendOptions options;
  options.log = [](std::uint32_t, std::string_view message) { fmt::print("the plugin says: {}\n", message); };
  BP_ASSIGN(bp::Backend backend, bp::Backend::load(backend_name, options));
  BP_ASSIGN(bp::Module module, bp::read_module(file));
  BP_ASSIGN(std::vector<bp::Literal> arguments, make_arguments(module));
  BP_ASSIGN(bp::Compiled compiled, backend.compile(std::move(module)));
  for (const bp::compile::OnHost &instruction : compiled.report.on_host) {
    fmt::print("{} leaves {} to the host\n", backend_name, instruction.name);
  }
  return compiled.executable.run(std::move(arguments));
}

bp::Status lesson(const std::string &plugin, const std::string &file) {
  BP_ASSIGN(bp::Literal result, run(plugin, file));
  BP_ASSIGN(bp::Literal expected, run("interpreter", file));
  float error = 0;
  for (std::size_t i = 0; i < result.elements<float>().size(); ++i) {
    error = std::max(error, std::abs(result.elements<float>()[i] - expected.elements<float>()[i]));
  }
  fmt::print("{}\n", error < 1e-5f ? "equal" : "different");
  return {};
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    fmt::print(stderr, "Usage: 02_library_routines PLUGIN.so PROGRAM.hlo\n");
    return 2;
  }
  bp::Status status = lesson(argv[1], argv[2]);
  if (!status.ok()) {
    fmt::print(stderr, "{}\n", status.error().to_string());
    return 1;
  }
  return 0;
}
