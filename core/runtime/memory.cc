#include "core/runtime/memory.h"

#include <cstdlib>
#include <limits>
#include <utility>

namespace bp::runtime {
namespace {

// Of sizes, so of numbers that are not negative.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

}  // namespace

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

std::int64_t MemoryFigures::peak() const {
  std::int64_t peak = scratch;
  for (std::int64_t planned : {inputs, outputs, temporaries, constants}) {
    peak = sum(peak, planned);
  }
  return peak;
}

MemoryFigures &MemoryFigures::operator+=(const MemoryFigures &other) {
  for (auto figure : {&MemoryFigures::inputs, &MemoryFigures::outputs, &MemoryFigures::temporaries,
                      &MemoryFigures::constants, &MemoryFigures::scratch, &MemoryFigures::resident}) {
    this->*figure = sum(this->*figure, other.*figure);
  }
  return *this;
}

}  // namespace bp::runtime
