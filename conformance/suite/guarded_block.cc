#include "conformance/suite/guarded_block.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace bp::conformance {
namespace {

constexpr std::byte canary{0xc3};

std::uint64_t page_size() {
  static const auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::uint64_t round_up(std::uint64_t size, std::uint64_t step) {
  return (size + step - 1) / step * step;
}

}  // namespace

Result<GuardedBlock> GuardedBlock::make(const host::Device *device, std::uint32_t space, std::uint64_t size,
                                        std::uint64_t alignment, Side side, std::byte poison) {
  const std::uint64_t page = page_size();
  alignment = std::max<std::uint64_t>(alignment, runtime::block_alignment);
  if ((device == nullptr && alignment > page) || size > (std::uint64_t{1} << 40)) {
    return make_error(ErrorCode::OutOfMemory, "{} bytes aligned to {} cannot be guarded", size, alignment);
  }
  GuardedBlock block;
  block.device_ = device;
  block.size_ = size;
  if (device != nullptr) {
    alignment = std::max<std::uint64_t>(alignment, device->memory()->spaces[space].alignment);
    block.begin_ = alignment;
    block.all_ = round_up(size, alignment) + 2 * alignment;
    BP_ASSIGN(block.block_, runtime::Block::allocate_on(*device, space, block.all_, alignment));
  } else {
    block.all_ = std::max(round_up(size, page), page);
    block.begin_ = side == Side::AtStart ? 0 : (block.all_ - size) / alignment * alignment;
    void *all = mmap(nullptr, block.all_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
      return make_error(ErrorCode::OutOfMemory, "out of memory: {} guarded bytes cannot be allocated", size);
    }
    block.pages_ = static_cast<std::byte *>(all) + page;
    mprotect(block.pages_, block.all_, PROT_READ | PROT_WRITE);
  }
  std::vector<std::byte> content(block.all_, canary);
  std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(block.begin_), size, poison);
  BP_TRY(block.copy_in(0, content));
  return block;
}

GuardedBlock::GuardedBlock(GuardedBlock &&other) noexcept
    : device_(other.device_),
      block_(std::move(other.block_)),
      pages_(std::exchange(other.pages_, nullptr)),
      all_(other.all_),
      begin_(other.begin_),
      size_(other.size_) {}

GuardedBlock::~GuardedBlock() {
  if (pages_ != nullptr) {
    munmap(pages_ - page_size(), all_ + 2 * page_size());
  }
}

bp_loc_t GuardedBlock::at(std::uint64_t offset) const {
  bp_loc_t location = device_ != nullptr ? block_.location() : runtime::host_location(pages_);
  location.offset += offset;
  return location;
}

Status GuardedBlock::copy_in(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (device_ != nullptr) {
    return runtime::copy(*device_, at(offset), runtime::host_location(bytes.data()), bytes.size());
  }
  std::ranges::copy(bytes, pages_ + offset);
  return {};
}

Result<std::vector<std::byte>> GuardedBlock::copy_out(std::uint64_t offset, std::uint64_t size) const {
  if (device_ == nullptr) {
    return std::vector<std::byte>(pages_ + offset, pages_ + offset + size);
  }
  std::vector<std::byte> bytes(size);
  BP_TRY(runtime::copy(*device_, runtime::host_location(bytes.data()), at(offset), size));
  return bytes;
}

Status GuardedBlock::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  return copy_in(begin_ + offset, bytes);
}

Result<std::vector<std::byte>> GuardedBlock::read(std::uint64_t offset, std::uint64_t size) const {
  return copy_out(begin_ + offset, size);
}

Result<bool> GuardedBlock::canaries_live() const {
  BP_ASSIGN(const std::vector<std::byte> all, copy_out(0, all_));
  const auto lives = [](std::byte byte) { return byte == canary; };
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(begin_);
  return std::all_of(all.begin(), begin, lives) &&
         std::all_of(begin + static_cast<std::ptrdiff_t>(size_), all.end(), lives);
}

}  // namespace bp::conformance
