// Usage: the memory that a call uses, such as the allocations of a run and the operands of a kernel, and what for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backplane/backplane.h"

namespace bp::remote {

struct MemoryUse {
  enum class Kind : std::uint8_t {
    Read,
    Written,   // the content before the call does not matter
    Updated,   // read and written
    Constant,  // of a program, given to load()
    Unknown,   // in a program whose module is not known: the size is not known, either
  };
  bp_loc_t location;
  std::uint64_t size;
  Kind kind;
};

// A value that a call computes, in a part of the memory that it uses.
struct CallResult {
  std::uint32_t use;              // index of the memory
  std::uint64_t offset, size;     // bytes
  std::uint32_t value = BP_NONE;  // id in the module, or BP_NONE
};

// The memory that a call uses, and its results in it. Client and server both derive it from the call, so it need not be
// sent.
struct Usage {
  const bp_module_t *module = nullptr;  // of the values
  std::vector<MemoryUse> memory = {};
  std::vector<CallResult> results = {};
};
Usage usage_of_copy(bp_loc_t to, bp_loc_t from, std::uint64_t size);
Usage usage_of_fill(bp_loc_t to, std::uint64_t size);
Usage usage_of(const bp_call_t &call);
// The allocations of the run, then its scratch memory. `module` is the module of the program, or nullptr.
Usage usage_of(const bp_module_t *module, const bp_run_t &run, std::uint64_t scratch_size);
// The allocations of a program. The location of a constant is the one given to load(); other locations are not used.
Usage usage_of_constants(const bp_module_t *module, std::span<const bp_loc_t> constants);

}  // namespace bp::remote
