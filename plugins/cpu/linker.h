// Object files linked into this process.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "backplane/ext/memory.h"
#include "plugins/llvm/program.h"

namespace bp::cpu {

class LinkedProgram {
 public:
  using Entry = void (*)(const bp_loc_t *allocations, void *scratch, const emit::Workers *workers);

  // Null and an error if the objects do not link. They need nothing from outside but what moves
  // memory, and exact functions that a CPU may lack: fma, rounding, remainders, conversions of narrow floats.
  static std::unique_ptr<LinkedProgram> link(std::span<const std::string> objects, const char *entry,
                                             std::string &error);
  virtual ~LinkedProgram() = default;
  Entry entry() const { return entry_; }
  // What is mapped for it: code and constants, in whole pages.
  std::uint64_t mapped_bytes() const { return mapped_bytes_; }

 protected:
  Entry entry_ = nullptr;
  std::uint64_t mapped_bytes_ = 0;
};

}  // namespace bp::cpu
