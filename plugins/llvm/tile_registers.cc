#include "plugins/llvm/tile_registers.h"

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace bp::emit {

bool use_tiles() {
#if defined(__linux__) && defined(__x86_64__)
  // Names that are missing in headers of older systems: asm/prctl.h, and the number of the registers' state.
  constexpr long request = 0x1023, tile_data = 18;
  static const bool has_tiles = syscall(SYS_arch_prctl, request, tile_data) == 0;
  return has_tiles;
#else
  return false;
#endif
}

}  // namespace bp::emit
