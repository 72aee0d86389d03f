// Links object files into this process.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "plugin_api/cpp/result.h"

namespace bp::emit {

class LinkedObjects {
 public:
  // Links the objects and looks up one symbol, a function or a table. Fails with BP_INVALID if they do not link. The
  // only external functions they can use are those that move memory and exact functions that a CPU may lack: fma,
  // rounding, remainders, conversions of narrow floats.
  // `names_functions`: whether the map of the process that perf reads (perf_map.h) gets the functions.
  static plugin::Result<std::unique_ptr<LinkedObjects>> link(std::span<const std::string> objects, const char *symbol,
                                                             bool names_functions = false);
  virtual ~LinkedObjects() = default;
  void *symbol() const { return symbol_; }
  // Bytes mapped for code and constants, in whole pages.
  std::uint64_t mapped_bytes() const { return mapped_bytes_; }

 protected:
  void *symbol_ = nullptr;
  std::uint64_t mapped_bytes_ = 0;
};

}  // namespace bp::emit
