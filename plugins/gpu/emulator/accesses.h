// Reports of the memory accesses of emulated threads, from which the emulator finds races (race_detector.h).
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>

namespace bp::gpu {

// Makes the kernels of the module, and the functions that they call, report each load and store of what may be memory
// of the GPU before they do it (EmulatedThread::access). Atomic operations and the accesses of units and asynchronous
// copies are not reported.
void report_accesses(llvm::Module &module, std::uint32_t kernels);

}  // namespace bp::gpu
