// Cubin cache: machine code that the driver made of PTX, in files of a folder, so that the next process need not wait
// for the driver's compiler. The key of an entry consists of its sources: PTX, CUDA version of the driver, and compute
// capability. Files that are damaged, cut off or for another key are ignored, and written anew. Writers replace entries
// as a whole, so processes may share the folder. Whoever may write to the folder decides what runs on the GPU.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bp::nvptx {

class CubinCache {
 public:
  using Key = std::array<std::uint8_t, 32>;

  // If the name is empty, nothing is kept.
  explicit CubinCache(std::string folder) : folder_(std::move(folder)) {}
  bool is_on() const { return !folder_.empty(); }

  static Key key(std::string_view ptx, int driver_version, unsigned capability);
  std::optional<std::string> find(const Key &key) const;
  // Tries to keep an entry; if it cannot, the code is made again next time.
  void keep(const Key &key, std::string_view cubin) const;

 private:
  std::string path(const Key &key) const;

  std::string folder_;
};

}  // namespace bp::nvptx
