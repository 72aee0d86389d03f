// Hashes of the contents of large constants. One compilation writes images of several forms of a program, which have
// the same constants: each is hashed once.
#pragma once

#include <mutex>
#include <unordered_map>

#include "core/base/sha256.h"
#include "core/ir/literal.h"

namespace bp::host {

// Threads: any.
class ContentHashes {
 public:
  // Returns the hash of a literal's bytes as a buffer of this shape has them.
  Sha256 of(const ir::Literal &literal, const ir::Shape &shape);

 private:
  struct Known {
    ir::Literal literal;  // shares its bytes, which therefore nobody changes
    ir::Shape shape;
    Sha256 hash;
  };
  std::mutex mutex_;
  std::unordered_multimap<const std::byte *, Known> known_;  // by the literal's bytes
};

// Returns such a hash without a memory.
Sha256 content_hash(const ir::Literal &literal, const ir::Shape &shape);

}  // namespace bp::host
