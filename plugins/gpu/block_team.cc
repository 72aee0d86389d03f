#include "plugins/gpu/block_team.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>

namespace bp::gpu {

using llvm::Value;

namespace {

// The number of threads that is more than enough to keep the memory of a large GPU busy.
constexpr std::int64_t enough_threads = 128 * 1024;
constexpr std::int64_t usual_block = 256;
// The min number of elements of a row that a thread handles, unless the GPU would be idle otherwise.
constexpr std::int64_t usual_share = 16;
// The min number of elements of a column that a thread handles: more threads would do little but combine their sums.
constexpr std::int64_t min_share = 4;

// Bytes from the memory of a team to that of the next. Teams side by side use different banks at the same time.
std::int64_t pitch(const TeamSize &size, std::int64_t bytes) {
  constexpr std::int64_t banks_apart = 16;
  return (bytes + 63) / 64 * 64 + (size.stride > 1 ? banks_apart : 0);
}

std::int64_t floor_power_of_two(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 1))));
}

}  // namespace

TeamSize team_size(std::int64_t rows, std::int64_t length, std::int64_t max_threads, const Target &target) {
  // A thread handles four elements at a time, if the row is long enough.
  const std::int64_t items = std::max(length / 4, std::min(length, target.warp_size));
  const std::int64_t most = std::min(floor_power_of_two(items), max_threads);
  TeamSize size;
  size.threads = std::min(most, std::max(floor_power_of_two(length / usual_share), target.warp_size));
  while (size.threads < most && rows * size.threads < enough_threads) {
    size.threads *= 2;
  }
  return block_of_teams(size.threads, rows, 0, target);
}

TeamSize team_size(const emit::ColumnWork &work, std::int64_t max_threads, const Target &target) {
  const std::int64_t warp_size = target.warp_size;
  // Neighbouring threads read a cache line of a row, or at least a sector.
  constexpr std::int64_t line_bytes = 128, sector_bytes = 32;
  const std::int64_t most = floor_power_of_two(work.length / min_share);
  const auto all = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(work.items)));
  const auto filling = [&](std::int64_t bytes) {
    return std::min(floor_power_of_two(bytes / work.row_bytes), std::min(all, warp_size));
  };
  const auto side_by_side = [&](std::int64_t threads, std::int64_t stride) {
    return TeamSize{threads, std::max({stride, warp_size / threads, std::min(usual_block / threads, all)}), stride};
  };
  const auto fits = [&](const TeamSize &size) {
    return size.threads * size.per_block <= max_threads &&
           shared_bytes_of(size, size.threads / size.exchange_width(warp_size) * work.shown_bytes) <=
               target.usual_shared_bytes;
  };
  TeamSize size = side_by_side(1, filling(line_bytes));
  while (size.threads < most && work.items * size.threads < enough_threads) {
    TeamSize next = side_by_side(2 * size.threads, size.stride);
    if (!fits(next)) {
      next = side_by_side(2 * size.threads, std::max(size.stride / 2, filling(sector_bytes)));
    }
    if (!fits(next)) {
      break;
    }
    size = next;
  }
  return size;
}

TeamSize block_of_teams(std::int64_t threads, std::int64_t teams, std::int64_t bytes_of_team, const Target &target) {
  const std::int64_t fitting = std::max<std::int64_t>(usual_block / threads, 1);
  const std::int64_t whole_warp = std::max<std::int64_t>(target.warp_size / threads, 1);
  const auto wanted = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(teams)));
  TeamSize size = {threads, std::max(whole_warp, std::min(fitting, wanted))};
  while (size.per_block > whole_warp && shared_bytes_of(size, bytes_of_team) > target.usual_shared_bytes) {
    size.per_block /= 2;
  }
  return size;
}

std::uint32_t shared_bytes_of(const TeamSize &size, std::int64_t bytes_of_team) {
  return static_cast<std::uint32_t>(size.per_block * pitch(size, bytes_of_team));
}

BlockTeam::BlockTeam(llvm::IRBuilderBase &b, const Threads &threads, const KernelFrame &frame, const TeamSize &size,
                     std::int64_t items)
    : threads_(threads), frame_(frame), size_(size) {
  const auto integer = [&](std::int64_t value) { return b.getInt64(static_cast<std::uint64_t>(value)); };
  member_ = b.CreateURem(b.CreateUDiv(frame.thread, integer(size.stride)), integer(size.threads));
  Value *side_by_side = b.CreateUDiv(frame.thread, integer(size.stride * size.threads));
  number_ =
      b.CreateAdd(b.CreateMul(side_by_side, integer(size.stride)), b.CreateURem(frame.thread, integer(size.stride)));
  item_ = b.CreateAdd(b.CreateMul(frame.block, integer(size.per_block)), number_);
  if (items % size.per_block != 0) {
    has_work_ = b.CreateICmpULT(item_, integer(items));
    threads_.note_work(b, frame_, has_work_);
    item_ = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, item_, integer(items - 1));
  }
}

void BlockTeam::wait(llvm::IRBuilderBase &b) {
  if (size_.threads > exchange_width()) {
    threads_.wait_for_block(b, frame_);
  } else {
    threads_.wait_for_warp(b, frame_);
  }
}

// Values are exchanged in words of 32 bits.
Value *BlockTeam::shuffle_xor(llvm::IRBuilderBase &b, Value *value, std::uint32_t mask) {
  llvm::Type *type = value->getType();
  if (auto *parts = llvm::dyn_cast<llvm::StructType>(type)) {
    Value *result = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < parts->getNumElements(); ++i) {
      result = b.CreateInsertValue(result, shuffle_xor(b, b.CreateExtractValue(value, i), mask), i);
    }
    return result;
  }
  const unsigned bits = type->getPrimitiveSizeInBits(), words = (bits + 31) / 32;
  llvm::Type *number = b.getIntNTy(bits), *wide = b.getIntNTy(words * 32);
  Value *all = b.CreateZExt(b.CreateBitCast(value, number), wide), *result = nullptr;
  for (unsigned i = 0; i < words; ++i) {
    Value *word = b.CreateTrunc(b.CreateLShr(all, i * 32), b.getInt32Ty());
    word = threads_.shuffle_xor(b, frame_, word, mask * static_cast<std::uint32_t>(size_.stride));
    Value *other = b.CreateShl(b.CreateZExt(word, wide), i * 32);
    result = result == nullptr ? other : b.CreateOr(result, other);
  }
  return b.CreateBitCast(b.CreateTrunc(result, number), type);
}

// Several instructions where one multiplies only a part of the unit's matrices.
std::vector<Value *> BlockTeam::mma(llvm::IRBuilderBase &builder, emit::MatrixElement element,
                                    std::span<Value *const> a, std::span<Value *const> b,
                                    std::span<Value *const> sums) {
  const MatrixPart part = *threads_.matrix_part(element);
  const std::size_t of_rows = part.rows / 8, of_line = part.contracted_bytes / 16;
  std::vector<Value *> results(sums.begin(), sums.end());
  for (std::size_t row = 0; row < 2; row += of_rows) {
    for (std::size_t at = 0; at < 2; at += of_line) {
      std::vector<Value *> words;
      for (std::size_t i = 0; i < of_rows * of_line; ++i) {
        words.push_back(a[2 * (at + i / of_rows) + row + i % of_rows]);
      }
      const std::span<Value *> of_part = std::span(results).subspan(2 * row, 2 * of_rows);
      std::ranges::copy(threads_.mma(builder, frame_, element, words, b.subspan(at, of_line), of_part),
                        of_part.begin());
    }
  }
  return results;
}

std::int64_t BlockTeam::max_memory_bytes() const {
  return threads_.target().usual_shared_bytes / size_.per_block / 64 * 64;
}

Value *BlockTeam::memory(llvm::IRBuilderBase &b, std::int64_t bytes) {
  Value *offset = b.CreateMul(number_, b.getInt64(static_cast<std::uint64_t>(pitch(size_, bytes))));
  return b.CreateInBoundsGEP(b.getInt8Ty(), threads_.shared_memory(b, frame_), offset);
}

}  // namespace bp::gpu
