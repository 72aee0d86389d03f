// The tile registers of x86 (AMX): Linux gives them to the processes that ask for them.
#pragma once

namespace bp::emit {

// Asks for the registers, for all threads of this process. Returns whether it has them. Afterwards Linux refuses
// alternate stacks of signal handlers that are too small for the registers, as it refuses this call while there are
// such. Any thread may call it.
bool use_tiles();

}  // namespace bp::emit
