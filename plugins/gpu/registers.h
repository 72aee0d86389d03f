// Estimates of how many threads of a block have enough registers for what a kernel computes. The compiler of the GPU's
// vendor decides how many registers code takes, so each backend has a model of its own.
#pragma once

#include <cstdint>

#include "plugins/llvm/module_view.h"

namespace bp::gpu {

// The registers that the threads of a kernel need for what they compute. It is an estimate on the safe side: a thread
// that lacks registers keeps values in memory, which is far slower.
struct RegisterNeed {
  std::int64_t max_threads;       // of a block, a power of two, so that each thread has enough registers
  bool fills_multiprocessor;      // a block may need all registers of a multiprocessor
  bool lowers_occupancy = false;  // uses functions for which a multiprocessor full of threads has too few registers
};

// Threads: any.
class RegisterModel {
 public:
  // The need of an instruction and of all computations that it calls.
  RegisterNeed of(emit::InstructionView instruction) const;
  // The need of sums of `sum_bits` bits that a thread keeps.
  virtual RegisterNeed of_sums(std::int64_t sum_bits) const = 0;
  // The registers for sums that a thread keeps in addition to those that it already needs.
  virtual RegisterNeed with_sums(const RegisterNeed &need, std::int64_t sum_bits) const = 0;

 protected:
  // The need of one instruction, without the computations that it calls.
  virtual RegisterNeed of_one(emit::InstructionView instruction) const = 0;
  ~RegisterModel() = default;  // models are constants
};

}  // namespace bp::gpu
