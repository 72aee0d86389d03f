#include "plugins/llvm/fft/matrix.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bp::emit {

using llvm::Value;

std::int64_t FftMatrix::scratch_bytes() const {
  return buffer_bytes() + (twiddle_step() + twiddle_count()) * 2 * shape_.block * p_.real_bytes();
}

// Whole vectors of rows are read, including undefined elements after the last row.
std::int64_t FftMatrix::buffer_bytes() const {
  const auto [rows, columns] = shape_.matrix;
  return std::max({p_.buffer_bytes(rows, shape_.block), p_.buffer_bytes(rounded_up(rows, shape_.block), shape_.block),
                   p_.buffer_bytes(columns, shape_.block)});
}

// Returns a block of the intermediate matrix, in which columns that are transformed together are stored together.
Value *FftMatrix::matrix_block(Value *item) const {
  const std::int64_t size = 2 * shape_.block * rounded_up(shape_.matrix.second, shape_.block);
  return p_.behind(memory_, p_.times(item, size));
}

void FftMatrix::columns_first(const FftArray &line, Value *item) const {
  const auto [rows, columns] = shape_.matrix;
  Value *first = p_.times(item, shape_.block);
  FftArray source = line;
  source.base = p_.behind(line.base, p_.times(first, line.kind == FftArray::Kind::Pairs ? 2 : 1));
  source.row_stride = columns;
  if (columns % shape_.block != 0) {
    source.columns = b_.CreateSub(p_.integer(columns), first);
  }
  const FftArray transformed = p_.transform(source, std::nullopt, rows, shape_.block, scratch_);
  const FftArray twiddles = emit_twiddles(first);
  const std::int64_t lanes = p_.lanes();
  k_.loop(0, rounded_up(rows, lanes), lanes, [&](Value *row) {
    k_.loop(0, shape_.block, lanes, [&](Value *column) {
      std::vector<Value *> planes[2];
      for (std::int64_t i = 0; i < lanes; ++i) {
        Value *at = p_.plus(row, p_.integer(i));
        const ComplexParts low = p_.load(twiddles, b_.CreateURem(at, p_.integer(twiddle_step())), column, lanes);
        Value *high_row = p_.plus(b_.CreateUDiv(at, p_.integer(twiddle_step())), p_.integer(twiddle_step()));
        const ComplexParts turn = emit_product(b_, low, p_.load(twiddles, high_row, column, lanes));
        const ComplexParts value = emit_product(b_, p_.load(transformed, at, column, lanes), turn);
        planes[0].push_back(value.real);
        planes[1].push_back(value.imaginary);
      }
      planes[0] = emit_interleave(b_, planes[0], 1);
      planes[1] = emit_interleave(b_, planes[1], 1);
      const FftArray sink{.base = matrix_block(b_.CreateUDiv(row, p_.integer(shape_.block))),
                          .row_stride = 2 * shape_.block,
                          .plane_stride = shape_.block};
      for (std::int64_t i = 0; i < lanes; ++i) {
        const auto lane = static_cast<std::size_t>(i);
        p_.store(sink, p_.plus(p_.plus(first, column), p_.integer(i)), b_.CreateURem(row, p_.integer(shape_.block)),
                 {planes[0][lane], planes[1][lane]});
      }
    });
  });
}

void FftMatrix::columns_again(const FftArray &line, Value *item, double scale) const {
  const auto [rows, columns] = shape_.matrix;
  const FftArray source{.base = matrix_block(item), .row_stride = 2 * shape_.block, .plane_stride = shape_.block};
  Value *first = p_.times(item, shape_.block);
  FftArray sink = line;
  sink.base = p_.behind(line.base, p_.times(first, line.kind == FftArray::Kind::Pairs ? 2 : 1));
  sink.row_stride = rows;
  if (rows % shape_.block != 0) {
    sink.columns = b_.CreateSub(p_.integer(rows), first);
  }
  p_.transform(source, sink, columns, shape_.block, scratch_, scale);
}

// For a block of columns from `first` on, and row k:
// root(column k / n) = low(column, k % step) high(column, k / step).
std::int64_t FftMatrix::twiddle_step() const {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::sqrt(static_cast<double>(shape_.matrix.first)))));
}
std::int64_t FftMatrix::twiddle_count() const {
  return (rounded_up(shape_.matrix.first, shape_.block) - 1) / twiddle_step() + 1;
}
FftArray FftMatrix::emit_twiddles(Value *first) const {
  const std::int64_t step = twiddle_step(), count = step + twiddle_count();
  const auto row_of = [=](std::int64_t i) { return i < step ? i : (i - step) * step; };
  const auto near = [&](std::int64_t i) {
    return root_of_unity(row_of(i / shape_.block) * (i % shape_.block), shape_.rows);
  };
  const std::string name = "near." + std::to_string(shape_.rows) + "." + std::to_string(step);
  const FftArray twiddles{.base = p_.behind(scratch_, buffer_bytes() / p_.real_bytes()),
                          .row_stride = 2 * shape_.block,
                          .plane_stride = shape_.block};
  const auto emit_some = [&](std::int64_t begin, std::int64_t end, std::int64_t factor) {
    k_.loop(begin, end, 1, [&](Value *i) {
      Value *row = p_.times(b_.CreateSub(i, p_.integer(begin)), factor);
      const ComplexParts far =
          p_.root_at(b_.CreateURem(b_.CreateMul(first, row), p_.integer(shape_.rows)), shape_.rows);
      k_.loop(0, shape_.block, p_.lanes(), [&](Value *column) {
        Value *place = p_.plus(p_.times(i, shape_.block), column);
        p_.store(twiddles, i, column, p_.load_twiddles(name, count * shape_.block, near, place, far));
      });
    });
  };
  emit_some(0, step, 1);
  emit_some(step, count, step);
  return twiddles;
}

}  // namespace bp::emit
