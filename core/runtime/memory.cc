#include "core/runtime/memory.h"

#include <cstdlib>
#include <utility>

namespace bp::runtime {

Result<Block> Block::allocate(std::uint64_t size, std::size_t alignment) {
  Block block;
  if (size == 0) {
    return block;
  }
  void *data = nullptr;
  if (posix_memalign(&data, alignment, size) != 0) {
    return make_error(ErrorCode::OutOfMemory, "the system has no {} bytes", size);
  }
  block.data_ = static_cast<std::byte *>(data);
  block.size_ = size;
  return block;
}

Block::Block(Block &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Block &Block::operator=(Block &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Block::~Block() {
  std::free(data_);
}

}  // namespace bp::runtime
