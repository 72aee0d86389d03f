#include "core/pjrt/serialized_program.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "core/base/sha256.h"

namespace bp::pjrt {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view magic = "BPEXEC1\n";

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

void append_number(std::string &out, std::uint64_t value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

void append(std::string &out, std::string_view text) {
  append_number(out, text.size());
  out += text;
}

std::string hash(std::string_view content) {
  const Sha256 digest = sha256(bytes_of(content));
  return std::string(reinterpret_cast<const char *>(digest.data()), digest.size());
}

class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}

  Result<std::string_view> take(std::uint64_t size) {
    if (size > rest_.size()) {
      return invalid_input("a serialized program of Backplane is cut off: {} bytes are left, expected {}", rest_.size(),
                           size);
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  Result<std::uint64_t> number() {
    std::uint64_t value = 0;
    BP_ASSIGN(const std::string_view bytes, take(sizeof value));
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  Result<std::string_view> text() {
    BP_ASSIGN(const std::uint64_t size, number());
    return take(size);
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace

std::string serialize(const SerializedProgram &program) {
  std::string content;
  for (const std::string *text : {&program.platform, &program.format, &program.code, &program.compile_options}) {
    append(content, *text);
  }
  append_number(content, program.artifacts.size());
  for (const auto &[key, artifact] : program.artifacts) {
    content.append(reinterpret_cast<const char *>(key.data()), key.size());
    append(content, text_of(artifact));
  }
  return std::string(magic) + hash(content) + content;
}

Result<SerializedProgram> deserialize(std::string_view bytes) {
  if (!bytes.starts_with(magic)) {
    return invalid_input("the bytes are no serialized program of Backplane, which begins with BPEXEC1");
  }
  Reader all(bytes.substr(magic.size()));
  BP_ASSIGN(const std::string_view expected, all.take(sizeof(Sha256)));
  if (hash(bytes.substr(magic.size() + sizeof(Sha256))) != expected) {
    return invalid_input("a serialized program of Backplane is damaged or cut off: its hash is another");
  }
  SerializedProgram program;
  for (std::string *text : {&program.platform, &program.format, &program.code, &program.compile_options}) {
    BP_ASSIGN(*text, all.text());
  }
  BP_ASSIGN(const std::uint64_t count, all.number());
  for (std::uint64_t i = 0; i < count; ++i) {
    compile::ArtifactCache::Key key;
    BP_ASSIGN(const std::string_view key_bytes, all.take(key.size()));
    std::memcpy(key.data(), key_bytes.data(), key.size());
    BP_ASSIGN(const std::string_view artifact, all.text());
    const auto artifact_bytes = bytes_of(artifact);
    program.artifacts.insert_or_assign(key, std::vector(artifact_bytes.begin(), artifact_bytes.end()));
  }
  if (!all.at_end()) {
    return invalid_input("a serialized program of Backplane has more bytes than its parts");
  }
  return program;
}

std::string fingerprint(const SerializedProgram &program) {
  std::string content;
  for (const std::string *text : {&program.platform, &program.format, &program.code, &program.compile_options}) {
    append(content, *text);
  }
  std::string digits;
  for (const std::uint8_t byte : sha256(bytes_of(content))) {
    digits += fmt::format("{:02x}", byte);
  }
  return digits;
}

}  // namespace bp::pjrt
