// Passes of a Fourier transform over cache-resident memory, after Stockham: with n = r m, output c + r d of a
// transform is the transform over b, of length m, at d, of root(bc / n) times the sum over a of root(ac / r) x[a m + b].
// A pass does the inner sums, one codelet for each b, and puts c behind b, in front of the places of earlier passes, so
// that no bits are reversed. What is transformed are rows of one or of `columns` numbers; vectors run over columns or,
// where there is one, over places.
#pragma once

#include <optional>

#include "plugins/llvm/contraction.h"
#include "plugins/llvm/fft_codelet.h"
#include "plugins/llvm/fft_plan.h"
#include "plugins/llvm/index.h"

namespace bp::emit {

// Rows of complex numbers in memory.
struct FftArray {
  enum class Kind : std::uint8_t { Planes, Pairs, Reals };
  Kind kind = Kind::Planes;
  llvm::Value *base = nullptr;     // of the first number
  std::int64_t row_stride = 1;     // in numbers
  std::int64_t plane_stride = 0;   // of Planes: from a real part to the imaginary part, in reals
  bool is_swapped = false;         // real and imaginary parts have each other's place: it makes forwards backwards
  llvm::Value *columns = nullptr;  // i64: how many there are, if not all
  FftArray swapped() const {
    FftArray other = *this;
    other.is_swapped = !is_swapped;
    return other;
  }
};

// Columns that make full vectors and cache lines.
std::int64_t fft_block(const VectorTarget &target, std::uint16_t dtype);

class FftPasses {
 public:
  // dtype: of the real parts, f32 or f64.
  FftPasses(KernelBuilder &builder, const VectorTarget &target, std::uint16_t dtype);

  KernelBuilder &builder() const { return k_; }
  std::int64_t lanes() const { return lanes_; }
  llvm::Type *real_type() const { return real_; }
  std::int64_t real_bytes() const { return bytes_; }
  // Two arrays of n rows in scratch, by turns the source and the sink of a pass. Bytes of both.
  std::int64_t buffer_bytes(std::int64_t n, std::int64_t columns) const;
  FftArray buffer(llvm::Value *scratch, std::size_t which, std::int64_t n, std::int64_t columns) const;

  // Transforms n rows, a number that has radices, forwards. Scratch: of buffer_bytes(). Returns the sink, or, without,
  // the buffer of scratch where the result is. A source in scratch is overwritten.
  FftArray transform(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                     llvm::Value *scratch, double scale = 1);
  // The same for any n: by convolution where it has none.
  FftArray transform_any(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                         llvm::Value *scratch, double scale = 1);
  // Rows of scratch that transform_any() needs.
  std::int64_t rows_for(std::int64_t n) const;

  // `lanes` numbers of a row from `column` on.
  ComplexParts load(const FftArray &array, llvm::Value *row, llvm::Value *column, std::int64_t lanes);
  void store(const FftArray &array, llvm::Value *row, llvm::Value *column, ComplexParts value);
  ComplexParts scaled(ComplexParts value, double scale);

  // body(row, column, lanes) for all numbers of rows [begin, end), a vector each; some perhaps twice.
  using Body = std::function<void(llvm::Value *, llvm::Value *, std::int64_t)>;
  void for_each(std::int64_t rows, std::int64_t columns, const Body &body);
  // Lanes over `count` neighbours: calls body at 0, lanes, ..., the last of them so that it ends at count.
  void over(std::int64_t count, const std::function<void(llvm::Value *, std::int64_t)> &body);

  // A constant array of numbers, its real parts before its imaginary parts: of one kernel's unit, made once.
  FftArray table(const std::string &name, std::int64_t size,
                 const std::function<std::complex<double>(std::int64_t)> &value, std::uint16_t dtype);
  FftArray table(const std::string &name, std::int64_t size,
                 const std::function<std::complex<double>(std::int64_t)> &value) {
    return table(name, size, value, dtype_);
  }
  // One number of a table in each lane.
  ComplexParts broadcast(const FftArray &table, llvm::Value *place, std::int64_t lanes);
  llvm::Value *integer(std::int64_t value) const { return k_.b.getInt64(static_cast<std::uint64_t>(value)); }
  llvm::Value *times(llvm::Value *x, std::int64_t factor) const;
  llvm::Value *plus(llvm::Value *x, llvm::Value *y) const;

 private:
  struct Pass {
    std::int64_t radix, rest, done;
    double scale;
    const FftArray &from, &to;
  };
  void with_broadcasts(const Pass &pass, std::int64_t columns);
  void with_shuffles(const Pass &pass);
  FftArray by_convolution(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                          llvm::Value *scratch, double scale);
  llvm::Value *address(const FftArray &array, llvm::Value *row, llvm::Value *column) const;

  KernelBuilder &k_;
  const std::uint16_t dtype_;
  llvm::Type *real_;
  const std::int64_t bytes_, lanes_, block_;
  const FftMachine machine_;
};

}  // namespace bp::emit
