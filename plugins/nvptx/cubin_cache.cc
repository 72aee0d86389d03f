#include "plugins/nvptx/cubin_cache.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace bp::nvptx {
namespace {

// The start of a file, before the code.
struct CubinHeader {
  char magic[8] = {'B', 'P', 'C', 'U', 'B', 'I', 'N', '1'};
  CubinCache::Key key{}, content{};  // SHA-256 of the code
};

CubinCache::Key sha256(std::string_view bytes) {
  return llvm::SHA256::hash({reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()});
}

}  // namespace

CubinCache::Key CubinCache::key(std::string_view ptx, int driver_version, unsigned capability) {
  return sha256(std::to_string(driver_version) + " " + std::to_string(capability) + " " + std::string(ptx));
}

std::string CubinCache::path(const Key &key) const {
  return folder_ + "/" + llvm::toHex(key, true) + ".cubin";
}

std::optional<std::string> CubinCache::find(const Key &key) const {
  std::ifstream file(is_on() ? path(key) : "", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  CubinHeader header;
  if (bytes.size() <= sizeof header) {
    return std::nullopt;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  std::string cubin = bytes.substr(sizeof header);
  if (std::memcmp(header.magic, CubinHeader().magic, sizeof header.magic) != 0 || header.key != key ||
      header.content != sha256(cubin)) {
    return std::nullopt;
  }
  return cubin;
}

void CubinCache::keep(const Key &key, std::string_view cubin) const {
  if (!is_on()) {
    return;
  }
  static std::atomic<unsigned> count = 0;
  const std::string file = path(key);
  const std::string half_done = file + "." + std::to_string(::getpid()) + "." + std::to_string(count++);
  CubinHeader header;
  header.key = key;
  header.content = sha256(cubin);
  std::ofstream out(half_done, std::ios::binary);
  out.write(reinterpret_cast<const char *>(&header), sizeof header);
  out.write(cubin.data(), static_cast<std::streamsize>(cubin.size()));
  out.close();
  std::error_code error;
  if (out) {
    std::filesystem::rename(half_done, file, error);
  }
  if (!out || error) {
    std::filesystem::remove(half_done, error);
  }
}

}  // namespace bp::nvptx
