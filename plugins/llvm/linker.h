// Object files linked into this process.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace bp::emit {

class LinkedObjects {
 public:
  // Looks up one symbol, a function or a table. Null and an error if the objects do not link. They need nothing from outside but what moves
  // memory, and exact functions that a CPU may lack: fma, rounding, remainders, conversions of narrow floats.
  static std::unique_ptr<LinkedObjects> link(std::span<const std::string> objects, const char *symbol,
                                             std::string &error);
  virtual ~LinkedObjects() = default;
  void *symbol() const { return symbol_; }
  // What is mapped for it: code and constants, in whole pages.
  std::uint64_t mapped_bytes() const { return mapped_bytes_; }

 protected:
  void *symbol_ = nullptr;
  std::uint64_t mapped_bytes_ = 0;
};

}  // namespace bp::emit
