#include "core/base/signature.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/check.h"
#include "core/base/files.h"
#include "core/base/sha256.h"

namespace bp {
namespace {

// Calls the function of libcrypto that releases what a pointer points to.
template <auto release>
struct Release {
  template <class T>
  void operator()(T *object) const {
    release(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Release<EVP_MD_CTX_free>>;

constexpr std::string_view make_private = "openssl genpkey -algorithm ed25519 -out key.pem makes one";
constexpr std::string_view make_public = "openssl pkey -in key.pem -pubout -out public.pem makes it of the private key";

const unsigned char *bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char *>(text.data());
}

// One block of a PEM file: "-----BEGIN " label "-----", headers, and bytes in base64.
struct PemBlock {
  std::string label, headers, bytes;
};

Result<PemBlock> read_pem(const std::string &file, std::string_view expected, std::string_view advice) {
  BP_ASSIGN(const std::string text, read_file(file));
  const std::unique_ptr<BIO, Release<BIO_free_all>> source(
      BIO_new_mem_buf(text.data(), static_cast<int>(std::min<std::size_t>(text.size(), 1 << 20))));
  char *label = nullptr, *headers = nullptr;
  unsigned char *bytes = nullptr;
  long size = 0;
  if (source == nullptr || PEM_read_bio(source.get(), &label, &headers, &bytes, &size) != 1) {
    const bool is_begun = text.find("-----BEGIN ") != std::string::npos;
    return invalid_input("{}: is {}, expected {}: {}", file, is_begun ? "damaged PEM" : "not PEM", expected, advice);
  }
  PemBlock block{label, headers, std::string(reinterpret_cast<const char *>(bytes), static_cast<std::size_t>(size))};
  OPENSSL_free(label);
  OPENSSL_free(headers);
  OPENSSL_clear_free(bytes, static_cast<std::size_t>(size));
  return block;
}

// Returns the key if it is one of Ed25519.
Result<Key> check_kind(Key key, const std::string &file, std::string_view label, std::string_view expected,
                       std::string_view advice) {
  if (key == nullptr) {
    return invalid_input("{}: is a block '{}' that holds no key, expected {}: {}", file, label, expected, advice);
  }
  if (EVP_PKEY_get_id(key.get()) != EVP_PKEY_ED25519) {
    const char *kind = EVP_PKEY_get0_type_name(key.get());
    return invalid_input("{}: is a key of the kind {}, expected {}: {}", file, kind == nullptr ? "unknown" : kind,
                         expected, advice);
  }
  return key;
}

Result<Key> read_private_key(const std::string &file) {
  constexpr std::string_view expected = "a private key of Ed25519 in PEM";
  BP_ASSIGN(PemBlock block, read_pem(file, expected, make_private));
  if (block.label == "PUBLIC KEY") {
    return invalid_input("{}: is a public key, expected the private key that belongs to it", file);
  }
  if (block.label == "ENCRYPTED PRIVATE KEY" || block.headers.find("ENCRYPTED") != std::string::npos) {
    return invalid_input(
        "{}: is protected by a passphrase, expected {} without: openssl pkey -in {} -out plain.pem "
        "writes it",
        file, expected, file);
  }
  const unsigned char *from = bytes_of(block.bytes);
  Key key(d2i_AutoPrivateKey(nullptr, &from, static_cast<long>(block.bytes.size())));
  OPENSSL_cleanse(block.bytes.data(), block.bytes.size());
  return check_kind(std::move(key), file, block.label, expected, make_private);
}

PublicKey public_part(const EVP_PKEY *key) {
  PublicKey part;
  std::size_t size = part.bytes.size();
  BP_CHECK(EVP_PKEY_get_raw_public_key(key, part.bytes.data(), &size) == 1 && size == part.bytes.size());
  return part;
}

// nullptr: the bytes are no key.
Key key_of(const PublicKey &part) {
  return Key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, part.bytes.data(), part.bytes.size()));
}

}  // namespace

std::string PublicKey::id() const {
  constexpr std::size_t shown_bytes = 8;
  const Key key = key_of(*this);
  unsigned char *der = nullptr;
  const int size = i2d_PUBKEY(key.get(), &der);
  BP_CHECK(size > 0);
  const Sha256 hash = sha256(std::as_bytes(std::span(der, static_cast<std::size_t>(size))));
  OPENSSL_free(der);
  return fmt::format("{:02x}", fmt::join(std::span(hash).first(shown_bytes), ""));
}

Result<Signature> sign(std::string_view message, const std::string &private_key_file) {
  BP_ASSIGN(const Key key, read_private_key(private_key_file));
  Signature signature{.key = public_part(key.get())};
  std::size_t size = signature.bytes.size();
  const DigestContext context(EVP_MD_CTX_new());
  BP_CHECK(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
           EVP_DigestSign(context.get(), signature.bytes.data(), &size, bytes_of(message), message.size()) == 1 &&
           size == signature.bytes.size());
  return signature;
}

Result<PublicKey> read_public_key(const std::string &file) {
  constexpr std::string_view expected = "a public key of Ed25519 in PEM";
  BP_ASSIGN(const PemBlock block, read_pem(file, expected, make_public));
  if (block.label.ends_with("PRIVATE KEY")) {
    return invalid_input("{}: is a private key, expected the public one, which is no secret: {}", file, make_public);
  }
  const unsigned char *from = bytes_of(block.bytes);
  BP_ASSIGN(const Key key, check_kind(Key(d2i_PUBKEY(nullptr, &from, static_cast<long>(block.bytes.size()))), file,
                                      block.label, expected, make_public));
  return public_part(key.get());
}

bool is_signed(std::string_view message, const Signature &signature) {
  const Key key = key_of(signature.key);
  const DigestContext context(EVP_MD_CTX_new());
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), signature.bytes.data(), signature.bytes.size(), bytes_of(message),
                          message.size()) == 1;
}

}  // namespace bp
