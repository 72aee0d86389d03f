// Options: the values that `--set` gives to this backend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "backplane/backplane.h"
#include "plugins/gpu/device.h"
#include "plugins/nvptx/target.h"

namespace bp::nvptx {

inline constexpr const char *emit_choices[] = {"llvm", "ptx", "plan", nullptr};
inline constexpr bp_option_desc_t option_descriptions[] = {
    {"emulate", "0", "run kernels on the host, thread by thread, without a GPU", nullptr, BP_OPTION_SWITCH, 0},
    {"target", nullptr,
     "what to compile for: sm_75, sm_80, sm_90 or sm_90a; otherwise the GPU that is there, or sm_90a", nullptr,
     BP_OPTION_TEXT, 0},
    {"driver", "libcuda.so.1", "the library of NVIDIA's driver, with its path if it is where the system does not look",
     nullptr, BP_OPTION_TEXT, 0},
    {"cache-dir", nullptr, "a folder for machine code that the driver makes of PTX; none: the driver's own cache alone",
     nullptr, BP_OPTION_TEXT, 0},
    {"graphs", "1", "start kernels as CUDA graphs, where the driver has them; 0: one by one", nullptr, BP_OPTION_SWITCH,
     0},
    {"races", "0", "the emulated GPU looks for threads that touch the same memory without waiting for each other; slow",
     nullptr, BP_OPTION_SWITCH, 0},
    {"memory", "4294967296", "bytes of the emulated GPU", nullptr, BP_OPTION_INTEGER, 0},
    {"tf32", "0", "f32 dots of default precision round their factors to tf32, which tensor cores multiply", nullptr,
     BP_OPTION_SWITCH, 0},
    {"dump-dir", nullptr, "a folder to write LLVM IR, PTX and launch plans to", nullptr, BP_OPTION_TEXT, 0},
    {"emit", nullptr, "what to compile to instead of an artifact: optimized LLVM IR, PTX, or the launch plan, as text",
     emit_choices, BP_OPTION_TEXT, 0},
};

// Values of the options; those that are not set have their defaults. `emit` is one of emit_choices.
struct Options : gpu::DeviceOptions {
  bool has_graphs = true;
  bool may_round = false;  // tf32
  std::string driver = "libcuda.so.1", cache_dir;
  std::optional<Target> target;

  // Fails with BP_INVALID and says what was expected if the value is none for the key, which is one of the above.
  plugin::Status set(std::string_view key, std::string_view value);
};

}  // namespace bp::nvptx
