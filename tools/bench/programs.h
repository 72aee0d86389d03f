// Programs of any size, to measure how time grows with size.
#pragma once

#include <string>

namespace bp::bench {

// Returns the HLO text of a stack of transformer blocks, each of 54 instructions with its own weights, as a framework
// would write it: without loops over layers. 815 layers are 44,000 instructions.
std::string transformer_stack(int layers);

}  // namespace bp::bench
