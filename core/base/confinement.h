// What a process gives up before it runs what may crash or take all memory.
#pragma once

#include <cstdint>

namespace bp {

// From now on this process and its children may map at most `bytes` of addresses (0: any number; sanitizer builds are
// not limited), write no core files, and die of what kills: handlers of those signals are gone. It leads a process group
// of its own, so that its children can be ended with it.
void confine_process(std::int64_t bytes);

}  // namespace bp
