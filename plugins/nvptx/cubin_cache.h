// Machine code that the driver made of PTX, in files of a folder, so that the next process need not wait for the driver's
// compiler. An entry is found by what it was made of: PTX, CUDA version of the driver, and compute capability. What is
// damaged, cut off or of something else is as good as not there, and written anew. Writers replace entries as a whole, so
// processes may share the folder; but who may write there chooses what runs on the GPU.
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

  // Without a folder: keeps nothing.
  explicit CubinCache(std::string folder) : folder_(std::move(folder)) {}
  bool is_on() const { return !folder_.empty(); }

  static Key key(std::string_view ptx, int driver_version, unsigned capability);
  std::optional<std::string> find(const Key &key) const;
  // Best effort: where it cannot be kept, it is made again next time.
  void keep(const Key &key, std::string_view cubin) const;

 private:
  std::string path(const Key &key) const;

  std::string folder_;
};

}  // namespace bp::nvptx
