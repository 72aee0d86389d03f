// Limits that a process sets on itself before it runs code that may crash or use all memory.
#pragma once

#include <cstdint>

namespace bp {

// From now on this process and its children may map at most `bytes` of address space (0: no limit; sanitizer builds are
// never limited), write no core files, and are ended by fatal signals (see below). The process becomes the leader of a
// process group of its own, so that its children can be killed together with it.
void confine_process(std::int64_t bytes);

// Makes crashes end the process: resets the handlers of SIGSEGV, SIGABRT and similar signals, including a sanitizer's.
// Must be called again by a program that the process replaces itself with (exec).
void die_of_signals();

}  // namespace bp
