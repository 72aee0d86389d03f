#include "plugins/llvm/fft/shape.h"

#include <algorithm>
#include <functional>

#include "plugins/llvm/scalar/element_type.h"

namespace bp::emit {
namespace {

// Largest number of complex numbers of a line that one thread transforms in scratch.
constexpr std::int64_t longest_line_in_cache = 8192;
// Length of the longest columns that are transformed next to each other.
constexpr std::int64_t longest_column = 16384;
// Limits the size of the tables of a convolution.
constexpr std::int64_t longest_convolved = std::int64_t{1} << 17;
constexpr std::int64_t longest_line = std::int64_t{1} << 29;
}  // namespace

FftShape::FftShape(InstructionView instruction, const VectorTarget &target) {
  const Shape &from = instruction.operand_shape(0), &to = instruction.shape();
  const auto lengths = instruction.numbers(BP_ATTR_FFT_LENGTH);
  type = instruction.number(BP_ATTR_FFT_TYPE);
  is_inverse = type == BP_FFT_TYPE_IFFT || type == BP_FFT_TYPE_IRFFT;
  is_real = type == BP_FFT_TYPE_RFFT || type == BP_FFT_TYPE_IRFFT;
  part = part_type(is_complex(from.dtype) ? from.dtype : to.dtype);
  length = lengths.back();
  in = from.dims.back();
  out = to.dims.back();
  lines = to.elements / out;
  // The dimensions before the last one, innermost first. A real spectrum has the same sizes in them.
  const std::int64_t stored = type == BP_FFT_TYPE_IRFFT ? in : out;
  std::int64_t inner = stored;
  const std::size_t rank = to.rank();
  for (std::size_t i = 1; i < lengths.size(); ++i) {
    const std::int64_t n = to.dims[rank - 1 - i];
    columns.push_back({lines * stored / (n * inner), n, inner});
    inner *= n;
    scale *= is_inverse ? 1.0 / static_cast<double>(n) : 1;
  }
  scale *= is_inverse ? 1.0 / static_cast<double>(length) : 1;
  is_halved = is_real && length % 2 == 0;
  points = is_halved ? length / 2 : length;
  block = fft_block(target, part);
  is_convolved =
      points > longest_line_in_cache ? !has_radices(points) : is_better_convolved(points, 1, fft_machine(target, part));
  rows = is_convolved ? Convolution1d(points, block).length() : points;
  is_long = rows > longest_line_in_cache;
  if (is_long) {
    matrix = near_square(rows, block);
  }
}

std::string fft_problem(InstructionView instruction) {
  for (const Shape *shape : {&instruction.operand_shape(0), &instruction.shape()}) {
    if (!std::ranges::is_sorted(shape->minor_to_major, std::greater())) {
      return "is not row-major, which is not compiled";
    }
  }
  const auto lengths = instruction.numbers(BP_ATTR_FFT_LENGTH);
  const std::int64_t type = instruction.number(BP_ATTR_FFT_TYPE);
  const bool is_real = type == BP_FFT_TYPE_RFFT || type == BP_FFT_TYPE_IRFFT;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const bool is_last = i + 1 == lengths.size();
    const std::int64_t length = lengths[i];
    if (length < 1) {
      return "has a length below 1";
    }
    const bool is_halved = is_last && is_real && length % 2 == 0;
    const std::int64_t points = is_halved ? length / 2 : length;
    const std::int64_t most = is_last ? longest_line : longest_column;
    if (points > (has_radices(points) ? most : std::min(most / 2, longest_convolved))) {
      return "has a length that is not compiled";
    }
  }
  return {};
}

}  // namespace bp::emit
