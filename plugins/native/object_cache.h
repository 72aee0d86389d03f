// Keeps the object files of units, so that a unit that occurs in several programs is compiled once.
#pragma once

#include <llvm/IR/Module.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace bp::native {

// The objects used last, up to a number of bytes. Threads: any.
class ObjectCache {
 public:
  using Key = std::array<std::uint8_t, 32>;

  explicit ObjectCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Returns a hash of all that decides what a code generator makes of the unit.
  static Key key(const llvm::Module &unit);
  std::optional<std::string> find(const Key &key);
  void keep(const Key &key, const std::string &object);

 private:
  struct Entry {
    Key key;
    std::string object;
  };

  const std::size_t max_bytes_;
  std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::list<Entry> entries_;  // the one used last is first
  std::map<Key, std::list<Entry>::iterator> by_key_;
};

}  // namespace bp::native
