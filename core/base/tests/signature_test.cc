#include "core/base/signature.h"

#include <catch2/catch.hpp>

#include "tools/testing/require.h"
#include "tools/testing/temporary_folder.h"

namespace bp {
namespace {

using testing::error_of;
using testing::require_value;

std::string pem(std::string_view label, std::string_view base64) {
  return fmt::format("-----BEGIN {0}-----\n{1}\n-----END {0}-----\n", label, base64);
}

template <std::size_t size>
std::string hex(const std::array<std::uint8_t, size> &bytes) {
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

// RFC 8032, section 7.1, TEST 1 to 3; keys as `openssl pkey` writes them, ids as `sha256sum` computes them.
struct Vector {
  const char *private_key, *public_key;
  std::string message;
  const char *signature, *id;
};
const Vector vectors[] = {
    {"MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g",
     "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
     "655141438e7a100b",
     "06e3fd8fda29bb60"},
    {"MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7",
     "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=", "\x72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aee"
     "b00d291612bb0c00",
     "deb2ded39dc26fce"},
    {"MC4CAQAwBQYDK2VwBCIEIMWqjfQ/n4N77bdELzHct7Fm04U1B28JS4XOOi4LRFj3",
     "MCowBQYDK2VwAyEA/FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU=", "\xaf\x82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28d"
     "c027beceea1ec40a",
     "8d39ba50abe50f77"}};

// Keys of other kinds and forms.
constexpr char of_x25519[] = "MC4CAQAwBQYDK2VuBCIEIMj+RXRcun5crkzL3wOIwzAJuSG3ZgE9/DqnM2uXMkhw";
constexpr char public_x25519[] = "MCowBQYDK2VuAyEA0OD7PlX7DQBjpMInT0NF+wyVfmpTyle/ZxGQDEaB4HM=";
constexpr char of_rsa[] =
    "MIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6AgEAAkEArGE/tH8OvRN8IAG4\n"
    "b2VBgV+8GmV9/IdrNIKaY/BUqv1wZFsJQJRjhUpAAp+w9h7KhRXzUaVgRZh/NKEQ\n"
    "zJh0wwIDAQABAkAPkuWvh/8r4/PF7IHeRpapep3DAMJmK1HrN5V9S/xKSl9xfDJr\n"
    "kOP+M7QwGMEFr6vyMTCCJthp/FhhROXD20qBAiEA37pN+8IpLr/A52qB1eNgXJtQ\n"
    "UfuVMuvvAr9Yn66nXQMCIQDFPsxVJWHt8njFFPD4wdzXEaEx/SehOthhoBMWVQWd\n"
    "QQIgHiS96RPJ9LCFTyi8gZL3IsMSWVlqSsgbFeWuDSW9Cv0CIAaLBMA2Uz9Pcc4n\n"
    "2a6Gz8qanRxJZ40jpJXod3mgLGWBAiEA0Y6IFsDA+32ILbpJZL9qcciZ7KEtlnEK\n"
    "LwVQaPOzx+I=";
constexpr char with_passphrase[] =
    "MIGaMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAiLwimNUtUXLAIBCjAM\n"
    "BggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQGAvhYdayESGx3jJHXjNDxgRAiq4H\n"
    "PX3CbLzkXrl47DJa+MyhuIayf3wbsynacd1EW6Npa/SGU2B/6eM2TdvWyYKkoGcg\n"
    "vg99Av4y4mvKMpIFiQ==";
constexpr char headers_of_passphrase[] =
    "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,F5C7A0AB628DC0B567771C8F4447F5C1\n\n";

}  // namespace

TEST_CASE("signatures are those of RFC 8032") {
  const testing::TemporaryFolder folder;
  for (const Vector &vector : vectors) {
    INFO(vector.id);
    testing::write_file(folder / "key.pem", pem("PRIVATE KEY", vector.private_key));
    testing::write_file(folder / "public.pem", pem("PUBLIC KEY", vector.public_key));
    const Signature signature = require_value(sign(vector.message, folder / "key.pem"));
    CHECK(hex(signature.bytes) == vector.signature);
    CHECK(signature.key == require_value(read_public_key(folder / "public.pem")));
    CHECK(signature.key.id() == vector.id);
    CHECK(is_signed(vector.message, signature));
  }
}

TEST_CASE("a signature is good for one message, one key, and whole") {
  const testing::TemporaryFolder folder;
  testing::write_file(folder / "key.pem", pem("PRIVATE KEY", vectors[0].private_key));
  testing::write_file(folder / "other.pem", pem("PRIVATE KEY", vectors[1].private_key));
  const Signature signature = require_value(sign("message", folder / "key.pem"));
  CHECK(is_signed("message", signature));
  CHECK_FALSE(is_signed("massage", signature));
  CHECK_FALSE(is_signed("message ", signature));
  Signature changed = signature;
  changed.key = require_value(sign("message", folder / "other.pem")).key;
  CHECK_FALSE(is_signed("message", changed));
  for (const std::size_t at : {0, 31, 32, 63}) {
    changed = signature;
    changed.bytes[at] ^= 1;
    CHECK_FALSE(is_signed("message", changed));
  }
  changed.key = PublicKey();  // on the curve, but of no use as a key
  CHECK_FALSE(is_signed("message", changed));
}

TEST_CASE("a file that is no private key is refused, and the message says what it is") {
  const testing::TemporaryFolder folder;
  const std::string file = folder / "key.pem";
  const auto problem_with = [&](const std::string &content) {
    testing::write_file(file, content);
    return error_of(sign("message", file));
  };
  const std::string expected =
      "expected a private key of Ed25519 in PEM: openssl genpkey -algorithm ed25519 -out key.pem makes one";
  CHECK(problem_with("") == file + ": is not PEM, " + expected);
  CHECK(problem_with("ssh-ed25519 AAAA me@here\n") == file + ": is not PEM, " + expected);
  CHECK(problem_with("-----BEGIN PRIVATE KEY-----\nMC4CAQAw\n") == file + ": is damaged PEM, " + expected);
  CHECK(problem_with(pem("PRIVATE KEY", "MC4CAQAw")) ==
        file + ": is a block 'PRIVATE KEY' that holds no key, " + expected);
  CHECK(problem_with(pem("CERTIFICATE", "MC4CAQAw")) ==
        file + ": is a block 'CERTIFICATE' that holds no key, " + expected);
  CHECK(problem_with(pem("PRIVATE KEY", of_rsa)) == file + ": is a key of the kind RSA, " + expected);
  CHECK(problem_with(pem("PRIVATE KEY", of_x25519)) == file + ": is a key of the kind X25519, " + expected);
  CHECK(problem_with(pem("PUBLIC KEY", vectors[0].public_key)) ==
        file + ": is a public key, expected the private key that belongs to it");
  const std::string locked = file +
                             ": is protected by a passphrase, expected a private key of Ed25519 in PEM without: "
                             "openssl pkey -in " +
                             file + " -out plain.pem writes it";
  CHECK(problem_with(pem("ENCRYPTED PRIVATE KEY", with_passphrase)) == locked);
  CHECK(problem_with(pem("RSA PRIVATE KEY", std::string(headers_of_passphrase) + "MC4CAQAw")) == locked);
  CHECK(error_of(sign("message", folder / "absent.pem")) ==
        "cannot read " + folder / "absent.pem" + ": No such file or directory");
}

TEST_CASE("a file that is no public key is refused, and the message says what it is") {
  const testing::TemporaryFolder folder;
  const std::string file = folder / "public.pem";
  const auto problem_with = [&](const std::string &content) {
    testing::write_file(file, content);
    return error_of(read_public_key(file));
  };
  const std::string make = "openssl pkey -in key.pem -pubout -out public.pem makes it of the private key";
  const std::string expected = "expected a public key of Ed25519 in PEM: " + make;
  CHECK(problem_with("key") == file + ": is not PEM, " + expected);
  CHECK(problem_with(pem("PUBLIC KEY", "MCowBQ==")) ==
        file + ": is a block 'PUBLIC KEY' that holds no key, " + expected);
  CHECK(problem_with(pem("PUBLIC KEY", public_x25519)) == file + ": is a key of the kind X25519, " + expected);
  CHECK(problem_with(pem("PRIVATE KEY", vectors[0].private_key)) ==
        file + ": is a private key, expected the public one, which is no secret: " + make);
  CHECK(error_of(read_public_key(folder / "absent.pem")) ==
        "cannot read " + folder / "absent.pem" + ": No such file or directory");
}

}  // namespace bp
