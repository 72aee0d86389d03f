#include "core/base/sha256.h"

#include <openssl/sha.h>

namespace bp {

Sha256 sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  static_assert(sizeof(hash) == SHA256_DIGEST_LENGTH);
  SHA256(reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size(), hash.data());
  return hash;
}

}  // namespace bp
