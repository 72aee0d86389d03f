#include "core/compile/artifact_cache.h"

#include <fmt/format.h>

#include <cstring>

#include "core/base/files.h"

namespace bp::compile {
namespace {

// The part of the file before the artifact.
struct Header {
  char magic[8] = {'B', 'P', 'C', 'A', 'C', 'H', 'E', '1'};
  ArtifactCache::Key key{};
  Sha256 content{};        // hash of the artifact
  std::uint64_t size = 0;  // bytes of the artifact
};

std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
}

}  // namespace

Result<ArtifactCache::Key> ArtifactCache::key(const host::Device &device, const bp_module_t *module) {
  BP_ASSIGN(const Sha256 build, device.plugin().file_hash());
  std::string all(reinterpret_cast<const char *>(module->hash), sizeof(module->hash));
  all.append(reinterpret_cast<const char *>(build.data()), build.size());
  all.append(device.id()).push_back('\0');
  all.append(device.target());
  return sha256(bytes_of(all));
}

// Two levels of directories, because directories with many files are slow.
std::string DirectoryCache::path(const Key &key) const {
  std::string name;
  for (std::uint8_t byte : key) {
    name += fmt::format("{:02x}", byte);
  }
  return fmt::format("{}/{}/{}.artifact", directory_, name.substr(0, 2), name.substr(2));
}

std::optional<std::vector<std::byte>> DirectoryCache::find(const Key &key) const {
  const Result<std::string> file = read_file(path(key));
  Header header;
  if (!file.ok() || file->size() < sizeof(header)) {
    return std::nullopt;
  }
  std::memcpy(&header, file->data(), sizeof(header));
  const auto content = bytes_of(*file).subspan(sizeof(header));
  if (std::memcmp(header.magic, Header().magic, sizeof(header.magic)) != 0 || header.key != key ||
      header.size != content.size() || header.content != sha256(content)) {
    return std::nullopt;
  }
  return std::vector(content.begin(), content.end());
}

Status DirectoryCache::store(const Key &key, std::span<const std::byte> artifact) {
  Header header;
  header.key = key;
  header.content = sha256(artifact);
  header.size = artifact.size();
  std::string file(reinterpret_cast<const char *>(&header), sizeof(header));
  file.append(reinterpret_cast<const char *>(artifact.data()), artifact.size());

  const std::string final = path(key);
  BP_TRY(make_directory(final.substr(0, final.rfind('/'))));
  return write_file(final, file);
}

}  // namespace bp::compile
