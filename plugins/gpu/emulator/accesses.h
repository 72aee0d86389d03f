// What emulated threads touch, told to the emulator, so that it finds races (race_detector.h).
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>

namespace bp::nvptx {

// Before each load and store of what may be memory of the GPU, the kernels of the module and what they call say so
// (EmulatedThread::touch). Not those of atomic operations, nor what units and copies touch by themselves.
void tell_touches(llvm::Module &module, std::uint32_t kernels);

}  // namespace bp::nvptx
