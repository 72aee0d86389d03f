#include "plugins/gpu/emulator/units.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "plugins/gpu/threads.h"
#include "plugins/llvm/generator/team.h"

namespace bp::gpu {
namespace {

// The value of a matrix element.
template <typename Sum>
Sum value_of(std::uint32_t bits, emit::MatrixElement element) {
  switch (element) {
    case emit::MatrixElement::S8: return static_cast<Sum>(static_cast<std::int8_t>(bits));
    case emit::MatrixElement::U8: return static_cast<Sum>(static_cast<std::uint8_t>(bits));
    case emit::MatrixElement::TF32: {
      const bool is_finite = (bits >> 23 & 0xff) != 0xff;  // rounded to nearest, halves away from zero
      return static_cast<Sum>(std::bit_cast<float>(is_finite ? (bits + 0x1000) & ~0x1fffu : bits));
    }
    case emit::MatrixElement::BF16: return static_cast<Sum>(std::bit_cast<float>(bits << 16));
    default: break;
  }
  const auto exponent = static_cast<int>(bits >> 10 & 31), mantissa = static_cast<int>(bits & 1023);
  const float size = exponent == 31  ? (mantissa == 0 ? INFINITY : NAN)
                     : exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                     : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  return static_cast<Sum>((bits >> 15 & 1) != 0 ? -size : size);
}

// Elements are distributed over the threads as emit::MatrixUnit describes.
template <typename Sum>
void multiply_into(const EmulatedThread *thread, std::uint32_t turn, emit::MatrixElement element,
                   const MatrixPart &part, Sum *sums) {
  const std::uint32_t words_of_rows = part.rows / 8, words = words_of_rows * part.contracted_bytes / 16;
  const std::uint32_t lane = thread->thread % matrix_lanes;
  const EmulatedThread *warp = thread - lane;
  const auto bytes = static_cast<std::uint32_t>(emit::bytes_of(element));
  const auto value = [&](std::uint32_t owner, std::uint32_t word, std::uint32_t byte) {
    return value_of<Sum>(warp[owner].words[turn][word] >> 8 * (byte % 4) & (~0u >> (32 - 8 * bytes)), element);
  };
  for (std::uint32_t i = 0; i < 2 * words_of_rows; ++i) {
    const std::uint32_t row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    for (std::uint32_t k = 0; k < part.contracted_bytes; k += bytes) {
      const std::uint32_t in_four = k % 16 / 4, last = k / 16;
      const Sum x = value(row % 8 * 4 + in_four, row / 8 + words_of_rows * last, k);
      const Sum y = value(column * 4 + in_four, words + last, k);
      if constexpr (std::is_same_v<Sum, float>) {
        sums[i] = std::fma(x, y, sums[i]);
      } else {
        sums[i] += x * y;
      }
    }
  }
}

// Reads elements of a slice, whose pieces of 16 bytes are swizzled by their address. It reads NaN, or an integer whose
// bits are all ones, where the shared memory differs from what is visible to the unit.
class SliceReader {
 public:
  SliceReader(const EmulatedThread *thread, const EmulatedSlice &slice, emit::MatrixElement element)
      : shared_(static_cast<const std::uint8_t *>(thread->shared)),
        visible_(static_cast<const std::uint8_t *>(thread->visible)),
        slice_(slice),
        element_(element),
        bytes_(static_cast<std::uint64_t>(emit::bytes_of(element))) {}

  template <typename Sum>
  Sum value(std::uint64_t i, std::uint64_t k) const {
    const bool has_contracted_lines = slice_.has_contracted_lines != 0;
    const std::uint64_t line = has_contracted_lines ? i : k;
    const std::uint64_t in_line = has_contracted_lines ? k : i % 64, block = has_contracted_lines ? 0 : i / 64;
    std::uint64_t place =
        slice_.start + block * slice_.leading + line / 8 * slice_.stride + line % 8 * 128 + in_line * bytes_;
    place ^= (place >> 7 & 7) << 4;
    std::uint32_t bits = 0;
    for (std::uint64_t byte = 0; byte < bytes_; ++byte) {
      if (shared_[place + byte] != visible_[place + byte]) {
        return value_of<Sum>(0xffff, element_);
      }
      bits |= std::uint32_t{shared_[place + byte]} << 8 * byte;
    }
    return value_of<Sum>(bits, element_);
  }

 private:
  const std::uint8_t *shared_, *visible_;
  EmulatedSlice slice_;
  emit::MatrixElement element_;
  std::uint64_t bytes_;
};

// A thread has the sums that emit::WarpgroupUnit describes.
template <typename Sum>
void multiply_slices_into(const EmulatedThread *thread, const EmulatedProduct &product, Sum *sums) {
  const auto element = static_cast<emit::MatrixElement>(product.element);
  const SliceReader rows(thread, product.rows, element), columns(thread, product.columns, element);
  const std::uint32_t member = thread->thread % emit::WarpgroupUnit::members, lane = member % matrix_lanes;
  const std::uint32_t row = member / matrix_lanes * 16 + lane / 4;
  const auto contracted = static_cast<std::uint32_t>(32 / emit::bytes_of(element));
  std::vector<Sum> of_rows[2];
  for (std::uint32_t half = 0; half < 2; ++half) {
    for (std::uint32_t k = 0; k < contracted; ++k) {
      of_rows[half].push_back(rows.value<Sum>(row + 8 * half, k));
    }
  }
  for (std::uint32_t i = 0; i < product.sums; i += 4) {
    for (std::uint32_t in_pair = 0; in_pair < 2; ++in_pair) {
      const std::uint32_t column = i * 2 + lane % 4 * 2 + in_pair;
      for (std::uint32_t k = 0; k < contracted; ++k) {
        const Sum y = columns.value<Sum>(column, k);
        for (std::uint32_t half = 0; half < 2; ++half) {
          sums[i + 2 * half + in_pair] += of_rows[half][k] * y;  // products of f16 and bf16 are exact
        }
      }
    }
  }
}

void multiply_at_once(const EmulatedThread *thread, const EmulatedProduct &product, void *sums) {
  if (is_integer(static_cast<emit::MatrixElement>(product.element))) {
    multiply_slices_into(thread, product, static_cast<std::uint32_t *>(sums));
  } else {
    multiply_slices_into(thread, product, static_cast<float *>(sums));
  }
}

}  // namespace

void mma(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t number, std::uint32_t rows,
         std::uint32_t contracted_bytes, void *sums) {
  const auto element = static_cast<emit::MatrixElement>(number);
  const MatrixPart part = {rows, contracted_bytes};
  if (is_integer(element)) {
    multiply_into(thread, turn, element, part, static_cast<std::uint32_t *>(sums));
  } else {
    multiply_into(thread, turn, element, part, static_cast<float *>(sums));
  }
}

void ldmatrix(const EmulatedThread *thread, std::uint32_t turn, std::uint32_t transposed, void *words) {
  const std::uint32_t lane = thread->thread % matrix_lanes, group = lane / 4, part = lane % 4;
  const EmulatedThread *warp = thread - lane;
  for (std::uint32_t matrix = 0; matrix < 4; ++matrix) {
    const auto line = [&](std::uint32_t number) {
      const std::uint32_t *shown = warp[matrix * 8 + number].words[turn];
      return reinterpret_cast<const std::uint16_t *>(std::uint64_t{shown[1]} << 32 | shown[0]);
    };
    const std::uint32_t low = transposed != 0 ? line(2 * part)[group] : line(group)[2 * part];
    const std::uint32_t high = transposed != 0 ? line(2 * part + 1)[group] : line(group)[2 * part + 1];
    static_cast<std::uint32_t *>(words)[matrix] = high << 16 | low;
  }
}

// A unit may read a slice at any time between the start of a multiplication and the wait for it: half of the warps read
// it at the start, the others at the wait.
void wgmma(EmulatedThread *thread, const EmulatedProduct *product, void *sums) {
  if (thread->thread / matrix_lanes % 2 == 0) {
    multiply_at_once(thread, *product, sums);
  } else {
    thread->unfinished[thread->unfinished_count++] = *product;
  }
}

void wgmma_wait(EmulatedThread *thread, void *sums) {
  for (std::uint32_t i = 0; i < thread->unfinished_count; ++i) {
    multiply_at_once(thread, thread->unfinished[i], sums);
  }
  thread->unfinished_count = 0;
}

std::uint64_t box_bytes(const TensorMap &map) {
  std::uint64_t bytes = map.element_bytes;
  for (std::uint32_t d = 0; d < map.dimension_count; ++d) {
    bytes *= map.box[d];
  }
  return bytes;
}

void copy_box(const EmulatedMap &map, std::span<const std::int32_t> first, void *shared, void *to) {
  const TensorMap &of = *map.map;
  auto *memory = static_cast<std::uint8_t *>(shared);
  const auto begin = static_cast<std::uint64_t>(static_cast<std::uint8_t *>(to) - memory);
  const std::uint64_t elements = box_bytes(of) / of.element_bytes;
  for (std::uint64_t i = 0; i < elements; ++i) {
    std::uint64_t rest = i, from = map.address;
    bool is_there = true;
    for (std::uint32_t d = 0; d < of.dimension_count; ++d) {
      const std::int64_t place = std::int64_t{first[d]} + static_cast<std::int64_t>(rest % of.box[d]);
      rest /= of.box[d];
      is_there = is_there && place >= 0 && static_cast<std::uint64_t>(place) < of.sizes[d];
      from += static_cast<std::uint64_t>(place) * of.strides[d];
    }
    std::uint64_t place = begin + i * of.element_bytes;
    place ^= (place >> 7 & 7) << 4;
    if (is_there) {
      std::memcpy(memory + place, reinterpret_cast<const void *>(from), of.element_bytes);
    } else {
      std::memset(memory + place, 0, of.element_bytes);
    }
  }
}

}  // namespace bp::gpu
