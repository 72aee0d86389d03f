#include "core/package/signing.h"

#include <algorithm>
#include <filesystem>

#include "core/base/files.h"

namespace bp::package {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

}  // namespace

std::string signature_file(const std::string &package) {
  return package + ".sig";
}

Status sign_file(const std::string &package, const std::string &private_key_file) {
  BP_ASSIGN(const std::string bytes, read_file(package));
  BP_ASSIGN(const Signature signature, sign(bytes, private_key_file));
  return write_file(signature_file(package), text_of(std::as_bytes(std::span(signature.bytes))));
}

Status check_signature(const std::string &package, std::span<const std::byte> bytes, const PublicKey &key) {
  const std::string file = signature_file(package);
  if (!std::filesystem::exists(file)) {
    return invalid_input("{} is not signed: there is no {}, expected a signature by the key {}", package, file,
                         key.id());
  }
  BP_ASSIGN(const std::string content, read_file(file));
  Signature signature{key, {}};
  if (content.size() != signature.bytes.size()) {
    return invalid_input("{} has {} bytes, expected the {} of an Ed25519 signature", file, content.size(),
                         signature.bytes.size());
  }
  std::ranges::copy(std::as_bytes(std::span(content)), std::as_writable_bytes(std::span(signature.bytes)).begin());
  if (!is_signed(text_of(bytes), signature)) {
    return invalid_input("{} is not what the key {} has signed: the package was changed, or another key has made {}",
                         package, key.id(), file);
  }
  return {};
}

}  // namespace bp::package
