// Passes of a Fourier transform over cache-resident memory, after Stockham: with n = r m, output c + r d of a transform
// is the transform over b, of length m, at d, of root(bc / n) times the sum over a of root(ac / r) x[a m + b]. A pass
// does the inner sums, one codelet for each b, and puts c behind b, in front of the places of earlier passes, so that
// no bits are reversed. What is transformed are rows of one or of `columns` numbers; vectors run over columns or, where
// there is one, over places.
#pragma once

#include <optional>

#include "plugins/llvm/fft/codelet.h"
#include "plugins/llvm/fft/memory.h"

namespace bp::emit {

class FftPasses : public FftMemory {
 public:
  FftPasses(KernelBuilder &builder, const VectorTarget &target, std::uint16_t dtype)
      : FftMemory(builder, target, dtype), k_(builder), block_(fft_block(target, dtype)) {}

  // Two arrays of n rows in scratch, by turns the source and the sink of a pass. Bytes of both.
  std::int64_t buffer_bytes(std::int64_t n, std::int64_t columns) const;
  FftArray buffer(llvm::Value *scratch, std::size_t which, std::int64_t n, std::int64_t columns) const;

  // Transforms n rows, a number that has radices, forwards. Scratch: of buffer_bytes(). Returns the sink, or, without,
  // the buffer of scratch where the result is. A source in scratch is overwritten.
  FftArray transform(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                     llvm::Value *scratch, double scale = 1);
  // The same for any n: by convolution where that is better. Scratch: of buffer_bytes(rows_for(n, columns), columns).
  FftArray transform_any(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                         llvm::Value *scratch, double scale = 1);
  std::int64_t rows_for(std::int64_t n, std::int64_t columns) const;

 private:
  struct Pass {
    std::int64_t radix, rest, done;
    double scale;
    const FftArray &from, &to;
  };
  std::optional<FftArray> pass_roots(const Pass &pass);
  void with_broadcasts(const Pass &pass, std::int64_t columns);
  void in_memory(const Pass &pass, std::int64_t columns, llvm::Value *memory);
  void with_shuffles(const Pass &pass);
  FftArray by_convolution(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                          llvm::Value *scratch, double scale);

  KernelBuilder &k_;
  const std::int64_t block_;
};

}  // namespace bp::emit
