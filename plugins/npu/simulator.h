// The simulator executes a program instruction by instruction and counts its cycles.
#pragma once

#include <cstdint>
#include <mutex>

#include "backplane/ext/compiler.h"
#include "plugin_api/cpp/result.h"
#include "plugins/npu/instruction_set.h"
#include "plugins/npu/memory.h"

namespace bp::npu {

// Threads: run() may be called from any thread; one program runs at a time.
class Simulator {
 public:
  explicit Simulator(const Memory &memory) : memory_(memory) {}

  // Runs a program that was checked (artifact.h), and sets `cycles` to the number of cycles it took. Fails with
  // BP_INTERNAL and the instruction if one accesses memory outside of a piece.
  plugin::Status run(const Program &program, const bp_run_t &run, std::uint64_t &cycles);

 private:
  const Memory &memory_;
  std::mutex mutex_;
  std::uint64_t clock_ = 0;  // cycles of all runs so far
};

}  // namespace bp::npu
