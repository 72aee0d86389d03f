// The simulator executes a program instruction by instruction and counts its cycles.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "backplane/ext/compiler.h"
#include "backplane/ext/draft/counters.h"
#include "plugin_api/cpp/result.h"
#include "plugins/npu/instruction_set.h"
#include "plugins/npu/memory.h"

namespace bp::npu {

// The counters of the machine, which count by instruction of the module, in the order of `enum Counter`.
inline constexpr bp_counter_desc_t counters[] = {
    {"cycles", "cycles of all units", BP_UNIT_CYCLES, 0},
    {"dma-bytes", "bytes moved between memory and scratchpad", BP_UNIT_BYTES, 0},
    {"matrix-cycles", "cycles in which the matrix unit works", BP_UNIT_CYCLES, 0},
};
enum Counter : std::uint32_t { cycle_counter, dma_counter, matrix_counter };

// Lets one thread work at a time: of those that wait, the one with the highest priority is next, then the one that has
// waited longest. Takes no memory: a run may not (BP-RUN-02).
class Turnstile {
 public:
  // Waits for its turn, which ends with its destruction.
  class Turn {
   public:
    Turn(Turnstile &turnstile, std::int32_t priority) : turnstile_(turnstile), priority_(priority) { take(); }
    ~Turn() { leave(); }
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

    // Ends the turn, and waits for the next one.
    void leave();
    void take();

   private:
    friend class Turnstile;
    Turnstile &turnstile_;
    std::int32_t priority_;
    Turn *next_ = nullptr;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Turn *first_ = nullptr;  // of those that wait
  bool is_busy_ = false;
};

// Threads: run() may be called from any thread; one program runs at a time, the most urgent first.
class Simulator {
 public:
  explicit Simulator(const Memory &memory) : memory_(memory) {}

  // Runs a program that was checked (artifact.h), and sets `cycles` to the number of cycles it took. Fails with
  // BP_INTERNAL and the instruction if one accesses memory outside of a piece, and with BP_CANCELLED if the run is to
  // end early (bp.cancel/draft-1).
  plugin::Status run(const Program &program, const bp_run_t &run, std::uint64_t &cycles);

 private:
  const Memory &memory_;
  Turnstile turnstile_;
  std::uint64_t clock_ = 0;  // cycles of all runs so far
};

}  // namespace bp::npu
