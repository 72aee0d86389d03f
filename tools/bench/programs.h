// Programs of any size, to see how time grows with it.
#pragma once

#include <string>

namespace bp::bench {

// HLO text of a stack of transformer blocks, each of 54 instructions and with weights of its own, as a framework would
// write it: no loops over layers. 815 layers are 44,000 instructions.
std::string transformer_stack(int layers);

}  // namespace bp::bench
