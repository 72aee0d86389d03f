// Lesson 4: an application in C++ that runs one program many times on the same memory, by an Execution. Between runs
// nothing is copied and nothing is allocated.
#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "core/backplane.h"

namespace {

std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float *>(bytes.data()), bytes.size() / sizeof(float)};
}

// Computes x, f(x), f(f(x)), ... for a program that maps an array of f32 to another of the same sizes.
bp::Status lesson(const std::string &backend_name, const std::string &file) {
  BP_ASSIGN(bp::Backend backend, bp::Backend::load(backend_name));
  BP_ASSIGN(bp::Module module, bp::read_module(file));
  // An Execution runs one program of the device, so nothing may be left to the host.
  bp::CompileOptions options;
  options.device_only = true;
  BP_ASSIGN(bp::Compiled compiled, backend.compile(std::move(module), options));
  if (compiled.executable.program() == nullptr) {
    return bp::unsupported("{} makes no program of {}", backend_name, file);
  }
  bp::Execution execution = bp::Execution::prepare(compiled.executable.program());
  BP_TRY(execution.allocate());

  const std::span<float> x = floats(execution.input(0)), y = floats(execution.output(0));
  std::ranges::fill(x, 1.0f);
  for (int step = 1; step <= 5; ++step) {
    BP_TRY(execution.run());
    fmt::print("step {}: {}\n", step, y[0]);
    std::ranges::copy(y, x.begin());
  }
  return {};
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    fmt::print(stderr, "Usage: application BACKEND PROGRAM.hlo\n");
    return 2;
  }
  bp::Status status = lesson(argv[1], argv[2]);
  if (!status.ok()) {
    fmt::print(stderr, "{}\n", status.error().to_string());
    return 1;
  }
  return 0;
}
