#include "core/runtime/memory.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/host/diagnostics.h"
#include "core/runtime/per_device.h"

namespace bp::runtime {
namespace {

// Adds two non-negative sizes.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

PerDevice<FreeBlocks> free_blocks;

// Number of times that free blocks were released, of all devices.
std::atomic<std::uint64_t> releases = 0;

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
  const bp_status status = retry_if_full(device, [&] {
    return diagnostics.call([&](const bp_diag_t *diag) {
      return memory.alloc(device.abi(), space, size, static_cast<std::uint32_t>(alignment), &piece, diag);
    });
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

bool can_import(const host::Device &device, std::uint32_t space, std::uint32_t kind) {
  return device.external_memory() != nullptr && space < device.memory()->space_count &&
         (device.external_memory()->support[space].imports >> kind & 1) != 0;
}

bp_handle_t host_handle(std::span<const std::byte> bytes, bool is_read_only) {
  return {BP_HANDLE_HOST, is_read_only ? std::uint32_t{BP_HANDLE_READ_ONLY} : 0,
          reinterpret_cast<std::uint64_t>(bytes.data()), 0, bytes.size()};
}

Result<Block> Block::import_from(const host::Device &device, std::uint32_t space, const bp_handle_t &handle) {
  const std::string_view what = handle.kind == BP_HANDLE_HOST ? "memory of the host" : "memory of a file";
  if (!can_import(device, space, handle.kind)) {
    return unsupported("backend {}: it cannot use {} where it is, expected a backend with {} whose space {} imports it",
                       device.id(), what, BP_EXT_EXTERNAL_MEMORY, space);
  }
  const bp_external_support_t &support = device.external_memory()->support[space];
  const bool is_host = handle.kind == BP_HANDLE_HOST;
  const std::uint64_t begin = is_host ? handle.value + handle.offset : handle.offset;
  const std::uint32_t alignment = is_host ? support.host_alignment : support.file_alignment;
  if (handle.size == 0 || begin % alignment != 0) {
    return invalid_input(
        "backend {}: it is given {} bytes at {:#x} of {}, expected at least one byte at a multiple of {}", device.id(),
        handle.size, begin, what, alignment);
  }
  bp_memory_t piece{};
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return device.external_memory()->import_memory(device.abi(), space, &handle, &piece, diag);
  });
  BP_TRY(diagnostics.result(status, device.id(), fmt::format("import of {} bytes of {}", handle.size, what)));
  if (piece.memory == 0) {
    return make_error(ErrorCode::PluginFailure, "backend {}: import_memory reported success, but gave the handle 0",
                      device.id());
  }
  Block block;
  block.data_ = static_cast<std::byte *>(piece.host);
  block.size_ = handle.size;
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

// --- FreeBlocks ---

std::shared_ptr<FreeBlocks> FreeBlocks::of(const std::shared_ptr<const host::Device> &device) {
  return free_blocks.get(device);
}

void FreeBlocks::add_user(std::span<const BlockKind> kinds) {
  const std::lock_guard lock(mutex_);
  for (const BlockKind &kind : kinds) {
    Blocks &blocks = blocks_[kind];
    ++blocks.users;
    blocks.free.reserve(blocks.users);  // so that a run takes no memory for the list
  }
}

void FreeBlocks::remove_user(std::span<const BlockKind> kinds) {
  const std::lock_guard lock(mutex_);
  for (const BlockKind &kind : kinds) {
    if (const auto found = blocks_.find(kind); --found->second.users == 0) {
      blocks_.erase(found);
    }
  }
}

Result<Block> FreeBlocks::take(const BlockKind &kind) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = blocks_.find(kind); found != blocks_.end() && !found->second.free.empty()) {
      Block block = std::move(found->second.free.back());
      found->second.free.pop_back();
      return block;
    }
  }
  if (kind.is_on_device) {
    return Block::allocate_on(*device_, kind.space, kind.size, kind.alignment);
  }
  auto block = Block::allocate(kind.size, kind.alignment);
  return block.ok() || !release_all() ? std::move(block) : Block::allocate(kind.size, kind.alignment);
}

void FreeBlocks::keep(const BlockKind &kind, Block block) {
  const std::lock_guard lock(mutex_);
  if (const auto found = blocks_.find(kind); block.size() > 0 && found != blocks_.end()) {
    found->second.free.push_back(std::move(block));
  }
}

bool FreeBlocks::release_all() {
  // Blocks are freed under the lock, so that a thread that finds none knows that those of before are free.
  const std::lock_guard lock(mutex_);
  bool had_any = false;
  for (auto &[kind, blocks] : blocks_) {
    had_any |= !blocks.free.empty();
    blocks.free.clear();
  }
  releases += had_any ? 1 : 0;
  return had_any;
}

bool FreeBlocks::release_of(const host::Device &device) {
  const std::shared_ptr<FreeBlocks> blocks = free_blocks.find(device);
  return blocks != nullptr && blocks->release_all();
}

std::uint64_t FreeBlocks::count_releases() {
  return releases;
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
