// Signatures by Ed25519 (RFC 8032), computed by libcrypto. Keys are files in PEM, as `openssl` writes them:
//   openssl genpkey -algorithm ed25519 -out key.pem
//   openssl pkey -in key.pem -pubout -out public.pem
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace bp {

// The key that says who signed.
struct PublicKey {
  std::array<std::uint8_t, 32> bytes{};

  // Returns a short name for people: the first 16 hexadecimal digits of the SHA-256 of the key in DER. 64 bits are too
  // few to decide by: compare the keys themselves.
  std::string id() const;
  bool operator==(const PublicKey &) const = default;
};

struct Signature {
  PublicKey key;
  std::array<std::uint8_t, 64> bytes{};
};

// Errors of both: NotFound and Io if the file cannot be read; InvalidInput if it is not a key of this kind, with what
// it is instead.
Result<Signature> sign(std::string_view message, const std::string &private_key_file);
Result<PublicKey> read_public_key(const std::string &file);

// Whether the owner of the signature's key has signed exactly this message.
bool is_signed(std::string_view message, const Signature &signature);

}  // namespace bp
