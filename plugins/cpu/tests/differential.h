// Runs a program on the CPU backend and on the interpreter with the same inputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/host/plugin.h"
#include "core/interpreter/compare.h"
#include "core/ir/module.h"

namespace bp::cpu::tests {

struct Differential {
  std::vector<interpreter::Comparison> comparisons;
  double passes_seconds = 0, plan_seconds = 0, compile_seconds = 0, load_seconds = 0, run_seconds = 0;
  std::size_t artifact_bytes = 0;
};

struct DifferentialOptions {
  std::vector<std::string_view> passes;  // of the pipeline, before copies are inserted
  std::uint64_t seed = 1;
  bool interpret = true;  // else nothing is compared
  int repeat = 1;         // runs; the fastest counts
};

// The backend beside the test, with its options.
Result<std::shared_ptr<const host::Device>> open_cpu(std::vector<std::pair<std::string, std::string>> settings = {});

Result<Differential> run_differential(const std::shared_ptr<const host::Device> &device, ir::Module module,
                                      const DifferentialOptions &options);

}  // namespace bp::cpu::tests
