// Claims: what a device says it runs, and why not the rest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/host/image.h"
#include "core/host/plugin.h"

namespace bp::compile {

struct Claims {
  // By instruction id of the module behind the image: the device runs it. An instruction that calls control-flow
  // computations is claimed only if all in them is. Parameters, constants, tuples, bitcasts: nobody asks.
  std::vector<bool> claimed;
  // By instruction id: the device was asked, and does not run it.
  std::vector<bool> refused;
  std::vector<std::string> reasons;  // by instruction id; empty if the device gave none
  std::vector<float> cost;           // by instruction id: nanoseconds of what is claimed
  double nanoseconds = 0;            // the device's estimate for what it claimed, each instruction run once
};

// Asks a device that has bp.compiler/1 or, failing that, bp.kernels/1. PluginFailure if the answer breaks a rule of
// claim(). The image is that of `module`.
Result<Claims> ask(const host::Device &device, const ir::Module &module, const host::Image &image);

// The first instruction of the entry that the device does not claim; nothing if it claims all.
std::optional<ir::Instruction> first_unclaimed(const ir::Module &module, const Claims &claims);

std::int64_t count_refused(const Claims &claims);

// Whether the device is asked about instructions of this op at all.
bool is_claimable(ir::Opcode opcode);

}  // namespace bp::compile
