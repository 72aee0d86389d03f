// Signatures of packages. FILE.sig has the 64 bytes of the Ed25519 signature over all bytes of the package FILE, as
// `openssl pkeyutl -sign -rawin -inkey key.pem -in FILE -out FILE.sig` writes them.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/base/signature.h"

namespace bp::package {

std::string signature_file(const std::string &package);

// Signs a package that was written. Replaces an existing signature. Errors: those of bp::sign(), and Io.
Status sign_file(const std::string &package, const std::string &private_key_file);

// Checks that the owner of the key has signed these bytes, which are those of the package: InvalidInput if somebody
// else has, or nobody, or if the signature file is not one.
Status check_signature(const std::string &package, std::span<const std::byte> bytes, const PublicKey &key);

}  // namespace bp::package
