// Compiles programs, in the formats of PJRT or serialized, for a device.
#pragma once

#include "core/pjrt/executable.h"

namespace bp::pjrt {

BP_PJRT_DECLARE(Client_Compile);
BP_PJRT_DECLARE(Executable_DeserializeAndLoad);

}  // namespace bp::pjrt
