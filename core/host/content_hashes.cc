#include "core/host/content_hashes.h"

#include "core/host/image.h"

namespace bp::host {

Sha256 content_hash(const ir::Literal &literal, const ir::Shape &shape) {
  return sha256(content_of({.allocation = 0, .shape = shape, .literal = literal}).bytes());
}

Sha256 ContentHashes::of(const ir::Literal &literal, const ir::Shape &shape) {
  constexpr std::size_t min_bytes = 4096;  // smaller contents are not remembered
  const std::byte *const bytes = literal.bytes().data();
  if (literal.bytes().size() < min_bytes) {
    return content_hash(literal, shape);
  }
  {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = known_.equal_range(bytes);
    for (auto known = begin; known != end; ++known) {
      if (known->second.shape == shape) {
        return known->second.hash;
      }
    }
  }
  const Sha256 hash = content_hash(literal, shape);
  const std::lock_guard lock(mutex_);
  known_.emplace(bytes, Known{literal, shape, hash});
  return hash;
}

}  // namespace bp::host
