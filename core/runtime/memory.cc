#include "core/runtime/memory.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/host/diagnostics.h"

namespace bp::runtime {
namespace {

// Adds two non-negative sizes.
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
    return make_error(ErrorCode::OutOfMemory, "out of memory: the system cannot allocate {} bytes", size);
  }
  block.data_ = static_cast<std::byte *>(data);
  block.size_ = size;
  return block;
}

Result<Block> Block::allocate_on(const host::Device &device, std::uint32_t space, std::uint64_t size,
                                 std::size_t alignment) {
  const bp_device_memory_t &memory = *device.memory();
  if (space >= memory.space_count) {
    return make_error(ErrorCode::PluginFailure,
                      "backend {}: a program uses memory space {}, expected less than {}, the number of its spaces",
                      device.id(), space, memory.space_count);
  }
  Block block;
  if (size == 0) {
    return block;
  }
  alignment = std::max<std::size_t>(alignment, memory.spaces[space].alignment);
  bp_memory_t piece{};
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return memory.alloc(device.abi(), space, size, static_cast<std::uint32_t>(alignment), &piece, diag);
  });
  if (status != BP_OK) {  // the text is made only now: it takes memory, which is counted
    BP_TRY(diagnostics.result(
        status, device.id(), fmt::format("alloc of {} bytes of {}", size, host::printable(memory.spaces[space].name))));
  }
  if (piece.memory == 0) {
    return make_error(ErrorCode::PluginFailure, "backend {}: alloc reported success, but gave the handle 0",
                      device.id());
  }
  block.data_ = static_cast<std::byte *>(piece.host);
  block.size_ = size;
  block.device_ = &device;
  block.memory_ = piece.memory;
  return block;
}

Block::Block(Block &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      device_(std::exchange(other.device_, nullptr)),
      memory_(std::exchange(other.memory_, 0)) {}

Block &Block::operator=(Block &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(device_, other.device_);
  std::swap(memory_, other.memory_);
  return *this;
}

Block::~Block() {
  if (device_ != nullptr) {
    device_->memory()->release(device_->abi(), memory_);
  } else {
    std::free(data_);
  }
}

bp_loc_t Block::location() const {
  return device_ != nullptr ? bp_loc_t{memory_, 0} : host_location(data_);
}

Status copy(const host::Device &device, bp_loc_t to, bp_loc_t from, std::uint64_t size) {
  if (size == 0) {
    return {};
  }
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call(
      [&](const bp_diag_t *diag) { return device.memory()->copy(device.abi(), to, from, size, diag); });
  return diagnostics.result(status, device.id(), "copy");
}

std::int64_t MemoryFigures::peak() const {
  std::int64_t peak = scratch;
  for (std::int64_t planned : {inputs, outputs, temporaries, constants}) {
    peak = sum(peak, planned);
  }
  return peak;
}

MemoryFigures &MemoryFigures::operator+=(const MemoryFigures &other) {
  for (auto figure :
       {&MemoryFigures::inputs, &MemoryFigures::outputs, &MemoryFigures::temporaries, &MemoryFigures::constants,
        &MemoryFigures::scratch, &MemoryFigures::resident, &MemoryFigures::staging}) {
    this->*figure = sum(this->*figure, other.*figure);
  }
  return *this;
}

}  // namespace bp::runtime
