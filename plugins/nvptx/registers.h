// The registers of NVIDIA's GPUs: a block has 65,536 of them, which its threads share.
#pragma once

#include "plugins/gpu/registers.h"

namespace bp::nvptx {

// The need for registers as the compiler of PTX was measured to have it.
const gpu::RegisterModel &register_model();

}  // namespace bp::nvptx
