// Which instructions of an image are marked for the device to call the application for (ext/draft/host_call.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

struct bp_module;

namespace bp::host {

// The instructions that a device calls out for, in one compilation. By default nothing is marked.
struct HostCallMarks {
  std::uint32_t kinds = 0;             // BP_CALLS_*
  std::vector<std::string> functions;  // targets of the custom calls that the application runs, "infeed", "outfeed"

  // Whether the instruction is marked. One with tuples in tuples, a tuple of one array or called computations is not,
  // because an image does not say what was in which tuple.
  bool has(const ir::Instruction &instruction) const;
  // Returns why an instruction that the application runs is not marked; empty for others.
  std::string refusal(const ir::Instruction &instruction) const;

 private:
  bool serves(const ir::Instruction &instruction) const;
};

// Returns HLO for each marked instruction of a valid image, by its index: the entry's root is the instruction, and its
// operands are the entry's parameters or tuples of them; a value that it gets twice is one parameter. It has its
// attributes, and lacks its place in the source. Linear in the size of the image.
Result<std::map<std::uint32_t, ir::Module>> read_host_calls(const bp_module *image);

}  // namespace bp::host
