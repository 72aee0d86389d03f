// Claims: which instructions a device runs, and why not the others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/host/image.h"
#include "core/host/plugin.h"

namespace bp::compile {

// The reason why an instruction is not offered to a device of several.
inline constexpr std::string_view connected_by_host = "the host connects the devices of the program";

struct Claims {
  // By instruction id of the module behind the image: whether the device runs it. An instruction that calls
  // control-flow computations is claimed only if everything in them is. Devices are not asked about parameters,
  // constants, tuples and bitcasts.
  std::vector<bool> claimed;
  // By instruction id: whether the device was asked and does not run it.
  std::vector<bool> refused;
  std::vector<std::string> reasons;  // by instruction id; empty if the device gave none
  std::vector<float> cost;           // by instruction id: nanoseconds, for claimed instructions
  double nanoseconds = 0;            // the device's estimate for everything it claimed, if each instruction runs once
};

// Asks a device that has bp.compiler/1 or, if it does not, bp.kernels/1. PluginFailure if the answer violates a rule of
// claim(). The image is that of `module`.
Result<Claims> ask(const host::Device &device, const ir::Module &module, const host::Image &image);

// Returns the first instruction of the entry that the device does not claim; nullopt if it claims all.
std::optional<ir::Instruction> first_unclaimed(const ir::Module &module, const Claims &claims);

std::int64_t count_refused(const Claims &claims);

// Whether devices are asked about instructions of this op at all.
bool is_claimable(ir::Opcode opcode);

}  // namespace bp::compile
