// The parameters of an fft instruction, and the method by which it is computed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plugins/llvm/fft/memory.h"
#include "plugins/llvm/module_view.h"

namespace bp::emit {

// Complex numbers per item of a step over a line.
inline constexpr std::int64_t fft_chunk = 4096;

inline std::int64_t rounded_up(std::int64_t x, std::int64_t multiple) {
  return (x + multiple - 1) / multiple * multiple;
}

struct FftShape {
  FftShape(InstructionView instruction, const VectorTarget &target);

  // Offsets, in reals, into the memory shared by all threads: the columns of an inverse real transform; a long line, if
  // it needs memory besides operand and result; its matrix.
  std::int64_t line_begin() const {
    return type == BP_FFT_TYPE_IRFFT && !columns.empty() ? rounded_up(2 * lines * in, 16) : 0;
  }
  std::int64_t matrix_begin() const {
    return line_begin() + (is_long && (is_real || is_convolved) ? rounded_up(2 * rows, 16) : 0);
  }
  std::int64_t common_end() const {
    return matrix_begin() + (is_long ? 2 * rounded_up(matrix.first, block) * rounded_up(matrix.second, block) : 0);
  }

  struct Columns {
    std::int64_t outer, length, inner;
  };
  std::int64_t type;
  bool is_inverse, is_real;
  std::uint16_t part;
  std::int64_t length, in, out;  // length of a line: in full; in the operand; in the result
  std::int64_t lines;
  std::vector<Columns> columns;
  bool is_halved;
  std::int64_t points;  // number of complex numbers as which a line is transformed
  double scale = 1;
  std::int64_t block;  // number of columns that are transformed together
  bool is_convolved, is_long;
  std::int64_t rows;                             // length of a line while it is transformed
  std::pair<std::int64_t, std::int64_t> matrix;  // rows and columns of a long line's matrix
};

// Why an fft is not compiled; empty if it is.
std::string fft_problem(InstructionView instruction);

}  // namespace bp::emit
