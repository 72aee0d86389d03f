// The emulator: a machine that runs kernels on the host, thread by thread, as a GPU of some target would.
#pragma once

#include <cstdint>
#include <memory>

#include "plugins/gpu/machine.h"
#include "plugins/gpu/threads.h"

namespace bp::gpu {

// Emits kernels as code of the host. finds_races: the kernels tell the emulator which memory they access, which is
// slow.
std::unique_ptr<Threads> make_emulated_threads(const Target &target, bool finds_races);

// Takes up to `memory_bytes` of the host's memory.
std::unique_ptr<Machine> make_emulator(const Target &target, std::uint64_t memory_bytes);

}  // namespace bp::gpu
