// What a process gives up before it runs what may crash or take all memory.
#pragma once

#include <cstdint>

namespace bp {

// From now on this process and its children may map at most `bytes` of addresses (0: any number; sanitizer builds are
// not limited), write no core files, and die of signals (see below). It leads a process group of its own, so that its
// children can be ended with it.
void confine_process(std::int64_t bytes);

// Crashes end the process: handlers of SIGSEGV and its like are gone, a sanitizer's too. To be said again in a program
// that the process becomes.
void die_of_signals();

}  // namespace bp
