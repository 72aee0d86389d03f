#include "plugins/native/object_cache.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/raw_ostream.h>

namespace bp::native {

ObjectCache::Key ObjectCache::key(const llvm::Module &unit) {
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(unit, stream);
  return llvm::BLAKE3::hash({reinterpret_cast<const std::uint8_t *>(bitcode.data()), bitcode.size()});
}

std::optional<std::string> ObjectCache::find(const Key &key) {
  const std::lock_guard lock(mutex_);
  const auto known = by_key_.find(key);
  if (known == by_key_.end()) {
    return std::nullopt;
  }
  entries_.splice(entries_.begin(), entries_, known->second);
  return known->second->object;
}

void ObjectCache::keep(const Key &key, const std::string &object) {
  const std::lock_guard lock(mutex_);
  if (object.size() > max_bytes_ || by_key_.contains(key)) {
    return;
  }
  entries_.push_front({key, object});
  bytes_ += object.size();  // before anything else may fail, so that it is the sum of all entries
  by_key_.emplace(key, entries_.begin());
  while (bytes_ > max_bytes_) {
    bytes_ -= entries_.back().object.size();
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

}  // namespace bp::native
